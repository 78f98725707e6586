#include "model/perfect_neighbours.h"

#include <algorithm>
#include <limits>

namespace tilewright::model {

void OrderChoices::clear(const Compiled& compiled, const Mapping& mapping) {
  clear();
  find_loops(compiled, mapping, loops_);
}

void OrderChoices::add(const Compiled& compiled, const LinkEnds& link, int number) {
  if (link.to_compute) return;
  const Decider decider = find_decider(compiled.tensor[at(link.tensor)], link.child, loops_);
  if (!decider.open) return;
  std::size_t& count = counts_[at(decider.memory)];
  auto& list = choices_[at(decider.memory)];
  // A tensor's links follow each other.
  if (count > 0 && index_of(list[count - 1].tensor) == link.tensor) {
    list[count - 1].end_link = number + 1;
  } else {
    list[count++] = {TensorId{link.tensor}, decider.movers, decider.sliding, number, number + 1};
  }
}

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see the header
PerfectNeighbours::PerfectNeighbours(const Compiled& compiled)
    : c_(compiled), scorer_(compiled), counter_(scorer_.counter_) {
  for (int m = 0; m < c_.memories; ++m) {
    if (c_.memory[at(m)].limited) ports_.push_back({m, {}});
  }
  ledger_.ports.fill({});
  for (int t = 0; t < c_.tensors; ++t) {
    const FlatTensor& tensor = c_.tensor[at(t)];
    for (const int dim : members(tensor.relevant)) tensors_with_[at(dim)] |= 1U << t;
    windowed_ |= tensor.relevant & ~tensor.alone;
    for (const Window& window : tensor.windows) {
      if (!window.is_unit_pair()) no_intervals_ |= window.dim_bits();
    }
  }
}

bool PerfectNeighbours::score(const Mapping& mapping, OrderChoices& choices, Score& score) {
  if (!scorer_.lay_out(mapping)) return false;
  if (counter_.count_if_fits(scorer_.plan_)) {
    open(choices);
    score = score_settled();
  } else {
    choices.clear();
    score = counter_.misfit();
  }
  return true;
}

namespace {

// The most words that pass a port in so many cycles.
std::int64_t words_in(std::int64_t cycles, const std::optional<Rational>& bandwidth) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!bandwidth) return kMost;
  const Int128 words = static_cast<Int128>(cycles) * bandwidth->numerator;
  const Int128 whole = bandwidth->denominator == 1 ? words : words / bandwidth->denominator;
  return static_cast<std::int64_t>(std::min<Int128>(whole, kMost));
}

}  // namespace

// --- what is open ------------------------------------------------------------------------

void PerfectNeighbours::open(OrderChoices& choices) {
  choices.clear(c_, *counter_.m_);
  asked_memory_ = -1;
  if (followed_ != scorer_.plan_.version()) follow_plan();
  open_ledger();
  for (int number = 0; number < link_count_; ++number) {
    OpenLink& open = links_[at(number)];
    const PlannedLink& link = open.link;
    choices.add(c_, link, number);
    const PortWords<std::int64_t>& outer =
        counter_.counts_.busiest[at(link.parent)][at(link.tensor)];
    Ledger::Link& entry = ledger_.links[at(number)];
    entry = {counter_.words_[at(number)], outer.reads, outer.updates, 0};
    if (link.to_compute) continue;
    entry.fills = counter_.counts_.busiest[at(link.child)][at(link.tensor)].fills;
    open_link(open);
  }
}

// Works out what is the same for all mappings that keep the same.
void PerfectNeighbours::follow_plan() {
  followed_ = scorer_.plan_.version();
  link_count_ = moving_count_ = energy_count_ = 0;
  for (int m = 0; m < c_.memories; ++m) {
    for (const int tensor : members(counter_.m_->kept(MemoryId{m}))) {
      energy_at_[at(m)][at(tensor)] = energy_count_++;
    }
    energy_end_[at(m)] = energy_count_;
  }
  for (const PlannedLink& link : scorer_.plan_.links()) {
    links_[at(link_count_)].link = link;
    if (!link.to_compute) add_moving_link(link);
    ++link_count_;
  }
}

void PerfectNeighbours::add_moving_link(const PlannedLink& link) {
  const std::size_t t = at(link.tensor);
  const FlatMemory& parent = c_.memory[at(link.parent)];
  const FlatMemory& child = c_.memory[at(link.child)];
  OpenLink& open = links_[at(link_count_)];
  open.parent_entry = energy_at_[at(link.parent)][t];
  open.child_entry = energy_at_[at(link.child)][t];
  open.read_pj = c_.prices[at(link.parent)].read_pj[t];
  open.update_pj = c_.prices[at(link.parent)].update_pj[t];
  open.fill_pj = c_.prices[at(link.child)].write_pj[t];
  open.in_blocks = parent.block != 1 || child.block != 1;
  open.parent_limited = parent.limited;
  open.child_limited = child.limited;
  MovingLink& moving = moving_links_[at(moving_count_++)];
  moving.number = link_count_;
  moving.child = link.child;
  moving.relevant = c_.tensor[t].relevant;
  moving.alone = c_.tensor[t].alone;
}

void PerfectNeighbours::open_ledger() {
  const Mapping& mapping = *counter_.m_;
  Ledger::Energy* next = ledger_.energies.data();
  for (int m = 0; m < c_.memories; ++m) {
    for (const int tensor : members(mapping.kept(MemoryId{m}))) {
      const AccessEnergy access = access_energy(c_, counter_.counts_, m, tensor);
      *next = {access.read, access.fill, access.update, 0};
      (next++)->add_up();
    }
  }
  const std::int64_t cycles = counter_.counts_.compute_cycles;
  for (Port& port : ports_) {
    ledger_.ports[at(port.memory)] = ports_of(mapping, counter_.counts_, port.memory);
    if (cycles == cycles_of_ports_) continue;
    const FlatMemory& memory = c_.memory[at(port.memory)];
    port.most = {words_in(cycles, memory.read_bandwidth), words_in(cycles, memory.write_bandwidth)};
    port.most_together = words_in(cycles, memory.shared_bandwidth);
  }
  cycles_of_ports_ = cycles;
}

void PerfectNeighbours::open_link(OpenLink& open) const {
  const PlannedLink& link = open.link;
  open.known_runs = 0;
  open.served_by_one = 1;
  for (int f = link.first_fanout; f < link.end_fanout; ++f) {
    open.served_by_one *= counter_.requests_[at(f)][at(link.tensor)];
  }
  open.served = open.served_by_one * counter_.instances_[at(link.first_fanout)];
  open.entering = counter_.instances_[at(link.end_fanout)];
  if (!link.output) return;
  open.held = {};
  if (c_.reads_first_sums) return;
  open.held = {counter_.output_held(link.tensor, link.parent),
               counter_.output_held(link.tensor, link.child)};
}

// --- other orders --------------------------------------------------------------------------

// Iterations of a memory's loops but for those inside, and of all loops outside it. All tensors
// that a loop moves ask for the same.
std::int64_t PerfectNeighbours::iterations_from(int memory, std::uint32_t inside) {
  if (memory == asked_memory_ && inside == asked_inside_) return answer_;
  asked_memory_ = memory;
  asked_inside_ = inside;
  answer_ = counter_.iterations_at(memory);
  if (inside == 0) return answer_;
  const std::int64_t* bounds = counter_.m_->bounds(c_.memory[at(memory)].slot);
  std::int64_t product = 1;
  for (const int dim : members(inside)) product *= bounds[dim];
  return answer_ /= product;
}

void PerfectNeighbours::settle(int memory, const Choice& choice, int mover, std::uint32_t inside) {
  const std::int64_t iterations = iterations_from(memory, inside);
  const bool alone = contains(c_.tensor[at(choice.tensor)].alone, mover);
  const int slot = c_.memory[at(memory)].slot;
  for (int number = choice.first_link; number < choice.end_link; ++number) {
    OpenLink& open = links_[at(number)];
    if (alone) {
      const Tile& tile = counter_.tiles_[at(open.link.child)][at(choice.tensor)];
      set_words(ledger_, number, tile.words * iterations);
    } else {
      const TemporalLoop moving{counter_.m_->bounds(slot)[mover], mover, slot};
      set_words(ledger_, number, words_of_run(open, moving) * (iterations / moving.bound));
    }
  }
}

std::int64_t PerfectNeighbours::words_of_run(OpenLink& open, const TemporalLoop& moving) const {
  std::int64_t& words = open.of_runs[at(moving.dim)];
  if (!contains(open.known_runs, moving.dim)) {
    open.known_runs |= 1U << moving.dim;
    words = counter_.moved_words(open.link, c_.tensor[at(open.link.tensor)], moving);
  }
  return words;
}

// --- the ledger ------------------------------------------------------------------------------

double PerfectNeighbours::energy(const OpenLink& open, int memory, std::int64_t words,
                                 double each) const {
  if (!open.in_blocks) return static_cast<double>(words) * each;
  const FlatMemory& table = c_.memory[at(memory)];
  if (table.block == 1) return static_cast<double>(words) * each;
  return port_energy(table, words, counter_.counts_.instances[at(memory)], each);
}

void PerfectNeighbours::set_words(Ledger& ledger, int number, std::int64_t words) {
  const OpenLink& open = links_[at(number)];
  const PlannedLink& link = open.link;
  const LinkTraffic<std::int64_t> traffic =
      link_traffic(link, {words * open.served, words * open.served_by_one},
                   {words * open.entering, words}, open.held);
  Ledger::Link& entry = ledger.links[at(number)];
  if (open.parent_limited) {
    PortSums<std::int64_t>& outer = ledger.ports[at(link.parent)];
    outer.reads += traffic.reads.busiest - entry.reads;
    outer.writes += traffic.updates.busiest - entry.updates;
  }
  if (open.child_limited) {
    ledger.ports[at(link.child)].writes += traffic.fills.busiest - entry.fills;
  }
  entry = {words, traffic.reads.busiest, traffic.updates.busiest, traffic.fills.busiest};
  Ledger::Energy& parent = ledger.energies[at(open.parent_entry)];
  parent.read = energy(open, link.parent, traffic.reads.all, open.read_pj);
  if (link.output) parent.update = energy(open, link.parent, traffic.updates.all, open.update_pj);
  parent.add_up();
  Ledger::Energy& child = ledger.energies[at(open.child_entry)];
  child.fill = energy(open, link.child, traffic.fills.all, open.fill_pj);
  child.add_up();
  if (c_.any_network) counter_.count_network(link, words);
}

Score PerfectNeighbours::score_of(const Ledger& ledger) const {
  std::int64_t cycles = counter_.counts_.compute_cycles;
  for (const Port& port : ports_) {
    const PortSums<std::int64_t>& sums = ledger.ports[at(port.memory)];
    // Most ports are done while the multipliers are at work.
    if (sums.reads <= port.most.reads && sums.writes <= port.most.writes &&
        sums.reads + sums.writes <= port.most_together) {
      continue;
    }
    wait_for_ports(c_.memory[at(port.memory)], sums.reads, sums.writes, cycles);
  }
  std::size_t next = 0;
  return sum_score(c_, counter_.counts_, cycles, counter_.instances_[at(c_.fanouts)],
                   [&](int m, double& energy) {
                     // Where nothing leaks, nothing comes between the memories.
                     const int last = c_.any_leakage ? energy_end_[at(m)] : energy_count_;
                     for (; next < at(last); ++next) energy += ledger.energies[next].sum;
                   });
}

}  // namespace tilewright::model
