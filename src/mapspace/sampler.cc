#include <algorithm>
#include <cmath>

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

// Picks one of several with given weights by a single random number: the
// cumulated weights, scaled to 2^64.
class Choice {
 public:
  explicit Choice(const std::vector<double>& weights) {
    double total = 0;
    for (const double weight : weights) total += weight;
    double sum = 0;
    for (std::size_t i = 0; i + 1 < weights.size(); ++i) {  // the last takes what is left
      sum += weights[i];
      // Below 2^64 even where rounding has brought the sum up to the total.
      below_.push_back(
          static_cast<std::uint64_t>(std::min(std::ldexp(sum / total, 64), 0x1.fffffffffffffp63)));
    }
  }

  std::size_t draw(Rng& rng) const {
    if (below_.empty()) return 0;
    const std::uint64_t drawn = rng.next();
    std::size_t first = 0;
    std::size_t count = below_.size();
    // Without branches that chance decides.
    while (count > 0) {
      const std::size_t half = count / 2;
      first += below_[first + half] <= drawn ? count - half : 0;
      count = half;
    }
    return first;
  }

 private:
  std::vector<std::uint64_t> below_;
};

// All chains of a class, or the tables to walk back from its end.
struct ListedClass {
  std::vector<std::int64_t> bounds;
  std::uint64_t count = 0;
};

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

  const Mapping& draw(Rng& rng) {
    int state = 0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const StateChoice& choice = choice_of(i, state);
      const std::size_t picked = choice.choice.draw(rng);
      draw_chain(i, static_cast<std::size_t>(choice.classes[picked]), rng);
      state = choice.behind[picked];
    }
    if (may_bypass_) {
      write_kept(
          *tables_, [&](std::uint64_t choices) { return choices == 1 ? 0 : rng.below(choices); },
          mapping_);
    }
    for (const OrderPlan& plan : tables_->plans) {
      const int loops = free_loops(plan, mapping_);
      write_order(plan, loops < 2 ? 0 : rng.below(factorial(loops)), mapping_);
    }
    return mapping_;
  }

 private:
  // The classes that may be taken in a state, and where each leads.
  struct StateChoice {
    std::vector<int> classes, behind;
    Choice choice;
  };
  struct NodeChoice {
    std::vector<InEdge> edges;
    Choice choice;
  };
  struct SampledStage {
    const Stage* stage = nullptr;
    std::vector<double> counts;                                   // per class, scaled
    std::vector<ListedClass> listed;                              // per class, if few enough
    std::vector<std::unique_ptr<Choice>> ends;                    // per class
    std::vector<std::vector<std::unique_ptr<NodeChoice>>> nodes;  // [step][node]
  };

  void add_stage(const Stage& stage) {
    SampledStage sampled;
    sampled.stage = &stage;
    const BigUint total = stage.chains.total();
    for (const ChainClass& a_class : stage.chains.classes()) {
      sampled.counts.push_back(scaled(a_class.count, total.bit_count()));
    }
    if (total <= BigUint(kMostListed)) {
      for (const ChainClass& a_class : stage.chains.classes()) {
        sampled.listed.push_back({stage.chains.list_chains(a_class), *a_class.count.small()});
      }
    } else {
      sampled.ends.resize(stage.chains.classes().size());
      for (int k = 0; k <= static_cast<int>(stage.chains.slots().size()); ++k) {
        sampled.nodes.emplace_back(static_cast<std::size_t>(stage.chains.node_count(k)));
      }
    }
    stages_.push_back(std::move(sampled));
  }

  const StateChoice& choice_of(std::size_t i, int state) {
    std::unique_ptr<StateChoice>& known = choices_[i][at(state)];
    if (known) return *known;
    const std::vector<double>& counts = stages_[i].counts;
    std::vector<int> possible;
    std::vector<int> behind;
    std::vector<double> weights;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const int next = tables_->next(i, tables_->sets[i].states[at(state)], c);
      if (next < 0) continue;
      const double ways = ways_[i + 1][at(next)];
      if (ways == 0) continue;
      possible.push_back(static_cast<int>(c));
      behind.push_back(next);
      weights.push_back(counts[c] * ways);
    }
    known = std::make_unique<StateChoice>(
        StateChoice{std::move(possible), std::move(behind), Choice(weights)});
    return *known;
  }

  void draw_chain(std::size_t i, std::size_t a_class, Rng& rng) {
    SampledStage& sampled = stages_[i];
    const Stage& stage = *sampled.stage;
    const std::vector<ChainSlot>& slots = stage.chains.slots();
    if (slots.empty()) return;
    if (!sampled.listed.empty()) {
      const ListedClass& listed = sampled.listed[a_class];
      const std::uint64_t row = listed.count == 1 ? 0 : rng.below(listed.count);
      const std::int64_t* bounds = listed.bounds.data() + row * slots.size();
      for (std::size_t k = 0; k < slots.size(); ++k) {
        mapping_.set_bound(slots[k].slot, stage.dim, bounds[k]);
      }
      return;
    }
    int node = draw_end(sampled, a_class, rng);
    for (int step = static_cast<int>(slots.size()); step > 0; --step) {
      const NodeChoice& choice = node_choice(sampled, step, node);
      const InEdge& edge = choice.edges[choice.choice.draw(rng)];
      const auto width = static_cast<std::uint64_t>(edge.last - edge.first + 1);
      const auto offset = static_cast<std::int64_t>(width == 1 ? 0 : rng.below(width));
      mapping_.set_bound(slots[at(step - 1)].slot, stage.dim, edge.first + offset);
      node = edge.from;
    }
  }

  static int draw_end(SampledStage& sampled, std::size_t a_class, Rng& rng) {
    const Chains& chains = sampled.stage->chains;
    const std::vector<int>& ends = chains.classes()[a_class].ends;
    std::unique_ptr<Choice>& known = sampled.ends[a_class];
    if (!known) {
      std::vector<double> weights;
      const int last = static_cast<int>(chains.slots().size());
      const int bits = chains.classes()[a_class].count.bit_count();
      for (const int end : ends) weights.push_back(scaled(chains.count(last, end), bits));
      known = std::make_unique<Choice>(weights);
    }
    return ends[known->draw(rng)];
  }

  static const NodeChoice& node_choice(SampledStage& sampled, int step, int node) {
    std::unique_ptr<NodeChoice>& known = sampled.nodes[at(step)][at(node)];
    if (known) return *known;
    const Chains& chains = sampled.stage->chains;
    std::vector<InEdge> edges = chains.in_edges(step, node);
    std::vector<double> weights;
    const int bits = chains.count(step, node).bit_count();
    for (const InEdge& edge : edges) {
      weights.push_back(scaled(chains.count(step - 1, edge.from), bits) *
                        static_cast<double>(edge.last - edge.first + 1));
    }
    known = std::make_unique<NodeChoice>(NodeChoice{std::move(edges), Choice(weights)});
    return *known;
  }

  std::shared_ptr<const Tables> tables_;
  Mapping mapping_;
  bool may_bypass_;  // or else what is kept is settled once
  std::vector<SampledStage> stages_;
  std::vector<std::vector<std::unique_ptr<StateChoice>>> choices_;  // [set][state]
  std::vector<std::vector<double>> ways_;                           // [set][state], scaled
};

}  // namespace mapspace

Sampler::Sampler(const MapSpace& space)
    : tables_(std::make_unique<mapspace::SamplerTables>(space, space.tables_)) {}
Sampler::~Sampler() = default;

const Mapping& Sampler::draw(Rng& rng) { return tables_->draw(rng); }

}  // namespace tilewright
