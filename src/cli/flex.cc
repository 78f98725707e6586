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
  std::vector<Diagnostic> problems = standard_input_twice(files);
  complain(problems);
  if (!problems.empty()) return kBadInput;
  std::vector<Architecture> archs;
  for (const std::string& name : options.archs) {
    Checked<Architecture> arch = load_flexible(name, options.flex);
    if (arch.ok() && !arch.value->flexibility) arch.problems.push_back(not_flexible(name));
    if (auto good = taken(std::move(arch), problems)) archs.push_back(std::move(*good));
  }
  complain(problems);
  if (!problems.empty()) return kBadInput;
  print_result(report::class_text(archs, options.output.json, options.output.width),
               options.output.json);
  return kGood;
}

}  // namespace tilewright::cli
