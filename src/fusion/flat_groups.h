// Groups of a cascade that were searched, or will be, and where they cut it best.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "tilewright/cascade.h"

namespace tilewright::fusion {

// A group of consecutive einsums. Several searches may look for it, such as one for each memory
// that it may share.
struct GroupKey {
  int first = 0, last = 0;
  int source = 0;  // the number of the search

  int length() const { return last - first + 1; }
  auto operator<=>(const GroupKey&) const = default;
};

// Consecutive einsums as one group.
struct Group {
  std::optional<Plan> plan = {};  // nothing: none is known, or none is of use
  double pj = 0;                  // of the plan
  double bound_pj = 0;            // none has less, or none of use
  bool searched = false;
  bool cut_short = false;  // the search had too little time
  bool crosses = false;    // hands on what also leaves
};

// Groups side by side.
struct GroupCuts {
  double pj = 0;
  std::vector<GroupKey> groups = {};
};

class KnownGroups {
 public:
  using Cost = std::function<std::optional<double>(const GroupKey&, const Group&)>;

  explicit KnownGroups(int einsums) : einsums_(einsums) {}

  Group& operator[](const GroupKey& key) { return groups_[key]; }
  Group& at(const GroupKey& key) { return groups_.at(key); }
  const Group& at(const GroupKey& key) const { return groups_.at(key); }
  const std::map<GroupKey, Group>& all() const { return groups_; }
  std::map<GroupKey, Group>& all() { return groups_; }

  // The best way to map the einsums from `first` to `last`, where groups take what `cost` says;
  // those without are not there.
  std::optional<GroupCuts> best_cuts(int first, int last, const Cost& cost) const;
  // The best plan of the whole cascade that is known; einsums alone are known.
  GroupCuts known() const;
  // What the einsums take at least.
  GroupCuts least(int first, int last) const;
  GroupCuts least() const { return least(0, einsums_ - 1); }

 private:
  int einsums_;
  std::map<GroupKey, Group> groups_;
};

}  // namespace tilewright::fusion
