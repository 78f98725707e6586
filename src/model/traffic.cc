#include <algorithm>

#include "model/counts.h"
#include "model/link.h"

namespace tilewright::model {
namespace {

// Counts the traffic of a tensor, link by link from the inside out.
class TrafficCounter {
 public:
  TrafficCounter(const LoopLayout& layout, Counts& counts, Details* details)
      : layout_(layout), c_(layout.compiled()), counts_(counts), details_(details) {}

  void count(int tensor) {
    Words held_inside;  // of an output, by the memory inside
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
  Words count_link(int tensor, int parent, int child, const Words& held_inside) {
    const bool to_compute = child == c_.memories;
    const MovingLoop moving = to_compute ? MovingLoop{} : find_moving_loop(layout_, tensor, child);
    const Link link(layout_, tensor, parent, child, moving,
                    wants_busiest(parent) || wants_busiest(child));
    const LinkCounter counter(link);
    Footprints held;
    if (link.tensor.output && !c_.reads_first_sums) {
      held = {footprint(layout_, tensor, parent), held_inside};
    }
    const LinkTraffic traffic = link_traffic(link, counter, held);
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

  [[gnu::noinline, gnu::cold]] void add_details(int tensor, int parent, const LinkCounter& counter,
                                                const Footprints& held) {
    const std::size_t t = at(tensor);
    const Words served = counter.served();
    if (c_.tensor[t].output) {
      details_->reductions[at(parent)][t] = excess(served, held.parent).all;
    }
    details_->sharing[at(parent)][t] =
        static_cast<double>(counter.entering().all) / static_cast<double>(served.all);
    details_->tile[at(parent)][t] = tile_words(layout_, tensor, c_.memory[at(parent)].slot);
  }

  [[gnu::noinline, gnu::cold]] void add_spared(int tensor, int parent, int child,
                                               const LinkCounter& counter,
                                               const LinkTraffic& traffic) {
    const std::size_t t = at(tensor);
    const Words served = counter.served();
    details_->spared_total[at(parent)][t].reads = served.all - traffic.reads.all;
    details_->spared_busiest[at(parent)][t].reads = served.busiest - traffic.reads.busiest;
    if (child == c_.memories) return;
    const Words entering = counter.entering();
    details_->spared_total[at(child)][t].fills = entering.all - traffic.fills.all;
    details_->spared_busiest[at(child)][t].fills = entering.busiest - traffic.fills.busiest;
  }

  const LoopLayout& layout_;
  const Compiled& c_;
  Counts& counts_;
  Details* details_;
};

}  // namespace

LinkTraffic link_traffic(const Link& link, const LinkCounter& counter, const Footprints& held) {
  return link_traffic(link.ends(), counter.served(), counter.entering(), held);
}

std::int64_t compute_cycles(const LoopLayout& layout) {
  const Compiled& c = layout.compiled();
  std::int64_t steps = layout.perfect_iterations(0);
  for (const int dim : members(layout.imperfect())) steps *= layout.busiest_steps(c.memories, dim);
  return cycles_of_steps(c, steps);
}

std::int64_t cycles_of_steps(const Compiled& c, std::int64_t steps) {
  const std::int64_t starts = c.compute_macs == 1 ? steps : ceil_div(steps, c.compute_macs);
  // One start in so many cycles; saturates as a slow port does.
  return c.compute_cycles == 1 ? starts : cycles_for(starts, {1, c.compute_cycles});
}

std::int64_t stationary_changes(const LoopLayout& layout) {
  const SystolicArray& array = *layout.compiled().systolic;
  const int memory = index_of(array.memory);
  return tile_changes(layout, memory, find_moving_loop(layout, index_of(array.tensor), memory));
}

void count_traffic(const LoopLayout& layout, Counts& counts, Details* details) {
  const Compiled& c = layout.compiled();
  for (int m = 0; m < c.memories; ++m) counts.instances[at(m)] = layout.instances(m);
  const bool want_network = c.any_network || details != nullptr;
  for (int f = 0; want_network && f < c.fanouts; ++f) {
    std::fill_n(counts.fanout_words[at(f)].begin(), c.tensors, 0);
  }
  TrafficCounter counter(layout, counts, details);
  for (int t = 0; t < c.tensors; ++t) counter.count(t);
  counts.compute_cycles = compute_cycles(layout);
  if (c.systolic) counts.stationary_changes = stationary_changes(layout);
}

}  // namespace tilewright::model
