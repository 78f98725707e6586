#include "design_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "design_polish.h"
#include "jobs.h"

namespace tilewright::study {

namespace {

// As many nodes in closed form are bounded while one is that is not; and as many of these while
// layers are mapped for a bound.
constexpr std::uint64_t kSlowly = 25;

}  // namespace

DesignSearch::DesignSearch(const Network& network, const Architecture& arch, DesignSpace& space,
                           std::vector<LayerFloor>& floors, DesignBounds& bounds,
                           const StudyOptions& options, const DesignLimits& limits)
    : network_(network),
      arch_(arch),
      space_(space),
      floors_(floors),
      bounds_(bounds),
      options_(options),
      limits_(limits),
      deadline_(limits.seconds, options.cancelled),
      weight_(bounds.is_close() ? 1 : kSlowly),
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

// --- nodes -----------------------------------------------------------------------------

// A bound as high as this need not be known any better.
double DesignSearch::to_beat() const { return best_->found ? best_->value : INFINITY; }

// False if time ended before all were there.
bool DesignSearch::start() {
  limit_floors();
  for (int p = 0; p < static_cast<int>(space_.pairs().size()); ++p) {
    if (deadline_.has_passed()) {
      left_out_ = 0;  // nothing is known of the rest
      return false;
    }
    for (const Node& node : bounded({}, {bounds_.all_of(p)})) push(node);
  }
  return true;
}

// The parts with their bounds, without those that are empty.
std::vector<DesignSearch::Node> DesignSearch::bounded(const Node& parent,
                                                      std::vector<DesignPart> parts) {
  std::vector<Node> nodes;
  for (DesignPart& part : parts) {
    if (!bounds_.tighten(part)) continue;
    nodes.push_back({std::max(parent.bound, bounds_.of(part, to_beat())), 0, part});
  }
  return nodes;
}

void DesignSearch::push(Node node) {
  best_->nodes += weight_;
  node.number = best_->nodes;
  if (is_good_enough(node.bound)) {
    left_out_ = std::min(left_out_, node.bound);
  } else {
    open_.push(node);
  }
}

// --- branching -------------------------------------------------------------------------

void DesignSearch::handle(const Node& node) {
  const bool single = bounds_.is_single(node.part);
  const int strictest = single ? 2 : node.part.has_one_shape() ? 1 : 0;
  if (bounds_.maps_layers() && node.part.strict < strictest) {
    refine(node);
  } else if (single) {
    evaluate(node);
  } else {
    branch(node);
  }
}

// What is left of the time is for each of them: at its end the search ends as
// well.
void DesignSearch::limit_floors() {
  std::optional<double> rest = limits_.seconds;
  if (rest) *rest = std::max(0.01, *rest - deadline_.seconds());
  for (LayerFloor& floor : floors_) floor.limit(rest, options_.cancelled);
}

// Bounds of layers do not know of each other.
void DesignSearch::refine(Node node) {
  best_->nodes += kSlowly * weight_;
  node.part.strict = bounds_.is_single(node.part) ? 2 : 1;
  limit_floors();
  const Flexibility open = bounds_.open_of(node.part);
  run_jobs(
      floors_.size(), options_.threads, options_.cancelled,
      [&](std::size_t i, const std::atomic<bool>& /*stop*/) {
        floors_[i].inside_pj(open);
        floors_[i].whole_pj(open);
      },
      [](std::size_t) {});
  for (const Node& refined : bounded(node, {node.part})) push(refined);
}

// How much work the parts are likely to make: the less, the nearer their bounds
// are to what is to beat.
double DesignSearch::weight_of(const Node& parent, const std::vector<Node>& children) const {
  constexpr double kSteepness = 20;
  const double gap = to_beat() - parent.bound;
  double weight = 0;
  for (const Node& child : children) {
    if (is_good_enough(child.bound)) continue;
    weight += std::exp2(-kSteepness * (child.bound - parent.bound) / gap);
  }
  return weight;
}

// In the way that leaves the least work.
void DesignSearch::branch(const Node& node) {
  std::vector<std::vector<DesignPart>> ways = {bounds_.by_shapes(node.part),
                                               bounds_.by_orders(node.part)};
  for (const ConvDim loop : kAllConvDims) ways.push_back(bounds_.halves(node.part, loop));
  std::vector<Node> chosen;
  double least = INFINITY;
  for (std::vector<DesignPart>& parts : ways) {
    if (parts.empty()) continue;
    std::vector<Node> children = bounded(node, std::move(parts));
    const double weight = weight_of(node, children);
    if (weight >= least) continue;
    least = weight;
    chosen = std::move(children);
  }
  for (const Node& child : chosen) push(child);
}

// --- designs ---------------------------------------------------------------------------

void DesignSearch::begin(Design& design) {
  DesignPolish polish(network_, space_, bounds_, [&] { return deadline_.has_passed(); });
  std::vector<Variant> designs;
  const auto add = [&](const Flexibility& next) {
    const auto same = [&](const Variant& other) { return other.flexibility == next; };
    if (std::none_of(designs.begin(), designs.end(), same)) designs.push_back({"", next});
  };
  for (const Flexibility& start : polish.starts()) {
    add(start);
    add(polish.improved(start));
  }
  design.tried += designs.size();
  StudyOptions quiet = options_;
  quiet.on_progress = {};
  const Comparison mapped = compare(designs, {network_}, arch_, quiet);
  for (std::size_t i = 0; i < designs.size(); ++i) {
    take_if_better(designs[i].flexibility, mapped.trials[i].front(), objective(), design);
  }
}

void DesignSearch::evaluate(const Node& node) {
  ++best_->tried;
  const Flexibility design = bounds_.design_of(node.part);
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
