#include <algorithm>
#include <bit>
#include <cmath>

#include "mapspace/flat_space.h"
#include "mapspace/tables.h"

namespace tilewright {

namespace mapspace {

namespace {

// Chains that a dimension may have to be listed one by one.
constexpr std::uint64_t kMostListed = 1U << 14U;

// A large number over a power of two that is the same for all weights of a
// choice: a double with all its 53 bits, and no overflow.
double scaled(const BigUint& number, int bits) {
  const int shift = std::max(0, number.bit_count() - 64);
  return std::ldexp(static_cast<double>(number.high_bits(shift)), shift - bits);
}

// Picks one of several with given weights by a single random number: the cumulated weights, scaled
// to 2^64. What is picked stands beside its weight, for what takes time here is to fetch it.
template <typename Item>
class Choice {
 public:
  Choice() = default;
  // As many weights as items, at least one.
  Choice(const std::vector<Item>& items, const std::vector<double>& weights) {
    double total = 0;
    for (const double weight : weights) total += weight;
    double sum = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      sum += weights[i];
      // Below 2^64 even where rounding has brought the sum up to the total. The last takes what
      // is left.
      const double below = std::min(std::ldexp(sum / total, 64), 0x1.fffffffffffffp63);
      entries_.push_back({static_cast<std::uint64_t>(below), items[i]});
    }
    make_guide();
  }

  bool is_made() const { return !entries_.empty(); }

  const Item& draw(Rng& rng) const {
    if (entries_.size() == 1) return entries_.front().item;
    const std::uint64_t drawn = rng.next();
    const Entry* entry = entries_.data() + guide_[drawn >> guide_shift_];
    const Entry* const last = &entries_.back();
    while (entry < last && entry->below <= drawn) ++entry;
    return entry->item;
  }

 private:
  struct Entry {
    std::uint64_t below = 0;
    Item item;
  };

  // The numbers fall into parts of equal size, one or two for each entry; the guide says where
  // in each part to begin to look.
  void make_guide() {
    const auto bits = static_cast<unsigned>(std::bit_width(entries_.size()));
    guide_shift_ = 64 - bits;
    std::uint32_t first = 0;
    for (std::uint64_t part = 0; part >> bits == 0; ++part) {
      while (first + 1 < entries_.size() && entries_[first].below <= part << guide_shift_) ++first;
      guide_.push_back(first);
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> guide_;
  unsigned guide_shift_ = 63;
};

// The chains of a class stand one behind the other in the list of its dimension.
struct ListedClass {
  std::uint32_t first = 0;
  std::uint64_t count = 0;
};

// How many loops each memory has to order, a few bits for each: the counts of the dimensions
// add up all at once.
constexpr unsigned kLoopBits = 5;
static_assert(kMaxMemories * kLoopBits <= 64 && kMaxDims < 1U << kLoopBits);

int loops_of(std::uint64_t loops, std::size_t plan) {
  return static_cast<int>(loops >> (plan * kLoopBits) & ((1U << kLoopBits) - 1));
}

}  // namespace

class SamplerTables {
 public:
  SamplerTables(const MapSpace& space, std::shared_ptr<const Tables> tables)
      : tables_(std::move(tables)),
        mapping_(space.problem()),
        may_bypass_(tables_->bypasses > BigUint(1)) {
    write_kept(*tables_, [](std::uint64_t) { return std::uint64_t{0}; }, mapping_);
    for (const Stage& stage : tables_->stages) add_stage(stage);
    for (const StateSet& set : tables_->sets) {
      choices_.emplace_back(set.states.size());
      int bits = 0;
      for (const BigUint& ways : set.ways) bits = std::max(bits, ways.bit_count());
      std::vector<double> scaled_ways;
      for (const BigUint& ways : set.ways) scaled_ways.push_back(scaled(ways, bits));
      ways_.push_back(std::move(scaled_ways));
    }
  }

  void draw(Rng& rng) {
    int state = 0;
    loops_ = 0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const Taken taken = choice_of(i, state).draw(rng);
      draw_chain(stages_[i], static_cast<std::size_t>(taken.a_class), rng);
      state = taken.behind;
    }
    if (may_bypass_) {
      write_kept(
          *tables_, [&](std::uint64_t choices) { return choices == 1 ? 0 : rng.below(choices); },
          mapping_);
    }
    if (!all_listed_) write_bounds();
    for (std::size_t p = 0; p < tables_->plans.size(); ++p) {
      const int loops = all_listed_ ? loops_of(loops_, p) : free_loops(tables_->plans[p], mapping_);
      orders_[p] = loops < 2 ? 0 : rng.below(factorial(loops));
    }
  }

  const Mapping& written() {
    if (all_listed_) write_bounds();
    for (std::size_t p = 0; p < tables_->plans.size(); ++p) {
      write_order(tables_->plans[p], orders_[p], mapping_);
    }
    return mapping_;
  }

  bool all_listed() const { return all_listed_; }
  const Mapping& mapping() const { return mapping_; }
  const std::array<std::uint32_t, kMaxDims>& chains() const { return chains_; }

  std::vector<Chain> list_of(DimId dim) const {
    for (const SampledStage& sampled : stages_) {
      if (sampled.stage->dim == dim) return chains_of(sampled);
    }
    return {};
  }

 private:
  // A class that may be taken in a state, and where it leads.
  struct Taken {
    int a_class = 0, behind = 0;
  };
  struct SampledStage {
    const Stage* stage = nullptr;
    std::size_t dim = 0;
    std::vector<double> counts;                      // per class, scaled
    std::vector<ListedClass> listed;                 // per class, if few enough
    std::vector<std::int64_t> bounds;                // of all listed chains
    std::vector<std::uint64_t> loops;                // per listed chain
    std::vector<Choice<int>> ends;                   // per class
    std::vector<std::vector<Choice<InEdge>>> nodes;  // [step][node]
  };

  void add_stage(const Stage& stage) {
    SampledStage sampled;
    sampled.stage = &stage;
    sampled.dim = at(stage.dim);
    const BigUint total = stage.chains.total();
    for (const ChainClass& a_class : stage.chains.classes()) {
      sampled.counts.push_back(scaled(a_class.count, total.bit_count()));
    }
    if (total <= BigUint(kMostListed)) {
      list_chains(sampled);
    } else {
      all_listed_ = false;
      sampled.ends.resize(stage.chains.classes().size());
      for (int k = 0; k <= static_cast<int>(stage.chains.slots().size()); ++k) {
        sampled.nodes.emplace_back(static_cast<std::size_t>(stage.chains.node_count(k)));
      }
    }
    stages_.push_back(std::move(sampled));
  }

  void list_chains(SampledStage& sampled) const {
    const Chains& chains = sampled.stage->chains;
    const std::vector<ChainSlot>& slots = chains.slots();
    for (const ChainClass& a_class : chains.classes()) {
      const std::uint64_t count = *a_class.count.small();
      sampled.listed.push_back({static_cast<std::uint32_t>(sampled.loops.size()), count});
      sampled.loops.resize(sampled.loops.size() + count, 0);
      append(sampled.bounds, chains.list_chains(a_class));
    }
    for (std::size_t row = 0; row < sampled.loops.size(); ++row) {
      const std::int64_t* bounds = sampled.bounds.data() + row * slots.size();
      for (std::size_t k = 0; k < slots.size(); ++k) {
        if (bounds[k] > 1) sampled.loops[row] += loop_at(slots[k].slot, sampled.stage->dim);
      }
    }
  }

  // What a loop adds to the counts of those to be ordered.
  std::uint64_t loop_at(int slot, DimId dim) const {
    for (std::size_t p = 0; p < tables_->plans.size(); ++p) {
      const OrderPlan& plan = tables_->plans[p];
      if (plan.slot == slot && contains(plan.free, dim)) {
        return std::uint64_t{1} << (p * kLoopBits);
      }
    }
    return 0;
  }

  static std::vector<Chain> chains_of(const SampledStage& sampled) {
    const std::vector<ChainSlot>& slots = sampled.stage->chains.slots();
    std::vector<Chain> chains(sampled.loops.size());
    for (std::size_t row = 0; row < chains.size(); ++row) {
      chains[row].fill(1);
      for (std::size_t k = 0; k < slots.size(); ++k) {
        chains[row][at(slots[k].slot)] = sampled.bounds[row * slots.size() + k];
      }
    }
    return chains;
  }

  void write_bounds() {
    for (const SampledStage& sampled : stages_) {
      const std::vector<ChainSlot>& slots = sampled.stage->chains.slots();
      if (sampled.listed.empty() || slots.empty()) continue;
      const DimId dim = sampled.stage->dim;
      const std::int64_t* bounds = sampled.bounds.data() + chains_[at(dim)] * slots.size();
      for (std::size_t k = 0; k < slots.size(); ++k) {
        mapping_.set_bound(slots[k].slot, dim, bounds[k]);
      }
    }
  }

  const Choice<Taken>& choice_of(std::size_t i, int state) {
    const Choice<Taken>& known = choices_[i][at(state)];
    return known.is_made() ? known : make_choice(i, state);
  }

  [[gnu::noinline]] const Choice<Taken>& make_choice(std::size_t i, int state) {
    const std::vector<double>& counts = stages_[i].counts;
    std::vector<Taken> possible;
    std::vector<double> weights;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const int next = tables_->next(i, tables_->sets[i].states[at(state)], c);
      if (next < 0) continue;
      const double ways = ways_[i + 1][at(next)];
      if (ways == 0) continue;
      possible.push_back({static_cast<int>(c), next});
      weights.push_back(counts[c] * ways);
    }
    return choices_[i][at(state)] = Choice<Taken>(possible, weights);
  }

  void draw_chain(SampledStage& sampled, std::size_t a_class, Rng& rng) {
    if (sampled.listed.empty()) return walk_chain(sampled, a_class, rng);
    const ListedClass& listed = sampled.listed[a_class];
    const std::uint64_t row = listed.count == 1 ? 0 : rng.below(listed.count);
    const std::uint32_t chain = listed.first + static_cast<std::uint32_t>(row);
    chains_[sampled.dim] = chain;
    loops_ += sampled.loops[chain];
  }

  // Draws a chain that is in no list, and writes it.
  void walk_chain(SampledStage& sampled, std::size_t a_class, Rng& rng) {
    const std::vector<ChainSlot>& slots = sampled.stage->chains.slots();
    int node = draw_end(sampled, a_class, rng);
    for (int step = static_cast<int>(slots.size()); step > 0; --step) {
      const InEdge& edge = node_choice(sampled, step, node).draw(rng);
      const auto width = static_cast<std::uint64_t>(edge.last - edge.first + 1);
      const auto offset = static_cast<std::int64_t>(width == 1 ? 0 : rng.below(width));
      mapping_.set_bound(slots[at(step - 1)].slot, sampled.stage->dim, edge.first + offset);
      node = edge.from;
    }
  }

  static int draw_end(SampledStage& sampled, std::size_t a_class, Rng& rng) {
    const Chains& chains = sampled.stage->chains;
    Choice<int>& known = sampled.ends[a_class];
    if (!known.is_made()) {
      const std::vector<int>& ends = chains.classes()[a_class].ends;
      std::vector<double> weights;
      const int last = static_cast<int>(chains.slots().size());
      const int bits = chains.classes()[a_class].count.bit_count();
      for (const int end : ends) weights.push_back(scaled(chains.count(last, end), bits));
      known = Choice<int>(ends, weights);
    }
    return known.draw(rng);
  }

  static const Choice<InEdge>& node_choice(SampledStage& sampled, int step, int node) {
    Choice<InEdge>& known = sampled.nodes[at(step)][at(node)];
    if (known.is_made()) return known;
    const Chains& chains = sampled.stage->chains;
    const std::vector<InEdge> edges = chains.in_edges(step, node);
    std::vector<double> weights;
    const int bits = chains.count(step, node).bit_count();
    for (const InEdge& edge : edges) {
      weights.push_back(scaled(chains.count(step - 1, edge.from), bits) *
                        static_cast<double>(edge.last - edge.first + 1));
    }
    return known = Choice<InEdge>(edges, weights);
  }

  std::shared_ptr<const Tables> tables_;
  Mapping mapping_;
  bool may_bypass_;                                   // or else what is kept is settled once
  bool all_listed_ = true;                            // the chains of every dimension
  std::uint64_t loops_ = 0;                           // to be ordered at each memory
  std::array<std::uint32_t, kMaxDims> chains_{};      // drawn, of listed ones
  std::array<std::uint64_t, kMaxMemories> orders_{};  // drawn, by plan
  std::vector<SampledStage> stages_;
  std::vector<std::vector<Choice<Taken>>> choices_;  // [set][state]
  std::vector<std::vector<double>> ways_;            // [set][state], scaled
};

}  // namespace mapspace

Sampler::Sampler(const MapSpace& space)
    : tables_(std::make_unique<mapspace::SamplerTables>(space, space.tables_)) {}
Sampler::~Sampler() = default;

const Mapping& Sampler::draw(Rng& rng) {
  tables_->draw(rng);
  return tables_->written();
}

void Sampler::draw_parts(Rng& rng) { tables_->draw(rng); }
const Mapping& Sampler::written() { return tables_->written(); }
bool Sampler::lists_chains() const { return tables_->all_listed(); }
const Mapping& Sampler::keeping() const { return tables_->mapping(); }
const std::array<std::uint32_t, kMaxDims>& Sampler::chains() const { return tables_->chains(); }
std::vector<Chain> Sampler::chains_of(DimId dim) const { return tables_->list_of(dim); }

}  // namespace tilewright
