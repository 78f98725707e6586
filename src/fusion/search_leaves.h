// The private nests of all einsums of a cascade, and those among them that are of interest.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "fusion/search_bounds.h"

namespace tilewright::fusion {

// The tables that all searches of a cascade share.
struct NestTables {
  std::vector<std::unique_ptr<NestTable>> tables;
  std::vector<std::unique_ptr<LeafTimes>> times;

  // Throws Expired when the deadline passes.
  NestTables(const CascadeFacts& facts, const PortTimes& port_times, bool timed, Evenness evenness,
             const Deadline& deadline);
};

// Which nests a search needs.
struct LeafAim {
  enum class Kind {
    All,
    Fastest,  // those alone that put the most multipliers to work
    Alone     // of einsums that are groups of their own
  };
  Kind kind = Kind::All;
  Goal goal = {};
  // Nests that no plan has which is as good are left out.
  std::optional<Total> to_beat = {};
};

// The private nests of all einsums.
template <class Point>
struct LeafSet {
  std::vector<std::unique_ptr<LeafFronts<NestOf<Point>>>> fronts;
  std::vector<Total> floors;  // what each einsum takes with everything resident

  // Throws Expired when the deadline passes.
  LeafSet(const CascadeFacts& facts, const PortTimes& port_times, const NestTables& nests,
          const LeafAim& aim, const Deadline& deadline);
};

extern template struct LeafSet<FrontPoint>;
extern template struct LeafSet<TimedPoint>;

}  // namespace tilewright::fusion
