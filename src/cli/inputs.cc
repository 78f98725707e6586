#include "cli/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/text.h"
#include "cli/output.h"
#include "cli/standard_input.h"
#include "cli/widths.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

using Problems = std::vector<Diagnostic>;

void load_work(const InputOptions& options, Inputs& inputs, Problems& problems) {
  if (options.workload.empty() && options.model.empty()) {
    problems.push_back({{}, "nothing to map is named", "add --workload or --model"});
  } else if (!options.workload.empty()) {
    inputs.workload = taken(load_workload(options.workload), problems);
  } else {
    inputs.network = taken(load_network(options.model, options.sizes), problems);
  }
}

void load_constraints(const InputOptions& options, Inputs& inputs, Problems& problems) {
  const auto add = [&](Checked<std::vector<Constraint>> read) {
    const auto more = taken(std::move(read), problems);
    if (more) append(inputs.constraints, *more);
  };
  for (const std::string& path : options.constraint_files) {
    add(cli::load_constraints(path, inputs.arch));
  }
  for (std::size_t i = 0; i < options.constraint_lines.size(); ++i) {
    const std::string number =
        options.constraint_lines.size() == 1 ? "" : fmt::format(" {}", i + 1);
    add(io::read_constraint_line(options.constraint_lines[i], "--constrain" + number, inputs.arch));
  }
  if (!options.full) return;
  for (const Level& level : inputs.arch.levels) {
    const auto* fanout = std::get_if<Fanout>(&level);
    if (fanout == nullptr) continue;
    inputs.constraints.push_back({fanout->name, {}, UseRule{{1, 1}}, {"--full"}});
  }
}

}  // namespace

void change_work(const InputOptions& options, Inputs& inputs, Problems& problems) {
  if (inputs.network && !options.layer.empty()) {
    const auto layer = taken(io::pick_layer(*inputs.network, options.layer), problems);
    if (layer) inputs.workload = layer->workload;
    inputs.network.reset();
  }
  const Problems misnamed = inputs.workload  ? apply_renaming(options.rename, *inputs.workload)
                            : inputs.network ? apply_renaming(options.rename, *inputs.network)
                                             : Problems();
  append(problems, misnamed);
  if (inputs.workload) append(problems, set_widths(options.bits, {&*inputs.workload}));
  if (inputs.network) append(problems, set_widths(options.bits, *inputs.network));
}

void change_arch(const InputOptions& options, Inputs& inputs, Problems& problems) {
  if (!options.flex.empty()) {
    auto flexibility =
        taken(io::read_flexibility_line(options.flex, "--flex", inputs.arch), problems);
    if (!flexibility) return;
    inputs.arch.flexibility = std::move(*flexibility);
  }
  if (options.accounting == "timeloop") inputs.arch.accounting = Accounting::Timeloop;
  if (options.accounting == "exact") inputs.arch.accounting = Accounting::Exact;
  load_constraints(options, inputs, problems);
}

Checked<Architecture> load_flexible(const std::string& name, const std::string& flex,
                                    const std::vector<std::string>& set) {
  Checked<Architecture> arch = load_architecture(name, set);
  if (!arch.ok() || flex.empty()) return arch;
  Checked<Flexibility> flexibility = io::read_flexibility_line(flex, "--flex", *arch.value);
  if (!flexibility.ok()) return {std::nullopt, std::move(flexibility.problems)};
  arch.value->flexibility = std::move(*flexibility.value);
  return arch;
}

Diagnostic not_flexible(const std::string& arch) {
  return {{arch},
          "the architecture does not say what it can be set to",
          "add the key \"flexibility\" (see `tilewright explain architecture`), or --flex"};
}

bool refuse_flexible(const Architecture& arch, const char* command) {
  if (!arch.flexibility) return false;
  complain(
      fmt::format("{}: {} can be set up in many ways, and {} takes an architecture as it is "
                  "written; use map, or take the key \"flexibility\" out",
                  arch.name, arch.name, command));
  return true;
}

Network network_of(const Inputs& inputs) {
  if (inputs.network) return *inputs.network;
  Network network;
  network.name = inputs.workload->name;
  network.layers.push_back({inputs.workload->name, *inputs.workload, 1, "", ""});
  return network;
}

Checked<Inputs> load_inputs(const InputOptions& options, const std::string& mapping) {
  std::vector<NamedFile> files = {{"--arch", options.arch},
                                  {"--workload", options.workload},
                                  {"--model", options.model},
                                  {"--mapping", mapping}};
  for (const std::string& path : options.constraint_files) files.push_back({"--constraints", path});
  Inputs inputs;
  Problems problems = standard_input_twice(files);
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  if (auto arch = taken(load_architecture(options.arch, options.set), problems)) {
    inputs.arch = std::move(*arch);
    change_arch(options, inputs, problems);
  }
  load_work(options, inputs, problems);
  change_work(options, inputs, problems);
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  return {std::move(inputs), {}};
}

namespace {

struct Unit {
  const char* name;
  double size;
};

// A number above 0 with one of the units, in the first of them.
std::optional<double> read_quantity(const std::string& text, std::span<const Unit> units) {
  std::string_view unit = text;
  const auto number = take_number<double>(unit);
  if (!number || !std::isfinite(*number) || *number <= 0) return std::nullopt;
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  for (const Unit& known : units) {
    if (unit == known.name) return *number * known.size;
  }
  return std::nullopt;
}

}  // namespace

Checked<double> read_duration(const std::string& text, const std::string& option) {
  constexpr std::array<Unit, 5> kUnits = {
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}}};
  if (const auto seconds = read_quantity(text, kUnits)) return {*seconds, {}};
  return {std::nullopt,
          {{{option},
            fmt::format("'{}' is no time", text),
            "write a number above 0 and ms, s, min or h, such as 90s"}}};
}

Checked<std::int64_t> read_bytes(const std::string& text, const std::string& option) {
  constexpr std::array<Unit, 8> kUnits = {{{"B", 1},
                                           {"KiB", 1024},
                                           {"MiB", 1024.0 * 1024},
                                           {"GiB", 1024.0 * 1024 * 1024},
                                           {"TiB", 1024.0 * 1024 * 1024 * 1024},
                                           {"KB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9}}};
  const auto bytes = read_quantity(text, kUnits);
  if (bytes && *bytes < 1e18) return {static_cast<std::int64_t>(*bytes), {}};
  return {std::nullopt,
          {{{option},
            fmt::format("'{}' is no amount of memory", text),
            "write a number above 0 and MiB, GiB or the like, such as 512MiB"}}};
}

}  // namespace tilewright::cli
