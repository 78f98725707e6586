#include "mappers/optimal/descent.h"

#include <algorithm>
#include <bitset>

#include "mappers/optimal/axis_splits.h"
#include "mappers/optimal/held_elements.h"
#include "mapspace/loop_nesting.h"

namespace tilewright::optimal {
namespace {

constexpr std::size_t kMaxLinks = static_cast<std::size_t>(kMaxTensors) * kMaxMemories;
constexpr std::uint64_t kStepsOfEvaluation = 128;  // that take as long
constexpr std::size_t kMaxPorts = 3 * static_cast<std::size_t>(kMaxMemories) + 1;
using PortWords = std::array<Units, kMaxPorts>;
using Indices = std::array<int, kMaxDims>;

class Descent {
 public:
  Descent(const Subproblem& sub, const Lattice& lattice, const Relaxation& relaxation,
          const std::vector<PortLoad>& ports, const Goal& goal, const Deadline& deadline,
          std::uint64_t most_steps)
      : sub_(sub),
        solver_(sub.solver()),
        lattice_(lattice),
        relaxation_(relaxation),
        ports_(ports),
        goal_(goal),
        deadline_(deadline),
        most_steps_(most_steps),
        limited_(solver_.stationary.has_value()),
        held_(sub),
        mapping_(solver_.problem()) {
    for (int m = 0; m < solver_.memory_count; ++m) {
      nestings_.emplace_back(*solver_.restrictions, MemoryId{m}, solver_.originals);
      limited_ = limited_ || solver_.memory(m).limited;
      crossed_[at(m)] = m > 0 && sub.crossing_dims(m) != 0;
      mapping_.set_kept(MemoryId{m}, sub.placement().kept[at(m)]);
    }
    for (const Link& link : sub.placement().links) {
      Loads loads{};
      sub.add_least_load(link, loads);
      least_loads_.push_back(loads);
    }
    for (int f = 0; f < solver_.fanout_count; ++f) split(f, sub.spatial().splits(f).front());
  }

  // First among the mappings close to the bound, so that there is something to
  // beat; then further away.
  DescentResult run() {
    Cost lowest = bound({}, relaxation_.least());
    lowest = slowed(sub_, lowest, relaxation_.least_cycles());
    for (const PortLoad& port : ports_) lowest = slowed(sub_, lowest, port.least_cycles());
    // Tables are rounded down, link by link.
    const auto links = static_cast<Units>(sub_.placement().links.size()) + 2;
    const Energy rounding = solver_.scale.shift == 0 ? 1 : solver_.scale.energy(links);
    for (const double slack : {0.0, 1e-3, 1e-2, 1e-1}) {
      near_ = {lowest.energy + rounding +
                   static_cast<Energy>(static_cast<double>(lowest.energy) * slack),
               lowest.cycles, kCountLimit};
      explore();
      // All that is better than the best known was near enough to be looked at.
      const bool settled =
          !goal_.is_front() && !goal_.empty() && !is_less(*goal_.aim(), *near_, goal_.best());
      if (settled || !result_.complete) return std::move(result_);
      if (!result_.found.empty() && is_near(result_.found.back().cost)) break;
    }
    near_.reset();
    explore();
    return std::move(result_);
  }

 private:
  void explore() {
    std::vector<Node> starts;
    for (const Relaxation::Table& table : relaxation_.at_end()) list_starts(table, starts);
    follow(0, starts);
  }

  // The loops of the memories outside are fixed.
  struct Node {
    Indices tile{};         // extents outside the next memory's loops
    OpenLinks pending = 0;  // links open there
    Units paid = 0;
    Loads loads{};                 // of the links that are paid for
    PortWords port_words{};        // the same
    std::bitset<kMaxLinks> links;  // those
    Units least = 0;               // energy of the whole mapping, at least
    std::int64_t instances = 1;    // of the compute level, at least
    Int128 cycles = 1;             // of the multipliers, at least
    // How the last block was crossed, innermost loop first.
    std::array<std::int64_t, kMaxDims> bounds{};
    std::array<std::uint8_t, kMaxDims> order{};
    int loops = 0;
    // Of the output, by memory: what its instances hold, if that is known by the loops outside; and
    // what was counted for the link into it, if that is paid for.
    struct OfOutput {
      std::int64_t held = -1;
      std::int64_t entering = -1, served = 0;
    };
    std::array<OfOutput, kMaxMemories> output{};
  };

  const LatticeAxis& axis(int m, int d) const { return lattice_.axis(m, d); }

  bool can_beat(const Node& node, Units least) const {
    const Int128 cycles = std::max({sub_.compute_cycles(), solver_.least_cycles, node.cycles});
    if (!is_wanted({solver_.scale.energy(least), cycles, node.instances})) {
      return false;
    }
    return is_wanted(bound(node, least));
  }

  bool is_wanted(const Cost& cost) const {
    if (near_ && !is_near(cost)) return false;
    return goal_.is_improved_by(cost);
  }
  // Anything is better than nothing.
  bool is_found(const Cost& cost) const { return goal_.empty() || is_wanted(cost); }
  bool is_near(const Cost& cost) const {
    return goal_.is_front() ? cost.energy < near_->energy : is_less(*goal_.aim(), cost, *near_);
  }

  Cost bound(const Node& node, Units least) const {
    Loads loads = node.loads;
    if (limited_) {
      const auto add = [&](const Loads& more) {
        for (int m = 0; m < solver_.memory_count; ++m) {
          if (!solver_.memory(m).limited) continue;
          loads[at(m)].reads += more[at(m)].reads;
          loads[at(m)].writes += more[at(m)].writes;
        }
      };
      add(sub_.fixed_loads());
      for (std::size_t i = 0; i < least_loads_.size(); ++i) {
        if (!node.links[i]) add(least_loads_[i]);
      }
    }
    Cost cost = slowed(sub_, bound_of(sub_, least, loads), node.cycles);
    cost.instances = std::max(cost.instances, node.instances);
    return cost;
  }

  void pay(Node& node, int link, int block, const PerDim& inside, const Mover& mover) const {
    const Link& one = sub_.placement().links[at(link)];
    const LinkCounts counts = sub_.counts(one, block, inside, mover);
    if (solver_.tensor(one.tensor).output && (held_.knows(one.child) || held_.knows(one.parent))) {
      auto& of_output = node.output[at(one.child)];
      of_output.entering = static_cast<std::int64_t>(counts[kEntering]);
      of_output.served = static_cast<std::int64_t>(counts[kServed]);
      node.paid = sum(node.paid, sub_.energy(one, counts, held(node, one)));
    } else {
      node.paid = sum(node.paid, sub_.energy(one, counts));
    }
    if (limited_) sub_.add_load(one, block, inside, mover, node.loads);
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      node.port_words[i] = sum(node.port_words[i], ports_[i].words(one, block, inside, mover));
    }
    node.links.set(at(link));
  }

  Subproblem::Held held(const Node& node, const Link& link) const {
    const auto by = [&](int memory) {
      if (memory == solver_.memory_count) return Int128{0};
      const std::int64_t known = node.output[at(memory)].held;
      return known >= 0 ? Int128{known} : sub_.held(memory);
    };
    return {by(link.child), by(link.parent)};
  }

  // The loops outside the next memory tell which elements its instances ever hold.
  void note_held(Node& node, int memory, const PerDim& inside) {
    const std::uint32_t memories = held_.known_outside(memory + 1);
    if (memories == 0) return;
    PerDim tile{};
    for (int d = 0; d < solver_.dim_count; ++d) {
      tile[at(d)] = sub_.tile_extent(memory + 1, d, inside[at(d)]);
    }
    const auto bound_of = [&](int m, int d) {
      return m == memory ? node.bounds[at(d)]
                         : mapping_.bound(solver_.memory(m).slot, solver_.original(d));
    };
    for (const int m : members(memories)) {
      const Int128 most = held_.most(m, tile, bound_of);
      if (most < sub_.held(m)) hold_less(node, m, memory + 1, tile, most);
    }
  }

  // Links of which more was thought to be held cost more.
  void hold_less(Node& node, int m, int crossed, const PerDim& tile, Int128 most) const {
    const Node before = node;
    node.output[at(m)].held = static_cast<std::int64_t>(most);
    for (const Link& link : sub_.placement().links) {
      const auto& counted = node.output[at(link.child)];
      if (!solver_.tensor(link.tensor).output || counted.entering < 0) continue;
      if (link.child != m && link.parent != m) continue;
      LinkCounts counts{};  // what passes fan-outs is paid for
      counts[kEntering] = counted.entering;
      counts[kServed] = counted.served;
      const Units more = sub_.energy_of_less(link, counts, held(before, link), held(node, link));
      node.paid = sum(node.paid, more);
    }
    for (const Link& link : sub_.placement().compute_links) {
      if (!solver_.tensor(link.tensor).output || link.parent != m) continue;
      node.paid = sum(node.paid, sub_.energy_not_held(crossed, tile, most));
    }
  }

  void list_starts(const Relaxation::Table& table, std::vector<Node>& starts) {
    Indices position{};
    for (std::size_t place = 0; place < table.values.size(); ++place) {
      const Units value = table.values[place];
      Node node;
      node.tile = position;
      node.pending = table.pending;
      node.least = value;
      node.instances = sub_.least_instances();
      if (value < kNever && can_beat(node, value) && can_start(table.pending, place, value)) {
        PerDim extents{};
        for (int d = 0; d < solver_.dim_count; ++d) {
          extents[at(d)] = axis(0, d).outer[at(position[at(d)])];
        }
        list_open(sub_, 0, open_tensors(table.pending), table.pending, links_);
        for (const int link : links_) pay(node, link, 0, extents, {});
        starts.push_back(node);
      }
      for (int d = solver_.dim_count; d-- > 0;) {
        if (at(++position[at(d)]) < axis(0, d).outer.size()) break;
        position[at(d)] = 0;
      }
    }
  }

  bool can_start(OpenLinks pending, std::size_t place, Units least) const {
    Int128 cycles = 0;
    for (const PortLoad& port : ports_) {
      cycles = std::max(cycles, port.cycles(port.at_end(pending, place)));
    }
    return ports_.empty() || is_wanted(slowed(sub_, bound({}, least), cycles));
  }

  // Goes on from nodes outside the loops of a memory, the most promising first.
  void follow(int memory, std::vector<Node>& nodes) {
    std::stable_sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
      return a.least != b.least ? a.least < b.least : a.paid > b.paid;
    });
    for (const Node& node : nodes) {
      if (!result_.complete) return;
      if (!can_beat(node, node.least)) continue;
      if (memory > 0) enter_block(memory - 1, node);
      if (memory == solver_.memory_count) {
        evaluate();
      } else {
        expand(memory, node);
      }
    }
  }

  void enter_block(int memory, const Node& node) {
    const int slot = solver_.memory(memory).slot;
    std::vector<DimId> outermost_first;
    for (int i = node.loops; i-- > 0;) {
      outermost_first.push_back(solver_.original(node.order[at(i)]));
    }
    for (int d = 0; d < solver_.dim_count; ++d) {
      mapping_.set_bound(slot, solver_.original(d), node.bounds[at(d)]);
    }
    mapping_.set_order(MemoryId{memory}, outermost_first);
  }

  void split(int fanout, const PerDim& along_x) {
    const int slot = solver_.fanout(fanout).slot;
    for (int d = 0; d < solver_.dim_count; ++d) {
      const std::int64_t x = along_x[at(d)];
      mapping_.set_bound(slot + 1, solver_.original(d), x);
      mapping_.set_bound(slot, solver_.original(d), sub_.spatial().unrolled(fanout, d) / x);
    }
  }

  // Splits unrollings over axes in a way that is legal with these loops; false if there is none.
  bool split_fanouts() {
    const auto splits = legal_splits(sub_, [&](int m, int d) {
      return mapping_.bound(solver_.memory(m).slot, solver_.original(d));
    });
    if (!splits) return false;
    for (int f = 0; f < solver_.fanout_count; ++f) {
      if (sub_.spatial().splits(f).size() > 1) split(f, *(*splits)[at(f)]);
    }
    return true;
  }

  void evaluate() {
    if (!split_fanouts()) return;
    ++result_.evaluated;
    result_.steps += kStepsOfEvaluation;
    const Score score = solver_.evaluator->score(mapping_);
    if (!score.verdict.fits()) return;
    // What is exact takes longer to find out, and is as much up to how it is rounded.
    const double least = score.energy_pj * solver_.scale.per_pj * (1 - 1e-9);
    if (!is_found({static_cast<Energy>(least), score.cycles, score.instances})) return;
    const Cost cost{exact_energy(solver_, solver_.evaluator->evaluate(mapping_)), score.cycles,
                    score.instances};
    if (!is_found(cost)) return;
    goal_.add(cost);
    result_.found.push_back({mapping_, cost});
  }

  // --- one block ----------------------------------------------------------------

  void expand(int memory, const Node& node) {
    if (deadline_.has_passed() || result_.steps >= most_steps_) {
      result_.complete = false;
      return;
    }
    std::vector<Node> children;
    Step step{memory, node, {}, {}, children};
    for (const Relaxation::Table& table : relaxation_.inside(memory)) {
      step.table = &table;
      choose_edges(step, 0, 0);
    }
    follow(memory + 1, children);
  }

  struct Step {
    int memory;
    const Node& node;
    Indices inner;
    std::array<std::int64_t, kMaxDims> bounds;
    std::vector<Node>& children;
    const Relaxation::Table* table = nullptr;
    std::size_t place = 0;  // of the inner extents in the table
  };

  // Whether it is still of interest with what the ports carry inside.
  bool can_pass_ports(const Step& step, const Node& node, Units least) const {
    Int128 cycles = 0;
    std::size_t i = 0;
    for (const PortLoad& port : ports_) {
      const Units words = port.inside(step.memory, step.table->pending, step.place);
      cycles = std::max(cycles, port.cycles(sum(node.port_words[i++], words)));
    }
    return is_wanted(slowed(sub_, bound(node, least), cycles));
  }

  void choose_edges(Step& step, int d, std::size_t place) {
    if (d == solver_.dim_count) {
      const Units inside = step.table->values[place];
      if (inside >= kNever) return;
      const Units least = sum(step.node.paid, inside);
      if (!can_beat(step.node, least)) return;
      if (!ports_.empty()) {
        step.place = place;
        if (!can_pass_ports(step, step.node, least)) return;
      }
      order_loops(step, inside);
      return;
    }
    const LatticeAxis& loop = axis(step.memory, d);
    const int to = step.node.tile[at(d)];
    for (int e = loop.first_edge[at(to)]; e < loop.first_edge[at(to + 1)]; ++e) {
      const Edge& edge = loop.edges[at(e)];
      ++result_.steps;
      step.inner[at(d)] = edge.from;
      step.bounds[at(d)] = edge.bound;
      choose_edges(step, d + 1, place * loop.inner.size() + static_cast<std::size_t>(edge.from));
    }
  }

  // All classes of orders of the loops that lead to the node's open links.
  void order_loops(Step& step, Units inside) {
    Node child;
    child.paid = step.node.paid;
    child.loads = step.node.loads;
    child.port_words = step.node.port_words;
    child.links = step.node.links;
    child.bounds = step.bounds;
    std::uint32_t loops = 0;
    PerDim extents{};
    for (int d = 0; d < solver_.dim_count; ++d) {
      if (step.bounds[at(d)] > 1) loops |= 1U << d;
      extents[at(d)] = axis(step.memory, d).inner[at(step.inner[at(d)])];
    }
    child.output = step.node.output;
    note_held(child, step.memory, extents);
    child.instances = instances_of(step.node, step.memory, extents);
    child.cycles = cycles_of(step.node, step.memory, extents);
    const bool more = child.paid > step.node.paid || child.instances > step.node.instances ||
                      child.cycles > step.node.cycles;
    if (more && !can_beat(child, sum(child.paid, inside))) return;
    place_loops(step, child, extents, open_tensors(step.table->pending), loops, inside);
  }

  // Instances in use at least, with these extents just inside the loops of a memory.
  std::int64_t instances_of(const Node& node, int memory, const PerDim& inside) const {
    std::int64_t instances = node.instances;
    if (solver_.is_perfect()) return instances;
    for (int d = 0; d < solver_.dim_count; ++d) {
      const std::int64_t known = sub_.least_instances(d, memory, inside[at(d)]);
      if (known > sub_.least_instances(d)) instances = instances / sub_.least_instances(d) * known;
    }
    return instances;
  }

  // The same of cycles.
  Int128 cycles_of(const Node& node, int memory, const PerDim& inside) const {
    if (solver_.is_perfect()) return node.cycles;
    return std::max(node.cycles, sub_.cycles_of(sub_.least_steps(memory, inside)));
  }

  // Orders the loops that are left, from the inside out. Those that move no open tensor
  // go inside first: that spares accesses and costs nothing. Any of the others may follow.
  void place_loops(Step& step, Node child, PerDim extents, std::uint32_t open, std::uint32_t loops,
                   Units inside) {
    const LoopNesting& nesting = nestings_[at(step.memory)];
    for (bool again = true; again;) {
      again = false;
      for (const int d : members(loops)) {
        if (moved_by(solver_, open, d) != 0 || (nesting.inside(d) & loops) != 0) continue;
        put(step, child, extents, d);
        loops &= ~(1U << d);
        again = true;
      }
    }
    if (loops == 0) return finish(step, child, open, inside);
    std::vector<std::uint32_t> tried;  // whole tiles moved by one of several loops
    for (const int d : members(nesting.next(loops))) {
      const std::uint32_t moved = moved_by(solver_, open, d);
      const bool like_others = nesting.is_free() && !moves_window(solver_, moved, d);
      if (like_others && !is_new(tried, moved)) continue;
      Node next = child;
      list_open(sub_, step.memory, moved, step.table->pending, links_);
      for (const int link : links_) pay(next, link, step.memory, extents, {d, step.bounds[at(d)]});
      if (!can_beat(next, sum(next.paid, inside))) continue;
      PerDim outside = extents;
      put(step, next, outside, d);
      place_loops(step, next, outside, open & ~moved, loops & ~(1U << d), inside);
    }
  }

  void put(const Step& step, Node& child, PerDim& extents, int d) const {
    child.order[at(child.loops++)] = static_cast<std::uint8_t>(d);
    extents[at(d)] *= step.bounds[at(d)];
  }

  void finish(Step& step, Node& child, std::uint32_t open, Units inside) {
    if (links_of(step.table->pending, open) != step.node.pending) return;
    child.least = sum(child.paid, inside);
    if (!can_beat(child, child.least)) return;
    if (!ports_.empty() && !can_pass_ports(step, child, child.least)) return;
    child.tile = step.inner;
    // As it was before the links into the memory inside opened.
    const int next = step.memory + 1;
    child.pending = step.table->pending;
    if (next < solver_.memory_count) {
      child.pending -= opened_at(sub_, next);
      pay_crossing(child, next, step.inner);
    }
    step.children.push_back(child);
  }

  // Pays the part of a table that belongs to the fan-outs outside a memory.
  void pay_crossing(Node& node, int memory, const Indices& inner) const {
    if (!crossed_[at(memory)]) return;
    PerDim tile{};
    for (int d = 0; d < solver_.dim_count; ++d) {
      tile[at(d)] = sub_.tile_extent(memory, d, axis(memory - 1, d).inner[at(inner[at(d)])]);
    }
    node.paid = sum(node.paid, sub_.crossing_energy(memory, tile));
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      node.port_words[i] = sum(node.port_words[i], ports_[i].crossing(memory, tile));
    }
  }

  const Subproblem& sub_;
  const SolverTables& solver_;
  const Lattice& lattice_;
  const Relaxation& relaxation_;
  const std::vector<PortLoad>& ports_;
  std::array<bool, kMaxMemories> crossed_{};  // whether crossing its fan-outs costs something
  Goal goal_;
  std::optional<Cost> near_;  // look no further than this
  const Deadline& deadline_;
  std::uint64_t most_steps_;           // edges that may be followed
  bool limited_;                       // loads count
  std::vector<LoopNesting> nestings_;  // of each memory
  HeldElements held_;
  std::vector<Loads> least_loads_;
  Mapping mapping_;
  std::vector<int> links_;
  DescentResult result_;
};

}  // namespace

Cost bound_of(const Subproblem& sub, Units least_energy, const Loads& least_loads) {
  const Int128 cycles = std::max(sub.cycles(least_loads), sub.solver().least_cycles);
  return {sub.solver().scale.energy(least_energy) + sub.leakage(cycles), cycles,
          sub.least_instances()};
}

Cost slowed(const Subproblem& sub, const Cost& bound, Int128 cycles) {
  if (cycles <= bound.cycles) return bound;
  return {bound.energy - sub.leakage(bound.cycles) + sub.leakage(cycles), cycles, bound.instances};
}

DescentResult descend(const Subproblem& sub, const Lattice& lattice, const Relaxation& relaxation,
                      const std::vector<PortLoad>& ports, const Goal& goal,
                      const Deadline& deadline, std::uint64_t most_steps) {
  return Descent(sub, lattice, relaxation, ports, goal, deadline, most_steps).run();
}

}  // namespace tilewright::optimal
