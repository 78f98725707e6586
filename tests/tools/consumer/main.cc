// A program of somebody else, built against the installed library: README, "As a library".
#include <cstdio>

#include "tilewright/io.h"
#include "tilewright/map.h"
#include "tilewright/report.h"

int main() {
  const auto arch = tilewright::io::load_architecture("eyeriss");
  const auto work = tilewright::io::load_workload("gemm: m=64 n=64 k=64");
  tilewright::MapOptions options;  // the best EDP with perfect factors, proven
  options.objective = tilewright::Objective::Energy;
  const tilewright::MapOutcome best = tilewright::map_workload(*work.value, *arch.value, options);
  if (best.found()) std::puts(tilewright::report::map_text({options, best}).c_str());
  return best.found() && best.proof ? 0 : 1;
}
