// A program of somebody else, built against the installed library.
#include <cstdio>

#include "tilewright/workload.h"

int main() {
  const tilewright::Workload gemm = tilewright::make_gemm("gemm", 4, 5, 6);
  const std::int64_t macs = tilewright::multiply_accumulates(gemm);
  std::printf("%lld multiply-accumulates\n", static_cast<long long>(macs));
  return macs == 4 * 5 * 6 ? 0 : 1;
}
