#include "model/neighbours.h"

#include <optional>

#include "model/perfect_neighbours.h"

namespace tilewright {

using model::Compiled;
using model::LoopLayout;
using model::OrderChoices;

namespace {

// The same for any mapping that fits, with counts of one width.
template <typename Number>
class AnyOrders {
 public:
  explicit AnyOrders(const Compiled& compiled) : c_(compiled), plan_(compiled) {}

  // The score of a mapping, and what its orders decide if it fits.
  Score score(const Mapping& mapping, OrderChoices& choices) {
    choices.clear();
    layout_.emplace(c_, mapping);
    const Verdict verdict = model::check_fit(*layout_);
    if (!verdict.fits()) return {.verdict = verdict};
    model::count_traffic(*layout_, counts_, static_cast<model::Details<Number>*>(nullptr));
    open(choices);
    return model::make_score(*layout_, counts_, verdict);
  }

  void settle(int memory, const Neighbours::Choice& choice, int mover, std::uint32_t inside) {
    const model::MovingLoop<Number> moving = model::moving_loop_of(*layout_, memory, mover, inside);
    for (int number = choice.first_link; number < choice.end_link; ++number) {
      settle(plan_.links()[at(number)], moving);
    }
  }

  Score score_settled() const { return model::make_score(*layout_, counts_, {}); }

 private:
  void open(OrderChoices& choices) {
    choices.clear(c_, layout_->mapping());
    plan_.follow(layout_->mapping());
    int number = 0;
    for (const model::PlannedLink& link : plan_.links()) {
      if (link.output)
        held_[at(link.parent)] = model::footprint(*layout_, link.tensor, link.parent);
      choices.add(c_, link, number++);
    }
  }

  void settle(const model::LinkEnds& ends, const model::MovingLoop<Number>& moving) {
    const model::Link<Number> link(
        *layout_, ends.tensor, ends.parent, ends.child, moving,
        c_.memory[at(ends.parent)].limited || c_.memory[at(ends.child)].limited);
    const model::LinkCounter<Number> counter(link);
    model::Footprints<Number> held;
    if (ends.output && !c_.reads_first_sums) held = {held_[at(ends.parent)], held_[at(ends.child)]};
    model::replace_traffic(ends, model::link_traffic(link, counter, held), counts_);
    for (int f = link.first_fanout(); c_.any_network && f < link.end_fanout(); ++f) {
      counts_.fanout_words[at(f)][at(ends.tensor)] = counter.delivered(f);
    }
    if (c_.systolic && index_of(c_.systolic->tensor) == ends.tensor &&
        index_of(c_.systolic->memory) == ends.child) {
      counts_.stationary_changes = model::tile_changes(*layout_, ends.child, moving);
    }
  }

  const Compiled& c_;
  model::LinkPlan plan_;
  std::optional<LoopLayout<Number>> layout_;
  model::Counts<Number> counts_;
  std::array<model::Words<Number>, kMaxMemories> held_;  // of the output
};

}  // namespace

struct Neighbours::State {
  explicit State(std::shared_ptr<const Compiled> c) : compiled(std::move(c)), perfect(*compiled) {
    if (compiled->wide) {
      wide.emplace(*compiled);
    } else {
      narrow.emplace(*compiled);
    }
  }

  // What a function gives of the one that scored the mapping.
  template <typename Ask>
  decltype(auto) of(Ask ask) {
    if (is_perfect) return ask(perfect);
    return wide ? ask(*wide) : ask(*narrow);
  }

  std::shared_ptr<const Compiled> compiled;
  model::PerfectNeighbours perfect;
  std::optional<AnyOrders<std::int64_t>> narrow;
  std::optional<AnyOrders<Int128>> wide;
  OrderChoices choices;
  bool is_perfect = false;
};

Neighbours::Neighbours(const Evaluator& evaluator)
    : state_(std::make_unique<State>(evaluator.compiled_)) {}
Neighbours::~Neighbours() = default;
Neighbours::Neighbours(Neighbours&&) noexcept = default;

Score Neighbours::score(const Mapping& mapping) {
  State& state = *state_;
  Score score;
  state.is_perfect = state.perfect.score(mapping, state.choices, score);
  if (state.is_perfect) return score;
  return state.wide ? state.wide->score(mapping, state.choices)
                    : state.narrow->score(mapping, state.choices);
}

std::uint32_t Neighbours::loops(MemoryId memory) const {
  return state_->choices.loops(index_of(memory));
}

std::span<const Neighbours::Choice> Neighbours::choices(MemoryId memory) const {
  return state_->choices.at_memory(index_of(memory));
}

void Neighbours::settle(MemoryId memory, const Choice& choice, DimId mover, std::uint32_t inside) {
  state_->of([&](auto& orders) {
    return orders.settle(index_of(memory), choice, index_of(mover), inside);
  });
}

Score Neighbours::score_settled() const {
  return state_->of([](auto& orders) { return orders.score_settled(); });
}

std::uint32_t Neighbours::start_moves(const Mapping& mapping) {
  return state_->is_perfect ? state_->perfect.start_moves(mapping, state_->choices) : 0;
}

std::int64_t Neighbours::extent(MemoryId memory, DimId dim) const {
  return state_->perfect.extent(index_of(memory), index_of(dim));
}

bool Neighbours::score_moved(const Move& move, Score& score) {
  return state_->perfect.score_moved(move, score);
}

Neighbours::Tried Neighbours::score_lower(const Move& move, Score& score) {
  return state_->perfect.score_lower(move, score);
}

}  // namespace tilewright
