// What an accelerator can be set to, from the definitions in docs/flexibility.md.
#include <algorithm>

#include "support/flexible_case.h"
#include "support/problems.h"
#include "support/uneven_case.h"

namespace tilewright::testing {
namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Definition {
 public:
  Definition(const FlexibleCase& flexible, const Problem& problem)
      : case_(flexible),
        flexibility_(*flexible.arch.flexibility),
        problem_(problem),
        tiled_(problem.arch().find_level(flexibility_.tile_of.value_or("Buffer"))),
        array_(*problem.arch().find_level("Array")) {
    const LevelId given = *flexible.arch.find_level("Array");
    const auto& array = std::get<Fanout>(flexible.arch.level(given));
    pes_ = array.x.size * array.y.size;
    add_tile();
  }

  std::string why_not_bounds(const Mapping& mapping) const {
    if (!has_pair(mapping)) return "no pair unrolls this";
    if (!has_shape(product(mapping, SlotKind::SpatialY), product(mapping, SlotKind::SpatialX))) {
      return "no shape has so many rows and columns";
    }
    if (!tiled_ && !tile_.empty()) return "a fixed tile has no storage points";
    for (const TileDim& dim : tile_) {
      if (!keeps_tile(mapping, dim)) return "the tile is not the fixed one";
    }
    return "";
  }

  std::string why_not_order(const Mapping& mapping) const {
    const auto& orders = flexibility_.orders;
    const bool good =
        orders.empty() || std::any_of(orders.begin(), orders.end(), [&](const ConvOrder& order) {
          return follows(mapping, dims_in(order));
        });
    return good ? "" : "the loops are in no supported order";
  }

 private:
  struct TileDim {
    DimId dim{};
    std::int64_t extent = 1;
  };

  DimId dim_of(const std::string& name) const { return *case_.workload.find_dim(name); }
  const std::string& name_of(int dim) const { return case_.workload.dim(DimId{dim}).name; }
  const Slot& slot(int s) const { return problem_.slots()[static_cast<std::size_t>(s)]; }
  bool in_array(int s, SlotKind kind) const {
    return slot(s).level == array_ && slot(s).kind == kind;
  }

  // --- the array

  std::int64_t product(const Mapping& mapping, SlotKind kind) const {
    std::int64_t instances = 1;
    for (int s = 0; s < problem_.slot_count(); ++s) {
      for (int d = 0; d < problem_.dim_count(); ++d) {
        if (in_array(s, kind)) instances *= mapping.bound(s, DimId{d});
      }
    }
    return instances;
  }

  Names unrolled_with(ConvDim loop) const {
    Names names = case_.loops.dims[index_of(loop)];
    if (loop == ConvDim::K) {
      names.insert(names.end(), case_.loops.groups.begin(), case_.loops.groups.end());
    }
    return names;
  }

  bool unrolls_only(const Mapping& mapping, SlotKind kind, ConvDim loop) const {
    const Names allowed = unrolled_with(loop);
    for (int s = 0; s < problem_.slot_count(); ++s) {
      for (int d = 0; d < problem_.dim_count(); ++d) {
        if (in_array(s, kind) && mapping.bound(s, DimId{d}) > 1 && !has(allowed, name_of(d))) {
          return false;
        }
      }
    }
    return true;
  }

  bool has_pair(const Mapping& mapping) const {
    for (const ConvDim rows : kAllConvDims) {
      for (const ConvDim columns : kAllConvDims) {
        const auto& pairs = flexibility_.pairs;
        const bool listed =
            std::find(pairs.begin(), pairs.end(), ConvPair{rows, columns}) != pairs.end();
        if (rows == columns || !(pairs.empty() || listed)) continue;
        if (unrolls_only(mapping, SlotKind::SpatialY, rows) &&
            unrolls_only(mapping, SlotKind::SpatialX, columns)) {
          return true;
        }
      }
    }
    return false;
  }

  // Enough rows and columns, of which enough are used.
  bool fits(std::int64_t rows, std::int64_t columns, const ArrayShape& shape) const {
    if (rows > shape.rows || columns > shape.columns) return false;
    const std::int64_t all = shape.rows * shape.columns;
    const auto& rules = case_.arch.constraints;
    return std::all_of(rules.begin(), rules.end(), [&](const Constraint& constraint) {
      const auto* use = std::get_if<UseRule>(&constraint.rule);
      return use == nullptr ||
             rows * columns * use->least.denominator >= use->least.numerator * all;
    });
  }

  // Whether some shape fits, by the number of rows that it has.
  bool has_shape(std::int64_t rows, std::int64_t columns) const {
    const auto [height, width] = flexibility_.shape.unit;
    using Kind = ShapeFreedom::Kind;
    const Kind kind = flexibility_.shape.kind;
    if (kind == Kind::Fixed) return fits(rows, columns, {height, width});
    for (std::int64_t r = 1; r <= pes_; ++r) {
      if (r % height != 0 || r * width > pes_) continue;
      const std::int64_t blocks = pes_ / (height * width) / (r / height);
      if (fits(rows, columns, {r, kind == Kind::Blocks ? blocks * width : pes_ / r})) return true;
    }
    return false;
  }

  // --- the tile

  void add_tile() {
    if (flexibility_.tile.kind != TileFreedom::Kind::Fixed) return;
    for (const ConvDim loop : kAllConvDims) {
      std::int64_t left = flexibility_.tile.fixed[index_of(loop)];
      const Names& names = case_.loops.dims[index_of(loop)];
      for (auto name = names.rbegin(); name != names.rend(); ++name) {
        const std::int64_t size = case_.workload.dim(dim_of(*name)).size;
        tile_.push_back({dim_of(*name), std::min(left, size)});
        left = std::max<std::int64_t>(left / size, 1);
      }
    }
    for (const std::string& name : case_.loops.others) tile_.push_back({dim_of(name), 1});
  }

  // A cut dimension has loops in the buffer and the array alone, beside those
  // outside; a whole one has none outside. With the tile of a PE, that is one memory in it.
  bool keeps_tile(const Mapping& mapping, const TileDim& dim) const {
    const bool cut = dim.extent < case_.workload.dim(dim.dim).size;
    std::int64_t inside = 1;
    for (int s = 0; s < problem_.slot_count(); ++s) {
      const std::int64_t bound = mapping.bound(s, dim.dim);
      const LevelId level = slot(s).level;
      if (level < *tiled_ && !cut && bound > 1) return false;
      if (level > *tiled_ && level != array_ && cut && bound > 1) return false;
      if (level >= *tiled_) inside *= bound;
    }
    return !cut || inside == dim.extent;
  }

  // --- the order

  std::vector<DimId> dims_in(const ConvOrder& order) const {
    std::vector<DimId> dims;
    for (const std::string& name : case_.loops.others) dims.push_back(dim_of(name));
    for (const ConvDim loop : order) {
      for (const std::string& name : case_.loops.dims[index_of(loop)]) {
        dims.push_back(dim_of(name));
      }
    }
    return dims;
  }

  bool follows(const Mapping& mapping, const std::vector<DimId>& order) const {
    for (int m = 0; m < problem_.memory_count(); ++m) {
      const MemoryUse& use = problem_.use(MemoryId{m});
      if (use.level > array_) continue;
      std::ptrdiff_t last = -1;
      for (int i = 0; i < problem_.dim_count(); ++i) {
        const DimId dim{mapping.order(MemoryId{m})[i]};
        if (mapping.bound(use.slot, dim) == 1) continue;
        const auto place = std::find(order.begin(), order.end(), dim) - order.begin();
        if (place < last) return false;
        last = place;
      }
    }
    return true;
  }

  const FlexibleCase& case_;
  const Flexibility& flexibility_;
  const Problem& problem_;
  std::optional<LevelId> tiled_;  // whose tile may be fixed; none if it stands as storage points
  LevelId array_;
  std::int64_t pes_ = 1;
  std::vector<TileDim> tile_;
};

// Every tensor has its own part of the buffer.
void share_out(Memory& buffer, const TileFreedom& tile) {
  const std::array<std::string, 3> roles = {"weight", "input", "output"};
  for (std::size_t i = 0; i < roles.size(); ++i) {
    Capacity part = buffer.capacity;
    part.amount = part.amount * tile.shares[i].numerator / tile.shares[i].denominator;
    buffer.partitions[roles[i]] = part;
  }
}

}  // namespace

Problem unshaped_problem(const FlexibleCase& flexible) {
  Architecture arch = flexible.arch;
  arch.flexibility.reset();
  std::erase_if(arch.constraints, [](const Constraint& constraint) {
    return std::holds_alternative<UseRule>(constraint.rule);  // it depends on the shape
  });
  for (Level& level : arch.levels) {
    auto* array = std::get_if<Fanout>(&level);
    if (array != nullptr && array->name == "Array") {
      array->x.size = array->y.size = array->x.size * array->y.size;
    }
    auto* buffer = std::get_if<Memory>(&level);
    const TileFreedom& tile = flexible.arch.flexibility->tile;
    if (buffer != nullptr && buffer->name == "Buffer" && tile.kind == TileFreedom::Kind::Hard) {
      share_out(*buffer, tile);
    }
  }
  return make_problem(flexible.workload, std::move(arch));
}

void for_each_that_runs(const FlexibleCase& flexible, SpaceKind kind,
                        const std::function<void(const Mapping&, const Score&)>& call) {
  const Problem problem = unshaped_problem(flexible);
  const Evaluator evaluator = make_evaluator(problem);
  const Definition definition(flexible, problem);
  const MadeSpace space = MapSpace::create(problem, kind, *Restrictions::create(problem).value);
  if (!space.ok()) return;
  Walk walk(*space.value, 0, space.value->size());
  while (const Mapping* mapping = walk.next()) {
    if (!definition.why_not_bounds(*mapping).empty()) {
      walk.skip_orders();
      continue;
    }
    if (!definition.why_not_order(*mapping).empty()) continue;
    call(*mapping, evaluator.score(*mapping));
  }
}

bool for_each_uneven_that_runs(const FlexibleCase& flexible, SpaceKind kind,
                               std::uint64_t most_mappings, const UnevenVisit& call) {
  const SmallInstance instance{unshaped_problem(flexible), {}};
  std::optional<Problem> problem;  // with the points of the mappings at hand
  std::optional<Definition> of_problem;
  const auto visit = [&](const Evaluator& evaluator, const Mapping& mapping) {
    if (!problem || !(problem->arch() == evaluator.problem().arch())) {
      of_problem.reset();
      problem.emplace(evaluator.problem());
      of_problem.emplace(flexible, *problem);
    }
    const Definition& definition = *of_problem;
    const bool runs =
        definition.why_not_bounds(mapping).empty() && definition.why_not_order(mapping).empty();
    if (runs) call(evaluator, mapping);
  };
  return go_through_uneven(instance, kind, most_mappings, visit);
}

BruteForce flexible_brute_force(const FlexibleCase& flexible, SpaceKind kind) {
  BruteForce result;
  for_each_that_runs(flexible, kind, [&](const Mapping& mapping, const Score& score) {
    ++result.mappings;
    if (score.verdict.fits()) note_mapping(result, mapping, score);
  });
  return result;
}

std::string why_not_run(const FlexibleCase& flexible, const Mapping& mapping) {
  const Problem problem = unshaped_problem(flexible);
  const Definition definition(flexible, problem);
  const std::string bounds = definition.why_not_bounds(mapping);
  return bounds.empty() ? definition.why_not_order(mapping) : bounds;
}

}  // namespace tilewright::testing
