#include "certificate/count.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/link.h"

namespace tilewright::certificate {

namespace {

// Accesses that move words in blocks; each instance rounds up, on the mean.
Int128 accesses(Int128 words, std::int64_t instances, std::int64_t block) {
  if (block == 1) return words;
  const Int128 at_once = static_cast<Int128>(instances) * block;
  return (words + at_once - 1) / at_once * instances;
}

}  // namespace

void add(PortWords& to, const PortWords& more) {
  to.reads += more.reads;
  to.fills += more.fills;
  to.updates += more.updates;
}

void take(PortWords& from, const PortWords& less) {
  from.reads -= less.reads;
  from.fills -= less.fills;
  from.updates -= less.updates;
}

Counter::Counter(const Terms& terms, const Mapping& mapping, PortsCounted ports)
    : terms_(terms), nest_(*terms.problem, mapping), ports_(ports) {
  const Problem& problem = *terms.problem;
  for (int m = 0; m < problem.memory_count(); ++m) {
    MemoryCount count;
    count.instances = instances(problem.use(MemoryId{m}).slot);
    count.total.resize(at(problem.tensor_count()));
    memories_.push_back(std::move(count));
  }
  fanout_words_.resize(terms.energies.fanouts.size());
  for (int t = 0; t < problem.tensor_count(); ++t) count_tensor(t);
}

void Counter::count_tensor(int tensor) {
  int child = LinkCount::kCompute;
  for (int parent = terms_.problem->memory_count(); parent-- > 0;) {
    if (!keeps(parent, tensor)) continue;
    count_link(tensor, parent, child);
    child = parent;
  }
}

bool Counter::counts_first(int memory) const {
  return ports_ == PortsCounted::All || contains(terms_.ported, memory);
}

void Counter::count_link(int tensor, int parent, int child) {
  const bool output = tensor + 1 == terms_.problem->tensor_count();
  const LinkCount link(nest_, terms_.parts[at(tensor)], output, parent, child);
  Words served{link.served(Instances::All), 0};
  if (counts_first(parent)) served.first = link.served(Instances::FirstParent);
  Words entering;  // a memory
  if (child != LinkCount::kCompute) {
    entering.all = link.entering(Instances::All);
    if (counts_first(child)) entering.first = link.entering(Instances::FirstChild);
  }
  for (std::size_t i = 0; i < link.fanouts().size(); ++i) {
    const auto fanout = at(link.fanouts()[i]);
    if (terms_.energies.fanouts[fanout] != 0) fanout_words_[fanout] += link.arriving(i);
  }
  if (output) return book_output(tensor, parent, child, served, entering);
  memories_[at(parent)].total[at(tensor)].reads += served.all;
  memories_[at(parent)].first.reads += served.first;
  if (child == LinkCount::kCompute) return;
  memories_[at(child)].total[at(tensor)].fills += entering.all;
  memories_[at(child)].first.fills += entering.first;
}

// Each word that leaves the child is an update; old sums are read back and
// filled in except at an instance's first visit of an element.
void Counter::book_output(int tensor, int parent, int child, const Words& served,
                          const Words& entering) {
  const bool in_place = terms_.problem->memory(MemoryId{parent}).accumulates_in_place;
  const bool spares_first = !terms_.problem->arch().reads_first_sums;
  const Held holders(terms_, nest_);
  const Words held = spares_first ? holders.ever_held(tensor, parent) : Words{};
  MemoryCount& outer = memories_[at(parent)];
  outer.total[at(tensor)].updates += served.all;
  outer.first.updates += served.first;
  if (in_place) return;
  outer.total[at(tensor)].reads += excess(served.all, held.all);
  outer.first.reads += excess(served.first, held.first);
  if (child == LinkCount::kCompute) return;
  const Words inside = spares_first ? holders.ever_held(tensor, child) : Words{};
  memories_[at(child)].total[at(tensor)].fills += excess(entering.all, inside.all);
  memories_[at(child)].first.fills += excess(entering.first, inside.first);
}

Int128 multiplier_cycles(const Nest& nest) {
  const Problem& problem = nest.problem();
  Count steps = 1;
  for (int d = 0; d < problem.dim_count(); ++d) {
    steps *= nest.combinations(d, problem.slot_count(), [&](int s) { return nest.is_temporal(s); });
  }
  const Compute& compute = problem.arch().compute();
  return cycles_for(ceil_div(Int128{steps}, compute.macs), {1, compute.cycles});
}

Int128 Counter::array_cycles() const {
  const Int128 cycles = multiplier_cycles(nest_);
  if (!terms_.stationary) return cycles;
  const Stationary& still = *terms_.stationary;
  return still.cycles(cycles, tile_changes(nest_, terms_.parts[at(still.tensor)], still.memory));
}

Int128 port_cycles(const Memory& memory, const PortWords& words) {
  Int128 cycles = 0;
  const auto wait = [&](const std::optional<Rational>& bandwidth, Int128 count) {
    if (bandwidth) cycles = std::max(cycles, cycles_for(count, *bandwidth));
  };
  wait(memory.read_bandwidth, words.reads);
  wait(memory.write_bandwidth, words.fills + words.updates);
  wait(memory.shared_bandwidth, words.reads + words.fills + words.updates);
  return cycles;
}

Cost Counter::cost() const {
  const Problem& problem = *terms_.problem;
  const Energies& pj = terms_.energies;
  Cost cost{times(terms_.macs, pj.mac), array_cycles(), instances(problem.slot_count())};
  std::vector<PortWords> ports(memories_.size());
  for (int m = 0; m < problem.memory_count(); ++m) {
    PortWords& shared = ports[at(first_point(problem, m))];
    add(shared, memories_[at(m)].first);
    cost.cycles = std::max(cost.cycles, port_cycles(problem.memory(MemoryId{m}), shared));
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    const MemoryCount& count = memories_[at(m)];
    const Energies::OfMemory& each = pj.memories[at(m)];
    const std::int64_t block = problem.memory(MemoryId{m}).block_words;
    const auto add = [&](Int128 words, Int128 energy) {
      cost.energy = plus(cost.energy, times(accesses(words, count.instances, block), energy));
    };
    for (std::size_t t = 0; t < count.total.size(); ++t) {
      const PortWords& words = count.total[t];
      add(words.reads, each.access[t].read);
      add(words.fills, each.access[t].write);
      add(words.updates, each.access[t].update);
    }
    const std::int64_t leaking =
        problem.arch().leaking == LeakingInstances::All
            ? physical_instances(problem.arch(), problem.use(MemoryId{m}).level)
            : count.instances;
    cost.energy = plus(cost.energy, times(times(each.leakage, cost.cycles), leaking));
  }
  for (std::size_t f = 0; f < fanout_words_.size(); ++f) {
    cost.energy = plus(cost.energy, times(pj.fanouts[f], fanout_words_[f]));
  }
  return cost;
}

}  // namespace tilewright::certificate
