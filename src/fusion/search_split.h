// Searches of all groups of a cascade. Groups that hand on what einsums behind them read, too, are
// apart: for those that end with a given einsum, the einsums up to it are a cascade of their own,
// in which such tensors also leave.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "fusion/search_plan.h"
#include "fusion/search_tree.h"

namespace tilewright::fusion {

// Moves the einsums of a tree to where they are in a longer cascade.
void renumber(PlanNode& node, int first);

// A cascade and the nests of its einsums.
template <class Point>
struct GroupTables {
  int first = 0;  // its first einsum in the whole cascade
  Cascade cascade;
  CascadeFacts facts;
  PortTimes times;
  NestTables nests;

  // Throws Expired.
  GroupTables(int first_einsum, Cascade einsums, const Architecture& arch, CascadeFacts of,
              Evenness evenness, const Deadline& deadline)
      : first(first_einsum),
        cascade(std::move(einsums)),
        facts(std::move(of)),
        times(cascade, arch, facts),
        nests(facts, times, std::is_same_v<Point, TimedPoint>, evenness, deadline) {}
};

// The whole cascade, and parts of it by their last einsum.
template <class Point>
struct AllTables {
  Evenness evenness;  // of the nests
  GroupTables<Point> whole;
  std::map<int, std::unique_ptr<GroupTables<Point>>> split = {};

  AllTables(const Cascade& cascade, const Architecture& arch, const CascadeFacts& facts,
            Evenness of_nests, const Deadline& deadline)
      : evenness(of_nests), whole(0, cascade, arch, facts, of_nests, deadline) {}
  // Adds the parts. Throws Expired.
  void add_split(const Architecture& arch, const std::string& shared, int longest,
                 const Deadline& deadline);
};

// Nests of the same; of parts only where they are needed.
template <class Point>
struct AllLeaves {
  std::shared_ptr<const LeafSet<Point>> whole;
  std::map<int, std::shared_ptr<const LeafSet<Point>>> split = {};

  // Throws Expired.
  AllLeaves(const AllTables<Point>& tables, const LeafAim& aim, const Deadline& deadline);
};

struct SearchAim {
  const Deadline& deadline;
  Goal goal = {};
  std::optional<Total> to_beat = {};
  bool hurried = false;
  OtherFloors others = {};
};

template <class Point>
class GroupsSearch {
 public:
  using Search = TreeSearch<Point>;

  GroupsSearch(const AllTables<Point>& tables, const AllLeaves<Point>& leaves,
               const SearchAim& aim);

  Search& whole() { return *whole_; }
  const Search& whole() const { return *whole_; }
  // Searches everything; false if the deadline passed before.
  bool search();
  const std::vector<Point>& group(int first, int last) const;
  // Adds a group that comes from one of its points.
  void add_group(const Architecture& arch, int first, int last, std::uint32_t origin,
                 Plan& plan) const;

 private:
  const AllTables<Point>& tables_;
  std::unique_ptr<Search> whole_;
  std::map<int, std::unique_ptr<Search>> split_;
};

extern template struct AllTables<FrontPoint>;
extern template struct AllTables<TimedPoint>;
extern template struct AllLeaves<FrontPoint>;
extern template struct AllLeaves<TimedPoint>;
extern template class GroupsSearch<FrontPoint>;
extern template class GroupsSearch<TimedPoint>;

}  // namespace tilewright::fusion
