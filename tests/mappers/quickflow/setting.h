// A problem made ready for the search, for tests of its parts.
#pragma once

#include <functional>
#include <vector>

#include "mappers/quickflow/scorer.h"
#include "support/problems.h"
#include "support/small_instance.h"

namespace tilewright::quickflow {

struct Setting {
  Setting(const Problem& problem, SpaceKind kind, const std::vector<Constraint>& rules = {})
      : evaluator(testing::make_evaluator(problem)),
        restrictions(*Restrictions::create(problem, rules).value),
        tables(evaluator, kind, restrictions) {}
  Setting(const testing::SmallInstance& instance, SpaceKind kind)
      : Setting(instance.problem, kind, instance.constraints) {}
  Setting(const Setting&) = delete;  // the tables refers to the others
  Setting& operator=(const Setting&) = delete;

  Evaluator evaluator;
  Restrictions restrictions;
  SearchTables tables;

  MadeSpace space() const { return MapSpace::create(tables.problem, tables.kind, restrictions); }
};

inline const std::function<void(const Mapping&)> kNobody;  // is told of visits

}  // namespace tilewright::quickflow
