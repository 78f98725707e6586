#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::cli {

int run_arch_show(const ShowOptions& options) {
  const Parsed<Architecture> arch = io::load_architecture(options.what);
  if (!arch.ok()) {
    complain(arch.problems);
    return kBadInput;
  }
  print(options.json   ? report::architecture_json(*arch.value)
        : options.yaml ? io::write_architecture(*arch.value)
                       : report::architecture_text(*arch.value));
  return kGood;
}

int run_workload_show(const ShowOptions& options) {
  Parsed<Workload> workload = io::load_workload(options.what);
  if (workload.ok()) workload.problems = apply_renaming(options.rename, *workload.value);
  if (!workload.ok()) {
    complain(workload.problems);
    return kBadInput;
  }
  print(options.json   ? report::workload_json(*workload.value)
        : options.yaml ? io::write_workload(*workload.value)
                       : report::workload_text(*workload.value));
  return kGood;
}

int run_archs(bool json) {
  std::vector<Architecture> all;
  for (const io::BuiltinFile& builtin : io::builtin_architectures()) {
    Parsed<Architecture> arch = io::load_architecture(builtin.name);
    if (!arch.ok()) {
      complain(arch.problems);
      return kBadInput;
    }
    all.push_back(std::move(*arch.value));
  }
  print(report::architecture_list(all, json));
  return kGood;
}

int run_explain(const std::string& kind) {
  print(io::describe_format(kind));
  return kGood;
}

}  // namespace tilewright::cli
