#include "estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "decimal.h"
#include "fraction.h"
#include "tilewright/estimate.h"
#include "values.h"

namespace tilewright::io {

namespace {

// The node of "32 nm"; nothing of any other text.
std::optional<double> node_nm(const std::string& technology) {
  std::string_view rest = trimmed(technology);
  const auto number = take_decimal(rest);
  if (!number || trimmed(rest) != "nm") return std::nullopt;
  return to_double(*number, 0);
}

Component component_of(const Architecture& arch, const Memory& memory, bool has_word) {
  Component component{memory.made_as, 0, 0, node_nm(arch.technology), arch.volts};
  component.row_bits = memory.row_bits;
  component.leaks_fast = memory.leaks_fast;
  if (!has_word) return component;
  constexpr std::int64_t kMost = std::int64_t{1} << 50;  // beyond any range, and no overflow
  component.access_bits = std::min(memory.word_bits * std::min(memory.block_words, kMost), kMost);
  const bool words = memory.capacity.unit == Capacity::Unit::Words;
  component.capacity_bits =
      std::min(memory.capacity.amount, kMost) * (words ? memory.word_bits : 1);
  return component;
}

// Complains at the attribute that a problem is about, in the level or at the top; of what all
// levels share only once.
class Complaints {
 public:
  Complaints(Context& context, const Node& root) : context_(context), root_(root) {}

  void add(const Node& level, const std::vector<Diagnostic>& problems) {
    for (const Diagnostic& problem : problems) {
      const std::string key = problem.message.substr(0, problem.message.find(':'));
      const bool shared = key == "technology" || key == "voltage";
      if (shared && !said_.insert(key).second) continue;
      const Node* place = shared ? root_.find(key) : level.find(key);
      context_.complain(place != nullptr ? *place : level, problem.message, problem.hint);
    }
  }

 private:
  Context& context_;
  const Node& root_;
  std::set<std::string> said_;
};

bool has_bandwidth(const Node& level) {
  return level.find("bandwidth") != nullptr || level.find("read_bandwidth") != nullptr ||
         level.find("write_bandwidth") != nullptr;
}

// What all ports of all banks move in a cycle: a row, or, outside the chip, as many transfers as
// fall into it.
void estimate_bandwidth(Complaints& complaints, const Node& level, const Architecture& arch,
                        const ComponentNumbers& numbers, Memory& memory) {
  if (has_bandwidth(level) || memory.row_bits == 0) return;
  const auto bits = checked_product({memory.row_bits, memory.banks, memory.ports});
  auto words = bits ? quotient({*bits, 1}, {memory.word_bits, 1}) : std::nullopt;
  if (contains(dram_kinds(), memory.made_as)) {
    if (!numbers.transfers_per_second || !arch.clock_hz) {
      const std::string reason =
          arch.clock_hz
              ? fmt::format("width: how often {} moves a bit is not known here", memory.made_as)
              : "width: a DRAM moves so much in a second, and no clock is given";
      complaints.add(level, {{{},
                              reason,
                              arch.clock_hz ? "give \"bandwidth\" in place of it"
                                            : "add \"clock: 800 MHz\" or the like"}});
      return;
    }
    const auto in_a_cycle = quotient({*numbers.transfers_per_second, 1}, {*arch.clock_hz, 1});
    words = words && in_a_cycle ? product(*words, *in_a_cycle) : std::nullopt;
  }
  const auto rate = words ? to_rational(*words) : std::nullopt;
  if (!rate) return;
  memory.shared_bandwidth = *rate;
  memory.estimated.emplace_back("bandwidth");
}

void estimate_energies(const Node& level, const ComponentNumbers& numbers, Memory& memory) {
  memory.read_pj = numbers.read_pj;
  memory.estimated.emplace_back("read");
  if (level.find("write") == nullptr) {
    memory.write_pj = numbers.write_pj.value_or(memory.read_pj);
    memory.estimated.emplace_back("write");
  }
  if (level.find("update") == nullptr) {
    memory.update_pj = memory.write_pj;
    memory.estimated.emplace_back("update");
  }
}

// Milliwatts to picojoules of a cycle, to nine digits.
void estimate_leakage(Complaints& complaints, const Node& level, const Architecture& arch,
                      double milliwatts, Memory& memory) {
  if (level.find("leakage") != nullptr) return;
  if (!arch.clock_hz) {
    complaints.add(level, {{{},
                            "cells: what leaks is in watts, and no clock is given",
                            "add \"clock: 800 MHz\" or the like"}});
    return;
  }
  const double pj = milliwatts * 1e9 / static_cast<double>(*arch.clock_hz);
  memory.leakage_pj_per_cycle = number_in<double>(fmt::format("{:.8e}", pj)).value_or(pj);
  memory.estimated.emplace_back("leakage");
}

void estimate_memory(Complaints& complaints, const Node& level, const Architecture& arch,
                     Memory& memory) {
  const auto numbers = estimate(component_of(arch, memory, level.find("word") != nullptr));
  const bool given = level.find("read") != nullptr;
  if (!numbers.ok()) {
    if (!given || memory.leaks_fast) complaints.add(level, numbers.problems);
    return;
  }
  if (!given) estimate_energies(level, *numbers.value, memory);
  if (level.find("area") == nullptr && numbers.value->area_um2) {
    memory.area_um2 = *numbers.value->area_um2;
    memory.estimated.emplace_back("area");
  }
  if (numbers.value->leakage_mw) {
    estimate_leakage(complaints, level, arch, *numbers.value->leakage_mw, memory);
  }
  estimate_bandwidth(complaints, level, arch, *numbers.value, memory);
}

void estimate_wires(Complaints& complaints, const Node& level, const Architecture& arch,
                    Fanout& fanout) {
  if (level.find("word_energy") != nullptr) return;
  Component component{kWire, 0, fanout.word_bits, std::nullopt, arch.volts};
  component.length_mm = fanout.wire_mm;
  const auto numbers = estimate(component);
  if (!numbers.ok()) return complaints.add(level, numbers.problems);
  fanout.word_pj = numbers.value->read_pj;
  fanout.estimated.emplace_back("word_energy");
}

// What leaves the chip costs by the bit.
void settle_dram(Memory& memory) {
  const bool all = contains(memory.estimated, "read") && contains(memory.estimated, "write") &&
                   contains(memory.estimated, "update");
  if (all && contains(dram_kinds(), memory.made_as)) memory.energy_of_bits = true;
}

void estimate_compute(Complaints& complaints, const Node& level, const Architecture& arch,
                      Compute& compute) {
  if (level.find("energy") != nullptr) return;
  const auto numbers = estimate({compute.made_as, 0, 0, node_nm(arch.technology), arch.volts});
  if (!numbers.ok()) return complaints.add(level, numbers.problems);
  compute.mac_pj = numbers.value->read_pj;
  compute.estimated.emplace_back("energy");
}

}  // namespace

void estimate_numbers(Context& context, const Node& root, Architecture& arch) {
  const Node& levels = *root.find("levels");
  Complaints complaints(context, root);
  for (std::size_t i = 0; i < arch.levels.size(); ++i) {
    const Node& level = levels.children[i];
    if (level.find("class") != nullptr && level.find("dram") != nullptr) {
      context.complain(*level.find("dram"), "a memory is made on the chip or outside it, not both",
                       "keep \"class\" or \"dram\"");
    }
    if (auto* memory = std::get_if<Memory>(&arch.levels[i]); memory && !memory->made_as.empty()) {
      estimate_memory(complaints, level, arch, *memory);
      settle_dram(*memory);
    }
    if (auto* fanout = std::get_if<Fanout>(&arch.levels[i]); fanout && !fanout->made_as.empty()) {
      estimate_wires(complaints, level, arch, *fanout);
    }
    if (auto* compute = std::get_if<Compute>(&arch.levels[i]);
        compute && !compute->made_as.empty()) {
      estimate_compute(complaints, level, arch, *compute);
    }
  }
}

}  // namespace tilewright::io
