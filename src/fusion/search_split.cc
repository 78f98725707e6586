#include "fusion/search_split.h"

#include <algorithm>

namespace tilewright::fusion {

namespace {

// The einsums of a range; what those behind it read also leaves.
Cascade part_of(const Cascade& cascade, int first, int last) {
  Cascade part{cascade.name, cascade.source, {}, {}};
  part.einsums.assign(cascade.einsums.begin() + first, cascade.einsums.begin() + last + 1);
  for (const Intermediate& one : intermediates_of(cascade)) {
    const bool written = first <= one.writer && one.writer <= last;
    if (written && one.readers.back().einsum > last) {
      part.einsums[at(one.writer - first)].leaves = true;
    }
  }
  return part;
}

}  // namespace

void renumber(PlanNode& node, int first) {
  if (node.is_leaf()) node.einsum += first;
  for (PlanNode& child : node.children) renumber(child, first);
}

template <class Point>
void AllTables<Point>::add_split(const Architecture& arch, const std::string& shared, int longest,
                                 const Deadline& deadline) {
  const int count = whole.cascade.einsum_count();
  for (int last = 1; last < count; ++last) {
    const int first = std::max(0, last - longest + 1);
    if (longest < 2 || !whole.facts.splits_readers(first, last)) continue;
    Cascade part = part_of(whole.cascade, first, last);
    // What can be searched as a whole can be in parts.
    Checked<CascadeFacts> facts = CascadeFacts::create(part, arch, shared, longest);
    split[last] = std::make_unique<GroupTables<Point>>(first, std::move(part), arch,
                                                       std::move(*facts.value), evenness, deadline);
  }
}

template <class Point>
AllLeaves<Point>::AllLeaves(const AllTables<Point>& tables, const LeafAim& aim,
                            const Deadline& deadline) {
  const auto leaves_of = [&](const GroupTables<Point>& of) {
    return std::make_shared<const LeafSet<Point>>(of.facts, of.times, of.nests, aim, deadline);
  };
  whole = leaves_of(tables.whole);
  if (aim.kind == LeafAim::Kind::Alone) return;
  for (const auto& [last, of] : tables.split) split[last] = leaves_of(*of);
}

template <class Point>
GroupsSearch<Point>::GroupsSearch(const AllTables<Point>& tables, const AllLeaves<Point>& leaves,
                                  const SearchAim& aim)
    : tables_(tables) {
  const auto search_of = [&](const GroupTables<Point>& of, const auto& leaves_of) {
    return std::make_unique<Search>(of.facts, leaves_of,
                                    TreeSettings{aim.deadline, of.times, aim.goal, aim.to_beat,
                                                 aim.hurried, aim.others.from(of.first)});
  };
  whole_ = search_of(tables.whole, leaves.whole);
  for (const auto& [last, of] : leaves.split) {
    split_[last] = search_of(*tables.split.at(last), of);
  }
}

template <class Point>
bool GroupsSearch<Point>::search() {
  bool complete = whole_->search();
  for (auto& [last, one] : split_) complete = one->search() && complete;
  return complete;
}

template <class Point>
const std::vector<Point>& GroupsSearch<Point>::group(int first, int last) const {
  if (!tables_.whole.facts.splits_readers(first, last)) return whole_->group(first, last);
  static const std::vector<Point> kNoPoints;
  const auto found = split_.find(last);
  if (found == split_.end()) return kNoPoints;
  const int begin = tables_.split.at(last)->first;
  return first < begin ? kNoPoints : found->second->group(first - begin, last - begin);
}

template <class Point>
void GroupsSearch<Point>::add_group(const Architecture& arch, int first, int last,
                                    std::uint32_t origin, Plan& plan) const {
  const bool split = tables_.whole.facts.splits_readers(first, last);
  const GroupTables<Point>& of = split ? *tables_.split.at(last) : tables_.whole;
  const Search& search = split ? *split_.at(last) : *whole_;
  Plan part;
  part.shared = plan.shared;
  PlanBuilder builder(of.cascade, arch, of.facts, search, part);
  builder.add_group(origin);
  renumber(part.groups.front(), of.first);
  plan.groups.push_back(std::move(part.groups.front()));
  for (int e = first; e <= last; ++e) {
    plan.leaves[at(e)] = std::move(part.leaves[at(e - of.first)]);
  }
}

template struct AllTables<FrontPoint>;
template struct AllTables<TimedPoint>;
template struct AllLeaves<FrontPoint>;
template struct AllLeaves<TimedPoint>;
template class GroupsSearch<FrontPoint>;
template class GroupsSearch<TimedPoint>;

}  // namespace tilewright::fusion
