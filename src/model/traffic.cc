#include <algorithm>

#include "model/counts.h"
#include "model/held.h"
#include "model/link.h"

namespace tilewright::model {
namespace {

Words excess(const Words& words, const Words& held) {
  return {std::max<std::int64_t>(0, words.all - held.all),
          std::max<std::int64_t>(0, words.busiest - held.busiest)};
}

// Books the words of one link at its two ends.
class Bookkeeper {
 public:
  Bookkeeper(const Frame& frame, Counts& counts, Details* details)
      : frame_(frame), c_(frame.compiled()), counts_(counts), details_(details) {}

  void tensor(int t) {
    int child = LinkCounter::kCompute;
    for (int parent = c_.memories; parent-- > 0;) {
      if (!frame_.mapping().keeps(MemoryId{parent}, TensorId{t})) continue;
      at(counts_.total, parent, t) = {};
      at(counts_.busiest, parent, t) = {};
      book(t, parent, child);
      child = parent;
    }
  }

 private:
  template <typename T>
  static T& at(PerMemoryTensor<T>& table, int memory, int tensor) {
    return table[static_cast<std::size_t>(memory)][static_cast<std::size_t>(tensor)];
  }

  bool wants_busiest(int memory) const {
    return details_ != nullptr || c_.memory[static_cast<std::size_t>(memory)].limited;
  }

  void book(int t, int parent, int child) {
    const bool memory = child != LinkCounter::kCompute;
    const MovingLoop moving = memory ? find_moving_loop(frame_, t, child) : MovingLoop{};
    const LinkCounter link(frame_, t, parent, child, moving,
                           wants_busiest(parent) || (memory && wants_busiest(child)));
    const bool output = c_.tensor[static_cast<std::size_t>(t)].output;
    const Held held = output ? Held{ever_held(frame_, t, parent), held_inside_} : Held{};
    const LinkTraffic traffic = link_traffic(frame_, link, t, parent, held);
    at(counts_.total, parent, t).reads = traffic.reads.all;
    at(counts_.total, parent, t).updates = traffic.updates.all;
    at(counts_.busiest, parent, t).reads = traffic.reads.busiest;
    at(counts_.busiest, parent, t).updates = traffic.updates.busiest;
    if (memory) at(counts_.total, child, t).fills = traffic.fills.all;
    if (memory) at(counts_.busiest, child, t).fills = traffic.fills.busiest;
    held_inside_ = held.by_parent;
    if (c_.any_network || details_ != nullptr) {
      for (int f = link.first_fanout(); f < link.end_fanout(); ++f) {
        counts_.fanout_words[static_cast<std::size_t>(f)][static_cast<std::size_t>(t)] =
            link.delivered(f);
      }
    }
    if (details_ != nullptr) add_details(t, parent, link, held);
  }

  void add_details(int t, int parent, const LinkCounter& link, const Held& held) {
    const Words served = link.served();
    if (c_.tensor[static_cast<std::size_t>(t)].output) {
      at(details_->reductions, parent, t) = excess(served, held.by_parent).all;
    }
    at(details_->sharing, parent, t) =
        static_cast<double>(link.entering().all) / static_cast<double>(served.all);
    at(details_->tile, parent, t) =
        tile_words(frame_, t, c_.memory[static_cast<std::size_t>(parent)].slot);
  }

  const Frame& frame_;
  const Compiled& c_;
  Counts& counts_;
  Details* details_;
  Words held_inside_;  // of the output, by the memory booked last
};

}  // namespace

// Each word that leaves the child is an update; partial sums are read back
// and filled in except at an instance's first visit of an element.
LinkTraffic link_traffic(const Frame& frame, const LinkCounter& link, int tensor, int parent,
                         const Held& held) {
  const Compiled& c = frame.compiled();
  const Words served = link.served();
  LinkTraffic traffic;
  if (!c.tensor[static_cast<std::size_t>(tensor)].output) {
    traffic.reads = served;
    if (!link.reaches_compute()) traffic.fills = link.entering();
    return traffic;
  }
  traffic.updates = served;
  if (c.memory[static_cast<std::size_t>(parent)].in_place) return traffic;
  traffic.reads = excess(served, held.by_parent);
  if (!link.reaches_compute()) traffic.fills = excess(link.entering(), held.by_child);
  return traffic;
}

std::int64_t compute_cycles(const Frame& frame) {
  const Compiled& c = frame.compiled();
  std::int64_t steps = frame.ordinary_iterations(0);
  for (std::uint32_t rest = frame.special(); rest != 0; rest &= rest - 1) {
    steps *= frame.steps_of_busiest(c.memories, __builtin_ctz(rest));
  }
  const std::int64_t starts = c.compute_macs == 1 ? steps : ceil_div(steps, c.compute_macs);
  // One start in so many cycles; saturates as a slow port does.
  return c.compute_cycles == 1 ? starts : cycles_for(starts, {1, c.compute_cycles});
}

void count_traffic(const Frame& frame, Counts& counts, Details* details) {
  const Compiled& c = frame.compiled();
  for (int m = 0; m < c.memories; ++m) {
    counts.instances[static_cast<std::size_t>(m)] = frame.instances(m);
  }
  for (int f = 0; f < c.fanouts; ++f) {
    auto& words = counts.fanout_words[static_cast<std::size_t>(f)];
    std::fill_n(words.begin(), c.tensors, 0);
  }
  Bookkeeper bookkeeper(frame, counts, details);
  for (int t = 0; t < c.tensors; ++t) bookkeeper.tensor(t);
  counts.compute_cycles = compute_cycles(frame);
}

}  // namespace tilewright::model
