#include "model/open_orders.h"

#include "model/counts.h"
#include "model/held.h"
#include "model/link.h"

namespace tilewright {

using model::Compiled;
using model::Frame;
using model::LinkCounter;
using model::MovingLoop;

struct OpenOrders::State {
  explicit State(std::shared_ptr<const Compiled> c) : compiled(std::move(c)) {
    // One memory's loops may move all tensors on all their ways inside it.
    for (int m = 0; m < compiled->memories; ++m) {
      links[static_cast<std::size_t>(m)].reserve(
          static_cast<std::size_t>(compiled->tensors * (compiled->memories - 1 - m)));
    }
  }

  void lay_out(const Mapping& mapping) {
    frame.emplace(*compiled, mapping);
    fixed = {};
    fixed.energy_pj = static_cast<double>(compiled->macs) * compiled->mac_pj;
    for (auto& list : links) list.clear();
    for (int m = 0; m < compiled->memories; ++m) {
      instances[static_cast<std::size_t>(m)] = frame->instances(m);
    }
    compute_cycles = model::compute_cycles(*frame);
    compute_instances = frame->instances(compiled->memories);
    for (int t = 0; t < compiled->tensors; ++t) add_tensor(t);
  }

  void add_tensor(int t) {
    int child = LinkCounter::kCompute;
    for (int parent = compiled->memories; parent-- > 0;) {
      if (!frame->mapping().keeps(MemoryId{parent}, TensorId{t})) continue;
      if (compiled->tensor[static_cast<std::size_t>(t)].output) {
        held[static_cast<std::size_t>(parent)] = model::ever_held(*frame, t, parent);
      }
      if (child == LinkCounter::kCompute) {
        add_cost(t, parent, child, {}, fixed);
      } else {
        add_link(t, parent, child);
      }
      child = parent;
    }
  }

  // Leaves the link open if an order decides about it.
  void add_link(int t, int parent, int child) {
    const model::TensorTable& tensor = compiled->tensor[static_cast<std::size_t>(t)];
    for (int m = child; m-- > 0;) {
      const std::uint32_t loops = loops_of(m);
      const std::uint32_t movers = loops & tensor.relevant;
      if (movers == 0) continue;
      const std::uint32_t sliding = movers & ~tensor.alone;
      const bool one_mover = (movers & (movers - 1)) == 0;
      if (loops == movers && (sliding == 0 || one_mover)) {
        add_cost(t, parent, child, moving_loop(m, __builtin_ctz(movers), 0), fixed);
      } else {
        links[static_cast<std::size_t>(m)].push_back(
            {TensorId{t}, MemoryId{parent}, MemoryId{child}, movers, sliding});
      }
      return;
    }
    add_cost(t, parent, child, {}, fixed);
  }

  // Dimensions with a loop at a memory.
  std::uint32_t loops_of(int memory) const {
    const std::int64_t* bounds =
        frame->mapping().bounds(compiled->memory[static_cast<std::size_t>(memory)].slot);
    std::uint32_t bits = 0;
    for (int d = 0; d < compiled->dims; ++d) bits |= (bounds[d] > 1 ? 1U : 0U) << d;
    return bits;
  }

  MovingLoop moving_loop(int memory, int dim, std::uint32_t inside) const {
    MovingLoop moving;
    moving.dim = dim;
    moving.slot = compiled->memory[static_cast<std::size_t>(memory)].slot;
    moving.inside = inside;
    const bool innermost = memory + 1 == compiled->memories;
    const std::int64_t all =
        frame->ordinary_iterations(innermost ? 0 : frame->first_loop_outside(memory + 1));
    const std::int64_t* bounds = frame->mapping().bounds(moving.slot);
    std::int64_t product = 1;
    for (std::uint32_t rest = inside & ~frame->special(); rest != 0; rest &= rest - 1) {
      product *= bounds[__builtin_ctz(rest)];
    }
    moving.from_here = all / product;
    const bool ordinary = ((frame->special() >> dim) & 1U) == 0;
    moving.outside = ordinary ? moving.from_here / bounds[dim] : moving.from_here;
    return moving;
  }

  void add_cost(int t, int parent, int child, const MovingLoop& moving, Totals& totals) const {
    const bool memory = child != LinkCounter::kCompute;
    const model::MemoryTable& outer = compiled->memory[static_cast<std::size_t>(parent)];
    const bool inner_limited = memory && compiled->memory[static_cast<std::size_t>(child)].limited;
    const LinkCounter link(*frame, t, parent, child, moving, outer.limited || inner_limited);
    model::Held both;
    if (compiled->tensor[static_cast<std::size_t>(t)].output) {
      both.by_parent = held[static_cast<std::size_t>(parent)];
      if (memory) both.by_child = held[static_cast<std::size_t>(child)];
    }
    const model::LinkTraffic traffic = model::link_traffic(*frame, link, t, parent, both);
    totals.energy_pj += energy(parent, traffic.reads.all, outer.read_pj) +
                        energy(parent, traffic.updates.all, outer.update_pj);
    Load& load = totals.loads[static_cast<std::size_t>(parent)];
    if (outer.limited) load.reads += traffic.reads.busiest;
    if (outer.limited) load.writes += traffic.updates.busiest;
    if (memory) {
      const auto at = static_cast<std::size_t>(child);
      totals.energy_pj += energy(child, traffic.fills.all, compiled->memory[at].write_pj);
      if (inner_limited) totals.loads[at].writes += traffic.fills.busiest;
    }
    for (int f = link.first_fanout(); compiled->any_network && f < link.end_fanout(); ++f) {
      totals.energy_pj += compiled->fanout[static_cast<std::size_t>(f)].word_pj *
                          static_cast<double>(link.delivered(f));
    }
  }

  double energy(int memory, std::int64_t words, double each) const {
    const auto at = static_cast<std::size_t>(memory);
    return model::port_energy(compiled->memory[at], words, instances[at], each);
  }

  Score score(const Totals& totals) const {
    Score score;
    score.energy_pj = totals.energy_pj;
    score.cycles = compute_cycles;
    score.instances = compute_instances;
    for (int m = 0; m < compiled->memories; ++m) {
      const auto at = static_cast<std::size_t>(m);
      const Load& load = totals.loads[at];
      model::wait_for_ports(compiled->memory[at], load.reads, load.writes, score.cycles);
    }
    for (int m = 0; m < compiled->memories; ++m) {
      score.energy_pj +=
          model::leakage_energy(*compiled, instances[static_cast<std::size_t>(m)], m, score.cycles);
    }
    return score;
  }

  std::shared_ptr<const Compiled> compiled;
  std::optional<Frame> frame;
  Totals fixed;
  std::array<std::vector<Link>, kMaxMemories> links;
  std::array<model::Words, kMaxMemories> held;  // of the output
  std::array<std::int64_t, kMaxMemories> instances{};
  std::int64_t compute_cycles = 0, compute_instances = 0;
};

OpenOrders::OpenOrders(const Evaluator& evaluator)
    : state_(std::make_unique<State>(evaluator.compiled_)) {}
OpenOrders::~OpenOrders() = default;
OpenOrders::OpenOrders(OpenOrders&&) noexcept = default;

const Problem& OpenOrders::problem() const { return state_->compiled->problem; }

void OpenOrders::lay_out(const Mapping& mapping) { state_->lay_out(mapping); }

const OpenOrders::Totals& OpenOrders::fixed() const { return state_->fixed; }

std::span<const OpenOrders::Link> OpenOrders::links(MemoryId memory) const {
  return state_->links[static_cast<std::size_t>(index_of(memory))];
}

void OpenOrders::add(MemoryId memory, const Link& link, DimId mover, std::uint32_t inside,
                     Totals& totals) const {
  const MovingLoop moving = state_->moving_loop(index_of(memory), index_of(mover), inside);
  state_->add_cost(index_of(link.tensor), index_of(link.parent), index_of(link.child), moving,
                   totals);
}

Score OpenOrders::score(const Totals& totals) const { return state_->score(totals); }

std::int64_t OpenOrders::compute_cycles() const { return state_->compute_cycles; }

}  // namespace tilewright
