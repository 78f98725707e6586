#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/standard_input.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::cli {

void show(const Workload& workload, bool json, bool yaml) {
  if (json || yaml) {
    print(json ? report::workload_json(workload) : io::write_workload(workload));
  } else {
    print_report(report::workload_text(workload));
  }
}

int run_arch_show(const ShowOptions& options) {
  const Parsed<Architecture> arch = load_architecture(options.what);
  if (!arch.ok()) {
    complain(arch.problems);
    return kBadInput;
  }
  if (options.json || options.yaml) {
    print(options.json ? report::architecture_json(*arch.value)
                       : io::write_architecture(*arch.value));
  } else {
    print_report(report::architecture_text(*arch.value, options.width));
  }
  return kGood;
}

int run_workload_show(const ShowOptions& options) {
  Parsed<Workload> workload = load_workload(options.what);
  if (workload.ok()) workload.problems = apply_renaming(options.rename, *workload.value);
  if (!workload.ok()) {
    complain(workload.problems);
    return kBadInput;
  }
  show(*workload.value, options.json, options.yaml);
  return kGood;
}

int run_archs(const ListOptions& options) {
  std::vector<Architecture> all;
  for (const io::BuiltinFile& builtin : io::builtin_architectures()) {
    Parsed<Architecture> arch = io::load_architecture(builtin.name);
    if (!arch.ok()) {
      complain(arch.problems);
      return kBadInput;
    }
    all.push_back(std::move(*arch.value));
  }
  print_result(report::architecture_list(all, options.json, options.width), options.json);
  return kGood;
}

int run_explain(const std::string& kind) {
  print(io::describe_format(kind));
  return kGood;
}

}  // namespace tilewright::cli
