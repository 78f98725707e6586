#include "design_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs.h"

namespace tilewright::study {

Flexibility fixed_design(const Architecture& arch, const ConvPair& pair, const ArrayShape& shape,
                         const ConvOrder& order, const ConvSizes& tile) {
  Flexibility design = *arch.flexibility;
  design.pairs = {pair};
  design.shape = {ShapeFreedom::Kind::Fixed, shape};
  design.orders = {order};
  design.tile.kind = TileFreedom::Kind::Fixed;
  design.tile.fixed = tile;
  return design;
}

DesignSearch::DesignSearch(const Network& network, const Architecture& arch, DesignSpace& space,
                           std::vector<LayerFloor>& floors, const StudyOptions& options,
                           const DesignLimits& limits)
    : network_(network),
      arch_(arch),
      space_(space),
      floors_(floors),
      options_(options),
      limits_(limits),
      deadline_(limits.seconds, options.cancelled),
      left_out_(INFINITY) {}

void take_if_better(const Flexibility& flexibility, const Trial& trial, Objective objective,
                    Design& best) {
  if (!trial.complete()) return;
  const double value = value_of(objective, trial.total);
  if (best.found && value >= best.value) return;
  best.found = true;
  best.flexibility = flexibility;
  best.trial = trial;
  best.value = value;
}

void DesignSearch::run(Design& design) {
  best_ = &design;
  if (!start()) return conclude(*reason_to_stop());
  while (!open_.empty() && !is_good_enough(open_.top().bound)) {
    const auto reason = reason_to_stop();
    if (reason) return conclude(*reason);
    Node node = open_.top();
    open_.pop();
    tell();
    handle(node);
  }
  conclude(Design::Stop::Complete);
}

void DesignSearch::conclude(Design::Stop stop) {
  double& bound = best_->bound;
  bound = std::min(left_out_, open_.empty() ? INFINITY : open_.top().bound);
  best_->proven = stop == Design::Stop::Complete && (!best_->found || cannot_improve(bound));
  if (best_->proven || bound > best_->value) bound = best_->value;
  best_->gap = !best_->found || bound <= 0 ? INFINITY : best_->value / bound - 1;
  best_->stop = stop == Design::Stop::Complete && !best_->proven ? Design::Stop::Gap : stop;
}

void DesignSearch::tell() {
  constexpr std::uint64_t kSome = 64;
  if (!options_.on_progress || !best_->found || best_->nodes % kSome != 0) return;
  const double bound = open_.empty() ? best_->value : open_.top().bound;
  const double share = std::min(
      1.0, static_cast<double>(best_->nodes) / static_cast<double>(std::max<std::uint64_t>(
                                                   1, limits_.nodes.value_or(best_->nodes * 2))));
  options_.on_progress(fmt::format("{} parts of the designs, at most {:.2f} % to gain",
                                   best_->nodes, 100 * (1 - bound / best_->value)),
                       share);
}

bool DesignSearch::cannot_improve(double bound) const {
  constexpr double kLastDigits = 1e-12;
  return bound == INFINITY || (best_->found && bound >= best_->value * (1 - kLastDigits));
}

bool DesignSearch::is_good_enough(double bound) const {
  return cannot_improve(bound) || (best_->found && bound * (1 + limits_.gap) >= best_->value);
}

std::optional<Design::Stop> DesignSearch::reason_to_stop() const {
  if (deadline_.is_cancelled()) return Design::Stop::Cancelled;
  if (deadline_.is_out_of_time()) return Design::Stop::Time;
  if (limits_.nodes && best_->nodes >= *limits_.nodes) return Design::Stop::Nodes;
  return std::nullopt;
}

// --- nodes ------------------------------------------------------------------------

const DesignSearch::Extents& DesignSearch::extents_of(const Node& node) {
  const auto [known, is_new] = extents_.try_emplace({node.pair, node.shape});
  if (is_new) {
    for (const ConvDim loop : kAllConvDims) {
      known->second[index_of(loop)] =
          &space_.extents(loop, space_.pairs()[at(node.pair)], space_.shapes()[at(node.shape)]);
    }
  }
  return known->second;
}

TileBox DesignSearch::box_of(const Node& node) {
  const Extents& extents = extents_of(node);
  TileBox box{};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    box.least[i] = (*extents[i])[at(node.first[i])];
    box.most[i] = (*extents[i])[at(node.last[i])];
  }
  return box;
}

// Pair, shape and order as far as they count for the energy of a node.
Flexibility DesignSearch::open_of(const Node& node) const {
  Flexibility open = *arch_.flexibility;
  if (node.strict >= 1) open.pairs = {space_.pairs()[at(node.pair)]};
  if (node.strict >= 1) open.shape = {ShapeFreedom::Kind::Fixed, space_.shapes()[at(node.shape)]};
  if (node.strict >= 2) open.orders = {space_.orders()[at(node.order)]};
  return open;
}

// False if time ended before all were there.
bool DesignSearch::start() {
  limit_floors();
  for (int p = 0; p < static_cast<int>(space_.pairs().size()); ++p) {
    for (int s = 0; s < static_cast<int>(space_.shapes().size()); ++s) {
      Node node;
      node.pair = p;
      node.shape = s;
      const Extents& extents = extents_of(node);
      for (std::size_t i = 0; i < extents.size(); ++i) {
        node.last[i] = static_cast<std::int32_t>(extents[i]->size()) - 1;
      }
      if (deadline_.has_passed()) {
        left_out_ = 0;  // nothing is known of the rest
        return false;
      }
      push(node);
    }
  }
  return true;
}

// Takes extents away with which no tile of a node fits. False if none is left.
bool DesignSearch::tighten(Node& node) {
  const Extents& extents = extents_of(node);
  ConvSizes least = box_of(node).least;
  if (!space_.fits_as_built(least)) return false;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::int64_t smallest = least[i];
    const auto from = extents[i]->begin() + node.first[i];
    const auto end = std::partition_point(from, extents[i]->begin() + node.last[i] + 1,
                                          [&](std::int64_t extent) {
                                            least[i] = extent;
                                            return space_.fits_as_built(least);
                                          });
    node.last[i] = static_cast<std::int32_t>(end - extents[i]->begin()) - 1;
    least[i] = smallest;
  }
  return true;
}

void DesignSearch::push(Node node) {
  ++best_->nodes;
  if (!tighten(node)) return;
  node.bound = std::max(node.bound, bound_of(node));
  node.number = best_->nodes;
  if (is_good_enough(node.bound)) {
    left_out_ = std::min(left_out_, node.bound);
  } else {
    open_.push(node);
  }
}

double DesignSearch::energy_of(const Node& node, std::size_t layer, double outside) {
  const Flexibility open = open_of(node);
  return std::max(outside + floors_[layer].inside_pj(open), floors_[layer].whole_pj(open));
}

double DesignSearch::bound_of(const Node& node) {
  const TileBox box = box_of(node);
  std::optional<ConvOrder> order;
  if (node.order >= 0) order = space_.orders()[at(node.order)];
  Score total;
  for (std::size_t i = 0; i < floors_.size(); ++i) {
    const LayerFloor::Outside outside = floors_[i].outside(box, order);
    Score layer;
    layer.cycles = std::max(outside.cycles,
                            floors_[i].multiplier_cycles(space_.pairs()[at(node.pair)],
                                                         space_.shapes()[at(node.shape)], box));
    if (objective().energy > 0) layer.energy_pj = energy_of(node, i, outside.energy_pj);
    total.add(layer, network_.layers[i].count);
    if (layer.energy_pj == INFINITY) return INFINITY;
  }
  return value_of(objective(), total);
}

// --- branching ------------------------------------------------------------------------

void DesignSearch::handle(Node node) {
  const int strictest = node.order >= 0 ? 2 : 1;
  if (objective().energy > 0 && node.strict < strictest) {
    refine(node);
  } else if (node.order >= 0) {
    evaluate(node);
  } else if (box_of(node).is_single()) {
    try_orders(node);
  } else {
    split(node);
  }
}

// What is left of the time is for each of them: at its end the search ends as well.
void DesignSearch::limit_floors() {
  std::optional<double> rest = limits_.seconds;
  if (rest) *rest = std::max(0.01, *rest - deadline_.seconds());
  for (LayerFloor& floor : floors_) floor.limit(rest, options_.cancelled);
}

// Bounds of layers do not know of each other.
void DesignSearch::refine(Node node) {
  // It takes far longer than to bound a tile.
  constexpr std::uint64_t kAsManyNodes = 25;
  best_->nodes += kAsManyNodes;
  node.strict = node.order >= 0 ? 2 : 1;
  limit_floors();
  const Flexibility open = open_of(node);
  run_jobs(
      floors_.size(), options_.threads, options_.cancelled,
      [&](std::size_t i, const std::atomic<bool>& /*stop*/) {
        floors_[i].inside_pj(open);
        floors_[i].whole_pj(open);
      },
      [](std::size_t) {});
  push(node);
}

std::vector<DesignSearch::Node> DesignSearch::halves(const Node& node, ConvDim loop) {
  const std::size_t i = index_of(loop);
  const std::int32_t middle = (node.first[i] + node.last[i]) / 2;
  std::vector<Node> both = {node, node};
  both[0].last[i] = middle;
  both[1].first[i] = middle + 1;
  std::erase_if(both, [&](Node& half) { return !tighten(half); });
  for (Node& half : both) half.bound = std::max(node.bound, bound_of(half));
  return both;
}

// Along the loop that raises the bounds most.
void DesignSearch::split(const Node& node) {
  std::vector<Node> chosen;
  double most = -1;
  for (const ConvDim loop : kAllConvDims) {
    if (node.first[index_of(loop)] == node.last[index_of(loop)]) continue;
    std::vector<Node> both = halves(node, loop);
    double sum = both.size() < 2 ? INFINITY : 0;
    for (const Node& half : both) sum += half.bound;
    if (sum <= most) continue;
    most = sum;
    chosen = std::move(both);
  }
  for (const Node& half : chosen) push(half);
}

void DesignSearch::try_orders(const Node& node) {
  for (int order = 0; order < static_cast<int>(space_.orders().size()); ++order) {
    Node next = node;
    next.order = order;
    push(next);
  }
}

void DesignSearch::evaluate(const Node& node) {
  ++best_->tried;
  const Flexibility design =
      fixed_design(arch_, space_.pairs()[at(node.pair)], space_.shapes()[at(node.shape)],
                   space_.orders()[at(node.order)], box_of(node).least);
  StudyOptions quiet = options_;
  quiet.on_progress = {};
  const Comparison mapped = compare({{"", design}}, {network_}, arch_, quiet);
  const Trial& trial = mapped.trials.front().front();
  if (mapped.cancelled) {
    open_.push(node);
    return;
  }
  take_if_better(design, trial, objective(), *best_);
  if (!trial.proven() && !trial.infeasible()) left_out_ = std::min(left_out_, node.bound);
}

}  // namespace tilewright::study
