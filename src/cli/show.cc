#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/standard_input.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

int show(const Workload& workload, const OutputOptions& output, bool yaml) {
  print_result(output.json ? report::workload_json(workload)
               : yaml      ? io::write_workload(workload)
                           : report::workload_text(workload),
               output.json || yaml);
  return kGood;
}

// A line for each of the files that are built in.
template <typename T>
int list(const std::vector<io::BuiltinFile>& files, Checked<T> (*load)(const std::string&),
         std::string (*lines)(const std::vector<T>&, bool, int), const OutputOptions& output) {
  std::vector<T> all;
  for (const io::BuiltinFile& builtin : files) {
    Checked<T> loaded = load(builtin.name);
    if (refused(loaded)) return kBadInput;
    all.push_back(std::move(*loaded.value));
  }
  print_result(lines(all, output.json, output.width), output.json);
  return kGood;
}

}  // namespace

int run_arch_show(const ShowOptions& options) {
  const Checked<Architecture> arch = load_architecture(options.what, options.set);
  if (refused(arch)) return kBadInput;
  print_result(options.output.json ? report::architecture_json(*arch.value)
               : options.yaml      ? io::write_architecture(*arch.value)
                                   : report::architecture_text(*arch.value, options.output.width),
               options.output.json || options.yaml);
  return kGood;
}

int run_workload_show(const ShowOptions& options) {
  Checked<Workload> workload = load_workload(options.what);
  if (workload.ok()) workload.problems = apply_renaming(options.rename, *workload.value);
  if (refused(workload)) return kBadInput;
  return show(*workload.value, options.output, options.yaml);
}

int run_archs(const OutputOptions& options) {
  const auto load = +[](const std::string& name) { return io::load_architecture(name); };
  return list(io::builtin_architectures(), load, report::architecture_list, options);
}

int run_models(const ModelsOptions& options) {
  const OutputOptions& output = options.output;
  if (options.network.empty()) {
    const auto load = +[](const std::string& name) { return io::load_network(name); };
    return list(io::builtin_networks(), load, report::network_list, output);
  }
  const Checked<Network> network = load_network(options.network, options.sizes);
  if (refused(network)) return kBadInput;
  if (!options.layer.empty()) {
    const Checked<Layer> layer = io::pick_layer(*network.value, options.layer);
    return refused(layer) ? kBadInput : show(layer.value->workload, output, options.yaml);
  }
  print_result(output.json    ? report::network_json(*network.value)
               : options.yaml ? io::write_network(*network.value)
                              : report::network_text(*network.value, output.width),
               output.json || options.yaml);
  return kGood;
}

int run_explain(const std::string& kind) {
  print(io::describe_format(kind));
  return kGood;
}

}  // namespace tilewright::cli
