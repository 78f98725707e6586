#include <algorithm>

#include "model/counts.h"
#include "model/held.h"
#include "model/link.h"

namespace tilewright::model {
namespace {

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
    const Words served = link.served();
    const Words entering = memory || details_ != nullptr ? link.entering() : Words{};
    if (c_.tensor[static_cast<std::size_t>(t)].output) {
      book_output(t, parent, child, served, entering);
    } else {
      at(counts_.total, parent, t).reads = served.all;
      at(counts_.busiest, parent, t).reads = served.busiest;
      if (memory) at(counts_.total, child, t).fills = entering.all;
      if (memory) at(counts_.busiest, child, t).fills = entering.busiest;
    }
    if (c_.any_network || details_ != nullptr) {
      for (int f = link.first_fanout(); f < link.end_fanout(); ++f) {
        counts_.fanout_words[static_cast<std::size_t>(f)][static_cast<std::size_t>(t)] =
            link.delivered(f);
      }
    }
    if (details_ == nullptr) return;
    at(details_->sharing, parent, t) =
        static_cast<double>(entering.all) / static_cast<double>(served.all);
    at(details_->tile, parent, t) =
        tile_words(frame_, t, c_.memory[static_cast<std::size_t>(parent)].slot);
  }

  // Each word that leaves the child is an update; partial sums are read back
  // and filled in except at an instance's first visit of an element.
  void book_output(int t, int parent, int child, const Words& served, const Words& entering) {
    const bool in_place = c_.memory[static_cast<std::size_t>(parent)].in_place;
    const Words held_inside = held_;
    held_ = ever_held(frame_, t, parent);
    const Words again = excess(served, held_);
    at(counts_.total, parent, t).updates = served.all;
    at(counts_.busiest, parent, t).updates = served.busiest;
    at(counts_.total, parent, t).reads = in_place ? 0 : again.all;
    at(counts_.busiest, parent, t).reads = in_place ? 0 : again.busiest;
    if (details_ != nullptr) at(details_->reductions, parent, t) = again.all;
    if (child == LinkCounter::kCompute || in_place) return;
    const Words fills = excess(entering, held_inside);
    at(counts_.total, child, t).fills = fills.all;
    at(counts_.busiest, child, t).fills = fills.busiest;
  }

  static Words excess(const Words& words, const Words& held) {
    return {std::max<std::int64_t>(0, words.all - held.all),
            std::max<std::int64_t>(0, words.busiest - held.busiest)};
  }

  const Frame& frame_;
  const Compiled& c_;
  Counts& counts_;
  Details* details_;
  Words held_;  // of the output, by the memory booked last
};

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

}  // namespace

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
