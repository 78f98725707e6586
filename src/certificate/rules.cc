#include "certificate/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "base/text.h"
#include "certificate/points.h"

namespace tilewright::certificate {

namespace {

using Relation = FactorRule::Relation;

class Reader {
 public:
  Reader(const Problem& problem, SpaceKind kind) : problem_(problem) {
    rules_.kind = kind;
    rules_.dims = problem.dim_count();
    rules_.limits.resize(at(problem.slot_count() * problem.dim_count()));
    rules_.orders.resize(at(problem.memory_count()));
    rules_.least_instances.assign(at(problem.arch().level_count()), 1);
    for (const MemoryUse& use : problem.memories()) {
      rules_.must.push_back(use.keep_always);
      rules_.may.push_back(use.keep_allowed);
    }
    for (int s = 0; s < problem.slot_count(); ++s) {
      for (int d = 0; d < rules_.dims; ++d) {
        if (!contains(problem.slots()[at(s)].allowed_dims, d)) limit(s, d).most = 1;
      }
    }
  }

  void read(const Constraint& constraint, bool strict) {
    constraint_ = &constraint;
    strict_ = strict;
    for (const std::string& message : problems_of(problem_.arch(), constraint)) complain(message);
    const auto level = problem_.arch().find_level(constraint.level);
    if (!level || !problems_of(problem_.arch(), constraint).empty()) return;
    std::visit([&](const auto& rule) { apply(*level, rule); }, constraint.rule);
  }

  Checked<Rules> take() {
    if (!problems_.empty()) return {std::nullopt, std::move(problems_)};
    return {std::move(rules_), {}};
  }

 private:
  Rules::Limits& limit(int slot, int dim) { return rules_.limits[at(slot * rules_.dims + dim)]; }

  void complain(const std::string& message) {
    problems_.push_back(
        {constraint_->where, fmt::format("{}: {}", to_string(*constraint_), message), {}});
  }

  int slot_of(LevelId level) const {
    int slot = 0;
    while (problem_.slots()[at(slot)].level != level) ++slot;
    return slot + (constraint_->axis == Axis::X ? 1 : 0);  // Y stands before X
  }

  // An architecture may name what a workload lacks; the user may not.
  std::uint32_t dims_of(const std::string& name) {
    const std::uint32_t mask = dims_named(problem_.workload(), name);
    if (mask == 0 && strict_) complain("the workload has no dimension " + name);
    return mask;
  }

  void apply(LevelId level, const FactorRule& rule) {
    for (const int d : members(dims_of(rule.dim))) {
      Rules::Limits& one = limit(slot_of(level), d);
      const std::int64_t value = rule.value.value_or(problem_.workload().dims[at(d)].size);
      if (rule.relation != Relation::AtMost) one.least = std::max(one.least, value);
      if (rule.relation != Relation::AtLeast) one.most = std::min(one.most, value);
    }
  }

  void apply(LevelId level, const DimsRule& rule) {
    std::uint32_t allowed = 0;
    for (const std::string& name : rule.dims) allowed |= dims_of(name);
    for (int d = 0; d < rules_.dims; ++d) {
      Rules::Limits& one = limit(slot_of(level), d);
      if (!contains(allowed, d)) one.most = std::min<std::int64_t>(one.most, 1);
    }
  }

  std::vector<int> list_of(const std::vector<std::string>& names) {
    std::vector<int> dims;
    for (const std::string& name : names) {
      for (const int d : members(dims_of(name))) dims.push_back(d);
    }
    return dims;
  }

  // The longer one of two orders from one end counts, if it continues the other.
  void continue_order(std::vector<int>& known, std::vector<int> added, bool from_the_end) {
    if (added.size() < known.size()) std::swap(known, added);
    const bool agree = from_the_end ? std::equal(known.rbegin(), known.rend(), added.rbegin())
                                    : std::equal(known.begin(), known.end(), added.begin());
    if (!agree) complain("another constraint asks for another order");
    known = std::move(added);
  }

  void apply(LevelId level, const OrderRule& rule) {
    Rules::Order& order = rules_.orders[at(problem_.memory_at(level))];
    continue_order(order.outermost, list_of(rule.outermost), false);
    continue_order(order.innermost, list_of(rule.innermost), true);
    std::vector<int> all = order.outermost;
    all.insert(all.end(), order.innermost.begin(), order.innermost.end());
    std::sort(all.begin(), all.end());
    if (std::adjacent_find(all.begin(), all.end()) != all.end()) {
      complain("a loop cannot stand at two places");
    }
  }

  void apply(LevelId level, const ResidenceRule& rule) {
    const std::size_t memory = at(problem_.memory_at(level));
    const auto bits_of = [&](const TensorNames& names) {
      std::uint32_t bits = 0;
      for (const std::string& name : names) {
        const std::uint32_t before = bits;
        for (int t = 0; t < problem_.tensor_count(); ++t) {
          if (names_tensor(name, problem_.workload().tensors[at(t)])) bits |= 1U << t;
        }
        if (bits == before && strict_) complain("the workload has no other tensor " + name);
      }
      return bits;
    };
    rules_.must[memory] |= bits_of(rule.keep);
    rules_.may[memory] &= ~bits_of(rule.bypass);
  }

  void apply(LevelId level, const UseRule& rule) {
    const auto& fanout = std::get<Fanout>(problem_.arch().level(level));
    const Int128 all = static_cast<Int128>(fanout.x.size) * fanout.y.size;
    const Int128 least =
        (times(all, rule.least.numerator) + rule.least.denominator - 1) / rule.least.denominator;
    std::int64_t& known = rules_.least_instances[at(level)];
    known = std::max(known, static_cast<std::int64_t>(least));
  }

  const Problem& problem_;
  Rules rules_;
  std::vector<Diagnostic> problems_;
  const Constraint* constraint_ = nullptr;
  bool strict_ = false;
};

using Texts = std::vector<std::string>;

void check_bounds(const Problem& problem, const Rules& rules, const Mapping& mapping,
                  Texts& found) {
  for (int d = 0; d < problem.dim_count(); ++d) {
    const Dimension& dim = problem.workload().dims[at(d)];
    std::int64_t left = dim.size;
    for (int s = problem.slot_count(); s-- > 0;) {
      const std::int64_t bound = mapping.bound(s, DimId{d});
      const Rules::Limits& limits = rules.at_slot(s, d);
      if (bound < limits.least || bound > limits.most) {
        add_text(found, "{} has bound {} for {}, outside {} to {}", problem.slot_name(s), bound,
                 dim.name, limits.least, limits.most);
      }
      if (rules.divides(problem.slots()[at(s)]) && left % bound != 0) {
        add_text(found, "{} leaves a remainder of {}, which {} does not allow",
                 problem.slot_name(s), dim.name, to_string(rules.kind));
      }
      left = ceil_div(left, bound);
    }
  }
}

void check_order(const Problem& problem, const Rules& rules, int memory, const Mapping& mapping,
                 Texts& found) {
  const int slot = problem.use(MemoryId{memory}).slot;
  const auto looped = [&](std::vector<int> dims) {
    std::erase_if(dims, [&](int d) { return mapping.bound(slot, DimId{d}) == 1; });
    return dims;
  };
  const std::uint8_t* order = mapping.order(MemoryId{memory});
  const std::vector<int> loops = looped({order, order + problem.dim_count()});
  const std::vector<int> outermost = looped(rules.orders[at(memory)].outermost);
  const std::vector<int> innermost = looped(rules.orders[at(memory)].innermost);
  if (std::equal(outermost.begin(), outermost.end(), loops.begin()) &&
      std::equal(innermost.rbegin(), innermost.rend(), loops.rbegin())) {
    return;
  }
  add_text(found, "the loops of {} do not stand in the order that is asked for",
           problem.memory(MemoryId{memory}).name);
}

void check_use(const Problem& problem, const Rules& rules, const Mapping& mapping, Texts& found) {
  std::vector<Count> used(rules.least_instances.size(), 1);
  for (int s = 0; s < problem.slot_count(); ++s) {
    const Slot& slot = problem.slots()[at(s)];
    if (slot.is_temporal()) continue;
    for (int d = 0; d < problem.dim_count(); ++d) {
      used[at(slot.level)] *= mapping.bound(s, DimId{d});
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] >= rules.least_instances[i]) continue;
    add_text(found, "{} uses {} instances, not the {} that are asked for",
             name_of(problem.arch().levels[i]), Int128{used[i]}, rules.least_instances[i]);
  }
}

}  // namespace

bool Rules::divides(const Slot& slot) const {
  switch (kind) {
    case SpaceKind::Perfect:
      return true;
    case SpaceKind::RubyS:
      return slot.is_temporal();
    case SpaceKind::RubyT:
      return !slot.is_temporal();
    case SpaceKind::Ruby:
      break;
  }
  return false;
}

namespace {

std::vector<std::vector<std::uint32_t>> stages_of(const Rules& rules) {
  std::vector<std::vector<std::uint32_t>> all;
  for (const Rules::Order& order : rules.orders) {
    std::uint32_t free = (1U << rules.dims) - 1;
    for (const int d : order.outermost) free &= ~(1U << d);
    for (const int d : order.innermost) free &= ~(1U << d);
    std::vector<std::uint32_t> stages;
    for (std::size_t i = order.innermost.size(); i-- > 0;) {
      stages.push_back(1U << order.innermost[i]);
    }
    stages.push_back(free);
    for (std::size_t i = order.outermost.size(); i-- > 0;) {
      stages.push_back(1U << order.outermost[i]);
    }
    all.push_back(std::move(stages));
  }
  return all;
}

}  // namespace

Checked<Rules> read_rules(const Problem& problem, SpaceKind kind,
                          const std::vector<Constraint>& more, std::uint32_t uneven) {
  Reader reader(problem, kind);
  for (const Constraint& constraint : problem.arch().constraints) reader.read(constraint, false);
  for (const Constraint& constraint : more) reader.read(constraint, true);
  Checked<Rules> rules = reader.take();
  if (has_parts(problem.arch()) && uneven != 0) {
    throw Unverifiable("uneven mappings with memories that share room");
  }
  if (!rules.ok()) return rules;
  rules.value->stages = stages_of(*rules.value);
  allow_points(problem, uneven, *rules.value);
  return rules;
}

std::vector<std::string> broken_rules(const Problem& problem, const Rules& rules,
                                      const Mapping& mapping) {
  Texts found = structural_problems(problem, mapping);
  if (!found.empty()) return found;
  found = hardware_problems(problem, mapping);
  check_bounds(problem, rules, mapping, found);
  check_use(problem, rules, mapping, found);
  for (int m = 0; m < problem.memory_count(); ++m) {
    check_order(problem, rules, m, mapping, found);
    const std::uint32_t kept = mapping.kept(MemoryId{m});
    if ((kept & ~rules.may[at(m)]) != 0 || (rules.must[at(m)] & ~kept) != 0) {
      add_text(found, "{} does not keep the tensors that are asked for",
               problem.memory(MemoryId{m}).name);
    }
  }
  return found;
}

}  // namespace tilewright::certificate
