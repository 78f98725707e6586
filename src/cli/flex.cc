#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "tilewright/report.h"

namespace tilewright::cli {

int run_flex_classify(const ClassifyOptions& options) {
  std::vector<Architecture> archs;
  bool good = true;
  for (const std::string& name : options.archs) {
    Parsed<Architecture> arch = load_flexible(name, options.flex);
    if (arch.ok() && !arch.value->flexibility) arch.problems.push_back(not_flexible(name));
    complain(arch.problems);
    good = good && arch.ok();
    if (arch.ok()) archs.push_back(std::move(*arch.value));
  }
  if (!good) return kBadInput;
  print(report::class_text(archs, options.json));
  return kGood;
}

}  // namespace tilewright::cli
