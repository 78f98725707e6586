#include "support/naive_space.h"

#include <algorithm>
#include <numeric>

#include "support/problems.h"

namespace tilewright::testing {

namespace {

using Relation = FactorRule::Relation;
using Bounds = std::vector<std::int64_t>;  // per slot

// --- constraints, read as literally as possible ------------------------------

bool concerns(const Problem& problem, const Constraint& constraint, int slot) {
  const Slot& where = problem.slots()[static_cast<std::size_t>(slot)];
  if (problem.arch().find_level(constraint.level) != where.level) return false;
  if (!constraint.axis) return true;
  return (*constraint.axis == Axis::X) == (where.kind == SlotKind::SpatialX);
}

bool bound_allowed(const Problem& problem, const std::vector<Constraint>& constraints, int slot,
                   DimId dim, std::int64_t bound) {
  const Slot& where = problem.slots()[static_cast<std::size_t>(slot)];
  const Dimension& dimension = problem.workload().dim(dim);
  if (bound > 1 && ((where.allowed_dims >> index_of(dim)) & 1U) == 0) return false;
  for (const Constraint& constraint : constraints) {
    if (!concerns(problem, constraint, slot)) continue;
    if (const auto* factor = std::get_if<FactorRule>(&constraint.rule)) {
      if (factor->dim != dimension.name) continue;
      const std::int64_t value = factor->value.value_or(dimension.size);
      if (factor->relation == Relation::Equal && bound != value) return false;
      if (factor->relation == Relation::AtMost && bound > value) return false;
      if (factor->relation == Relation::AtLeast && bound < value) return false;
    }
    if (const auto* dims = std::get_if<DimsRule>(&constraint.rule)) {
      const bool listed =
          std::find(dims->dims.begin(), dims->dims.end(), dimension.name) != dims->dims.end();
      if (bound > 1 && !listed) return false;
    }
  }
  return true;
}

// --- chains ------------------------------------------------------------------

bool remainder_allowed(SpaceKind kind, bool temporal) {
  return kind == SpaceKind::Ruby || (kind == SpaceKind::RubyT && temporal) ||
         (kind == SpaceKind::RubyS && !temporal);
}

struct ChainSearch {
  const Problem& problem;
  SpaceKind kind;
  const std::vector<Constraint>& constraints;
  DimId dim;
  std::vector<Bounds> found;

  void extend(int slot, std::int64_t left, Bounds& bounds) {
    if (slot < 0) {
      if (left == 1) found.push_back(bounds);
      return;
    }
    const bool temporal = problem.slots()[static_cast<std::size_t>(slot)].is_temporal();
    for (std::int64_t b = 1; b <= left; ++b) {
      if (left % b != 0 && !remainder_allowed(kind, temporal)) continue;
      if (!bound_allowed(problem, constraints, slot, dim, b)) continue;
      bounds[static_cast<std::size_t>(slot)] = b;
      extend(slot - 1, (left + b - 1) / b, bounds);
    }
  }
};

// --- loop orders and bypass ----------------------------------------------------

// True if the loops that are there stand as every order rule says.
bool order_allowed(const Problem& problem, const std::vector<Constraint>& constraints,
                   MemoryId memory, const std::vector<DimId>& loops) {
  std::vector<std::string> names;
  for (const DimId dim : loops) names.push_back(problem.workload().dim(dim).name);
  const auto present = [&](std::vector<std::string> list) {
    std::erase_if(list, [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) == names.end();
    });
    return list;
  };
  for (const Constraint& constraint : constraints) {
    const auto* order = std::get_if<OrderRule>(&constraint.rule);
    if (order == nullptr || !concerns(problem, constraint, problem.use(memory).slot)) continue;
    const auto outermost = present(order->outermost);
    const auto innermost = present(order->innermost);
    if (!std::equal(outermost.begin(), outermost.end(), names.begin())) return false;
    if (!std::equal(innermost.rbegin(), innermost.rend(), names.rbegin())) return false;
  }
  return true;
}

std::vector<std::vector<DimId>> orders_of(const Problem& problem,
                                          const std::vector<Constraint>& constraints,
                                          MemoryId memory, const Mapping& mapping) {
  std::vector<DimId> loops;
  for (int d = 0; d < problem.dim_count(); ++d) {
    if (mapping.bound(problem.use(memory).slot, DimId{d}) > 1) loops.push_back(DimId{d});
  }
  std::vector<std::vector<DimId>> all;
  do {
    if (order_allowed(problem, constraints, memory, loops)) all.push_back(loops);
  } while (std::next_permutation(loops.begin(), loops.end()));
  return all;
}

bool kept_allowed(const Problem& problem, const std::vector<Constraint>& constraints,
                  const std::vector<std::uint32_t>& kept) {
  std::uint32_t anywhere = 0;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const MemoryUse& use = problem.use(MemoryId{m});
    const std::uint32_t here = kept[static_cast<std::size_t>(m)];
    anywhere |= here;
    if ((here & ~use.keep_allowed) != 0 || (use.keep_always & ~here) != 0) return false;
    for (const Constraint& constraint : constraints) {
      const auto* rule = std::get_if<ResidenceRule>(&constraint.rule);
      if (rule == nullptr || !concerns(problem, constraint, use.slot)) continue;
      for (int t = 0; t < problem.tensor_count(); ++t) {
        const Tensor& tensor = problem.workload().tensor(TensorId{t});
        const bool keeps = ((here >> t) & 1U) != 0;
        for (const std::string& name : rule->keep) {
          if (names_tensor(name, tensor) && !keeps) return false;
        }
        for (const std::string& name : rule->bypass) {
          if (names_tensor(name, tensor) && keeps) return false;
        }
      }
    }
  }
  return anywhere == (1U << problem.tensor_count()) - 1;
}

std::vector<std::vector<std::uint32_t>> all_kept(const Problem& problem,
                                                 const std::vector<Constraint>& constraints) {
  const int bits = problem.memory_count() * problem.tensor_count();
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t choice = 0; choice < 1U << bits; ++choice) {
    std::vector<std::uint32_t> kept;
    for (int m = 0; m < problem.memory_count(); ++m) {
      kept.push_back((choice >> (m * problem.tensor_count())) &
                     ((1U << problem.tensor_count()) - 1));
    }
    if (kept_allowed(problem, constraints, kept)) all.push_back(kept);
  }
  return all;
}

// --- fan-outs ------------------------------------------------------------------

bool fanouts_hold(const Problem& problem, const std::vector<Constraint>& constraints,
                  const Mapping& mapping) {
  for (int i = 0; i < problem.arch().level_count(); ++i) {
    const auto* fanout = std::get_if<Fanout>(&problem.arch().level(LevelId{i}));
    if (fanout == nullptr) continue;
    std::int64_t used = 1;
    for (int s = 0; s < problem.slot_count(); ++s) {
      const Slot& slot = problem.slots()[static_cast<std::size_t>(s)];
      if (slot.level != LevelId{i}) continue;
      std::int64_t along = 1;
      for (int d = 0; d < problem.dim_count(); ++d) along *= mapping.bound(s, DimId{d});
      if (along > (slot.kind == SlotKind::SpatialX ? fanout->x.size : fanout->y.size)) return false;
      used *= along;
    }
    for (const Constraint& constraint : constraints) {
      const auto* use = std::get_if<UseRule>(&constraint.rule);
      if (use == nullptr || constraint.level != fanout->name) continue;
      if (used * use->least.denominator < fanout->x.size * fanout->y.size * use->least.numerator) {
        return false;
      }
    }
  }
  return true;
}

// --- all together ----------------------------------------------------------------

struct SpaceSearch {
  const Problem& problem;
  std::vector<Constraint> constraints;
  std::vector<std::vector<Bounds>> chains;
  std::vector<std::vector<std::uint32_t>> kept;
  std::set<std::string> found;

  void choose_chain(int dim, Mapping& mapping) {
    if (dim == problem.dim_count()) {
      if (fanouts_hold(problem, constraints, mapping)) choose_order(0, mapping);
      return;
    }
    for (const Bounds& chain : chains[static_cast<std::size_t>(dim)]) {
      for (int s = 0; s < problem.slot_count(); ++s) {
        mapping.set_bound(s, DimId{dim}, chain[static_cast<std::size_t>(s)]);
      }
      choose_chain(dim + 1, mapping);
    }
  }

  void choose_order(int memory, Mapping& mapping) {
    if (memory == problem.memory_count()) {
      for (const std::vector<std::uint32_t>& choice : kept) {
        for (int m = 0; m < problem.memory_count(); ++m) {
          mapping.set_kept(MemoryId{m}, choice[static_cast<std::size_t>(m)]);
        }
        found.insert(mapping_text(mapping));
      }
      return;
    }
    for (const auto& order : orders_of(problem, constraints, MemoryId{memory}, mapping)) {
      mapping.set_order(MemoryId{memory}, order);
      choose_order(memory + 1, mapping);
    }
  }
};

// --- random spaces -----------------------------------------------------------------

Architecture random_small_arch(TestRng& rng) {
  std::vector<Level> levels;
  Memory outer = make_memory("Outer");
  if (rng.chance(20)) outer.dims = std::vector<std::string>{"M", "N"};
  levels.emplace_back(outer);
  if (rng.chance(70)) {
    const std::int64_t x = rng.between(1, 4);
    Fanout array = make_fanout("Array", x, rng.between(1, 3));
    if (rng.chance(30)) array.x.dims = std::vector<std::string>{"M", "K"};
    levels.emplace_back(array);
  }
  Memory inner = make_memory("Inner");
  if (rng.chance(50)) inner.dims = std::vector<std::string>{"K", "M"};
  if (rng.chance(30)) inner.free = {"weight"};
  if (rng.chance(30)) inner.bypass = {"input"};
  levels.emplace_back(inner);
  if (rng.chance(30)) levels.emplace_back(make_fanout("Lanes", rng.between(2, 3)));
  return make_arch(levels);
}

Constraint random_constraint(TestRng& rng, const Architecture& arch) {
  const auto& level = arch.levels[static_cast<std::size_t>(
      rng.between(0, static_cast<std::int64_t>(arch.levels.size()) - 2))];
  const bool memory = std::holds_alternative<Memory>(level);
  Constraint constraint{name_of(level), {}, DimsRule{}, {}};
  const std::vector<std::string> dims = {"M", "N", "K"};
  const auto kind = rng.between(0, 3);
  if (!memory && kind == 0) {
    constraint.rule = UseRule{{rng.between(0, 4), 4}};
    return constraint;
  }
  if (memory && kind == 0) {
    std::vector<std::string> order = dims;
    std::swap(order[0], order[static_cast<std::size_t>(rng.between(0, 2))]);
    OrderRule rule;
    rule.outermost = {order[0]};
    if (rng.chance(50)) rule.innermost = {order[1]};
    if (rng.chance(30)) rule.innermost.push_back(order[2]);
    constraint.rule = rule;
    return constraint;
  }
  if (memory && kind == 1) {
    ResidenceRule rule;
    (rng.chance(50) ? rule.keep : rule.bypass) = {"weight"};
    constraint.rule = rule;
    return constraint;
  }
  if (!memory) constraint.axis = rng.chance(50) ? Axis::X : Axis::Y;
  if (kind == 2) {
    DimsRule rule{{"M"}};
    if (rng.chance(70)) rule.dims.emplace_back(rng.chance(50) ? "N" : "K");
    constraint.rule = rule;
    return constraint;
  }
  const std::vector<Relation> relations = {Relation::Equal, Relation::AtMost, Relation::AtLeast};
  FactorRule factor;
  factor.dim = rng.pick(dims);
  factor.relation = rng.pick(relations);
  if (rng.chance(90)) factor.value = rng.between(1, 3);
  constraint.rule = factor;
  return constraint;
}

}  // namespace

std::string mapping_text(const Mapping& mapping) {
  std::string text;
  for (int s = 0; s < mapping.slot_count(); ++s) {
    for (int d = 0; d < mapping.dim_count(); ++d) {
      text += std::to_string(mapping.bound(s, DimId{d})) + ' ';
    }
  }
  for (int m = 0; m < mapping.memory_count(); ++m) {
    text += '|';
    for (int i = 0; i < mapping.dim_count(); ++i) {
      text += std::to_string(mapping.order(MemoryId{m})[i]);
    }
    text += ':' + std::to_string(mapping.kept(MemoryId{m}));
  }
  return text;
}

Problem two_level_gemm(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t instances) {
  return make_problem(
      make_gemm("gemm", m, n, k),
      make_arch({make_memory("Outer"), make_fanout("Array", instances), make_memory("Inner")}));
}

SmallSpace random_small_space(TestRng& rng) {
  const Architecture arch = random_small_arch(rng);
  const std::int64_t m = rng.between(1, 6);
  const std::int64_t n = rng.between(1, 4);
  const std::int64_t k = rng.between(1, m > 3 ? 2 : 5);
  SmallSpace small{make_problem(make_gemm("small", m, n, k), arch), {}};
  for (auto count = rng.between(0, 3); count > 0; --count) {
    const Constraint added = random_constraint(rng, arch);
    // Two orders of a memory are taken to contradict each other even where the
    // loops they name never meet.
    const bool second_order =
        std::any_of(small.constraints.begin(), small.constraints.end(), [&](const auto& known) {
          return known.level == added.level && std::holds_alternative<OrderRule>(known.rule) &&
                 std::holds_alternative<OrderRule>(added.rule);
        });
    if (!second_order) small.constraints.push_back(added);
  }
  return small;
}

std::set<std::string> naive_mappings(const Problem& problem, SpaceKind kind,
                                     const std::vector<Constraint>& constraints) {
  SpaceSearch search{problem, problem.arch().constraints, {}, {}, {}};
  search.constraints.insert(search.constraints.end(), constraints.begin(), constraints.end());
  for (int d = 0; d < problem.dim_count(); ++d) {
    ChainSearch chains{problem, kind, search.constraints, DimId{d}, {}};
    Bounds bounds(static_cast<std::size_t>(problem.slot_count()), 1);
    chains.extend(problem.slot_count() - 1, problem.workload().dim(DimId{d}).size, bounds);
    search.chains.push_back(std::move(chains.found));
  }
  search.kept = all_kept(problem, search.constraints);
  Mapping mapping(problem);
  search.choose_chain(0, mapping);
  return std::move(search.found);
}

}  // namespace tilewright::testing
