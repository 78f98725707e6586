#include <algorithm>

#include "model/counts.h"
#include "model/link.h"

namespace tilewright::model {
namespace {

// Counts the traffic of a tensor, link by link from the inside out.
template <typename Number>
class TrafficCounter {
 public:
  TrafficCounter(const LoopLayout<Number>& layout, Counts<Number>& counts, Details<Number>* details)
      : layout_(layout), c_(layout.compiled()), counts_(counts), details_(details) {}

  void count(int tensor) {
    Words<Number> held_inside;  // of an output, by the memory inside
    int child = c_.memories;
    for (int parent = c_.memories; parent-- > 0;) {
      if (!layout_.mapping().keeps(MemoryId{parent}, TensorId{tensor})) continue;
      held_inside = count_link(tensor, parent, child, held_inside);
      child = parent;
    }
  }

 private:
  bool wants_busiest(int memory) const {
    return details_ != nullptr || c_.memory[at(memory)].limited;
  }

  // Gives what the parent ever holds of an output.
  Words<Number> count_link(int tensor, int parent, int child, const Words<Number>& held_inside) {
    const bool to_compute = child == c_.memories;
    const MovingLoop<Number> moving =
        to_compute ? MovingLoop<Number>{} : find_moving_loop(layout_, tensor, child);
    const Link<Number> link(layout_, tensor, parent, child, moving,
                            wants_busiest(parent) || wants_busiest(child));
    const LinkCounter<Number> counter(link);
    Footprints<Number> held;
    if (link.tensor.output && !c_.reads_first_sums) {
      held = {footprint(layout_, tensor, parent), held_inside};
    }
    const LinkTraffic<Number> traffic = link_traffic(link, counter, held);
    put_traffic(link.ends(), traffic, counts_);
    if (c_.any_network || details_ != nullptr) {
      for (int f = link.first_fanout(); f < link.end_fanout(); ++f) {
        counts_.fanout_words[at(f)][at(tensor)] = counter.delivered(f);
      }
    }
    if (details_ != nullptr) {
      add_details(tensor, parent, counter, held);
      if (link.tensor.output && !link.parent.in_place) {
        add_spared(tensor, parent, child, counter, traffic);
      }
    }
    return held.parent;
  }

  [[gnu::noinline, gnu::cold]] void add_details(int tensor, int parent,
                                                const LinkCounter<Number>& counter,
                                                const Footprints<Number>& held) {
    const std::size_t t = at(tensor);
    const Words<Number> served = counter.served();
    if (c_.tensor[t].output) {
      details_->reductions[at(parent)][t] = excess(served, held.parent).all;
    }
    details_->sharing[at(parent)][t] =
        static_cast<double>(counter.entering().all) / static_cast<double>(served.all);
    details_->tile[at(parent)][t] = tile_words(layout_, tensor, c_.memory[at(parent)].slot);
  }

  [[gnu::noinline, gnu::cold]] void add_spared(int tensor, int parent, int child,
                                               const LinkCounter<Number>& counter,
                                               const LinkTraffic<Number>& traffic) {
    const std::size_t t = at(tensor);
    const Words<Number> served = counter.served();
    details_->spared_total[at(parent)][t].reads = served.all - traffic.reads.all;
    details_->spared_busiest[at(parent)][t].reads = served.busiest - traffic.reads.busiest;
    if (child == c_.memories) return;
    const Words<Number> entering = counter.entering();
    details_->spared_total[at(child)][t].fills = entering.all - traffic.fills.all;
    details_->spared_busiest[at(child)][t].fills = entering.busiest - traffic.fills.busiest;
  }

  const LoopLayout<Number>& layout_;
  const Compiled& c_;
  Counts<Number>& counts_;
  Details<Number>* details_;
};

}  // namespace

template <typename Number>
Number compute_cycles(const LoopLayout<Number>& layout) {
  const Compiled& c = layout.compiled();
  Number steps = layout.perfect_iterations(0);
  for (const int dim : members(layout.imperfect())) steps *= layout.busiest_steps(c.memories, dim);
  return cycles_of_steps(c, steps);
}

template <typename Number>
Number cycles_of_steps(const Compiled& c, Number steps) {
  const Number starts = c.compute_macs == 1 ? steps : ceil_div(steps, c.compute_macs);
  // One start in so many cycles.
  return c.compute_cycles == 1 ? starts : cycles_for(starts, Rational{1, c.compute_cycles});
}

template <typename Number>
Number stationary_changes(const LoopLayout<Number>& layout) {
  const SystolicArray& array = *layout.compiled().systolic;
  const int memory = index_of(array.memory);
  return tile_changes(layout, memory, find_moving_loop(layout, index_of(array.tensor), memory));
}

template <typename Number>
void count_traffic(const LoopLayout<Number>& layout, Counts<Number>& counts,
                   Details<Number>* details) {
  const Compiled& c = layout.compiled();
  for (int m = 0; m < c.memories; ++m) counts.instances[at(m)] = layout.instances(m);
  const bool want_network = c.any_network || details != nullptr;
  for (int f = 0; want_network && f < c.fanouts; ++f) {
    std::fill_n(counts.fanout_words[at(f)].begin(), c.tensors, 0);
  }
  TrafficCounter<Number> counter(layout, counts, details);
  for (int t = 0; t < c.tensors; ++t) counter.count(t);
  counts.compute_cycles = compute_cycles(layout);
  if (c.systolic) counts.stationary_changes = stationary_changes(layout);
}

template std::int64_t compute_cycles(const LoopLayout<std::int64_t>&);
template Int128 compute_cycles(const LoopLayout<Int128>&);
template std::int64_t cycles_of_steps(const Compiled&, std::int64_t);
template void count_traffic(const LoopLayout<std::int64_t>&, Counts<std::int64_t>&,
                            Details<std::int64_t>*);
template void count_traffic(const LoopLayout<Int128>&, Counts<Int128>&, Details<Int128>*);

}  // namespace tilewright::model
