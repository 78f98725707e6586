#include "fusion/search_cuts.h"

#include <algorithm>

namespace tilewright::fusion {

namespace {

// A way to map the first einsums.
struct Begun {
  Total total;
  int before = -1;  // one of those that end where its last group begins
  GroupChoice group;
};

// Totals that no other beats in both.
void add(std::vector<Begun>& all, const Begun& one) {
  const auto beats = [](const Total& a, const Total& b) {
    return a.pj <= b.pj && a.cycles <= b.cycles;
  };
  const bool beaten = std::any_of(
      all.begin(), all.end(), [&](const Begun& other) { return beats(other.total, one.total); });
  if (beaten) return;
  std::erase_if(all, [&](const Begun& other) { return beats(one.total, other.total); });
  all.push_back(one);
}

}  // namespace

std::optional<CutPlan> best_cuts(
    int einsums, int longest, const Goal& goal,
    const std::function<std::vector<GroupChoice>(int first, int last)>& trees) {
  std::vector<std::vector<Begun>> begun(at(einsums + 1));
  begun[0].push_back({});
  for (int end = 1; end <= einsums; ++end) {
    for (int begin = std::max(0, end - longest); begin < end; ++begin) {
      for (const GroupChoice& group : trees(begin, end - 1)) {
        for (std::size_t i = 0; i < begun[at(begin)].size(); ++i) {
          Begun one{begun[at(begin)][i].total, static_cast<int>(i), group};
          one.total += group.total;
          add(begun[at(end)], one);
        }
      }
    }
  }
  const std::vector<Begun>& whole = begun.back();
  if (whole.empty()) return std::nullopt;
  const Begun* one = &*std::min_element(
      whole.begin(), whole.end(),
      [&](const Begun& a, const Begun& b) { return is_better(goal, a.total, b.total); });
  CutPlan plan{one->total, {}};
  for (; one->before >= 0; one = &begun[at(one->group.first)][at(one->before)]) {
    plan.groups.push_back(one->group);
  }
  std::reverse(plan.groups.begin(), plan.groups.end());
  return plan;
}

}  // namespace tilewright::fusion
