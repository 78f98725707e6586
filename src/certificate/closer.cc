#include "certificate/closer.h"

#include <algorithm>
#include <mutex>

#include "base/thread_pool.h"
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

Closer::Closer(const Terms& terms, const Rules& rules, const Target& target)
    : terms_(terms),
      rules_(rules),
      target_(target),
      lists_(std::make_shared<const Lists>(
          Lists{all_placements(*terms.problem, rules), FrameList(*terms.problem, rules)})) {
  statistics_.placements = static_cast<std::int64_t>(placements().size());
}

void Closer::forget() {
  statistics_ = {};
  better_.reset();
}

void Closer::add(const Statistics& more) {
  statistics_.frames += more.frames;
  statistics_.by_floor += more.by_floor;
  statistics_.by_lattice += more.by_lattice;
  statistics_.by_tree += more.by_tree;
  statistics_.nodes += more.nodes;
}

void Closer::take_failure(const Closer& other) {
  open_floor_ = other.open_floor_;
  better_ = other.better_;
}

bool Closer::closes(std::size_t placement, std::size_t frame, Closed how) {
  return close_up_to(placement, frame, how, how).has_value();
}

std::optional<Closed> Closer::close(std::size_t placement, std::size_t frame) {
  return close_up_to(placement, frame, Closed::ByFloor, Closed::ByTree);
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

std::optional<Closed> Closer::close_up_to(std::size_t placement, std::size_t frame, Closed first,
                                          Closed last) {
  ++statistics_.frames;
  const Context context(terms_, rules_, placements()[placement], lists_->frames.unrolling(frame),
                        lists_->frames.chains(frame));
  const FrameBound bound(context);
  open_floor_ = bound.cost(bound.energy(), bound.cycles());
  const Int128 needed = target_.energy_needed(bound.cycles(), bound.instances());
  if (first == Closed::ByFloor && bound.energy() >= needed) {
    ++statistics_.by_floor;
    return Closed::ByFloor;
  }
  if (last == Closed::ByFloor) return std::nullopt;
  std::unique_lock<std::mutex> alone(*one_at_a_time_, std::defer_lock);
  if (is_large(context)) alone.lock();
  // Energies in tables are rounded down, the limit up.
  const int shift =
      shift_for(std::max(bound.energy(), needed == Target::kUnreachable ? Int128{0} : needed));
  Closings closings(context, {}, shift);
  const Int128 limit = (needed + (Int128{1} << shift) - 1) >> shift;
  const Lattice lattice(context, closings, static_cast<std::int64_t>(bound.energy() >> shift),
                        static_cast<std::int64_t>(std::min<Int128>(limit, kNever)));
  std::vector<PortLattice> ports;
  if (lattice.least() < kNever) ports = port_lattices(context, bound, target_);
  if (are_closed(bound, lattice, ports)) {
    ++statistics_.by_lattice;
    return Closed::ByLattice;
  }
  if (last == Closed::ByLattice) return std::nullopt;
  Tree tree(context, bound, lattice, ports, closings, target_);
  better_ = tree.find_better();
  statistics_.nodes += tree.nodes();
  if (better_) return std::nullopt;
  ++statistics_.by_tree;
  return Closed::ByTree;
}

std::optional<std::size_t> for_each_frame(Closer& closer, int threads,
                                          const std::function<bool(Closer&, std::size_t)>& close) {
  const std::size_t all = closer.placements().size() * closer.frames();
  ThreadPool pool(static_cast<int>(std::min(all, at(std::max(threads, 1)))));
  Closer fresh = closer;
  fresh.forget();
  std::vector<Closer> own(at(pool.workers()), fresh);
  std::vector<std::size_t> failed_at(own.size(), all);  // by worker
  const auto failed = pool.parallel_for(all, [&](int worker, std::size_t number) {
    if (close(own[at(worker)], number)) return true;
    failed_at[at(worker)] = number;
    return false;
  });
  for (std::size_t w = 0; w < own.size(); ++w) {
    closer.add(own[w].statistics());
    if (failed && failed_at[w] == *failed) closer.take_failure(own[w]);
  }
  return failed;
}

}  // namespace tilewright::certificate
