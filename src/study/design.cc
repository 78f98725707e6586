#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "chosen.h"
#include "design_cost.h"
#include "design_search.h"
#include "jobs.h"
#include "tilewright/study.h"

namespace tilewright {

namespace {

// What one layer would like best: a start, and a pool of values for the others.
struct Wish {
  Flexibility design;
  double weight = 0;  // the time it takes at best, all occurrences together
};

// Good designs to begin with. Starts from what single layers would like best,
// and climbs with the cycles of the multipliers and the traffic outside the
// array as costs.
class Climber {
 public:
  Climber(const Network& network, const Architecture& arch, const study::DesignSpace& space,
          const StudyOptions& options)
      : network_(network), arch_(arch), space_(space), options_(options) {}

  // Notes the best of them, or why there can be none; false if nothing more can
  // be done.
  bool run(Design& best) {
    if (!prepare(best)) return false;
    collect_pools();
    // More starts find little more.
    constexpr std::size_t kStarts = 6;
    std::stable_sort(wishes_.begin(), wishes_.end(),
                     [](const Wish& a, const Wish& b) { return a.weight > b.weight; });
    for (std::size_t i = 0; i < std::min(kStarts, wishes_.size()); ++i) {
      if (is_cancelled()) break;
      climb(wishes_[i].design);
    }
    return choose(best);
  }

 private:
  bool tile_is_given() const { return arch_.flexibility->tile.kind == TileFreedom::Kind::Fixed; }
  bool is_cancelled() const { return options_.cancelled != nullptr && options_.cancelled->load(); }
  Objective objective() const { return options_.map.objective; }

  // Maps every layer with all the freedom there is. False if one has no
  // mapping.
  bool prepare(Design& best) {
    const FlexibleParts parts = *parts_of(arch_, *arch_.flexibility);
    wishes_.resize(network_.layers.size());
    std::atomic<bool> good{true};
    const bool all = study::run_jobs(
        network_.layers.size(), options_.threads, options_.cancelled,
        [&](std::size_t i, const std::atomic<bool>& stop) {
          const auto wish = wish_of(network_.layers[i], parts.buffer, stop);
          if (wish) wishes_[i] = *wish;
          if (!wish) good = false;
        },
        [](std::size_t) {});
    if (!all) return false;
    if (!good) {
      best.problem = "a layer has no mapping, whatever the setting";
      return false;
    }
    for (const Layer& layer : network_.layers) {
      auto cost = study::DesignCost::create(layer.workload, arch_);
      if (!cost) {
        best.problem =
            "designs need a buffer that keeps every tensor and is "
            "next to the array; give a "
            "baseline instead";
        return false;
      }
      costs_.push_back(std::move(*cost));
    }
    return true;
  }

  std::optional<Wish> wish_of(const Layer& layer, LevelId buffer,
                              const std::atomic<bool>& stop) const {
    const MapOutcome outcome =
        map_workload(layer.workload, arch_, study::options_of_job(options_.map, stop));
    if (!outcome.found()) return std::nullopt;
    Wish wish;
    wish.design = *arch_.flexibility;
    wish.design.shape = {ShapeFreedom::Kind::Fixed, outcome.setting->shape};
    wish.design.pairs = {outcome.setting->pair};
    wish.design.orders = {study::chosen_order(outcome)};
    if (!tile_is_given()) {
      wish.design.tile.kind = TileFreedom::Kind::Fixed;
      wish.design.tile.fixed = study::chosen_tile(outcome, buffer);
    }
    wish.weight = static_cast<double>(layer.count) * value_of(objective(), outcome.search.score);
    return wish;
  }

  void collect_pools() {
    std::array<std::set<std::int64_t>, kConvDims> sizes;
    for (const Wish& wish : wishes_) {
      const Flexibility& design = wish.design;
      for (const ConvDim loop : kAllConvDims) {
        sizes[index_of(loop)].insert(design.tile.fixed[index_of(loop)]);
      }
      if (!contains(orders_, design.orders.front())) orders_.push_back(design.orders.front());
    }
    for (const ConvDim loop : kAllConvDims) {
      auto& pool = sizes[index_of(loop)];
      const std::int64_t most = *pool.rbegin();
      for (std::int64_t size = 1; size <= 2 * most; size *= 2) pool.insert(size);
      sizes_[index_of(loop)].assign(pool.begin(), pool.end());
    }
  }

  // What all layers take together, or nothing if the tile fits nowhere or the
  // design cannot beat a value.
  std::optional<double> value(const Flexibility& design, double to_beat) {
    if (!space_.fits_as_built(design.tile.fixed)) return std::nullopt;
    Score total;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      const auto score = costs_[i].of(design);
      if (!score) return std::nullopt;
      total.add(*score, network_.layers[i].count);
      if (value_of(objective(), total) >= to_beat) return std::nullopt;
    }
    return value_of(objective(), total);
  }

  bool improve(Flexibility& design, double& at, const Flexibility& candidate) {
    const auto better = value(candidate, at);
    if (!better) return false;
    design = candidate;
    at = *better;
    return true;
  }

  // A tile too large for the buffer gives way where it is largest.
  bool make_room(Flexibility& design) {
    while (!value(design, INFINITY)) {
      auto largest = std::max_element(design.tile.fixed.begin(), design.tile.fixed.end());
      if (*largest == 1 || tile_is_given()) return false;
      *largest = ceil_div(*largest, 2);
    }
    return true;
  }

  void climb(Flexibility design) {
    if (!make_room(design)) return;
    double at = *value(design, INFINITY);
    add_candidate(design);
    for (bool moved = true; moved && !is_cancelled();) {
      moved = false;
      for (const ConvDim loop : kAllConvDims) moved = try_tiles(design, at, loop) || moved;
      moved = try_arrays(design, at) || moved;
      moved = try_orders(design, at) || moved;
    }
    add_candidate(design);
  }

  void add_candidate(const Flexibility& design) {
    for (const Variant& known : candidates_) {
      if (known.flexibility == design) return;
    }
    candidates_.push_back({"", design});
  }

  // Costs leave out what happens in the array, so starts and ends of all climbs
  // are mapped. False if that was cut short.
  bool choose(Design& best) {
    StudyOptions quiet = options_;
    quiet.on_progress = {};
    const Comparison mapped = compare(candidates_, {network_}, arch_, quiet);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      study::take_if_better(candidates_[i].flexibility, mapped.trials[i].front(), objective(),
                            best);
    }
    best.tried += candidates_.size();
    return !mapped.cancelled;
  }

  bool try_tiles(Flexibility& design, double& at, ConvDim loop) {
    if (tile_is_given()) return false;
    bool moved = false;
    const Flexibility start = design;
    for (const std::int64_t size : sizes_[index_of(loop)]) {
      Flexibility candidate = start;
      candidate.tile.fixed[index_of(loop)] = size;
      moved = improve(design, at, candidate) || moved;
    }
    return moved;
  }

  // Pairs and shapes together, with the tile as it is and with one that
  // divides well over the array.
  bool try_arrays(Flexibility& design, double& at) {
    bool moved = false;
    const Flexibility start = design;
    for (const ConvPair& pair : space_.pairs()) {
      for (const ArrayShape& shape : space_.shapes()) {
        Flexibility candidate = start;
        candidate.pairs = {pair};
        candidate.shape.unit = shape;
        moved = improve(design, at, candidate) || moved;
        if (tile_is_given()) continue;
        candidate.tile.fixed[index_of(pair.rows)] = shape.rows;
        candidate.tile.fixed[index_of(pair.columns)] = shape.columns;
        moved = improve(design, at, candidate) || moved;
      }
    }
    return moved;
  }

  bool try_orders(Flexibility& design, double& at) {
    bool moved = false;
    const Flexibility start = design;
    std::vector<ConvOrder> orders = orders_;
    if (!arch_.flexibility->orders.empty()) orders = space_.orders();
    for (std::size_t i = 0; arch_.flexibility->orders.empty() && i < kConvDims; ++i) {
      for (std::size_t j = i + 1; j < kConvDims; ++j) {
        orders.push_back(start.orders.front());
        std::swap(orders.back()[i], orders.back()[j]);
      }
    }
    for (const ConvOrder& order : orders) {
      Flexibility candidate = start;
      candidate.orders = {order};
      moved = improve(design, at, candidate) || moved;
    }
    return moved;
  }

  const Network& network_;
  const Architecture& arch_;
  const study::DesignSpace& space_;
  const StudyOptions& options_;
  std::vector<Wish> wishes_;
  std::vector<study::DesignCost> costs_;
  std::array<std::vector<std::int64_t>, kConvDims> sizes_;
  std::vector<ConvOrder> orders_;
  std::vector<Variant> candidates_;  // starts and ends of climbs
};

constexpr const char* kNoBounds =
    "designs need a buffer that keeps every tensor and is next to the array; "
    "give a baseline "
    "instead";

// Why no design can be looked for; empty if one can.
std::string reason_against(const Network& network, const Architecture& arch) {
  if (arch.flexibility->tile.kind == TileFreedom::Kind::Hard) {
    return "a design has one tile; a buffer in hard parts is for tiles that "
           "change";
  }
  if (arch.flexibility->tile_of) {
    return "designs have tiles of the buffer, and the tile is that of " +
           *arch.flexibility->tile_of + "; give a baseline instead, or leave out tile_of";
  }
  for (const Layer& layer : network.layers) {
    const Checked<ConvView> view = ConvView::create(layer.workload);
    if (!view.ok()) return fmt::format("layer {}: {}", layer.name, view.problems.front().message);
  }
  return "";
}

// Good designs to begin with. Of those that are equally fast, what single layers like best comes
// first: they differ on other networks. Where energy counts few are equal, and bounds alone, if
// they are close, lead to good ones sooner. False if nothing more can be done.
bool begin_with(Climber climber, const study::DesignBounds& bounds, study::DesignSearch& search,
                Design& best) {
  const bool by_layers = !bounds.is_close() || bounds.objective().energy == 0;
  if (by_layers && !climber.run(best)) return false;
  if (bounds.is_close()) search.begin(best);
  return by_layers || best.found || climber.run(best);
}

// What was found for each workload once, as the network has it.
Trial repeated(const Trial& trial, const Network& distinct, const Network& network) {
  Trial all = trial;
  all.layers.clear();
  for (const Layer& layer : network.layers) {
    for (std::size_t i = 0; i < distinct.layers.size(); ++i) {
      const bool same = first_with_same_work({"", "", "", {distinct.layers[i], layer}}, 1) == 0;
      if (!same) continue;
      all.layers.push_back(trial.layers[i]);
      break;
    }
  }
  return all;
}

}  // namespace

std::string to_string(Design::Stop stop) {
  switch (stop) {
    case Design::Stop::Complete:
      return "complete";
    case Design::Stop::Gap:
      return "good enough";
    case Design::Stop::Nodes:
      return "limit of nodes";
    case Design::Stop::Time:
      return "time limit";
    case Design::Stop::Cancelled:
      break;
  }
  return "interrupted";
}

Design design_fixed(const Network& network, const Architecture& arch, const StudyOptions& options,
                    const DesignLimits& limits) {
  Design best;
  const Stopwatch stopwatch;
  best.problem = reason_against(network, arch);
  if (!best.problem.empty()) return best;
  const Network distinct = study::without_repetition(network);
  study::DesignSpace space(distinct, arch);
  std::vector<study::LayerFloor> floors;
  for (const Layer& layer : distinct.layers) {
    auto floor = study::LayerFloor::create(layer.workload, arch, options.map);
    if (!floor) best.problem = kNoBounds;
    if (!floor) return best;
    floors.push_back(std::move(*floor));
  }
  best.gap = INFINITY;
  best.stop = Design::Stop::Cancelled;
  study::DesignBounds bounds(distinct, arch, space, floors, options.map.objective);
  study::DesignSearch search(distinct, arch, space, floors, bounds, options, limits);
  if (begin_with(Climber(distinct, arch, space, options), bounds, search, best)) search.run(best);
  best.seconds = stopwatch.seconds();
  if (best.found) best.trial = repeated(best.trial, distinct, network);
  if (!best.found && best.problem.empty()) best.problem = "no tile fits every layer";
  return best;
}

}  // namespace tilewright
