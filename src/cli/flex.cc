#include <fmt/format.h>

#include "base/deadline.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "tilewright/flexibility.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

Checked<NetworkFlexion> measure(const MeasureOptions& options, const Network& network,
                                const Architecture& arch) {
  FlexionOptions how;
  how.samples = options.samples;
  how.seed = static_cast<std::uint64_t>(options.seed);
  how.cancelled = &catch_interrupts();
  ProgressLine line(options.output.quiet);
  const Stopwatch stopwatch;
  return flexion_of(network, arch, how, [&](std::size_t done, std::size_t all) {
    constexpr double kShort = 1;  // second
    if (stopwatch.seconds() < kShort) return;
    const double share = static_cast<double>(done) / static_cast<double>(all);
    line.show(fmt::format("{} {} of {} layers", bar(share), done, all));
  });
}

}  // namespace

int run_flex_classify(const ClassifyOptions& options) {
  std::vector<NamedFile> files;
  for (const std::string& name : options.archs) files.push_back({"archs", name});
  std::vector<Diagnostic> problems = standard_input_twice(files);
  complain(problems);
  if (!problems.empty()) return kBadInput;
  std::vector<Architecture> archs;
  for (const std::string& name : options.archs) {
    Checked<Architecture> arch = load_flexible(name, options.flex, options.set);
    if (arch.ok() && !arch.value->flexibility) arch.problems.push_back(not_flexible(name));
    if (auto good = taken(std::move(arch), problems)) archs.push_back(std::move(*good));
  }
  complain(problems);
  if (!problems.empty()) return kBadInput;
  print_result(report::class_text(archs, options.output.json, options.output.width),
               options.output.json);
  return kGood;
}

int run_flex_measure(const MeasureOptions& options) {
  Checked<Inputs> inputs = load_inputs(options.input);
  if (inputs.ok() && !inputs.value->arch.flexibility) {
    inputs.problems.push_back(not_flexible(options.input.arch));
  }
  if (refused(inputs)) return kBadInput;
  const bool table = try_csv(options.output);
  const bool picture = try_file(options.venn);
  if (!table || !picture) return kBadInput;
  const Network network = network_of(*inputs.value);
  const Checked<NetworkFlexion> flexion = measure(options, network, inputs.value->arch);
  if (!flexion.value) {
    complain(flexion.problems);
    if (!flexion.problems.empty()) return kBadInput;
    complain("interrupted before the last layer was counted");
    return kInterrupted;
  }
  const report::FlexionReport report{network.name, inputs.value->arch, *flexion.value};
  const bool rows = present(options.output, report,
                            {report::flexion_json, report::flexion_text, report::flexion_csv});
  const bool circles = options.venn.empty() || write_file(options.venn, report::venn_svg(report));
  return rows && circles ? kGood : kBadInput;
}

}  // namespace tilewright::cli
