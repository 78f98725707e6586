#include "model/screen.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/bits.h"
#include "base/search_objective.h"
#include "model/counts.h"
#include "model/link_plan.h"

namespace tilewright {

using model::PlainRoom;
using model::PlannedLink;

namespace {

// Sums of energies are lower bounds up to how they are rounded, and scores that agree in twelve
// digits are equal.
constexpr double kMargin = 1e-9;

}  // namespace

// What follows from the chain of a dimension are two rows of numbers, with a column for each
// memory and more behind them.
struct Screen::State {
  explicit State(std::shared_ptr<const model::Compiled> compiled);

  // Rows of whole numbers: the extents of tiles; steps in time; memories with a loop, as bits.
  int steps_column() const { return c.memories; }
  int loops_column() const { return c.memories + 1; }
  std::size_t count_width() const { return at(c.memories) + 2; }
  // Rows of factors: the bounds of memories, iterations of those outside each, branches of each
  // fan-out.
  int outside_column() const { return c.memories; }
  int branches_column() const { return 2 * c.memories; }
  std::size_t factor_width() const { return at(2 * c.memories + c.fanouts); }

  std::int64_t count(int dim, int column) const { return counts_of[at(dim)][column]; }
  double factor(int dim, int column) const { return factors_of[at(dim)][column]; }
  double product(int column, std::uint32_t dims) const;

  void add_counts(int dim, const Chain& bounds);
  void add_factors(int dim, const Chain& bounds);
  void follow(const Mapping& keeping);
  void take(const Numbers& chains);
  bool fits();
  bool has_room(int memory);
  std::int64_t tile_words(int memory, const FlatTensor& tensor) const;
  std::int64_t steps() const;
  double cycles_at_least() const;

  double energy_at_least(double cycles);
  double energy_at_least(const PlannedLink& link) const;
  double words_at_least(const PlannedLink& link) const;
  double requests_at_least(const PlannedLink& link) const;
  double output_held(int tensor, int memory) const;
  void make_links();
  double least_energy_of(const PlannedLink& link) const;
  double least_words(const FlatTensor& tensor) const;
  double price(const std::array<double, kMaxTensors>& each, int memory, int tensor) const;
  bool beats(const Least& least) const;

  std::shared_ptr<const model::Compiled> shared;
  const model::Compiled& c;
  model::LinkPlan plan;
  std::array<std::vector<std::int64_t>, kMaxDims> counts;
  std::array<std::vector<double>, kMaxDims> factors;
  bool all_perfect = true;
  std::uint32_t all_dims;

  Objective objective = Objective::Edp;
  double bar = std::numeric_limits<double>::infinity();  // of what cannot be better

  bool followed = false;
  bool known = false;  // whether anything can be said of what is kept
  std::array<std::uint32_t, kMaxMemories> kept{};
  double least_energy_pj = 0;  // whatever the chains are
  struct BoundedLink : PlannedLink {
    double least_pj;
  };
  std::array<BoundedLink, std::size_t{kMaxMemories} * kMaxTensors> links{};
  int link_count = 0;

  std::array<const std::int64_t*, kMaxDims> counts_of{};
  std::array<const double*, kMaxDims> factors_of{};
  model::PerMemoryTensor<std::int64_t> tiles{};
  std::array<double, kMaxFanouts + 1> instances{1};  // below the first fan-outs
  Verdict verdict;
};

Screen::State::State(std::shared_ptr<const model::Compiled> compiled)
    : shared(std::move(compiled)), c(*shared), plan(c), all_dims((1U << c.dims) - 1) {}

Screen::Screen(const Scorer& scorer) : state_(std::make_unique<State>(scorer.compiled())) {}
Screen::~Screen() = default;
Screen::Screen(Screen&&) noexcept = default;

const Verdict& Screen::verdict() const { return state_->verdict; }

void Screen::add_chain(int dim, const Chain& bounds) {
  state_->add_counts(dim, bounds);
  state_->add_factors(dim, bounds);
}

void Screen::State::add_counts(int dim, const Chain& bounds) {
  std::vector<std::int64_t>& rows = counts[at(dim)];
  rows.resize(rows.size() + count_width(), 0);
  std::int64_t* row = rows.data() + rows.size() - count_width();
  row[steps_column()] = 1;
  std::int64_t extent = 1;
  for (int slot = c.slots; slot-- > 0;) {
    extent *= bounds[at(slot)];
    const int memory = c.memory_at[at(slot)];
    if (memory < 0) continue;
    row[memory] = extent;
    row[steps_column()] *= bounds[at(slot)];
    if (bounds[at(slot)] > 1) row[loops_column()] |= std::int64_t{1} << memory;
  }
  if (extent != c.size[at(dim)]) all_perfect = false;
}

void Screen::State::add_factors(int dim, const Chain& bounds) {
  std::vector<double>& rows = factors[at(dim)];
  rows.resize(rows.size() + factor_width(), 1);
  double* row = rows.data() + rows.size() - factor_width();
  double steps = 1;
  int fanout = 0;
  for (int slot = 0; slot < c.slots; ++slot) {
    const auto bound = static_cast<double>(bounds[at(slot)]);
    if (const int memory = c.memory_at[at(slot)]; memory >= 0) {
      row[memory] = bound;
      row[outside_column() + memory] = steps;
      steps *= bound;
      continue;
    }
    while (c.fanout[at(fanout)].slot + 1 < slot) ++fanout;  // its two axes are neighbours
    row[branches_column() + fanout] *= bound;
  }
}

void Screen::set_bar(Objective objective, const std::optional<Score>& score) {
  state_->objective = objective;
  state_->bar = score && can_be_bounded(objective) ? value_of(objective, *score) * (1 + kMargin)
                                                   : std::numeric_limits<double>::infinity();
}

Screen::Finding Screen::judge(const Numbers& chains, const Mapping& keeping) {
  State& s = *state_;
  if (!s.all_perfect) return Finding::Open;
  s.follow(keeping);
  if (!s.known) return Finding::Open;
  s.take(chains);
  if (!s.fits()) return Finding::Misfit;
  // What it takes least to know is asked first.
  const double cycles = s.cycles_at_least();
  if (!s.beats({s.least_energy_pj, cycles})) return Finding::Beaten;
  if (s.objective.energy == 0 || s.bar == std::numeric_limits<double>::infinity()) {
    return Finding::Open;
  }
  return s.beats({s.energy_at_least(cycles), cycles}) ? Finding::Open : Finding::Beaten;
}

Screen::Least Screen::least() const {
  return {state_->energy_at_least(0), state_->cycles_at_least()};
}

bool Screen::State::beats(const Least& least) const {
  double value = 1;
  for (int i = 0; i < objective.energy; ++i) value *= least.energy_pj;
  for (int i = 0; i < objective.cycles; ++i) value *= least.cycles;
  return value <= bar;
}

// --- what fits ----------------------------------------------------------------------------

void Screen::State::take(const Numbers& chains) {
  for (int d = 0; d < c.dims; ++d) {
    counts_of[at(d)] = counts[at(d)].data() + chains[at(d)] * count_width();
    factors_of[at(d)] = factors[at(d)].data() + chains[at(d)] * factor_width();
  }
}

bool Screen::State::fits() {
  for (int m = c.memories; m-- > 0;) {
    const bool bounded = c.memory[at(m)].room.bounded;
    if (m == 0 && !bounded) return true;  // nothing fills it
    for (const int t : members(kept[at(m)])) {
      tiles[at(m)][at(t)] = tile_words(m, c.tensor[at(t)]);
    }
    if (bounded && !has_room(m)) return false;
  }
  return true;
}

std::int64_t Screen::State::tile_words(int memory, const FlatTensor& tensor) const {
  std::int64_t words = 1;
  for (const int dim : members(tensor.alone)) words *= count(dim, memory);
  for (const Window& window : tensor.windows) {
    if (window.is_unit_pair()) {
      words *= count(window.dim(0), memory) + count(window.dim(1), memory) - 1;
      continue;
    }
    Extents own{};
    for (int i = 0; i < window.dim_count(); ++i) own[at(i)] = count(window.dim(i), memory);
    words *= window.size(own);
  }
  return words;
}

// Whether the tiles that a memory keeps have room in the capacity that they share.
bool Screen::State::has_room(int memory) {
  const PlainRoom& room = c.rooms[at(memory)];
  Int128 sum = 0;
  for (const int t : members(kept[at(memory)])) {
    sum += static_cast<Int128>(tiles[at(memory)][at(t)]) * room.unit[at(t)];
  }
  if (sum <= room.amount) return true;
  check_room(
      c.memory[at(memory)].room, kept[at(memory)],
      [&](int tensor) { return tiles[at(memory)][at(tensor)]; },
      [&](const Overflow& overflow) {
        verdict = {Verdict::Kind::CapacityExceeded,
                   c.memory[at(memory)].level,
                   overflow.tensor,
                   {},
                   overflow.needed,
                   overflow.available};
      });
  return false;
}

std::int64_t Screen::State::steps() const {
  std::int64_t all = 1;
  for (int d = 0; d < c.dims; ++d) all *= count(d, steps_column());
  return all;
}

double Screen::State::cycles_at_least() const {
  return static_cast<double>(model::cycles_of_steps(c, steps()));
}

// --- what is moved ------------------------------------------------------------------------

double Screen::State::product(int column, std::uint32_t dims) const {
  double all = 1;
  for (const int dim : members(dims)) all *= factor(dim, column);
  return all;
}

// As much of it as shows that it is too much in so many cycles.
double Screen::State::energy_at_least(double cycles) {
  for (int f = 0; f < c.fanouts; ++f) {
    instances[at(f) + 1] = instances[at(f)] * product(branches_column() + f, all_dims);
  }
  double energy = least_energy_pj;
  for (int i = 0; i < link_count; ++i) {
    const BoundedLink& link = links[at(i)];
    energy += std::max(0.0, energy_at_least(link) - link.least_pj);
    if (cycles > 0 && !beats({energy, cycles})) break;
  }
  return energy;
}

// Accesses of several words at once take whole ones, so a word takes its share at least.
double Screen::State::price(const std::array<double, kMaxTensors>& each, int memory,
                            int tensor) const {
  return each[at(tensor)] / static_cast<double>(c.memory[at(memory)].block);
}

double Screen::State::energy_at_least(const PlannedLink& link) const {
  const int t = link.tensor;
  const double words = words_at_least(link);
  const double parents = instances[at(link.first_fanout)];
  const double children = instances[at(link.end_fanout)];
  double served = words * requests_at_least(link) * parents;
  double entering = words * children;
  const FlatPrices& outer = c.prices[at(link.parent)];
  double energy = 0;
  if (link.output) {
    energy = served * price(outer.update_pj, link.parent, t);
    if (link.in_place) return energy;
    if (!c.reads_first_sums) {
      served = std::max(0.0, served - parents * output_held(t, link.parent));
      if (!link.to_compute) {
        entering = std::max(0.0, entering - children * output_held(t, link.child));
      }
    }
  }
  energy += served * price(outer.read_pj, link.parent, t);
  if (link.to_compute) return energy;
  return energy + entering * price(c.prices[at(link.child)].write_pj, link.child, t);
}

// The tile of a link's child changes in all loops of the memories outside the innermost one that
// has a loop over the tensor, and in that one's loops over dimensions that act alone. Others may
// stand inside these, or move a window over what it holds already.
double Screen::State::words_at_least(const PlannedLink& link) const {
  if (link.to_compute) return static_cast<double>(steps());
  const FlatTensor& tensor = c.tensor[at(link.tensor)];
  const auto tile = static_cast<double>(tiles[at(link.child)][at(link.tensor)]);
  std::uint64_t loops = 0;
  for (const int dim : members(tensor.relevant)) {
    loops |= static_cast<std::uint64_t>(count(dim, loops_column()));
  }
  loops &= (std::uint64_t{1} << link.child) - 1;
  if (loops == 0) return tile;
  const int moving = static_cast<int>(std::bit_width(loops)) - 1;
  return tile * product(moving, tensor.alone) * product(outside_column() + moving, all_dims);
}

// Requests of the branches of a link's fan-outs, those that are the same merged where they can
// be. Branches over several dimensions of a window start at as many places at least as those
// over one of them.
double Screen::State::requests_at_least(const PlannedLink& link) const {
  const FlatTensor& tensor = c.tensor[at(link.tensor)];
  double requests = 1;
  for (int f = link.first_fanout; f < link.end_fanout; ++f) {
    const FlatFanout& fanout = c.fanout[at(f)];
    const bool merge = tensor.output ? fanout.reduction : fanout.multicast;
    requests *= product(branches_column() + f, merge ? tensor.alone : all_dims);
    if (!merge) continue;
    for (const Window& window : tensor.windows) {
      double most = 1;
      for (const int dim : members(window.dim_bits())) {
        most = std::max(most, factor(dim, branches_column() + f));
      }
      requests *= most;
    }
  }
  return requests;
}

// What an instance of a memory ever holds of an output.
double Screen::State::output_held(int tensor, int memory) const {
  double parts = 1;
  for (int f = 0; f < c.memory[at(memory)].fanouts_outside; ++f) {
    parts *= product(branches_column() + f, c.tensor[at(tensor)].relevant);
  }
  return static_cast<double>(c.whole[at(tensor)]) / parts;
}

// --- what memories keep -------------------------------------------------------------------

void Screen::State::follow(const Mapping& keeping) {
  bool same = followed;
  for (int m = 0; m < c.memories; ++m) {
    same = same && kept[at(m)] == keeping.kept(MemoryId{m});
    kept[at(m)] = keeping.kept(MemoryId{m});
  }
  if (same) return;
  followed = true;
  plan.follow(keeping);
  known = c.may_count_simply() && plan.is_simple();
  for (int m = 0; m < c.memories; ++m) {
    if (!c.memory[at(m)].room.bounded) continue;
    known = known && c.rooms[at(m)].plain && plan.homes(m) == 0;
  }
  if (known) make_links();
}

// Links of memories whose accesses take most come first: they show soonest that energy is too
// much.
void Screen::State::make_links() {
  link_count = 0;
  least_energy_pj = static_cast<double>(static_cast<std::int64_t>(c.macs)) * c.mac_pj;
  for (const PlannedLink& link : plan.links()) {
    links[at(link_count++)] = {link, least_energy_of(link)};
    least_energy_pj += links[at(link_count - 1)].least_pj;
  }
  std::sort(links.begin(), links.begin() + link_count,
            [&](const BoundedLink& a, const BoundedLink& b) {
              return c.prices[at(a.parent)].read_pj[at(a.tensor)] >
                     c.prices[at(b.parent)].read_pj[at(b.tensor)];
            });
}

// Boxes around windows have holes, which are not moved where tiles are small.
double Screen::State::least_words(const FlatTensor& tensor) const {
  if (!c.bounding_boxes) return static_cast<double>(tensor.words(c.size));
  double words = 1;
  for (const int dim : members(tensor.alone)) words *= static_cast<double>(c.size[at(dim)]);
  return words;
}

// Whatever the chains are, every element of a tensor goes through each link once at least, and
// where no fan-out is in between, a word to the multipliers in every step.
double Screen::State::least_energy_of(const PlannedLink& link) const {
  const FlatPrices& prices = c.prices[at(link.parent)];
  const bool every_step = link.to_compute && link.first_fanout == link.end_fanout;
  const double words = every_step ? static_cast<double>(static_cast<std::int64_t>(c.macs))
                                  : least_words(c.tensor[at(link.tensor)]);
  return words * price(link.output ? prices.update_pj : prices.read_pj, link.parent, link.tensor);
}

}  // namespace tilewright
