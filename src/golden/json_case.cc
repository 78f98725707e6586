#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/json_text.h"
#include "golden/read_cases.h"
#include "tilewright/io.h"

namespace tilewright::golden {
namespace {

using Json = nlohmann::ordered_json;

// Carries a complaint out of the nested readers below; never leaves this file.
struct BadCase : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const Json& member(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) {
    throw BadCase(fmt::format("\"{}\" is missing", key));
  }
  return *found;
}

const Json* optional_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// A value as a complaint shows it. Lists and maps are not written out: they may
// be of any length and depth.
std::string shown(const Json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "a map";
  constexpr std::size_t kLongest = 40;
  const std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

[[noreturn]] void refuse(const Json& value, const char* what, const char* wanted) {
  throw BadCase(fmt::format("{} is {}, not {}", what, shown(value), wanted));
}

std::int64_t whole(const Json& value, const char* what) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest) {
    refuse(value, what, "a number below 2^63");
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) {
    const double number = value.get<double>();
    // Doubles hold every whole number below this.
    if (std::abs(number) < 9e15 && number == std::floor(number)) {
      return static_cast<std::int64_t>(number);
    }
  }
  refuse(value, what, "a whole number");
}

std::int64_t count(const Json& value, const char* what) {
  const std::int64_t number = whole(value, what);
  if (number < 0) refuse(value, what, "zero or more");
  return number;
}

double number(const Json& value, const char* what) {
  if (!value.is_number()) refuse(value, what, "a number");
  return value.get<double>();
}

std::string text(const Json& value, const char* what) {
  if (!value.is_string()) refuse(value, what, "a text");
  return value.get<std::string>();
}

const Json& list(const Json& value, const char* what) {
  if (!value.is_array()) refuse(value, what, "a list");
  return value;
}

DimId dim_named(const Workload& workload, const Json& name) {
  const std::string wanted = text(name, "a dimension");
  const auto dim = workload.find_dim(wanted);
  if (!dim) throw BadCase(fmt::format("dimension {} is not among \"dims\"", wanted));
  return *dim;
}

Tensor read_tensor(const Workload& workload, const Json& json) {
  Tensor tensor;
  tensor.name = text(member(json, "name"), "a tensor's name");
  const Json& output = member(json, "output");
  if (!output.is_boolean()) refuse(output, "\"output\"", "true or false");
  tensor.role = output.get<bool>() ? Role::Output : Role::Input;
  for (const Json& terms : list(member(json, "index"), "\"index\"")) {
    Rank rank;
    for (const Json& term : list(terms, "an index")) {
      if (!term.is_array() || term.size() != 2) {
        throw BadCase("an index is not made of [dimension, coefficient]");
      }
      rank.push_back({dim_named(workload, term[0]), whole(term[1], "a coefficient")});
    }
    tensor.ranks.push_back(std::move(rank));
  }
  return tensor;
}

Workload read_workload(const Json& json) {
  Workload workload;
  workload.name = text(member(json, "id"), "\"id\"");
  const Json& dims = member(json, "dims");
  if (!dims.is_object()) refuse(dims, "\"dims\"", "a map of names to sizes");
  for (const auto& [name, size] : dims.items()) {
    workload.dims.push_back({name, whole(size, "a dimension's size")});
  }
  std::vector<Tensor> outputs;
  for (const Json& tensor : list(member(json, "tensors"), "\"tensors\"")) {
    Tensor read = read_tensor(workload, tensor);
    (read.role == Role::Output ? outputs : workload.tensors).push_back(std::move(read));
  }
  if (outputs.size() != 1) {
    throw BadCase(fmt::format("{} tensors are outputs, not one", outputs.size()));
  }
  workload.tensors.push_back(std::move(outputs.front()));
  return workload;
}

std::optional<Rational> read_bandwidth(const Json& level, const char* key) {
  const Json* value = optional_member(level, key);
  if (value == nullptr) return std::nullopt;
  const double bandwidth = number(*value, key);
  if (bandwidth <= 0) throw BadCase(fmt::format("\"{}\" is {}, not above zero", key, bandwidth));
  // The decimal fraction that stands in the file: the one with the fewest
  // digits that reads as the same double.
  constexpr std::int64_t kMostDigits = 1'000'000'000;
  for (std::int64_t denominator = 1; denominator <= kMostDigits; denominator *= 10) {
    const double numerator = std::round(bandwidth * static_cast<double>(denominator));
    if (numerator > 9e15) break;
    if (numerator / static_cast<double>(denominator) != bandwidth) continue;
    return Rational{static_cast<std::int64_t>(numerator), denominator};
  }
  throw BadCase(fmt::format("\"{}\" is {}, which has too many digits", key, bandwidth));
}

Memory read_memory(const Json& level) {
  Memory memory;
  memory.name = text(member(level, "name"), "a level's name");
  if (const Json* capacity = optional_member(level, "capacity_words")) {
    memory.capacity = {Capacity::Unit::Words, whole(*capacity, "\"capacity_words\"")};
  }
  memory.block_words = whole(member(level, "block_words"), "\"block_words\"");
  memory.read_bandwidth = read_bandwidth(level, "read_bw");
  memory.write_bandwidth = read_bandwidth(level, "write_bw");
  const Json& energy = member(level, "energy_per_block");
  memory.read_pj = number(member(energy, "read"), "\"read\"");
  memory.write_pj = number(member(energy, "fill"), "\"fill\"");
  memory.update_pj = number(member(energy, "update"), "\"update\"");
  memory.keep.emplace();
  for (const Json& name : list(member(level, "keep"), "\"keep\"")) {
    memory.keep->push_back(text(name, "a tensor's name"));
  }
  return memory;
}

std::optional<Fanout> read_fanout(const Json& level) {
  const Json* below = optional_member(level, "fanout_below");
  if (below == nullptr) return std::nullopt;
  Fanout fanout;
  fanout.name = text(member(level, "name"), "a level's name") + "_fanout";
  fanout.x.size = whole(member(*below, "x"), "\"x\"");
  fanout.y.size = whole(member(*below, "y"), "\"y\"");
  return fanout;
}

Architecture read_arch(const Json& json) {
  Architecture arch;
  arch.name = "golden";
  arch.accounting = Accounting::Timeloop;
  for (const Json& level : list(member(json, "levels_outer_to_inner"), "the list of levels")) {
    arch.levels.emplace_back(read_memory(level));
    if (auto fanout = read_fanout(level)) arch.levels.emplace_back(std::move(*fanout));
  }
  Compute compute;
  compute.name = "mac";
  compute.mac_pj = number(member(member(json, "mac"), "energy"), "the energy of a MAC");
  arch.levels.emplace_back(std::move(compute));
  return arch;
}

void set_bound(Mapping& mapping, int slot, DimId dim, const Json& bound) {
  const std::int64_t value = whole(bound, "a loop's bound");
  if (value < 1) throw BadCase(fmt::format("a loop's bound is {}, not at least 1", value));
  // A dimension may be spread over one axis in several loops.
  const auto product = checked_product({mapping.bound(slot, dim), value});
  if (!product) throw BadCase("the bounds of a dimension at one level multiply to more than 2^60");
  mapping.set_bound(slot, dim, *product);
}

void read_level_mapping(const Problem& problem, const Json& level, MemoryId memory,
                        Mapping& mapping) {
  const int slot = problem.use(memory).slot;
  std::vector<DimId> order;
  for (const Json& loop : list(member(level, "temporal_outer_to_inner"), "the list of loops")) {
    if (!loop.is_array() || loop.size() != 2) throw BadCase("a loop is not [dimension, bound]");
    order.push_back(dim_named(problem.workload(), loop[0]));
    set_bound(mapping, slot, order.back(), loop[1]);
  }
  for (int d = 0; d < problem.dim_count(); ++d) {
    if (!contains(order, DimId{d})) order.push_back(DimId{d});
  }
  if (static_cast<int>(order.size()) != problem.dim_count()) {
    throw BadCase("a dimension has two loops at one level");
  }
  mapping.set_order(memory, order);
  const Json* below = optional_member(level, "fanout_below");
  if (below == nullptr) return;
  for (const Json& loop : list(member(*below, "spatial"), "\"spatial\"")) {
    if (!loop.is_array() || loop.size() != 3) {
      throw BadCase("a spatial loop is not [dimension, bound, axis]");
    }
    const std::string axis = text(loop[2], "an axis");
    if (axis != "X" && axis != "Y") throw BadCase(fmt::format("axis {} is neither X nor Y", axis));
    set_bound(mapping, axis == "Y" ? slot + 1 : slot + 2, dim_named(problem.workload(), loop[0]),
              loop[1]);
  }
}

ExpectedHolding read_holding(const Json& json) {
  return {count(member(json, "tile"), "\"tile\""),
          count(member(json, "reads"), "\"reads\""),
          count(member(json, "fills"), "\"fills\""),
          count(member(json, "updates"), "\"updates\""),
          count(member(json, "instances"), "\"instances\""),
          number(member(json, "energy_per_instance"), "\"energy_per_instance\"")};
}

ExpectedMemory read_expected_memory(const Workload& workload, const Json& level) {
  ExpectedMemory expected;
  const Json& tensors = member(level, "expected");
  if (!tensors.is_object()) refuse(tensors, "\"expected\" of a level", "a map");
  for (const auto& [name, holding] : tensors.items()) {
    const auto tensor = workload.find_tensor(name);
    if (!tensor) throw BadCase(fmt::format("a level expects something of unknown tensor {}", name));
    expected.tensors[*tensor] = read_holding(holding);
  }
  expected.cycles = count(member(level, "expected_cycles"), "\"expected_cycles\"");
  return expected;
}

void read_expected(const Json& json, Case& out) {
  const Json& total = member(json, "expected");
  out.expected.macs = count(member(total, "macs"), "\"macs\"");
  out.expected.compute_cycles = count(member(total, "compute_cycles"), "\"compute_cycles\"");
  out.expected.cycles = count(member(total, "cycles"), "\"cycles\"");
  out.expected.energy_pj = number(member(total, "energy"), "\"energy\"");
  if (const Json* used = optional_member(total, "mac_instances_used")) {
    out.expected.mac_instances = count(*used, "\"mac_instances_used\"");
  }
  for (const Json& level : member(json, "levels_outer_to_inner")) {
    out.expected.memories.push_back(read_expected_memory(out.problem.workload(), level));
  }
}

Checked<Case> read_sound_json(const Json& json, const SourcePosition& where) {
  if (!json.is_object()) throw BadCase(fmt::format("the line is {}, not a map", shown(json)));
  Workload workload = read_workload(json);
  std::string id = workload.name;
  Checked<Case> result = make_case(std::move(id), std::move(workload), read_arch(json), where);
  if (!result.value) return result;
  Case& made = *result.value;
  int memory = 0;
  for (const Json& level : member(json, "levels_outer_to_inner")) {
    read_level_mapping(made.problem, level, MemoryId{memory++}, made.mapping);
  }
  for (const std::string& problem : structural_problems(made.problem, made.mapping)) {
    throw BadCase(fmt::format("{}: {}", made.id, problem));
  }
  read_expected(json, made);
  return result;
}

}  // namespace

Checked<Case> make_case(std::string id, Workload workload, Architecture arch,
                        const SourcePosition& where) {
  Checked<Case> result;
  Checked<Problem> problem = Problem::create(std::move(workload), std::move(arch));
  for (Diagnostic& complaint : problem.problems) {
    complaint.where = where;
    result.problems.push_back(std::move(complaint));
  }
  if (!problem.ok()) return result;
  Mapping mapping(*problem.value);
  result.value = Case{std::move(id), std::move(*problem.value), std::move(mapping), {}};
  return result;
}

Checked<Case> read_json_case(std::string_view line, const SourcePosition& where) {
  Checked<Case> result;
  SourcePosition position = where;
  constexpr const char* kHint = "docs/golden.md shows the fields of a case";
  if (line.size() > io::kMaxTextBytes) {
    return {std::nullopt, {{position, "the line is longer than 1 MiB", kHint}}};
  }
  if (const auto problem = find_json_problem(line)) {
    position.column = static_cast<int>(problem->byte) + 1;
    return {std::nullopt, {{position, problem->message, kHint}}};
  }
  try {
    return read_sound_json(Json::parse(line), where);
  } catch (const Json::parse_error& error) {
    position.column = static_cast<int>(error.byte);
    result.problems.push_back({position, "the line is not JSON", kHint});
  } catch (const BadCase& bad) {
    result.problems.push_back({position, bad.what(), kHint});
  }
  return result;
}

}  // namespace tilewright::golden
