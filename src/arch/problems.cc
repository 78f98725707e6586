#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "roles.h"
#include "tilewright/arch.h"

namespace tilewright {

namespace {

using Problems = std::vector<std::string>;

// Complaints of one level, each starting with its name.
class LevelCheck {
 public:
  LevelCheck(const std::string& name, const TensorNames& tensors, Problems& problems)
      : name_(name), tensors_(tensors), problems_(problems) {}

  void complain(const std::string& message) { add_text(problems_, "{}: {}", name_, message); }
  void at_least_one(const std::string& what, std::int64_t value) {
    if (value < 1) complain(fmt::format("{} is {}; it must be at least 1", what, value));
    if (value > kCountLimit) complain(fmt::format("{} is {}; it must not pass 2^60", what, value));
  }
  void not_negative(const std::string& what, double value) {
    // The limit keeps every sum of energies finite.
    constexpr double kMost = 1e30;
    if (!std::isfinite(value) || value < 0 || value > kMost) {
      complain(fmt::format("{} is {}; it must be a number from 0 to {}", what, value, kMost));
    }
  }
  void word(std::int64_t bits) {
    constexpr std::int64_t kMost = 65536;
    if (bits > kMost) complain(fmt::format("word is {} bits; it must not pass {}", bits, kMost));
  }
  void bandwidth(const std::string& what, const std::optional<Rational>& value) {
    if (!value) return;
    const auto [above, below] = *value;
    if (above < 1 || below < 1 || above > kCountLimit || below > kCountLimit) {
      complain(fmt::format("{} is {}/{} words per cycle; both numbers must be from 1 to 2^60", what,
                           above, below));
    }
  }
  void capacity(const std::string& what, const Capacity& value) {
    if (value.unit != Capacity::Unit::Unlimited) at_least_one(what, value.amount);
  }
  void dims(const std::string& what, const DimNames& names) {
    if (!names) return;
    std::set<std::string> seen;
    for (const std::string& dim : *names) {
      if (dim.empty()) complain(fmt::format("{} has an empty dimension name", what));
      if (!seen.insert(dim).second) complain(fmt::format("{} lists dimension {} twice", what, dim));
    }
  }
  void tensor_name(const std::string& list, const std::string& name) {
    if (name.empty()) {
      complain(fmt::format("{} has an empty tensor name", list));
      return;
    }
    const auto role = contains(tensors_, name) ? std::nullopt : misspelt_role(name);
    if (role) {
      complain(
          fmt::format("{} has an unknown tensor role '{}'; did you mean {}?", list, name, *role));
    }
  }

 private:
  const std::string& name_;
  const TensorNames& tensors_;
  Problems& problems_;
};

void check_residence(const Memory& memory, LevelCheck& check) {
  std::map<std::string, std::string> list_of;
  const auto check_list = [&](const std::string& list, const TensorNames& names) {
    for (const std::string& name : names) {
      check.tensor_name(list, name);
      const auto [known, inserted] = list_of.emplace(name, list);
      if (inserted) continue;
      if (known->second == list) {
        check.complain(fmt::format("{} lists {} twice", list, name));
      } else {
        check.complain(fmt::format("{} names {}, which {} names too", list, name, known->second));
      }
    }
  };
  if (memory.keep) check_list("keep", *memory.keep);
  check_list("bypass", memory.bypass);
  check_list("free", memory.free);
}

void check_level(const Memory& memory, const TensorNames& tensors, Problems& problems) {
  LevelCheck check(memory.name, tensors, problems);
  check.capacity("capacity", memory.capacity);
  for (const auto& [name, share] : memory.partitions) {
    check.tensor_name("partitions", name);
    check.capacity(fmt::format("the partition for {}", name), share);
  }
  check.at_least_one("word", memory.word_bits);
  check.word(memory.word_bits);
  check.at_least_one("block", memory.block_words);
  check.not_negative("read energy", memory.read_pj);
  check.not_negative("write energy", memory.write_pj);
  check.not_negative("update energy", memory.update_pj);
  check.bandwidth("read_bandwidth", memory.read_bandwidth);
  check.bandwidth("write_bandwidth", memory.write_bandwidth);
  check.bandwidth("bandwidth", memory.shared_bandwidth);
  check.not_negative("leakage", memory.leakage_pj_per_cycle);
  check.not_negative("area", memory.area_um2);
  check_residence(memory, check);
  check.dims("dims", memory.dims);
}

void check_level(const Fanout& fanout, const TensorNames& tensors, Problems& problems) {
  LevelCheck check(fanout.name, tensors, problems);
  check.at_least_one("x", fanout.x.size);
  check.at_least_one("y", fanout.y.size);
  check.dims("x", fanout.x.dims);
  check.dims("y", fanout.y.dims);
  check.not_negative("word_energy", fanout.word_pj);
  if (!fanout.stationary.empty()) check.tensor_name("stationary", fanout.stationary);
  if (fanout.is_systolic() && fanout.stationary.empty()) {
    check.complain(
        fmt::format("{} needs a tensor that stands still in the array; write "
                    "\"stationary: weight\" (or input, or output)",
                    fanout.fills_diagonally ? "fill" : "preload"));
  }
}

void check_level(const Compute& compute, const TensorNames& tensors, Problems& problems) {
  LevelCheck check(compute.name, tensors, problems);
  check.at_least_one("macs", compute.macs);
  check.at_least_one("cycles", compute.cycles);
  check.not_negative("energy", compute.mac_pj);
  check.not_negative("area", compute.area_um2);
}

void check_order(const Architecture& arch, Problems& problems) {
  const auto first = std::holds_alternative<Memory>(arch.levels.front());
  if (!first) {
    add_text(problems, "{}: the first (outermost) level must be a memory",
             name_of(arch.levels.front()));
  }
  int computes = 0;
  for (const Level& level : arch.levels) {
    if (!std::holds_alternative<Compute>(level)) continue;
    if (++computes > 1) {
      add_text(problems, "{}: a second compute level; there must be one", name_of(level));
    } else if (&level != &arch.levels.back()) {
      add_text(problems, "{}: the compute level must be the last one", name_of(level));
    }
  }
  if (computes == 0) problems.push_back("no compute level; the last level must be one");
}

void check_names(const Architecture& arch, Problems& problems) {
  if (arch.name.empty()) problems.push_back("the architecture has no name");
  std::set<std::string> seen;
  for (const Level& level : arch.levels) {
    const std::string& name = name_of(level);
    if (name.empty()) problems.push_back("a level has no name");
    if (!seen.insert(name).second && !name.empty()) {
      add_text(problems, "{}: two levels have this name", name);
    }
  }
}

// Whether two levels can be storage points of one memory.
bool have_same_storage(const Memory& a, const Memory& b) {
  return a.capacity == b.capacity && a.partitions == b.partitions && a.word_bits == b.word_bits &&
         a.double_buffered == b.double_buffered && a.read_bandwidth == b.read_bandwidth &&
         a.write_bandwidth == b.write_bandwidth && a.shared_bandwidth == b.shared_bandwidth;
}

// The points of a memory follow each other and have its capacity and its ports.
void check_points(const Architecture& arch, Problems& problems) {
  const Memory* before = nullptr;
  std::set<std::string> seen;
  for (const Level& level : arch.levels) {
    const auto* memory = std::get_if<Memory>(&level);
    const bool is_point = memory != nullptr && !memory->point_of.empty();
    const bool goes_on = is_point && before != nullptr && before->point_of == memory->point_of;
    if (goes_on && !have_same_storage(*before, *memory)) {
      add_text(problems,
               "{}: its capacity or its ports are not those of {}, of which it is a point",
               memory->name, memory->point_of);
    }
    if (goes_on && (memory->leakage_pj_per_cycle != 0 || memory->area_um2 != 0)) {
      add_text(problems, "{}: leakage and area of {} belong to its first point", memory->name,
               memory->point_of);
    }
    if (is_point && !goes_on && !seen.insert(memory->point_of).second) {
      add_text(problems, "{}: the storage points of {} must follow each other", memory->name,
               memory->point_of);
    }
    before = memory;
  }
}

// What memories that share room cannot be used with yet.
void check_parts(const Architecture& arch, Problems& problems) {
  if (!has_parts(arch)) return;
  const auto complain = [&](const std::string& level, const char* what) {
    add_text(problems, "{}: memories that share room cannot be searched together with {} yet",
             level, what);
  };
  for (const Level& level : arch.levels) {
    const auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr || !memory->uneven) continue;
    const bool says_so = !memory->is_part || memory->name == memory->point_of;
    if (says_so) complain(memory->name, "\"uneven: true\"");
  }
  if (arch.flexibility) complain("flexibility", "a flexible architecture");
}

template <typename Kind>
void check_number(const Architecture& arch, const std::string& what, int limit,
                  Problems& problems) {
  const auto number = std::count_if(arch.levels.begin(), arch.levels.end(), [](const Level& level) {
    return std::holds_alternative<Kind>(level);
  });
  if (number > limit) {
    add_text(problems, "the architecture has {} {}; at most {} are possible", number, what, limit);
  }
}

void check_instances(const Architecture& arch, Problems& problems) {
  std::vector<std::int64_t> sizes;
  for (const Level& level : arch.levels) {
    if (const auto* fanout = std::get_if<Fanout>(&level)) {
      sizes.insert(sizes.end(), {fanout->x.size, fanout->y.size});
    }
    if (const auto* compute = std::get_if<Compute>(&level)) sizes.push_back(compute->macs);
  }
  if (!checked_product(sizes)) problems.push_back("the fan-outs multiply to more than 2^60");
}

// An array may be written as several fan-outs, which hold the same tensor still; a memory
// inside them must hold it.
void check_systolic(const Architecture& arch, Problems& problems) {
  const Fanout* outer = nullptr;
  bool memory_inside = false;
  for (const Level& level : arch.levels) {
    if (std::holds_alternative<Memory>(level)) memory_inside = true;
    const auto* fanout = std::get_if<Fanout>(&level);
    if (fanout == nullptr || !fanout->is_systolic()) continue;
    const bool named =
        outer != nullptr && !outer->stationary.empty() && !fanout->stationary.empty();
    if (named && outer->stationary != fanout->stationary) {
      add_text(problems, "{}: stationary is {}, but {} of {}; one tensor stands still in an array",
               fanout->name, fanout->stationary, outer->stationary, outer->name);
    }
    outer = fanout;
    memory_inside = false;
  }
  if (outer == nullptr || memory_inside) return;
  add_text(problems,
           "{}: stationary needs a memory inside the fan-out, in which the tile stands still",
           outer->name);
}

// What a fan-out that shares halos takes once goes on to all instances inside it that ask for it.
void check_halos(const Architecture& arch, Problems& problems) {
  const Fanout* outer = nullptr;  // the outermost that shares them
  for (const Level& level : arch.levels) {
    const auto* fanout = std::get_if<Fanout>(&level);
    if (fanout == nullptr) continue;
    if (outer == nullptr && fanout->shares_halos) outer = fanout;
    if (outer == nullptr || fanout->multicast) continue;
    add_text(problems,
             "{}: \"halo: shared\" of {} needs multicast in this fan-out; leave out \"multicast: "
             "false\"",
             fanout->name, outer->name);
  }
  if (outer == nullptr || arch.accounting == Accounting::Exact) return;
  add_text(problems,
           "{}: \"halo: shared\" counts elements, not bounding boxes; write \"accounting: exact\"",
           outer->name);
}

// The axes of a fan-out are called after it; a level must not be called so too.
void check_axis_names(const Architecture& arch, Problems& problems) {
  for (const Level& level : arch.levels) {
    if (!std::holds_alternative<Fanout>(level)) continue;
    for (const char* axis : {".x", ".y"}) {
      const std::string name = name_of(level) + axis;
      if (!arch.find_level(name)) continue;
      add_text(problems, "{}: this is the name of an axis of {}; choose another", name,
               name_of(level));
    }
  }
}

}  // namespace

std::optional<std::string> misspelt_role(const std::string& name) {
  static const std::vector<std::string> kRoles = {"input", "weight", "output"};
  if (contains(kRoles, name)) return std::nullopt;
  // "input2" is more likely the name of one tensor of many.
  if (name.back() >= '0' && name.back() <= '9') return std::nullopt;
  return closest_match(name, kRoles);
}

std::vector<std::string> problems_of(const Architecture& arch) {
  return problems_of(arch, TensorNames{});
}

std::vector<std::string> problems_of(const Architecture& arch, const TensorNames& tensors) {
  Problems problems;
  if (arch.levels.empty()) return {"the architecture has no levels"};
  check_names(arch, problems);
  if (arch.clock_hz && *arch.clock_hz < 1) {
    add_text(problems, "the clock has {} Hz; it must have at least 1", *arch.clock_hz);
  }
  check_axis_names(arch, problems);
  check_order(arch, problems);
  check_points(arch, problems);
  check_parts(arch, problems);
  check_number<Memory>(arch, "memories", kMaxMemories, problems);
  check_number<Fanout>(arch, "fan-outs", kMaxFanouts, problems);
  for (const Level& level : arch.levels) {
    std::visit([&](const auto& alternative) { check_level(alternative, tensors, problems); },
               level);
  }
  check_instances(arch, problems);
  check_systolic(arch, problems);
  check_halos(arch, problems);
  for (const Constraint& constraint : arch.constraints) {
    for (const std::string& problem : problems_of(arch, constraint)) {
      add_text(problems, "constraint {}: {}", to_string(constraint), problem);
    }
  }
  if (arch.flexibility) {
    for (const std::string& problem : problems_of(arch, *arch.flexibility)) {
      add_text(problems, "flexibility: {}", problem);
    }
  }
  return problems;
}

}  // namespace tilewright
