#include "model/open_orders.h"

#include "model/counts.h"
#include "model/link.h"
#include "model/order_choice.h"

namespace tilewright {

using model::Compiled;
using model::LoopLayout;

namespace {

using Link = OpenOrders::Link;
using Load = OpenOrders::Load;
using Totals = OpenOrders::Totals;

// A mapping laid out, with counts of one width.
template <typename Number>
struct LaidOut {
  explicit LaidOut(std::shared_ptr<const Compiled> c) : compiled(std::move(c)) {
    // One memory's loops may move all tensors on all their ways inside it.
    for (int m = 0; m < compiled->memories; ++m) {
      links[at(m)].reserve(at(compiled->tensors * (compiled->memories - 1 - m)));
    }
  }

  void lay_out(const Mapping& mapping) {
    layout.emplace(*compiled, mapping);
    model::find_loops(*compiled, mapping, loops);
    fixed = {};
    fixed.energy_pj = static_cast<double>(static_cast<Number>(compiled->macs)) * compiled->mac_pj;
    for (auto& list : links) list.clear();
    for (int m = 0; m < compiled->memories; ++m) instances[at(m)] = layout->instances(m);
    compute_cycles = model::compute_cycles(*layout);
    compute_instances = layout->instances(compiled->memories);
    for (int t = 0; t < compiled->tensors; ++t) add_tensor(t);
  }

  void add_tensor(int t) {
    const int compute = compiled->memories;
    int child = compute;
    for (int parent = compute; parent-- > 0;) {
      if (!layout->mapping().keeps(MemoryId{parent}, TensorId{t})) continue;
      if (compiled->tensor[at(t)].output) {
        footprints[at(parent)] = model::footprint(*layout, t, parent);
      }
      if (child == compute) {
        add_cost(t, parent, child, {}, fixed);
      } else {
        add_link(t, parent, child);
      }
      child = parent;
    }
  }

  // Leaves the link open if an order decides about it.
  void add_link(int t, int parent, int child) {
    const model::Decider decider = model::find_decider(compiled->tensor[at(t)], child, loops);
    if (decider.open) {
      links[at(decider.memory)].push_back(
          {TensorId{t}, MemoryId{parent}, MemoryId{child}, decider.movers, decider.sliding});
    } else if (decider.memory >= 0) {
      add_cost(t, parent, child, moving_loop(decider.memory, __builtin_ctz(decider.movers), 0),
               fixed);
    } else {
      add_cost(t, parent, child, {}, fixed);
    }
  }

  model::MovingLoop<Number> moving_loop(int memory, int dim, std::uint32_t inside) const {
    return model::moving_loop_of(*layout, memory, dim, inside);
  }

  void add_cost(int t, int parent, int child, const model::MovingLoop<Number>& moving,
                Totals& totals) const {
    const FlatMemory& outer = compiled->memory[at(parent)];
    const FlatMemory& inner = compiled->memory[at(child)];
    const model::Link<Number> link(*layout, t, parent, child, moving,
                                   outer.limited || inner.limited);
    const model::LinkCounter<Number> counter(link);
    model::Footprints<Number> held;
    if (link.tensor.output && !compiled->reads_first_sums) {
      held.parent = footprints[at(parent)];
      if (!link.to_compute) held.child = footprints[at(child)];
    }
    const model::LinkTraffic<Number> traffic = model::link_traffic(link, counter, held);
    const FlatPrices& price = compiled->prices[at(parent)];
    totals.energy_pj += energy(parent, traffic.reads.all, price.read_pj[at(t)]) +
                        energy(parent, traffic.updates.all, price.update_pj[at(t)]);
    if (outer.limited) {
      totals.loads[at(parent)].reads += traffic.reads.busiest;
      totals.loads[at(parent)].writes += traffic.updates.busiest;
    }
    if (!link.to_compute) {
      totals.energy_pj +=
          energy(child, traffic.fills.all, compiled->prices[at(child)].write_pj[at(t)]);
    }
    if (inner.limited) totals.loads[at(child)].writes += traffic.fills.busiest;
    if (is_stationary(t, child)) [[unlikely]] {
      totals.stationary_changes = model::tile_changes(*layout, child, moving);
    }
    for (int f = link.first_fanout(); compiled->any_network && f < link.end_fanout(); ++f) {
      totals.energy_pj +=
          compiled->fanout[at(f)].word_pj * static_cast<double>(counter.delivered(f));
    }
  }

  bool is_stationary(int t, int memory) const {
    return compiled->systolic && index_of(compiled->systolic->tensor) == t &&
           index_of(compiled->systolic->memory) == memory;
  }

  double energy(int memory, Number words, double each) const {
    return model::port_energy(compiled->memory[at(memory)], words, instances[at(memory)], each);
  }

  Score score(const Totals& totals) const {
    Score score;
    score.energy_pj = totals.energy_pj;
    Number cycles = compute_cycles;
    if (compiled->systolic) {
      cycles = static_cast<Number>(
          compiled->systolic->cycles_for(compute_cycles, totals.stationary_changes));
    }
    score.instances = narrowed(compute_instances);
    for (int m = 0; m < compiled->memories; ++m) {
      const Load& load = totals.loads[at(m)];
      model::wait_for_ports(compiled->memory[at(m)], static_cast<Number>(load.reads),
                            static_cast<Number>(load.writes), cycles);
    }
    for (const SharedMemory& shared : compiled->shared) {
      Load all;
      for (int m = shared.first; m < shared.end; ++m) {
        all.reads += totals.loads[at(m)].reads;
        all.writes += totals.loads[at(m)].writes;
      }
      cycles = std::max(cycles, model::port_limit(shared.whole, static_cast<Number>(all.reads),
                                                  static_cast<Number>(all.writes)));
    }
    score.cycles = cycles;
    for (int m = 0; m < compiled->memories; ++m) {
      score.energy_pj += model::leakage_energy(*compiled, instances[at(m)], m, cycles);
    }
    return score;
  }

  std::shared_ptr<const Compiled> compiled;
  std::optional<LoopLayout<Number>> layout;
  model::LoopSets loops{};
  Totals fixed;
  std::array<std::vector<Link>, kMaxMemories> links;
  std::array<model::Words<Number>, kMaxMemories> footprints;  // of the output
  std::array<Number, kMaxMemories> instances{};
  Number compute_cycles = 0, compute_instances = 0;
};

}  // namespace

struct OpenOrders::State {
  explicit State(const std::shared_ptr<const Compiled>& c) : compiled(c) {
    if (c->wide) {
      wide.emplace(c);
    } else {
      narrow.emplace(c);
    }
  }

  // What a function gives of the one that there is.
  template <typename Ask>
  decltype(auto) of(Ask ask) {
    return wide ? ask(*wide) : ask(*narrow);
  }

  std::shared_ptr<const Compiled> compiled;
  std::optional<LaidOut<std::int64_t>> narrow;
  std::optional<LaidOut<Int128>> wide;
};

OpenOrders::OpenOrders(const Evaluator& evaluator)
    : state_(std::make_unique<State>(evaluator.compiled_)) {}
OpenOrders::~OpenOrders() = default;
OpenOrders::OpenOrders(OpenOrders&&) noexcept = default;

const Problem& OpenOrders::problem() const { return state_->compiled->problem; }

void OpenOrders::lay_out(const Mapping& mapping) {
  state_->of([&](auto& laid_out) { laid_out.lay_out(mapping); });
}

const OpenOrders::Totals& OpenOrders::fixed() const {
  return state_->of([](auto& laid_out) -> const Totals& { return laid_out.fixed; });
}

std::span<const OpenOrders::Link> OpenOrders::links(MemoryId memory) const {
  return state_->of(
      [&](auto& laid_out) -> std::span<const Link> { return laid_out.links[at(memory)]; });
}

void OpenOrders::add(MemoryId memory, const Link& link, DimId mover, std::uint32_t inside,
                     Totals& totals) const {
  state_->of([&](auto& laid_out) {
    const auto moving = laid_out.moving_loop(index_of(memory), index_of(mover), inside);
    laid_out.add_cost(index_of(link.tensor), index_of(link.parent), index_of(link.child), moving,
                      totals);
  });
}

Score OpenOrders::score(const Totals& totals) const {
  return state_->of([&](auto& laid_out) { return laid_out.score(totals); });
}

Int128 OpenOrders::compute_cycles() const {
  return state_->of([](auto& laid_out) -> Int128 { return laid_out.compute_cycles; });
}

}  // namespace tilewright
