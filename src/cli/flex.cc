#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/standard_input.h"
#include "tilewright/report.h"

namespace tilewright::cli {

int run_flex_classify(const ClassifyOptions& options) {
  std::vector<NamedFile> files;
  for (const std::string& name : options.archs) files.push_back({"archs", name});
  const std::vector<Diagnostic> twice = standard_input_twice(files);
  complain(twice);
  std::vector<Architecture> archs;
  bool good = twice.empty();
  if (!good) return kBadInput;
  for (const std::string& name : options.archs) {
    Parsed<Architecture> arch = load_flexible(name, options.flex);
    if (arch.ok() && !arch.value->flexibility) arch.problems.push_back(not_flexible(name));
    complain(arch.problems);
    good = good && arch.ok();
    if (arch.ok()) archs.push_back(std::move(*arch.value));
  }
  if (!good) return kBadInput;
  print_result(report::class_text(archs, options.json, options.width), options.json);
  return kGood;
}

}  // namespace tilewright::cli
