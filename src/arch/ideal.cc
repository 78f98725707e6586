// An architecture that is at least as good as each of several.
#include <algorithm>
#include <cmath>

#include "tilewright/arch.h"

namespace tilewright {
namespace {

// Few enough digits for proofs in whole numbers, and never more than the value.
double rounded_down(double value) {
  if (value <= 0) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 8);
  return std::max(0.0, (std::floor(value / unit) - 1) * unit);
}

std::optional<Capacity> larger(const Capacity& a, const Capacity& b) {
  if (a.unit == Capacity::Unit::Unlimited) return a;
  if (b.unit == Capacity::Unit::Unlimited) return b;
  if (a.unit != b.unit) return std::nullopt;
  return a.amount >= b.amount ? a : b;
}

// None means without limit.
std::optional<Rational> faster(const std::optional<Rational>& a, const std::optional<Rational>& b) {
  if (!a || !b) return std::nullopt;
  __extension__ using Wide = __int128;
  const Wide left = Wide{a->numerator} * b->denominator;
  const Wide right = Wide{b->numerator} * a->denominator;
  return left >= right ? a : b;
}

// Each merges a level into another and gives false if nothing is as good as both: what is no
// number that a cost only rises or only falls with has to be the same.
bool merge(Memory& into, Memory other) {
  const auto capacity = larger(into.capacity, other.capacity);
  if (!capacity) return false;
  into.capacity = other.capacity = *capacity;
  for (auto& [tensor, share] : other.partitions) {
    const auto mine = into.partitions.find(tensor);
    if (mine == into.partitions.end()) return false;
    const auto both = larger(mine->second, share);
    if (!both) return false;
    mine->second = share = *both;
  }
  const auto least = [](double& a, double& b) { a = b = std::min(a, b); };
  least(into.read_pj, other.read_pj);
  least(into.write_pj, other.write_pj);
  least(into.update_pj, other.update_pj);
  least(into.leakage_pj_per_cycle, other.leakage_pj_per_cycle);
  const auto fastest = [](auto& a, auto& b) { a = b = faster(a, b); };
  fastest(into.read_bandwidth, other.read_bandwidth);
  fastest(into.write_bandwidth, other.write_bandwidth);
  fastest(into.shared_bandwidth, other.shared_bandwidth);
  return into == other;
}

bool merge(Fanout& into, Fanout other) {
  // A systolic array takes longer to fill, the larger it is.
  if (!into.is_systolic()) {
    into.x.size = other.x.size = std::max(into.x.size, other.x.size);
    into.y.size = other.y.size = std::max(into.y.size, other.y.size);
  }
  into.word_pj = other.word_pj = std::min(into.word_pj, other.word_pj);
  return into == other;
}

bool merge(Compute& into, Compute other) {
  into.macs = other.macs = std::max(into.macs, other.macs);
  into.cycles = other.cycles = std::min(into.cycles, other.cycles);
  into.mac_pj = other.mac_pj = std::min(into.mac_pj, other.mac_pj);
  return into == other;
}

// What no cost depends on.
Architecture bare(Architecture arch) {
  arch = without_estimates(std::move(arch));
  arch.name = arch.source = arch.technology = "";
  arch.volts.reset();
  for (Level& level : arch.levels) {
    std::visit([](auto& one) { one.imported = {}; }, level);
    if (auto* memory = std::get_if<Memory>(&level)) {
      memory->row_bits = 0;
      memory->banks = memory->ports = 1;
      memory->area_um2 = 0;
    }
    if (auto* compute = std::get_if<Compute>(&level)) compute->area_um2 = 0;
  }
  return arch;
}

bool merge(Architecture& into, Architecture other) {
  if (into.levels.size() != other.levels.size()) return false;
  for (std::size_t i = 0; i < into.levels.size(); ++i) {
    if (into.levels[i].index() != other.levels[i].index()) return false;
    const bool merged = std::visit(
        [&](auto& level) {
          return merge(level, std::get<std::decay_t<decltype(level)>>(other.levels[i]));
        },
        into.levels[i]);
    if (!merged) return false;
    other.levels[i] = into.levels[i];
  }
  return into == other;
}

// A rule that asks for a share of a fan-out asks for more of a larger one.
bool shares_agree(const Architecture& ideal, const Architecture& of) {
  return std::all_of(of.constraints.begin(), of.constraints.end(), [&](const Constraint& rule) {
    if (!std::holds_alternative<UseRule>(rule.rule)) return true;
    const auto level = of.find_level(rule.level);
    if (!level) return true;
    const auto& a = std::get<Fanout>(of.level(*level));
    const auto& b = std::get<Fanout>(ideal.level(*level));
    return a.x.size == b.x.size && a.y.size == b.y.size;
  });
}

bool same_fanouts(const Architecture& a, const Architecture& b) {
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const auto* one = std::get_if<Fanout>(&a.levels[i]);
    if (one == nullptr) continue;
    const auto& other = std::get<Fanout>(b.levels[i]);
    if (one->x.size != other.x.size || one->y.size != other.y.size) return false;
  }
  return true;
}

// Where all instances leak, more of them leak more: the leakage of all together counts.
void share_leakage(Architecture& ideal, std::span<const Architecture* const> of) {
  if (ideal.leaking != LeakingInstances::All) return;
  for (int i = 0; i < ideal.level_count(); ++i) {
    const LevelId id{i};
    auto* memory = std::get_if<Memory>(&ideal.levels[at(i)]);
    if (memory == nullptr || memory->leakage_pj_per_cycle == 0) continue;
    const auto instances = static_cast<double>(physical_instances(ideal, id));
    double least = memory->leakage_pj_per_cycle * instances;
    for (const Architecture* one : of) {
      const double leaks = std::get<Memory>(one->level(id)).leakage_pj_per_cycle;
      least = std::min(least, leaks * static_cast<double>(physical_instances(*one, id)));
    }
    if (least < memory->leakage_pj_per_cycle * instances) {
      memory->leakage_pj_per_cycle = rounded_down(least / instances);
    }
  }
}

}  // namespace

std::optional<Architecture> ideal_of(std::span<const Architecture* const> architectures,
                                     bool fanouts_may_differ) {
  if (architectures.empty()) return std::nullopt;
  Architecture ideal = bare(*architectures.front());
  for (const Architecture* one : architectures) {
    if (one->flexibility || !merge(ideal, bare(*one))) return std::nullopt;
  }
  for (const Architecture* one : architectures) {
    if (!shares_agree(ideal, *one)) return std::nullopt;
    if (!fanouts_may_differ && !same_fanouts(ideal, *one)) return std::nullopt;
  }
  share_leakage(ideal, architectures);
  ideal.name = "ideal";
  return ideal;
}

}  // namespace tilewright
