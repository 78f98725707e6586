#include "fusion/nests_runs.h"

#include <algorithm>

namespace tilewright::fusion {

OpenRuns runs_at_multipliers(int tensors) {
  OpenRuns runs;
  runs.to_compute = (1U << tensors) - 1;
  for (int t = 0; t < tensors; ++t) runs.served[at(t)] = 1;
  return runs;
}

OpenRuns ended(OpenRuns runs, std::uint32_t ends) {
  for (const int t : members(ends & runs.open)) runs.word_pj[at(t)] = 0;
  runs.open &= ~ends;
  return runs;
}

RunPrices::RunPrices(const NestStack& stack, bool timed)
    : stack_(stack), timed_(timed), lattice_(stack.sizes(), (1U << stack.flat().dims) - 1) {
  const int tensors = stack.flat().tensors;
  per_word_.assign(at(tensors), std::vector<double>(lattice_.size(), 1));
  moved_.assign(at(stack.flat().dims), (1U << tensors) - 1);
  for (int t = 0; t < tensors; ++t) {
    for (const int d : members(stack.irrelevant(t))) {
      moved_[at(d)] &= ~(1U << t);
      for (std::size_t i = 0; i < lattice_.size(); ++i) {
        per_word_[at(t)][i] /= static_cast<double>(lattice_.extent(i, d));
      }
    }
  }
}

double RunPrices::end_pj(const OpenRuns& runs, std::uint32_t ends, std::size_t tile) const {
  double pj = 0;
  for (const int t : members(ends & runs.open)) {
    pj += runs.word_pj[at(t)] * per_word_[at(t)][tile];
  }
  return pj;
}

double RunPrices::settle(OpenRuns& runs, std::size_t stage) const {
  // The memories inside this stage; what is served comes from outside them.
  int inside = stack_.flat().memories;
  for (std::size_t s = 0; s < stage; ++s) {
    if (stack_.stages()[s].kind == NestStack::Stage::Kind::Edge) inside = stack_.stages()[s].number;
  }
  double pj = 0;
  for (const int t : members(runs.unpriced | runs.to_compute)) {
    const int keeper = stack_.keeper_outside(inside, t);
    if (stack_.fanouts_left(stage, std::max(keeper, stack_.shared()))) continue;
    const double price = stack_.prices(keeper, stack_.flat().memories, t).outside_pj;
    if (contains(runs.unpriced, t)) runs.word_pj[at(t)] += runs.copies[at(t)] * price;
    if (contains(runs.to_compute, t)) pj += runs.served[at(t)] * price;
    runs.copies[at(t)] = runs.served[at(t)] = 0;
    runs.unpriced &= ~(1U << t);
    runs.to_compute &= ~(1U << t);
  }
  return pj;
}

OpenRuns RunPrices::opened(OpenRuns runs, int memory, std::uint32_t tensors,
                           std::uint32_t placed) const {
  for (const int t : members(tensors)) {
    runs.open |= 1U << t;
    runs.unpriced |= 1U << t;
    runs.word_pj[at(t)] += stack_.prices(stack_.keeper_outside(memory, t), memory, t).inside_pj;
    runs.copies[at(t)] = 1;
  }
  const int output = stack_.output();
  if (contains(tensors | placed, output)) {
    const LinkPrices reread = stack_.prices(memory, stack_.flat().memories, output);
    const double update = stack_.flat().prices[at(memory)].update_pj[at(output)];
    runs.first_pj += reread.outside_pj - update +
                     stack_.prices(stack_.keeper_outside(memory, output), memory, output).inside_pj;
  }
  return runs;
}

OpenRuns RunPrices::unrolled(const OpenRuns& runs, int fanout, const PerDim& bounds) const {
  OpenRuns outside = runs;
  for (int d = 0; timed_ && d < stack_.flat().dims; ++d) {
    outside.parallel *= static_cast<double>(bounds[at(d)]);
  }
  for (int t = 0; t < stack_.flat().tensors; ++t) {
    double alike = 1;
    for (const int d : members(stack_.irrelevant(t))) alike *= static_cast<double>(bounds[at(d)]);
    // Extents grow by what is alike, so words that are not shared count that often.
    outside.word_pj[at(t)] *= alike;
    if (t == stack_.output()) outside.first_pj *= alike;
    if (!stack_.shares(fanout, t)) {
      outside.copies[at(t)] *= alike;
    } else {
      outside.served[at(t)] /= alike;
    }
  }
  return outside;
}

}  // namespace tilewright::fusion
