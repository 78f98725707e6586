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
    const LinkCounter link(frame_, t, parent, child);
    if (c_.tensor[static_cast<std::size_t>(t)].output) {
      book_output(t, parent, child, link);
    } else {
      at(counts_.total, parent, t).reads = link.served(Scope::All);
      if (wants_busiest(parent)) {
        at(counts_.busiest, parent, t).reads = link.served(Scope::Busiest);
      }
      if (child != LinkCounter::kCompute) {
        at(counts_.total, child, t).fills = link.entering(Scope::All);
        if (wants_busiest(child)) {
          at(counts_.busiest, child, t).fills = link.entering(Scope::Busiest);
        }
      }
    }
    for (int f = link.first_fanout(); f < link.end_fanout(); ++f) {
      const bool wanted = details_ != nullptr || c_.fanout[static_cast<std::size_t>(f)].word_pj > 0;
      counts_.fanout_words[static_cast<std::size_t>(f)][static_cast<std::size_t>(t)] =
          wanted ? link.delivered(f) : 0;
    }
    if (details_ != nullptr) {
      const Traffic& total = at(counts_.total, parent, t);
      const std::int64_t ports = total.updates > 0 ? total.updates : total.reads;
      const std::int64_t inside = link.entering(Scope::All);
      at(details_->sharing, parent, t) =
          ports > 0 ? static_cast<double>(inside) / static_cast<double>(ports) : 1.0;
      at(details_->tile, parent, t) =
          tile_words(frame_, t, c_.memory[static_cast<std::size_t>(parent)].slot);
    }
  }

  // Each word that leaves the child is an update; partial sums are read back
  // and filled in except at an instance's first visit of an element.
  void book_output(int t, int parent, int child, const LinkCounter& link) {
    const bool in_place = c_.memory[static_cast<std::size_t>(parent)].in_place;
    const auto at_parent = [&](Scope scope, Traffic& traffic) {
      traffic.updates = link.served(scope);
      const std::int64_t again =
          std::max<std::int64_t>(0, traffic.updates - ever_held(frame_, t, parent, scope));
      traffic.reads = in_place ? 0 : again;
      return again;
    };
    const std::int64_t reductions = at_parent(Scope::All, at(counts_.total, parent, t));
    if (details_ != nullptr) at(details_->reductions, parent, t) = reductions;
    if (wants_busiest(parent)) at_parent(Scope::Busiest, at(counts_.busiest, parent, t));
    if (child == LinkCounter::kCompute || in_place) return;
    const auto fills = [&](Scope scope) {
      return std::max<std::int64_t>(0, link.entering(scope) - ever_held(frame_, t, child, scope));
    };
    at(counts_.total, child, t).fills = fills(Scope::All);
    if (wants_busiest(child)) at(counts_.busiest, child, t).fills = fills(Scope::Busiest);
  }

  const Frame& frame_;
  const Compiled& c_;
  Counts& counts_;
  Details* details_;
};

std::int64_t compute_cycles(const Frame& frame) {
  const Compiled& c = frame.compiled();
  std::int64_t steps = frame.ordinary_iterations(0);
  for (std::uint32_t rest = frame.special(); rest != 0; rest &= rest - 1) {
    steps *= frame.combinations(__builtin_ctz(rest), c.slots, c.spatial_slots);
  }
  return ceil_div(steps, c.compute_macs) * c.compute_cycles;
}

}  // namespace

void count_traffic(const Frame& frame, Counts& counts, Details* details) {
  const Compiled& c = frame.compiled();
  for (int m = 0; m < c.memories; ++m) {
    counts.instances[static_cast<std::size_t>(m)] =
        frame.instances(c.memory[static_cast<std::size_t>(m)].slot);
  }
  for (auto& words : counts.fanout_words) words.fill(0);
  Bookkeeper bookkeeper(frame, counts, details);
  for (int t = 0; t < c.tensors; ++t) bookkeeper.tensor(t);
  counts.compute_cycles = compute_cycles(frame);
}

}  // namespace tilewright::model
