#include <array>

#include "mapspace/tables.h"

namespace tilewright {

using mapspace::ChainClass;
using mapspace::Stage;
using mapspace::StateSet;
using mapspace::Tables;

namespace {

Diagnostic unplaced(std::string message) { return {{}, std::move(message), {}}; }

// Sets the chain of one stage; gives the state behind it and leaves in `index`
// what the later stages make of it.
int take_stage(const Tables& tables, std::size_t i, int state, BigUint& index, Mapping& mapping) {
  const Stage& stage = tables.stages[i];
  const std::vector<ChainClass>& classes = stage.chains.classes();
  for (std::size_t c = 0;; ++c) {
    const int behind = tables.next(i, tables.sets[i].states[at(state)], c);
    if (behind < 0) continue;
    const BigUint& ways = tables.sets[i + 1].ways[at(behind)];
    const BigUint block = classes[c].count * ways;
    if (index >= block) {
      index -= block;
      continue;
    }
    const BigUint rest = index.divide(ways);
    std::array<std::int64_t, kMaxSlots> bounds{};
    stage.chains.write_chain(classes[c], index, bounds.data());
    for (std::size_t k = 0; k < stage.chains.slots().size(); ++k) {
      mapping.set_bound(stage.chains.slots()[k].slot, stage.dim, bounds[k]);
    }
    index = rest;
    return behind;
  }
}

}  // namespace

BigUint mapspace::write_mapping(const Tables& tables, const BigUint& index, Mapping& mapping) {
  BigUint rest = index;
  int state = 0;
  for (std::size_t i = 0; i < tables.stages.size(); ++i) {
    state = take_stage(tables, i, state, rest, mapping);
  }
  // What is left numbers the bypass choices and, within each, the loop orders.
  const BigUint number = rest.divide(tables.orders_of(tables.sets.back().states[at(state)]));
  write_kept(tables, [&](std::uint64_t choices) { return rest.divide(choices); }, mapping);
  BigUint order = number;
  for (const OrderPlan& plan : tables.plans) {
    write_order(plan, order.divide(factorial(free_loops(plan, mapping))), mapping);
  }
  return number;
}

MapSpace::MapSpace(const Problem& problem, SpaceKind kind, const Restrictions& restrictions,
                   std::shared_ptr<const Tables> tables)
    : problem_(problem), kind_(kind), restrictions_(restrictions), tables_(std::move(tables)) {}

MadeSpace MapSpace::create(const Problem& problem, SpaceKind kind, const Restrictions& restrictions,
                           const Deadline* deadline) try {
  if (!restrictions.contradictions().empty()) {
    return {{std::nullopt, restrictions.contradictions()}, false};
  }
  auto tables =
      std::make_shared<Tables>(mapspace::make_tables(problem, kind, restrictions, deadline));
  if (tables->failures.empty()) {
    return {{MapSpace(problem, kind, restrictions, std::move(tables)), {}}, false};
  }
  std::vector<Diagnostic> problems;
  for (const std::string& failure : tables->failures) problems.push_back(unplaced(failure));
  return {{std::nullopt, std::move(problems)}, tables->too_large};
} catch (const Expired&) {
  return {
      {std::nullopt, {unplaced("the time was up before the mappings of the space were counted")}},
      true};
}

const BigUint& MapSpace::size() const { return tables_->sets.front().ways.front(); }

SpaceSize MapSpace::measure() const {
  SpaceSize size;
  size.chains.resize(static_cast<std::size_t>(problem_.dim_count()));
  for (const Stage& stage : tables_->stages) {
    size.chains[static_cast<std::size_t>(index_of(stage.dim))] = stage.chains.total();
  }
  size.tilings = tables_->count_ways(/*with_choices=*/false).front().front();
  size.bypasses = tables_->bypasses;
  size.total = this->size();
  return size;
}

Mapping MapSpace::at(const BigUint& index) const {
  Mapping mapping(problem_);
  mapspace::write_mapping(*tables_, index, mapping);
  return mapping;
}

std::vector<std::string> MapSpace::why_not(const Mapping& mapping) const {
  std::vector<std::string> reasons = structural_problems(problem_, mapping);
  if (!reasons.empty()) return reasons;
  reasons = hardware_problems(problem_, mapping);
  const std::vector<std::string> broken = restrictions_.broken_by(problem_, mapping);
  append(reasons, broken);
  const std::vector<std::string> remainders =
      mapspace::forbidden_remainders(problem_, kind_, mapping);
  append(reasons, remainders);
  if (canonical(problem_, mapping) != mapping) {
    reasons.emplace_back("the order of loops of bound 1 is not canonical");
  }
  return reasons;
}

}  // namespace tilewright
