#include "certificate/closer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>

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

bool is_tree(ProofStep way) { return way == ProofStep::Tree || way == ProofStep::WideTree; }

// Tables are made when a way first needs them.
class FrameCloser {
 public:
  FrameCloser(const Context& context, const Target& target, const Deadline& deadline,
              SpareRoom& spare, LatticeUse use, std::span<const LeastLink> links)
      : context_(context),
        spare_(spare),
        use_(use),
        target_(target),
        deadline_(deadline),
        bound_(context, links),
        steps_(context),
        shift_(shift()),
        closings_(context, {}, shift_),
        lattice_(context, closings_, static_cast<std::int64_t>(bound_.energy() >> shift_),
                 {limit(bound_.cycles()), limit_inside()}, deadline, &spare, use) {}

  // Trees give up after so many nodes.
  bool closes(ProofStep way, std::int64_t most_nodes) {
    const bool with_ports = way == ProofStep::Ports || way == ProofStep::WideTree;
    if (with_ports && !ports_) {
      ports_ = lattice_.least() < kNever
                   ? port_lattices(context_, bound_, target_, deadline_, spare_, use_)
                   : std::vector<PortLattice>();
    }
    const std::vector<PortLattice> none;
    const std::vector<PortLattice>& ports = with_ports ? *ports_ : none;
    if (way == ProofStep::Lattice || way == ProofStep::Ports) return is_closed(ports);
    Tree tree({context_, bound_, steps_, lattice_, ports, target_}, closings_, deadline_);
    better_ = tree.find_better(most_nodes);
    nodes_ += tree.nodes();
    return !better_ && !tree.gave_up();
  }

  Cost floor() const { return bound_.cost(bound_.energy(), bound_.cycles()); }
  const std::optional<Found>& better() const { return better_; }
  std::int64_t nodes() const { return nodes_; }

 private:
  Int128 needed(Int128 cycles) const { return target_.energy_needed(cycles, bound_.instances()); }
  // Energies in tables are rounded down, the limit up. Without a limit, all that there can be fit.
  int shift() const {
    const Int128 most = context_.terms().energies.most;
    const Int128 limit = needed(bound_.cycles());
    return shift_for(std::max(bound_.energy(), limit == Target::kUnreachable ? most : limit));
  }
  // What mappings may take that need so many cycles.
  std::int64_t limit(Int128 cycles) const {
    const Int128 energy = needed(cycles);
    if (energy == Target::kUnreachable) return kNever;
    const Int128 units =
        (excess(energy, bound_.more_leakage(cycles)) + (Int128{1} << shift_) - 1) >> shift_;
    return static_cast<std::int64_t>(std::min<Int128>(units, kNever));
  }
  std::function<std::int64_t(int, const int*)> limit_inside() const {
    bool any = false;
    for (int m = 0; m < context_.memories(); ++m) any = any || steps_.is_of_use(m);
    if (!any) return {};
    return [this](int memory, const int* extents) {
      if (!steps_.is_of_use(memory)) return limit(bound_.cycles());
      return limit(std::max(bound_.cycles(), steps_.cycles(memory, extents)));
    };
  }

  // Every mapping takes the least energy and the least cycles of each port.
  bool is_closed(const std::vector<PortLattice>& ports) const {
    if (lattice_.least() >= kNever) return true;
    Int128 cycles = bound_.cycles();
    for (const PortLattice& port : ports) {
      if (port.lattice.least() >= kNever) return true;
      cycles = std::max(cycles, port.cycles(context_, bound_, port.words(port.lattice.least())));
    }
    return target_.is_reached_by(bound_.cost(lattice_.energy(lattice_.least()), cycles));
  }

  const Context& context_;
  SpareRoom& spare_;
  LatticeUse use_;
  const Target& target_;
  const Deadline& deadline_;
  FrameBound bound_;
  StepBound steps_;
  int shift_;
  Closings closings_;
  Lattice lattice_;
  std::optional<std::vector<PortLattice>> ports_;
  std::optional<Found> better_;
  std::int64_t nodes_ = 0;
};

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
  constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();
  if (how == ProofStep::Floor) return is_closed_by_floor(cell);
  const std::array<Attempt, 1> only = {{{how, kAnyNumber}}};
  return close_frame(cell, only).has_value();
}

std::optional<ProofStep> Closer::close(const Cell& cell) {
  constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kVeryFew = 50;
  constexpr std::int64_t kFew = 20'000;
  if (is_closed_by_floor(cell)) return ProofStep::Floor;
  if (!cover_.is_frame(cell)) return std::nullopt;
  std::vector<Attempt> attempts = {{ProofStep::Lattice, 0}};
  if (cover_.chains().can_be_refined()) {
    attempts.push_back({ProofStep::Tree, kVeryFew});
    attempts.push_back({ProofStep::Refined, 0});
  }
  // What ports carry is worth knowing where the search takes longer than finding it out. A systolic
  // array is like one more port.
  if (terms_.ported != 0 || terms_.stationary) {
    attempts.push_back({ProofStep::Tree, kFew});
    attempts.push_back({ProofStep::Ports, 0});
    attempts.push_back({ProofStep::WideTree, kAnyNumber});
  } else {
    attempts.push_back({ProofStep::Tree, kAnyNumber});
  }
  return close_frame(cell, attempts);
}

bool Closer::is_closed_by_floor(const Cell& cell) {
  deadline_.check();
  const std::optional<Cost> floor = floors_.floor(cover_, cell);
  const auto is_open = [&](const std::optional<Cost>& known) {
    return known && !target_.is_reached_by(*known);
  };
  if (is_open(floor)) {
    open_floor_ = *floor;
    if (!floors_.is_higher_with_tiles() || is_open(floors_.floor_with_tiles(cover_, cell))) {
      return false;
    }
  }
  ++statistics_.by_floor;
  return true;
}

std::optional<ProofStep> Closer::close_frame(const Cell& cell, std::span<const Attempt> attempts) {
  const Unrolling unrolling = cover_.unrolling(cell);
  const Placement placement = cover_.placement(cell);
  std::unique_lock<std::mutex> alone(*one_at_a_time_, std::defer_lock);
  const bool searched = std::any_of(attempts.begin(), attempts.end(),
                                    [](const Attempt& attempt) { return is_tree(attempt.way); });
  std::optional<Context> context;
  std::optional<FrameCloser> frame;
  for (const Attempt& attempt : attempts) {
    if (attempt.way == ProofStep::Refined) {
      if (!is_closed_refined(unrolling, placement)) continue;
      ++statistics_.by_lattice;
      return attempt.way;
    }
    if (!frame) {
      context.emplace(terms_, rules_, placement, unrolling, cover_.chains().all(unrolling).value());
      if (is_large(*context)) alone.lock();
      frame.emplace(*context, target_, deadline_, spare_,
                    searched ? LatticeUse::Inside : LatticeUse::LeastAlone,
                    floors_.links_of(cell, *context));
      open_floor_ = frame->floor();
    }
    const bool closed = frame->closes(attempt.way, attempt.most_nodes);
    better_ = frame->better();
    if (better_) return std::nullopt;
    if (!closed) continue;
    ++(is_tree(attempt.way) ? statistics_.by_tree : statistics_.by_lattice);
    statistics_.nodes += frame->nodes();
    return attempt.way;
  }
  return std::nullopt;
}

bool Closer::is_closed_refined(const Unrolling& unrolling, const Placement& placement) {
  open_floor_ = {};
  auto chains = cover_.chains().refined(unrolling);
  if (!chains) return false;
  const Context context(terms_, rules_, placement, unrolling, std::move(*chains));
  FrameCloser frame(context, target_, deadline_, spare_, LatticeUse::LeastAlone,
                    least_links(context));
  open_floor_ = frame.floor();
  return frame.closes(ProofStep::Lattice, 0) || frame.closes(ProofStep::Ports, 0);
}

Closers::Closers(const Closer& closer, int threads)
    : pool_(std::max(threads, 1)), own_(at(pool_.workers()), closer) {}

std::optional<std::size_t> Closers::for_each(
    std::size_t count, bool large, const std::function<bool(Closer&, std::size_t)>& close) {
  std::vector<std::size_t> failed_at(own_.size(), count);  // by worker
  const auto failed = pool_.parallel_for(count,
                                         [&](int worker, std::size_t number) {
                                           if (close(own_[at(worker)], number)) return true;
                                           failed_at[at(worker)] = number;
                                           return false;
                                         },
                                         {.alone = std::chrono::milliseconds(large ? 0 : 2)});
  for (std::size_t w = 0; failed && w < own_.size(); ++w) {
    if (failed_at[w] == *failed) failed_ = w;
  }
  return failed;
}

Statistics& Statistics::operator+=(const Statistics& more) {
  by_floor += more.by_floor;
  by_lattice += more.by_lattice;
  by_tree += more.by_tree;
  nodes += more.nodes;
  return *this;
}

Statistics Closers::statistics() const {
  Statistics sum;
  for (const Closer& closer : own_) {
    sum += closer.statistics();
  }
  return sum;
}

}  // namespace tilewright::certificate
