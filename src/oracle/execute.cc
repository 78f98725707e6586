#include <algorithm>
#include <map>
#include <vector>

#include "oracle/elements.h"
#include "oracle/link.h"
#include "oracle/nest.h"
#include "oracle/oracle.h"

namespace tilewright::oracle {
namespace {

class Executor {
 public:
  Executor(const Problem& problem, const Mapping& mapping, bool output_is_old)
      : problem_(problem),
        mapping_(mapping),
        nest_(problem, mapping),
        output_is_old_(output_is_old) {}

  Counts run() {
    counts_.memories.resize(static_cast<std::size_t>(problem_.memory_count()));
    per_instance_.resize(counts_.memories.size());
    for (int m = 0; m < problem_.memory_count(); ++m) {
      memory(m).tensors.resize(static_cast<std::size_t>(problem_.tensor_count()));
      memory(m).instances = count_instances(problem_.use(MemoryId{m}).slot);
    }
    counts_.fanout_words = empty_fanout_table();
    for (int t = 0; t < problem_.tensor_count(); ++t) run_tensor(TensorId{t});
    run_compute();
    for (int m = 0; m < problem_.memory_count(); ++m) sum_up(m);
    return std::move(counts_);
  }

 private:
  MemoryCounts& memory(int m) { return counts_.memories[at(m)]; }
  TensorCounts& tensor_counts(int m, TensorId t) { return memory(m).tensors[at(t)]; }

  std::vector<std::vector<std::int64_t>> empty_fanout_table() const {
    std::size_t fanouts = 0;
    for (const Level& level : problem_.arch().levels) fanouts += level.index() == 1 ? 1U : 0U;
    return {fanouts,
            std::vector<std::int64_t>(static_cast<std::size_t>(problem_.tensor_count()), 0)};
  }

  // Calls visit(place, region) for every instance of the level whose slot is
  // given and every step of the loops outside it that exists.
  template <typename Visit>
  void for_each_tile(int slot, Visit visit) const {
    std::vector<Loop> loops = nest_.temporal_loops(0, slot);
    const std::size_t times = loops.size();
    const std::vector<Loop> places = nest_.spatial_loops(0, slot);
    loops.insert(loops.end(), places.begin(), places.end());
    std::vector<std::int64_t> digits(loops.size(), 0);
    do {
      if (const auto region = nest_.region(slot, loops, digits)) {
        visit(InstanceKey(digits.begin() + static_cast<std::ptrdiff_t>(times), digits.end()),
              *region);
      }
    } while (advance(digits, loops));
  }

  std::int64_t count_instances(int slot) const {
    std::set<InstanceKey> seen;
    for_each_tile(slot, [&](const InstanceKey& place, const Region&) { seen.insert(place); });
    return static_cast<std::int64_t>(seen.size());
  }

  void run_tensor(TensorId t) {
    std::vector<int> keepers;
    for (int m = 0; m < problem_.memory_count(); ++m) {
      if (!mapping_.keeps(MemoryId{m}, t)) continue;
      tensor_counts(m, t).kept = true;
      keepers.push_back(m);
      measure_tiles(m, t, keepers.size() == 1);
    }
    for (std::size_t i = 0; i < keepers.size(); ++i) {
      const bool last = i + 1 == keepers.size();
      run_between(t, keepers[i], last ? kCompute : keepers[i + 1]);
    }
  }

  void measure_tiles(int m, TensorId t, bool is_home) {
    std::map<InstanceKey, Elements> ever;
    TensorCounts& counts = tensor_counts(m, t);
    const Tensor& tensor = problem_.workload().tensor(t);
    const Accounting accounting = problem_.arch().accounting;
    for_each_tile(problem_.use(MemoryId{m}).slot, [&](const InstanceKey& place, const Region& r) {
      const Elements tile = elements_of(tensor, r, accounting);
      counts.tile_words = std::max(counts.tile_words, size_of(tile));
      if (is_home) ever[place].insert(tile.begin(), tile.end());
    });
    for (const auto& [place, elements] : ever) {
      counts.home_words = std::max(counts.home_words, size_of(elements));
    }
  }

  Link make_link(TensorId t, int parent, int child) const {
    Link link;
    link.tensor = t;
    link.parent_slot = problem_.use(MemoryId{parent}).slot;
    link.child_is_compute = child == kCompute;
    link.child_slot =
        link.child_is_compute ? problem_.slot_count() : problem_.use(MemoryId{child}).slot;
    for (int s = link.parent_slot; s < link.child_slot; ++s) {
      if (problem_.slots()[at(s)].kind == SlotKind::SpatialY) {
        link.fanout_slots.push_back(s);
      }
    }
    return link;
  }

  void run_between(TensorId t, int parent, int child) {
    const Link link = make_link(t, parent, child);
    const LinkLog log = run_link(problem_, mapping_, link);
    const bool output = t == problem_.workload().output();
    const bool in_place = problem_.memory(MemoryId{parent}).accumulates_in_place;
    TensorCounts& at_parent = tensor_counts(parent, t);
    for (const auto& [place, served] : log.parents) {
      Words& words = per_instance_[at(parent)][place][t];
      if (!output) {
        words.reads += served.served;
        continue;
      }
      const std::int64_t again =
          served.served - first_visits(t, parent, size_of(served.ever_served));
      words.updates += served.served;
      at_parent.reductions += std::max<std::int64_t>(0, again);
      if (!in_place) words.reads += std::max<std::int64_t>(0, again);
    }
    for (const auto& [place, taken] : log.children) {
      at_parent.delivered += taken.entering;
      if (child == kCompute) continue;
      Words& words = per_instance_[at(child)][place][t];
      const std::int64_t known = output ? first_visits(t, child, size_of(taken.ever_held)) : 0;
      if (!output || !in_place) words.fills += std::max<std::int64_t>(0, taken.entering - known);
    }
    note_fanout_words(link, log);
    note_changes(t, child, log);
  }

  // The tile that stands still in a systolic array.
  void note_changes(TensorId t, int child, const LinkLog& log) {
    const auto& array = problem_.systolic();
    if (!array || t != array->tensor || child != index_of(array->memory)) return;
    for (const auto& [place, taken] : log.children) {
      counts_.stationary_changes = std::max(counts_.stationary_changes, taken.changes);
    }
  }

  void note_fanout_words(const Link& link, const LinkLog& log) {
    for (std::size_t i = 0; i < link.fanout_slots.size(); ++i) {
      const LevelId level = problem_.slots()[at(link.fanout_slots[i])].level;
      std::size_t fanout = 0;
      for (int l = 0; l < index_of(level); ++l) {
        fanout += problem_.arch().level(LevelId{l}).index() == 1 ? 1U : 0U;
      }
      counts_.fanout_words[fanout][at(link.tensor)] += log.fanout_words[i];
    }
  }

  // Elements that an instance of a memory touches for the first time. Timeloop
  // takes shares of the whole tensor where boxes stand for elements.
  std::int64_t first_visits(TensorId t, int m, std::int64_t distinct) const {
    if (problem_.arch().reads_first_sums || output_is_old_) return 0;
    const Tensor& tensor = problem_.workload().tensor(t);
    if (problem_.arch().accounting == Accounting::Exact || is_plain(tensor)) return distinct;
    std::int64_t share = box_words(tensor, 0, problem_.use(MemoryId{0}).slot);
    for (int inner = 1; inner <= m; ++inner) {
      const int slot = problem_.use(MemoryId{inner}).slot;
      const int outer_slot = problem_.use(MemoryId{inner - 1}).slot;
      const std::int64_t tile = box_words(tensor, slot, slot);
      share = static_cast<std::int64_t>(static_cast<Int128>(share) * tile /
                                        box_words(tensor, outer_slot + 1, slot));
    }
    return share;
  }

  // The bounding box of the tile that starts at `slot` with the spatial loops
  // from `from` on laid side by side.
  std::int64_t box_words(const Tensor& tensor, int from, int slot) const {
    Region region(static_cast<std::size_t>(problem_.dim_count()));
    for (int d = 0; d < problem_.dim_count(); ++d) {
      std::int64_t extent = 1;
      for (int s = std::min(from, slot); s < problem_.slot_count(); ++s) {
        extent *= mapping_.bound(s, DimId{d});
      }
      region[at(d)] = {0, std::min(extent, problem_.workload().dim(DimId{d}).size)};
    }
    return size_of(elements_of(tensor, region, Accounting::Timeloop));
  }

  void run_compute() {
    std::map<InstanceKey, std::int64_t> steps;
    for_each_tile(problem_.slot_count(),
                  [&](const InstanceKey& place, const Region&) { ++steps[place]; });
    counts_.compute_instances = static_cast<std::int64_t>(steps.size());
    for (const auto& [place, count] : steps) {
      counts_.macs += count;
      counts_.compute_steps = std::max(counts_.compute_steps, count);
    }
  }

  void sum_up(int m) {
    MemoryCounts& counts = memory(m);
    for (const auto& [place, by_tensor] : per_instance_[at(m)]) {
      const bool first =
          std::all_of(place.begin(), place.end(), [](std::int64_t digit) { return digit == 0; });
      for (const auto& [t, words] : by_tensor) {
        TensorCounts& tensor = tensor_counts(m, t);
        add(tensor.total, words);
        if (first) add(tensor.first, words);
        if (first) add(counts.first, words);
        tensor.largest.reads = std::max(tensor.largest.reads, words.reads);
        tensor.largest.fills = std::max(tensor.largest.fills, words.fills);
        tensor.largest.updates = std::max(tensor.largest.updates, words.updates);
      }
    }
  }

  static void add(Words& sum, const Words& words) {
    sum.reads += words.reads;
    sum.fills += words.fills;
    sum.updates += words.updates;
  }

  static constexpr int kCompute = -1;

  const Problem& problem_;
  const Mapping& mapping_;
  Nest nest_;
  bool output_is_old_;
  Counts counts_;
  std::vector<std::map<InstanceKey, std::map<TensorId, Words>>> per_instance_;  // [memory]
};

}  // namespace

Counts execute(const Problem& problem, const Mapping& mapping, bool output_is_old) {
  return Executor(problem, mapping, output_is_old).run();
}

}  // namespace tilewright::oracle
