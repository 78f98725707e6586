#include "fusion/flat_groups.h"

namespace tilewright::fusion {

std::optional<GroupCuts> KnownGroups::best_cuts(int first, int last, const Cost& cost) const {
  std::vector<std::optional<GroupCuts>> ends = {GroupCuts{}};
  for (int end = first; end <= last; ++end) {
    std::optional<GroupCuts> best;
    for (int begin = first; begin <= end; ++begin) {
      const std::optional<GroupCuts>& before = ends[tilewright::at(begin - first)];
      auto one = groups_.lower_bound({begin, end, 0});
      for (; before && one != groups_.end(); ++one) {
        const GroupKey& key = one->first;
        if (key.first != begin || key.last != end) break;
        const std::optional<double> pj = cost(key, one->second);
        if (!pj || (best && before->pj + *pj >= best->pj)) continue;
        best = before;
        best->pj += *pj;
        best->groups.push_back(key);
      }
    }
    ends.push_back(std::move(best));
  }
  return ends.back();
}

GroupCuts KnownGroups::known() const {
  return *best_cuts(0, einsums_ - 1, [](const GroupKey&, const Group& group) {
    return group.plan ? std::optional(group.pj) : std::nullopt;
  });
}

GroupCuts KnownGroups::least(int first, int last) const {
  return *best_cuts(first, last, [](const GroupKey&, const Group& group) {
    return std::optional(group.bound_pj);
  });
}

}  // namespace tilewright::fusion
