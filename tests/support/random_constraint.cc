#include "support/random_constraint.h"

namespace tilewright::testing {

namespace {

using Names = std::vector<std::string>;
using Relation = FactorRule::Relation;

class Draw {
 public:
  Draw(TestRng& rng, const std::function<std::string()>& name) : rng_(rng), name_(name) {}

  Constraint at(const Level& level) {
    const bool fanout = std::holds_alternative<Fanout>(level);
    Constraint constraint{name_of(level), {}, {}, {}};
    switch (rng_.between(0, 2)) {
      case 0:
        constraint.rule = factor();
        break;
      case 1:
        constraint.rule = DimsRule{names(0)};
        break;
      default:
        if (fanout) {
          constraint.rule = use();
        } else if (rng_.chance(50)) {
          constraint.rule = order();
        } else {
          constraint.rule = residence();
        }
    }
    if (fanout && constraint.is_per_axis()) constraint.axis = rng_.chance(50) ? Axis::X : Axis::Y;
    return constraint;
  }

 private:
  Names names(std::int64_t least) {
    Names all;
    for (std::int64_t i = rng_.between(least, 3); i > 0; --i) {
      all.push_back(name_() + std::to_string(++drawn_));
    }
    return all;
  }

  FactorRule factor() {
    const std::vector<Relation> relations = {Relation::Equal, Relation::AtMost, Relation::AtLeast};
    FactorRule rule{name_() + "1", rng_.pick(relations), {}};
    if (rng_.chance(70)) rule.value = rng_.between(1, rng_.chance(50) ? 16 : kCountLimit);
    return rule;
  }

  OrderRule order() {
    OrderRule rule{names(0), {}};
    rule.innermost = names(rule.outermost.empty() ? 1 : 0);
    return rule;
  }

  ResidenceRule residence() {
    ResidenceRule rule{names(0), {}};
    if (rng_.chance(30)) rule.keep.emplace_back("input");
    rule.bypass = names(rule.keep.empty() ? 1 : 0);
    return rule;
  }

  UseRule use() {
    const std::int64_t whole = rng_.between(1, rng_.chance(50) ? 20 : kCountLimit);
    return {{rng_.between(0, whole), whole}};
  }

  TestRng& rng_;
  const std::function<std::string()>& name_;
  int drawn_ = 0;
};

}  // namespace

Constraint random_constraint(TestRng& rng, const Architecture& arch,
                             const std::function<std::string()>& name) {
  // The compute level, which is last, has no rules.
  const LevelId level{static_cast<int>(rng.between(0, arch.level_count() - 2))};
  return Draw(rng, name).at(arch.level(level));
}

}  // namespace tilewright::testing
