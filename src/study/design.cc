#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "design_cost.h"
#include "jobs.h"
#include "tilewright/study.h"

namespace tilewright {

namespace {

// What one layer would like best: a start, and a pool of values for the others.
struct Wish {
  Flexibility design;
  double weight = 0;  // the time it takes at best, all occurrences together
};

// Loops in the order of a mapping's outermost memory; those that run once come last.
ConvOrder order_in(const Mapping& mapping, const ConvView& view) {
  std::vector<ConvDim> order;
  const auto add = [&](ConvDim loop) {
    if (!contains(order, loop)) order.push_back(loop);
  };
  for (int i = 0; i < mapping.dim_count(); ++i) {
    const DimId dim{mapping.order(MemoryId{0})[i]};
    if (mapping.bound(0, dim) == 1) continue;
    for (const ConvDim loop : kAllConvDims) {
      const auto& dims = view.dims(loop);
      if (contains(dims, dim)) add(loop);
    }
  }
  for (const ConvDim loop : kAllConvDims) add(loop);
  ConvOrder result{};
  std::copy(order.begin(), order.end(), result.begin());
  return result;
}

// The extents of the buffer's tile, loop by loop.
ConvSizes tile_in(const Mapping& mapping, const Problem& problem, const ConvView& view,
                  LevelId buffer) {
  ConvSizes tile{1, 1, 1, 1, 1, 1};
  for (const ConvDim loop : kAllConvDims) {
    for (const DimId dim : view.dims(loop)) {
      std::int64_t extent = 1;
      for (int s = 0; s < problem.slot_count(); ++s) {
        const bool inside = problem.slots()[at(s)].level >= buffer;
        if (inside) extent *= mapping.bound(s, dim);
      }
      tile[index_of(loop)] *= std::min(extent, problem.workload().dim(dim).size);
    }
  }
  return tile;
}

// Each workload once, as often as it occurs.
Network without_repetition(const Network& network) {
  Network distinct = network;
  distinct.layers.clear();
  std::map<std::size_t, std::size_t> places;  // of the first layers
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::size_t first = first_with_same_work(network, i);
    const auto [known, is_new] = places.emplace(first, distinct.layers.size());
    if (is_new) {
      distinct.layers.push_back(network.layers[i]);
    } else {
      distinct.layers[known->second].count += network.layers[i].count;
    }
  }
  return distinct;
}

class Designer {
 public:
  Designer(const Network& network, const Architecture& arch, const StudyOptions& options)
      : network_(without_repetition(network)), arch_(arch), options_(options) {}

  Design run() {
    if (!prepare()) return std::move(best_);
    collect_pools();
    // More starts find little more.
    constexpr std::size_t kStarts = 6;
    std::stable_sort(wishes_.begin(), wishes_.end(),
                     [](const Wish& a, const Wish& b) { return a.weight > b.weight; });
    for (std::size_t i = 0; i < std::min(kStarts, wishes_.size()); ++i) {
      if (is_cancelled()) break;
      climb(wishes_[i].design);
    }
    choose();
    if (!best_.found) best_.problem = "no tile that was tried fits every layer";
    return best_;
  }

 private:
  bool is_cancelled() const { return options_.cancelled != nullptr && options_.cancelled->load(); }
  Objective objective() const { return options_.map.objective; }

  // Maps every layer with all the freedom there is. False if one has no mapping.
  bool prepare() {
    const FlexibleParts parts = *parts_of(arch_, *arch_.flexibility);
    const Flexibility& freedom = *arch_.flexibility;
    pairs_ = freedom.pairs.empty() ? all_pairs() : freedom.pairs;
    shapes_ = shapes_nest(arch_) ? largest_shapes(freedom.shape, parts.pes)
                                 : shapes_of(freedom.shape, parts.pes);
    measure_buffer(std::get<Memory>(arch_.level(parts.buffer)));
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
      best_.problem = "a layer has no mapping, whatever the setting";
      return false;
    }
    for (const Layer& layer : network_.layers) {
      auto cost = study::DesignCost::create(layer.workload, arch_);
      if (!cost) {
        best_.problem =
            "designs need a buffer that keeps every tensor and is next to the array; give a "
            "baseline instead";
        return false;
      }
      costs_.push_back(std::move(*cost));
    }
    return true;
  }

  void measure_buffer(const Memory& buffer) {
    for (const Layer& layer : network_.layers) {
      for (const Tensor& tensor : layer.workload.tensors) {
        const Capacity& capacity = buffer.capacity;
        if (capacity.unit != Capacity::Unit::Unlimited) {
          const std::int64_t bits = capacity.unit == Capacity::Unit::Bits ? tensor.bits : 1;
          words_ =
              std::min(words_, static_cast<double>(capacity.amount) / static_cast<double>(bits));
        }
        for (const Rank& rank : tensor.ranks) {
          for (const Term& term : rank) {
            stride_ = std::max(stride_, static_cast<double>(std::abs(term.coefficient)));
          }
        }
      }
    }
    if (buffer.double_buffered) words_ /= 2;
  }

  std::optional<Wish> wish_of(const Layer& layer, LevelId buffer,
                              const std::atomic<bool>& stop) const {
    const MapOutcome outcome =
        map_workload(layer.workload, arch_, study::options_of_job(options_.map, stop));
    if (!outcome.found()) return std::nullopt;
    const ConvView view = *ConvView::create(layer.workload).value;
    Wish wish;
    wish.design = *arch_.flexibility;
    wish.design.shape = {ShapeFreedom::Kind::Fixed, outcome.setting->shape};
    wish.design.pairs = {outcome.setting->pair};
    wish.design.orders = {outcome.setting->order.value_or(order_in(*outcome.search.best, view))};
    wish.design.tile.kind = TileFreedom::Kind::Fixed;
    wish.design.tile.fixed = tile_in(*outcome.search.best, *outcome.problem, view, buffer);
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

  // Whether the buffer holds the tile as it is built in, and not only what the
  // layers at hand leave of it: for a convolution with the largest stride of the network,
  // and for a depthwise one.
  bool fits_as_built(const ConvSizes& tile) const {
    const auto of = [&](ConvDim loop) { return static_cast<double>(tile[index_of(loop)]); };
    const double rows = (of(ConvDim::Y) - 1) * stride_ + of(ConvDim::R);
    const double columns = (of(ConvDim::X) - 1) * stride_ + of(ConvDim::S);
    const double input = of(ConvDim::C) * rows * columns;
    const double weight = of(ConvDim::C) * of(ConvDim::R) * of(ConvDim::S);
    const double output = of(ConvDim::Y) * of(ConvDim::X);
    return std::max(of(ConvDim::K) * (weight + output), weight + of(ConvDim::C) * output) + input <=
           words_;
  }

  // What all layers take together, or nothing if the tile fits nowhere or the
  // design cannot beat a value.
  std::optional<double> value(const Flexibility& design, double to_beat) {
    ++best_.tried;
    if (!fits_as_built(design.tile.fixed)) return std::nullopt;
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
      if (*largest == 1) return false;
      *largest = ceil_div(*largest, 2);
    }
    return true;
  }

  void climb(Flexibility design) {
    if (!make_room(design)) return;
    double at = *value(design, INFINITY);
    add_candidate(design, at);
    for (bool moved = true; moved && !is_cancelled();) {
      moved = false;
      for (const ConvDim loop : kAllConvDims) moved = try_tiles(design, at, loop) || moved;
      moved = try_arrays(design, at) || moved;
      moved = try_orders(design, at) || moved;
    }
    add_candidate(design, at);
  }

  void add_candidate(const Flexibility& design, double at) {
    for (const Variant& known : candidates_) {
      if (known.flexibility == design) return;
    }
    candidates_.push_back({"", design});
    estimates_.push_back(at);
  }

  // Costs leave out what happens in the array, so starts and ends of all climbs
  // are mapped; if there is no time for that, the costs have to do.
  void choose() {
    StudyOptions quiet = options_;
    quiet.on_progress = {};
    const Comparison mapped = compare(candidates_, {network_}, arch_, quiet);
    double least = INFINITY;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Trial& trial = mapped.trials[i].front();
      if (!mapped.cancelled && !trial.complete()) continue;
      const double at = mapped.cancelled ? estimates_[i] : value_of(objective(), trial.total);
      if (at >= least) continue;
      least = at;
      best_.found = true;
      best_.flexibility = candidates_[i].flexibility;
    }
  }

  bool try_tiles(Flexibility& design, double& at, ConvDim loop) {
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
    for (const ConvPair& pair : pairs_) {
      for (const ArrayShape& shape : shapes_) {
        Flexibility candidate = start;
        candidate.pairs = {pair};
        candidate.shape.unit = shape;
        moved = improve(design, at, candidate) || moved;
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
    for (std::size_t i = 0; i < kConvDims; ++i) {
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

  Network network_;
  const Architecture& arch_;
  const StudyOptions& options_;
  std::vector<Wish> wishes_;
  std::vector<study::DesignCost> costs_;
  std::array<std::vector<std::int64_t>, kConvDims> sizes_;
  std::vector<ConvPair> pairs_;     // all there are
  std::vector<ArrayShape> shapes_;  // all there are
  std::vector<ConvOrder> orders_;
  double words_ = INFINITY;  // that the buffer holds
  double stride_ = 1;
  std::vector<Variant> candidates_;  // starts and ends of climbs
  std::vector<double> estimates_;    // what they cost
  Design best_;
};

}  // namespace

Design design_fixed(const Network& network, const Architecture& arch, const StudyOptions& options) {
  return Designer(network, arch, options).run();
}

}  // namespace tilewright
