#include "certificate/points.h"

#include <algorithm>

#include "base/bits.h"
#include "base/text.h"
#include "certificate/count.h"

namespace tilewright::certificate {

namespace {

bool limits_bounds(const Problem& problem, const Rules& rules, int memory) {
  for (int d = 0; d < rules.dims; ++d) {
    const Rules::Limits& limits = rules.at_slot(problem.use(MemoryId{memory}).slot, d);
    const bool is_mask = limits.most == 1 || limits.most >= problem.workload().dims[at(d)].size;
    if (limits.least > 1 || !is_mask) return true;
  }
  return false;
}

// What all points of each memory keep together.
Placement kept_together(const Problem& problem, const Mapping& mapping,
                        const std::vector<int>& whole) {
  Placement kept(at(problem.memory_count()), 0);
  for (std::size_t m = 0; m < whole.size(); ++m) {
    kept[at(whole[m])] |= mapping.kept(MemoryId{static_cast<int>(m)});
  }
  return kept;
}

}  // namespace

std::vector<int> whole_memories(const Problem& apart) {
  std::vector<int> whole;
  for (int m = 0; m < apart.memory_count(); ++m) {
    const bool same = first_point(apart, m) != m;
    whole.push_back(m == 0 ? 0 : whole.back() + (same ? 0 : 1));
  }
  return whole;
}

std::uint32_t uneven_memories(const Problem& problem, Among among) {
  std::uint32_t memories = 0;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const bool marked = among == Among::Marked && problem.memory(MemoryId{m}).uneven;
    if (marked || among == Among::All) memories |= 1U << m;
  }
  return memories;
}

// The outermost memory is at home to all that it keeps.
void allow_points(const Problem& problem, std::uint32_t memories, Rules& rules) {
  for (int m = 1; m < problem.memory_count(); ++m) {
    if (!contains(memories, m) || __builtin_popcount(rules.may[at(m)]) < 2) continue;
    rules.uneven |= 1U << m;
    const Rules::Order& order = rules.orders[at(m)];
    const bool ordered = !order.outermost.empty() || !order.innermost.empty();
    if (ordered || limits_bounds(problem, rules, m)) rules.restricted |= 1U << m;
  }
}

Rules rules_at(const Rules& rules, const Problem& apart) {
  Rules result;
  result.kind = rules.kind;
  result.dims = rules.dims;
  int memory = -1;
  int slot = -1;
  int level = -1;
  LevelId before{-1};
  for (const Slot& one : apart.slots()) {
    if (one.is_temporal()) ++memory;
    const bool further = one.is_temporal() && first_point(apart, memory) != memory;
    if (!further) {
      ++slot;
      if (one.level != before) ++level;
    }
    before = one.level;
    const auto row = rules.limits.begin() + std::ptrdiff_t{slot} * rules.dims;
    result.limits.insert(result.limits.end(), row, row + rules.dims);
    result.least_instances.resize(at(one.level) + 1, 1);
    result.least_instances.back() = rules.least_instances[at(level)];
  }
  result.least_instances.resize(at(apart.arch().level_count()), 1);
  const std::vector<int> whole = whole_memories(apart);
  for (int m = 0; m < apart.memory_count(); ++m) {
    const bool several = std::count(whole.begin(), whole.end(), whole[at(m)]) > 1;
    const std::uint32_t kept = apart.use(MemoryId{m}).keep_always;
    result.orders.push_back(rules.orders[at(whole[at(m)])]);
    result.must.push_back(several ? kept : rules.must[at(whole[at(m)])]);
    result.may.push_back(several ? kept : rules.may[at(whole[at(m)])]);
  }
  return result;
}

Problem without_constraints(const Problem& problem) {
  Architecture arch = problem.arch();
  arch.constraints.clear();
  return std::move(*Problem::create(problem.workload(), std::move(arch)).value);
}

std::vector<std::string> broken_rules_at_points(const Problem& problem, const Rules& rules,
                                                const Problem& apart, const Mapping& mapping) {
  if (!has_points(apart)) return broken_rules(problem, rules, mapping);
  std::vector<std::string> found = broken_rules(apart, rules_at(rules, apart), mapping);
  const std::vector<int> whole = whole_memories(apart);
  for (std::size_t m = 1; m < whole.size(); ++m) {
    if (whole[m] != whole[m - 1] || contains(rules.uneven, whole[m])) continue;
    add_text(found, "{} has several storage points", problem.memory(MemoryId{whole[m]}).name);
  }
  const Placement kept = kept_together(problem, mapping, whole);
  for (std::size_t m = 0; m < kept.size(); ++m) {
    if ((kept[m] & ~rules.may[m]) == 0 && (rules.must[m] & ~kept[m]) == 0) continue;
    add_text(found, "{} does not keep the tensors that are asked for",
             problem.memory(MemoryId{static_cast<int>(m)}).name);
  }
  return found;
}

}  // namespace tilewright::certificate
