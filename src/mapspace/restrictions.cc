#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "tilewright/mapspace.h"

namespace tilewright {

namespace {

using Relation = FactorRule::Relation;

std::string place_text(const SourcePosition& where) {
  if (where.file.empty()) return "";
  if (where.line == 0) return fmt::format(" ({})", where.file);
  return fmt::format(" ({}:{}:{})", where.file, where.line, where.column);
}

std::string origin_of(const Constraint& constraint) {
  return to_string(constraint) + place_text(constraint.where);
}

}  // namespace

Restrictions::Restrictions(const Problem& problem)
    : dims_(problem.dim_count()),
      limits_(static_cast<std::size_t>(problem.slot_count() * problem.dim_count())),
      extents_(static_cast<std::size_t>(problem.memory_count() * problem.dim_count())),
      outermost_(static_cast<std::size_t>(problem.memory_count())),
      innermost_(static_cast<std::size_t>(problem.memory_count())),
      least_instances_(static_cast<std::size_t>(problem.arch().level_count()), 1),
      least_instances_from_(static_cast<std::size_t>(problem.arch().level_count())) {
  for (const MemoryUse& use : problem.memories()) {
    keep_always_.push_back(use.keep_always);
    keep_allowed_.push_back(use.keep_allowed);
  }
}

// Enters one constraint after the other; what contradicts an earlier one is
// noted and left out.
class Resolver {
 public:
  explicit Resolver(const Problem& problem) : problem_(problem), result_(problem) {
    for (int s = 0; s < problem.slot_count(); ++s) enter_hardware(s);
    residence_from_.resize(problem.memories().size() *
                           static_cast<std::size_t>(problem.tensor_count()));
    outermost_from_.resize(problem.memories().size());
    innermost_from_.resize(problem.memories().size());
  }

  // Hardware constraints may name what a workload lacks.
  void enter(const Constraint& constraint, bool strict) {
    const auto level = problem_.arch().find_level(constraint.level);
    constraint_ = &constraint;
    origin_ = origin_of(constraint);
    strict_ = strict;
    if (!level || !problems_of(problem_.arch(), constraint).empty()) {
      // Those of the architecture have been checked with it.
      for (const std::string& message : problems_of(problem_.arch(), constraint)) {
        problems_.push_back(
            {constraint.where, fmt::format("{}: {}", to_string(constraint), message), {}});
      }
      return;
    }
    std::visit([&](const auto& rule) { apply(*level, rule); }, constraint.rule);
  }

  Checked<Restrictions> take() {
    if (!problems_.empty()) return {std::nullopt, std::move(problems_)};
    return {std::move(result_), {}};
  }

 private:
  BoundLimits& limits(int slot, int dim) { return result_.limits_[at(slot * result_.dims_ + dim)]; }
  const std::string& dim_name(int dim) const { return problem_.workload().dim(DimId{dim}).name; }

  void enter_hardware(int s) {
    const Slot& slot = problem_.slots()[at(s)];
    const std::string name = problem_.slot_name(s);
    for (int d = 0; d < result_.dims_; ++d) {
      BoundLimits& limit = limits(s, d);
      limit.most = problem_.workload().dim(DimId{d}).size;
      limit.most_from = fmt::format("the size of {}", dim_name(d));
      if (!contains(slot.allowed_dims, d)) {
        limit.most = 1;
        limit.most_from = fmt::format("{}: dims, in the architecture", name);
      } else if (!slot.is_temporal() && problem_.instances_along(s) < limit.most) {
        limit.most = problem_.instances_along(s);
        limit.most_from = fmt::format("the {} instances of {}", limit.most, name);
      }
    }
  }

  void contradict(const std::string& earlier, const std::string& what) {
    result_.contradictions_.push_back(
        {constraint_->where,
         fmt::format("{} contradicts {}{}", to_string(*constraint_),
                     earlier == origin_ ? "itself" : earlier, what.empty() ? "" : ": " + what),
         {}});
  }

  int slot_of(LevelId level) const {
    for (int s = 0; s < problem_.slot_count(); ++s) {
      const Slot& slot = problem_.slots()[at(s)];
      if (slot.level != level) continue;
      if (!constraint_->axis ||
          (slot.kind == SlotKind::SpatialX) == (*constraint_->axis == Axis::X)) {
        return s;
      }
    }
    return -1;  // the compute level, which problems_of() refuses
  }

  std::uint32_t known_dims(const std::string& name) {
    const std::uint32_t mask = dims_named(problem_.workload(), name);
    if (mask != 0 || !strict_) return mask;
    problems_.push_back(
        {constraint_->where,
         fmt::format("{}: {} has no dimension {}", to_string(*constraint_),
                     problem_.workload().name, name),
         suggestion(name, names_of(problem_.workload().dims), "its dimensions are")});
    return 0;
  }

  void raise(int slot, int dim, std::int64_t least) {
    BoundLimits& limit = limits(slot, dim);
    if (least > limit.most)
      return contradict(limit.most_from, fmt::format("at most {}", limit.most));
    if (least <= limit.least) return;
    limit.least = least;
    limit.least_from = origin_;
  }

  void lower(int slot, int dim, std::int64_t most) {
    BoundLimits& limit = limits(slot, dim);
    if (most < limit.least) {
      return contradict(limit.least_from, fmt::format("at least {}", limit.least));
    }
    if (most >= limit.most) return;
    limit.most = most;
    limit.most_from = origin_;
    limit.most_by_constraint = true;
  }

  void apply(LevelId level, const FactorRule& rule) {
    const int slot = slot_of(level);
    for (const int d : members(known_dims(rule.dim))) {
      const std::int64_t value = rule.value.value_or(problem_.workload().dim(DimId{d}).size);
      if (rule.relation != Relation::AtMost) raise(slot, d, value);
      if (rule.relation != Relation::AtLeast) lower(slot, d, value);
    }
  }

  void apply(LevelId level, const DimsRule& rule) {
    const int slot = slot_of(level);
    std::uint32_t allowed = 0;
    for (const std::string& name : rule.dims) allowed |= known_dims(name);
    for (int d = 0; d < result_.dims_; ++d) {
      if (!contains(allowed, d)) lower(slot, d, 1);
    }
  }

  std::vector<DimId> known_list(const std::vector<std::string>& names) {
    std::vector<DimId> dims;
    for (const std::string& name : names) {
      for (const int d : members(known_dims(name))) dims.push_back(DimId{d});
    }
    return dims;
  }

  // A dimension that both lists have, or one of them twice: names that differ
  // in case may mean the same.
  static std::optional<DimId> repeated(std::vector<DimId> dims, const std::vector<DimId>& more) {
    append(dims, more);
    std::sort(dims.begin(), dims.end());
    const auto found = std::adjacent_find(dims.begin(), dims.end());
    if (found == dims.end()) return std::nullopt;
    return *found;
  }

  // Two orders agree if one continues the other.
  template <typename Iterator>
  static bool agree(Iterator a, Iterator a_end, Iterator b, Iterator b_end) {
    const auto shared = std::min(a_end - a, b_end - b);
    return std::equal(a, a + shared, b);
  }

  void apply(LevelId level, const OrderRule& rule) {
    const std::size_t memory = at(problem_.memory_at(level));
    const std::vector<DimId> outside = known_list(rule.outermost);
    const std::vector<DimId> inside = known_list(rule.innermost);
    if (const auto twice = repeated(outside, inside)) {
      return contradict(origin_, fmt::format("{} stands twice", dim_name(index_of(*twice))));
    }
    std::vector<DimId>& outermost = result_.outermost_[memory];
    std::vector<DimId>& innermost = result_.innermost_[memory];
    if (!agree(outermost.cbegin(), outermost.cend(), outside.cbegin(), outside.cend()) ||
        repeated(outermost, inside)) {
      return contradict(outermost_from_[memory], "");
    }
    // At the inside they are compared from the inside out.
    if (!agree(innermost.crbegin(), innermost.crend(), inside.crbegin(), inside.crend()) ||
        repeated(innermost, outside)) {
      return contradict(innermost_from_[memory], "");
    }
    continue_order(outermost, outermost_from_[memory], outside);
    continue_order(innermost, innermost_from_[memory], inside);
  }

  void continue_order(std::vector<DimId>& known, std::string& from,
                      const std::vector<DimId>& added) const {
    if (added.size() <= known.size()) return;
    known = added;
    from = origin_;
  }

  void settle_residence(MemoryId memory, const std::string& name, bool keep) {
    bool known = false;
    for (int t = 0; t < problem_.tensor_count(); ++t) {
      const Tensor& tensor = problem_.workload().tensor(TensorId{t});
      if (!names_tensor(name, tensor)) continue;
      known = true;
      const std::uint32_t bit = 1U << t;
      std::string& from =
          residence_from_[at(memory) * static_cast<std::size_t>(problem_.tensor_count()) +
                          static_cast<std::size_t>(t)];
      const bool refused = keep ? (result_.keep_allowed_[at(memory)] & bit) == 0
                                : (result_.keep_always_[at(memory)] & bit) != 0;
      if (refused) {
        contradict(from.empty() ? fmt::format("what the architecture says of {} in {}", tensor.name,
                                              problem_.memory(memory).name)
                                : from,
                   "");
        continue;
      }
      if (keep) result_.keep_always_[at(memory)] |= bit;
      if (!keep) result_.keep_allowed_[at(memory)] &= ~bit;
      from = origin_;
    }
    if (!known && strict_) {
      std::vector<std::string> names = {"input", "weight", "output"};
      for (const Tensor& tensor : problem_.workload().tensors) names.push_back(tensor.name);
      problems_.push_back({constraint_->where,
                           fmt::format("{}: {} has no tensor {}", to_string(*constraint_),
                                       problem_.workload().name, name),
                           fmt::format("write one of {}", fmt::join(names, ", "))});
    }
  }

  void apply(LevelId level, const ResidenceRule& rule) {
    const MemoryId memory = problem_.memory_at(level);
    for (const std::string& name : rule.keep) settle_residence(memory, name, true);
    for (const std::string& name : rule.bypass) settle_residence(memory, name, false);
  }

  void apply(LevelId level, const UseRule& rule) {
    const auto& fanout = std::get<Fanout>(problem_.arch().level(level));
    const auto all = static_cast<Int128>(fanout.x.size) * fanout.y.size;
    const Int128 least =
        (all * rule.least.numerator + rule.least.denominator - 1) / rule.least.denominator;
    std::int64_t& known = result_.least_instances_[at(level)];
    if (least <= known) return;
    known = static_cast<std::int64_t>(least);
    result_.least_instances_from_[at(level)] = origin_;
  }

  const Problem& problem_;
  Restrictions result_;
  std::vector<Diagnostic> problems_;
  std::vector<std::string> residence_from_;  // [memory][tensor]
  std::vector<std::string> outermost_from_;  // [memory]
  std::vector<std::string> innermost_from_;  // [memory]
  const Constraint* constraint_ = nullptr;   // the one being entered
  std::string origin_;
  bool strict_ = false;
};

Checked<Restrictions> Restrictions::create(const Problem& problem,
                                           const std::vector<Constraint>& more) {
  Resolver resolver(problem);
  for (const Constraint& constraint : problem.arch().constraints) resolver.enter(constraint, false);
  for (const Constraint& constraint : more) resolver.enter(constraint, true);
  return resolver.take();
}

}  // namespace tilewright
