#include "certificate/closer.h"

#include <algorithm>

#include "certificate/tree.h"

namespace tilewright::certificate {

namespace {

// Whether the tables of a frame are so large that threads take turns in making them.
bool is_large(const Context& context) {
  constexpr double kLargeGrid = 1 << 21;
  double volume = 1;
  for (int d = 0; d < context.dims(); ++d) {
    volume *= static_cast<double>(context.chain(d).classes.size());
  }
  return volume > kLargeGrid;
}

// Energies in tables are in units of 2^shift, such that the largest fits.
int shift_for(Int128 largest) {
  int shift = 0;
  while ((largest >> shift) >= kNever / 2) ++shift;
  return shift;
}

}  // namespace

Closer::Closer(const Terms& terms, const Rules& rules, const Target& target,
               const Deadline& deadline)
    : terms_(terms),
      rules_(rules),
      target_(target),
      deadline_(deadline),
      cover_(*terms.problem, rules),
      floors_(terms, rules) {}

bool Closer::closes(const Cell& cell, ProofStep how) {
  return close_by(cell, how, how).has_value();
}

std::optional<ProofStep> Closer::close(const Cell& cell) {
  return close_by(cell, ProofStep::Floor,
                  cover_.is_frame(cell) ? ProofStep::Tree : ProofStep::Floor);
}

std::optional<ProofStep> Closer::close_by(const Cell& cell, ProofStep first, ProofStep last) {
  deadline_.check();
  if (first == ProofStep::Floor) {
    const std::optional<Cost> floor = floors_.floor(cover_, cell);
    if (floor) open_floor_ = *floor;
    if (!floor || target_.is_reached_by(*floor)) {
      ++statistics_.by_floor;
      return ProofStep::Floor;
    }
  }
  return last == ProofStep::Floor ? std::nullopt : close_frame(cell, last);
}

// Every mapping takes the least energy and the least cycles of each port.
bool Closer::are_closed(const FrameBound& bound, const Lattice& lattice,
                        const std::vector<PortLattice>& ports) const {
  if (lattice.least() >= kNever) return true;
  std::int64_t cycles = bound.cycles();
  for (const PortLattice& port : ports) {
    if (port.lattice.least() >= kNever) return true;
    cycles = std::max(cycles, cycles_for(port.lattice.least(), port.bandwidth));
  }
  return target_.is_reached_by(bound.cost(lattice.energy(lattice.least()), cycles));
}

std::optional<ProofStep> Closer::close_frame(const Cell& cell, ProofStep last) {
  const Unrolling unrolling = cover_.unrolling(cell);
  const Placement placement = cover_.placement(cell);
  const Context context(terms_, rules_, placement, unrolling,
                        cover_.chains().all(unrolling).value());
  const FrameBound bound(context);
  open_floor_ = bound.cost(bound.energy(), bound.cycles());
  const Int128 needed = target_.energy_needed(bound.cycles(), bound.instances());
  std::unique_lock<std::mutex> alone(*one_at_a_time_, std::defer_lock);
  if (is_large(context)) alone.lock();
  // Energies in tables are rounded down, the limit up.
  const int shift =
      shift_for(std::max(bound.energy(), needed == Target::kUnreachable ? Int128{0} : needed));
  Closings closings(context, {}, shift);
  const Int128 limit = (needed + (Int128{1} << shift) - 1) >> shift;
  const Lattice lattice(context, closings, static_cast<std::int64_t>(bound.energy() >> shift),
                        static_cast<std::int64_t>(std::min<Int128>(limit, kNever)), deadline_);
  std::vector<PortLattice> ports;
  if (lattice.least() < kNever) ports = port_lattices(context, bound, target_, deadline_);
  if (are_closed(bound, lattice, ports)) {
    ++statistics_.by_lattice;
    return ProofStep::Lattice;
  }
  if (last == ProofStep::Lattice) return std::nullopt;
  Tree tree(context, bound, lattice, ports, closings, target_, deadline_);
  better_ = tree.find_better();
  statistics_.nodes += tree.nodes();
  if (better_) return std::nullopt;
  ++statistics_.by_tree;
  return ProofStep::Tree;
}

Closers::Closers(const Closer& closer, int threads)
    : pool_(std::max(threads, 1)), own_(at(pool_.workers()), closer) {}

std::optional<std::size_t> Closers::for_each(
    std::size_t count, const std::function<bool(Closer&, std::size_t)>& close) {
  std::vector<std::size_t> failed_at(own_.size(), count);  // by worker
  const auto failed = pool_.parallel_for(count, [&](int worker, std::size_t number) {
    if (close(own_[at(worker)], number)) return true;
    failed_at[at(worker)] = number;
    return false;
  });
  for (std::size_t w = 0; failed && w < own_.size(); ++w) {
    if (failed_at[w] == *failed) failed_ = w;
  }
  return failed;
}

Statistics Closers::statistics() const {
  Statistics sum;
  for (const Closer& closer : own_) {
    sum.by_floor += closer.statistics().by_floor;
    sum.by_lattice += closer.statistics().by_lattice;
    sum.by_tree += closer.statistics().by_tree;
    sum.nodes += closer.statistics().nodes;
  }
  return sum;
}

}  // namespace tilewright::certificate
