#include "certificate/tree.h"

#include <algorithm>

namespace tilewright::certificate {

Tree::Tree(const Known& known, Closings& closings, const Deadline& deadline)
    : context_(known.context),
      bound_(known.bound),
      steps_in_time_(known.steps),
      lattice_(known.lattice),
      ports_(known.ports),
      closings_(closings),
      target_(known.target),
      deadline_(deadline),
      leaf_(context_),
      limited_(context_.terms().stationary.has_value()),
      blocks_(at(context_.memories())),
      points_(at(context_.memories())),
      known_(at(context_.memories())) {
  for (int m = 0; m < context_.memories(); ++m) {
    const Memory& memory = context_.problem().memory(MemoryId{m});
    limited_ =
        limited_ || memory.read_bandwidth || memory.write_bandwidth || memory.shared_bandwidth;
    blocks_[at(m)].steps.resize(at(context_.dims()));
  }
}

std::optional<Found> Tree::find_better(std::int64_t most_nodes) {
  most_nodes_ = most_nodes;
  Classes outside{};
  choose_ends(0, outside);
  return better_;
}

void Tree::choose_ends(int dim, Classes& outside) {
  if (is_over()) return;
  if (dim == context_.dims()) {
    return choose_inside(0, 0, outside, std::nullopt,
                         {0, bound_.ports(), 0, 0, bound_.cycles(), bound_.instances()});
  }
  const std::vector<char>& ends = context_.chain(dim).ends;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] == 0) continue;
    outside[at(dim)] = static_cast<int>(i);
    choose_ends(dim + 1, outside);
  }
}

void Tree::choose_inside(int memory, int dim, const Classes& outside,
                         const std::optional<Open>& open, const Node& node) {
  if (is_over()) return;
  if (dim == context_.dims()) return order_loops(memory, outside, open, node);
  for (const Step& step : context_.chain(dim).loops[at(memory)]) {
    const bool passes = points_[at(memory)] != 0 || is_restricted(memory) || step.is_one_loop();
    if (step.to != outside[at(dim)] || !passes) continue;
    blocks_[at(memory)].steps[at(dim)] = &step;
    choose_inside(memory, dim + 1, outside, open, node);
  }
}

void Tree::order_loops(int memory, const Classes& outside, const std::optional<Open>& open,
                       const Node& before) {
  deadline_.check();
  Crossing block{memory, {}, outside, {}, open, 0, points_[at(memory)]};
  std::size_t place = 0;
  for (int d = 0; d < context_.dims(); ++d) {
    block.inside[at(d)] = blocks_[at(memory)].steps[at(d)]->from;
    place += lattice_.grid().stride(d) * at(block.inside[at(d)]);
  }
  Node node = before;
  if (steps_in_time_.is_of_use(memory)) {
    node.cycles = std::max(node.cycles, steps_in_time_.cycles(memory, block.inside.data()));
  }
  for (const auto& [inside_open, values] : lattice_.inside(memory)) {
    if (values[place] >= kNever) continue;
    node.instances = before.instances;
    node.instances = instances_of(block, node, values[place]);
    if (is_cut(node, values[place])) continue;
    if (ports_cut(memory, inside_open, place, node, values[place])) continue;
    block.inside_open = inside_open;
    block.value = values[place];
    known_[at(memory)].clear();
    Path start{block.inside, inside_open, {}, node};
    if (is_restricted(memory)) {
      start.points.emplace_back();
      choose_still(block, 0, lattice_.stages(memory).front(), lattice_.stages(memory).front(),
                   start);
    } else if (block.points == 0) {
      place_loops(block, 0, lattice_.stages(memory).front(), std::move(start));
    } else {
      start.points.emplace_back();
      choose_gap(block, 0, start);
    }
    if (is_over()) return;
  }
}

// Loops that move no open tensor stand inside the others of their stage; those with
// nothing left to do stand outside.
void Tree::place_loops(const Crossing& block, std::size_t stage, std::uint32_t rest, Path path) {
  ++nodes_;
  const std::uint32_t waiting = lattice_.open_dims(path.open);
  for (const int d : members(rest & ~waiting)) add_loop(path, d, block.outside[at(d)]);
  rest &= waiting;
  std::uint32_t moving = 0;
  for (const int d : members(rest)) {
    if (path.extents[at(d)] != block.outside[at(d)]) moving |= 1U << d;
  }
  if (moving != 0) return place_moving(block, stage, rest, moving, path);
  for (const int d : members(rest)) path.order.push_back(d);
  const std::vector<std::uint32_t>& stages = lattice_.stages(block.memory);
  if (stage + 1 == stages.size()) return finish_block(block, std::move(path));
  place_loops(block, stage + 1, stages[stage + 1], std::move(path));
}

// The next loop of this stage is one that moves open tensors. One is enough of those that
// move the same tensors, and no window.
void Tree::place_moving(const Crossing& block, std::size_t stage, std::uint32_t rest,
                        std::uint32_t moving, const Path& path) {
  TensorSets done;
  for (const int d : members(moving)) {
    if (is_over()) return;
    const std::uint32_t tensors = lattice_.moved_by(path.open, d);
    const bool window = lattice_.in_window(tensors, d);
    if (!window && done.test(tensors)) continue;
    if (!window) done.set(tensors);
    Path next = path;
    const Move move = window ? Move{d, block.outside[at(d)]} : Move{};
    if (!pay(next, tensors, block.memory, move) || is_cut(next.node, block.value)) continue;
    next.open = Lattice::closed(path.open, tensors);
    add_loop(next, d, block.outside[at(d)]);
    place_loops(block, stage, rest & ~(1U << d), std::move(next));
  }
}

void Tree::finish_block(const Crossing& block, Path path) {
  if (block.outside_open && path.open != *block.outside_open) return;
  if (!block.outside_open) {
    const std::uint32_t tensors = lattice_.open_tensors(path.open);
    if (!pay(path, tensors, -1, Move{}) || is_cut(path.node, block.value)) return;
  }
  std::vector<PointLoops> points = points_of(block, path);
  if (!points.empty() && is_known(block, points, path.node)) return;
  blocks_[at(block.memory)].order = std::move(path.order);
  blocks_[at(block.memory)].points = std::move(points);
  if (block.memory + 1 == context_.memories()) return try_leaf(path.node, block.value);
  Classes classes{};
  enter(block.memory + 1, 0, block.inside, classes, block.inside_open, path.node);
}

int Tree::unrolled(int memory, int dim, int inside) const {
  for (int f = context_.unrolling().fanouts(); f-- > 0 && inside >= 0;) {
    if (context_.place(f) == memory) inside = context_.chain(dim).unrolled[at(f)][at(inside)];
  }
  return inside;
}

void Tree::enter(int memory, int dim, const Classes& inside, Classes& classes, const Open& open,
                 const Node& node) {
  if (is_over()) return;
  if (dim < context_.dims()) {
    for (int i = 0; i < lattice_.grid().classes(dim); ++i) {
      if (unrolled(memory, dim, i) != inside[at(dim)]) continue;
      classes[at(dim)] = i;
      enter(memory, dim + 1, inside, classes, open, node);
    }
    return;
  }
  points_[at(memory)] = 0;
  if (is_restricted(memory)) return choose_inside(memory, 0, Classes(classes), open, node);
  // Before the memory's own fills began to wait.
  Open before = open;
  for (int t = 0; t < context_.problem().tensor_count(); ++t) {
    if (!context_.keeps(memory, t) || context_.is_home(memory, t)) continue;
    if (open[at(t)] == memory) before[at(t)] = -1;
    // A loop of the memory itself has moved it.
    if (open[at(t)] < 0) points_[at(memory)] |= 1U << t;
  }
  choose_inside(memory, 0, Classes(classes), before, node);
}

bool Tree::pay(Path& path, std::uint32_t tensors, int block, const Move& move) const {
  for (const int t : members(tensors)) {
    pay(path, closings_.get(t, path.open[at(t)], block), t, move);
    if (path.node.spent >= kNever) return false;
  }
  return true;
}

void Tree::pay(Path& path, Closing& closing, int tensor, const Move& move) const {
  const bool moves = move.dim >= 0 && lattice_.in_window(1U << tensor, move.dim);
  const Move own = moves ? move : Move{};
  path.node.spent = std::min(kNever, path.node.spent + closing.cost(path.extents.data(), own));
  if (path.node.spent >= kNever || !limited_) return;
  for (const LinkBound& link : closing.links()) load_ports(link, path.extents, own, path.node);
}

// In place of the least that every mapping loads them with.
void Tree::load_ports(const LinkBound& link, const Classes& extents, const Move& move,
                      Node& node) const {
  const LinkBound::Words words = link.words(extents.data(), move);
  const LinkBound::Words least = link.least_words();
  if (link.stands_still()) {
    node.changes = link.changes(extents.data());
    node.standing_still = link.standing_still(words) - link.standing_still(least);
  }
  PortWords& outer = node.ports[at(link.link().parent)];
  add(outer, link.at_parent(words));
  take(outer, link.at_parent(least));
  PortWords& inner = node.ports[at(link.link().child)];
  add(inner, link.at_child(words));
  take(inner, link.at_child(least));
}

// What is inside loads the ports at least as their own lattices say.
bool Tree::ports_cut(int memory, const Open& open, std::size_t place, const Node& node,
                     std::int64_t value) const {
  Int128 cycles = node.cycles;
  std::vector<PortWords> sums;
  if (bound_.in_parts()) sums = together(context_.problem(), node.ports);
  const std::vector<PortWords>& ports = bound_.in_parts() ? sums : node.ports;
  for (const PortLattice& port : ports_) {
    const auto& inside = port.lattice.inside(memory);
    const auto found = inside.find(open);
    if (found == inside.end() || found->second[place] >= kNever) return true;
    const bool still = port.measure.kind == Measure::Kind::StandingStill;
    const Int128 paid = still ? node.standing_still
                              : carried(port.measure, ports[at(port.measure.memory)]) - port.base;
    cycles =
        std::max(cycles, port.cycles(context_, bound_, port.words(found->second[place]) + paid));
  }
  return reaches_target(node, value, cycles);
}

bool Tree::is_cut(const Node& node, std::int64_t value) const {
  const Int128 of_ports = limited_ ? bound_.cycles_of(node.ports, node.changes) : 0;
  return reaches_target(node, value, std::max(node.cycles, of_ports));
}

bool Tree::reaches_target(std::int64_t value, Int128 cycles, std::int64_t instances) const {
  Cost cost = bound_.cost(lattice_.energy(value), cycles);
  cost.instances = instances;
  return target_.is_reached_by(cost);
}

bool Tree::is_first_unrolled(int memory, int dim) const {
  const int outermost = context_.outermost_unrolling(context_.memories(), dim);
  return outermost >= 0 && context_.place(outermost) == memory + 1;
}

// Where extents are told apart by what is left, those that leave nothing may go beyond the
// dimension.
bool Tree::may_waste(int memory, int dim, int inside) const {
  const Chain& chain = context_.chain(dim);
  return is_first_unrolled(memory, dim) && !chain.exact && chain.classes[at(inside)].left == 1;
}

std::int64_t Tree::instances_with(int memory, const Classes& inside, std::int64_t known,
                                  Steps steps) const {
  const int compute = context_.memories();
  for (int d = 0; d < context_.dims(); ++d) {
    if (!is_first_unrolled(memory, d)) continue;
    const int outermost = context_.outermost_unrolling(compute, d);
    std::int64_t most = std::min(context_.chain(d).classes[at(inside[at(d)])].most,
                                 context_.chain(d).largest_outside[at(outermost)]);
    if (steps == Steps::NoneWasted && may_waste(memory, d, inside[at(d)])) {
      most = std::min(most, context_.most_without_waste(memory, d));
    }
    known =
        known / context_.least_instances(compute, d) * context_.least_instances(compute, d, most);
  }
  return known;
}

std::int64_t Tree::instances_of(const Crossing& block, Node node, std::int64_t value) const {
  if (context_.is_perfect()) return node.instances;
  const std::int64_t none_wasted =
      instances_with(block.memory, block.inside, node.instances, Steps::NoneWasted);
  node.instances = instances_with(block.memory, block.inside, node.instances, Steps::Any);
  const bool more =
      none_wasted > node.instances && waste_reaches_target(block.memory, block.inside, node, value);
  return more ? none_wasted : node.instances;
}

bool Tree::waste_reaches_target(int memory, const Classes& inside, const Node& node,
                                std::int64_t value) const {
  for (int d = 0; d < context_.dims(); ++d) {
    if (!may_waste(memory, d, inside[at(d)])) continue;
    const Int128 cycles = steps_in_time_.cycles(memory, inside.data(), d);
    if (!reaches_target(node, value, std::max(node.cycles, cycles))) return false;
  }
  return true;
}

void Tree::try_leaf(const Node& node, std::int64_t value) {
  Cost cost;
  std::shared_ptr<const Problem> apart;
  const Mapping* better = leaf_.find(blocks_, [&](const Mapping& mapping, const Layout& layout) {
    const Nest nest(*layout.problem, mapping);
    const Int128 cycles = std::max(node.cycles, multiplier_cycles(nest));
    const std::int64_t instances = used_instances(nest, layout.problem->slot_count());
    if (reaches_target(node.spent + value, cycles, instances)) return false;
    if (!Held(*layout.terms, nest).fits()) return false;
    cost = Counter(*layout.terms, mapping, PortsCounted::Waited).cost();
    apart = layout.apart;
    return !target_.is_reached_by(cost);
  });
  if (better != nullptr) better_ = Found{*better, cost, std::move(apart)};
}

}  // namespace tilewright::certificate
