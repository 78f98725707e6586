#include "fusion/search_times.h"

#include <cmath>

namespace tilewright::fusion {

namespace {

double at_rate(double words, Rational rate) {
  return static_cast<double>(cycles_for(std::llround(words), rate));
}

}  // namespace

PortTimes::PortTimes(const Cascade& cascade, const Architecture& arch, const CascadeFacts& facts)
    : facts_(facts), start_cycles_(static_cast<double>(arch.compute().cycles)) {
  const Memory& outermost = facts.stack(0).problem().memory(MemoryId{0});
  if (outermost.read_bandwidth) ports_.push_back({*outermost.read_bandwidth, true, false});
  if (outermost.write_bandwidth) ports_.push_back({*outermost.write_bandwidth, false, true});
  if (outermost.shared_bandwidth) ports_.push_back({*outermost.shared_bandwidth, true, true});
  for (int e = 0; e < facts.einsums(); ++e) {
    Afterwards of;
    const auto& then = cascade.einsums[at(e)].then;
    if (then) of.rate = then->elements_per_cycle;
    of.elements = facts.elements({e, facts.stack(e).output()});
    for (const Shared& one : facts.shared()) {
      if (one.writer.einsum != e) continue;
      for (const TensorRef& reader : one.readers) {
        of.rescaled += facts.elements({reader.einsum, facts.stack(reader.einsum).output()});
      }
    }
    afterwards_.push_back(of);
  }
}

bool PortTimes::covers(const Architecture& arch, const CascadeFacts& facts) {
  const Problem& problem = facts.stack(0).problem();
  for (int m = 0; m < problem.memory_count(); ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    const bool single = memory.read_bandwidth || memory.write_bandwidth;
    if (m == 0 ? single && memory.shared_bandwidth : single || memory.shared_bandwidth) {
      return false;
    }
  }
  if (arch.compute().macs != 1) return false;
  for (int e = 0; e < facts.einsums(); ++e) {
    const NestStack& stack = facts.stack(e);
    if (stack.kept(stack.shared()) != (1U << stack.flat().tensors) - 1) return false;
  }
  return true;
}

double PortTimes::least_cycles(int einsum, double parallel) const {
  const double starts = static_cast<double>(facts_.stack(einsum).flat().macs) / parallel;
  const Afterwards& then = afterwards_[at(einsum)];
  const double done = then.rate ? at_rate(then.elements, *then.rate) : 0;
  return std::max(std::round(starts) * start_cycles_, done);
}

void PortTimes::add_words(OpenTime& open, const Words& words) const {
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    open.words[p] += (ports_[p].reads ? words.reads : 0) + (ports_[p].writes ? words.writes : 0);
  }
}

double PortTimes::cycles(const OpenTime& open) const {
  double cycles = open.cycles;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    cycles = std::max(cycles, at_rate(open.words[p], ports_[p].rate));
  }
  return cycles;
}

void PortTimes::close(TimedPoint& point, int entry) const {
  const auto first = point.open.begin() + entry;
  point.cycles += cycles(*first);
  std::copy(first + 1, point.open.begin() + point.opens, first);
  point.open[at(--point.opens)] = {};
}

void PortTimes::hand_on(TimedPoint& point, int entry, const Shared& output, double steps) const {
  const Afterwards& then = afterwards_[at(output.writer.einsum)];
  if (!then.rate || output.reduces < 0) return;
  OpenTime& open = point.open[at(entry)];
  open.cycles =
      std::max(open.cycles, at_rate(then.elements + (steps - 1) * then.rescaled, *then.rate));
}

void PortTimes::tighten(TimedPoint& point, const RunFacts& run, std::size_t extents,
                        std::uint32_t unplaced) const {
  int entry = 0;
  for (int e = run.first; e <= run.last && entry < point.opens; ++e) {
    if ((unplaced & run.bits_of(e)) == 0) continue;
    OpenTime& open = point.open[at(entry++)];
    OpenTime least = open, most = open;
    for (const int b : members(unplaced & run.bits_of(e))) {
      const TensorRef ref = run.tensors[at(b)];
      add_words(most, facts_.load_words(run, extents, ref));
      if (!facts_.may_be_handed_on(ref)) add_words(least, facts_.least_words(ref));
    }
    open.cycles = cycles(least);
    if (cycles(most) <= open.cycles) open.words = {};
  }
}

void PortTimes::join(TimedPoint& before, const TimedPoint& last) {
  join(static_cast<FrontPoint&>(before), last);
  before.cycles += last.cycles;
  for (int i = 0; i < last.opens; ++i) before.open[at(before.opens++)] = last.open[at(i)];
}

void PortTimes::join(FrontPoint& before, const FrontPoint& last) {
  before.room = std::max(before.room, last.room);
  before.pj += last.pj;
}

}  // namespace tilewright::fusion
