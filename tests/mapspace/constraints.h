// Short ways to write constraints in tests, and what comes of them as text.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/naive_space.h"
#include "tilewright/mapspace.h"

namespace tilewright::testing::constraints {

using Relation = FactorRule::Relation;
using Names = std::vector<std::string>;

inline Constraint factor(const std::string& level, const std::string& dim, Relation relation,
                         std::optional<std::int64_t> value, int line = 0) {
  Constraint made{level, {}, FactorRule{dim, relation, value}, {"user.yaml", line, 3}};
  if (level == "Array") made.axis = Axis::X;
  return made;
}
inline Constraint dims(const std::string& level, const Names& names, int line = 0) {
  Constraint made{level, {}, DimsRule{names}, {"user.yaml", line, 3}};
  if (level == "Array") made.axis = Axis::X;
  return made;
}
inline Constraint order(const Names& outermost, const Names& innermost, int line = 0) {
  return {"Outer", {}, OrderRule{outermost, innermost}, {"user.yaml", line, 3}};
}
inline Constraint residence(const TensorNames& keep, const TensorNames& bypass, int line = 0) {
  return {"Inner", {}, ResidenceRule{keep, bypass}, {"user.yaml", line, 3}};
}
inline Constraint use(std::int64_t numerator, std::int64_t denominator) {
  return {"Array", {}, UseRule{{numerator, denominator}}, {"user.yaml", 9, 3}};
}

// A GEMM of 12 x 6 x 4 on the memories Outer and Inner with a row of 5.
inline Problem example() { return two_level_gemm(12, 6, 4, 5); }

inline Restrictions resolved(const Problem& problem, const std::vector<Constraint>& more) {
  Checked<Restrictions> restrictions = Restrictions::create(problem, more);
  if (!restrictions.ok()) throw std::logic_error(to_string(restrictions.problems.front()));
  return std::move(*restrictions.value);
}

inline Names texts(const std::vector<Diagnostic>& diagnostics) {
  Names all;
  for (const Diagnostic& diagnostic : diagnostics) all.push_back(to_string(diagnostic));
  return all;
}
inline Names contradictions(const std::vector<Constraint>& more) {
  return texts(resolved(example(), more).contradictions());
}
inline Names problems(const std::vector<Constraint>& more) {
  return texts(Restrictions::create(example(), more).problems);
}
// Why there is no space.
inline Names emptiness(const Problem& problem, SpaceKind kind,
                       const std::vector<Constraint>& more) {
  return texts(MapSpace::create(problem, kind, resolved(problem, more)).problems);
}

}  // namespace tilewright::testing::constraints
