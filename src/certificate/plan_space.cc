#include "certificate/plan_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "certificate/points.h"

namespace tilewright::certificate {

std::string names_of(const Cascade& cascade, const EinsumRun& run) {
  const std::string& first = cascade.workload(run.first).name;
  if (run.length() == 1) return first;
  return fmt::format("{} to {}", first, cascade.workload(run.last).name);
}

namespace {

template <typename... Args>
[[noreturn]] void beyond(fmt::format_string<Args...> what, Args&&... args) {
  throw Unverifiable(fmt::format(what, std::forward<Args>(args)...));
}

void refuse_memories(const Problem& problem, const Rules& rules) {
  const std::uint32_t all = (1U << problem.tensor_count()) - 1;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    if (memory.leakage_pj_per_cycle != 0) beyond("plans where {} leaks", memory.name);
    if (memory.block_words != 1) beyond("plans where {} moves blocks of words", memory.name);
    if (!memory.point_of.empty()) beyond("plans where {} is a storage point", memory.name);
    if (rules.must[at(m)] != rules.may[at(m)]) {
      beyond("plans where {} is free to keep a tensor or not", memory.name);
    }
    if (!rules.orders[at(m)].outermost.empty() || !rules.orders[at(m)].innermost.empty()) {
      beyond("plans where the order of the loops of {} is constrained", memory.name);
    }
    const Slot& slot = problem.slots()[at(problem.use(MemoryId{m}).slot)];
    for (int d = 0; d < problem.dim_count(); ++d) {
      const Rules::Limits& limits = rules.at_slot(problem.use(MemoryId{m}).slot, d);
      const bool allowed = contains(slot.allowed_dims, d) || (m > 0 && limits.most == 1);
      const bool free = limits.least <= 1 && (!contains(slot.allowed_dims, d) ||
                                              limits.most >= problem.workload().dims[at(d)].size);
      const bool trivial = problem.workload().dims[at(d)].size == 1;
      if (!trivial && (!allowed || !free)) {
        beyond("plans where the loops of {} are constrained", memory.name);
      }
    }
  }
  if (rules.must[0] != all) beyond("plans where the outermost memory does not keep all tensors");
  if (problem.memory(MemoryId{0}).capacity.unit != Capacity::Unit::Unlimited ||
      !problem.memory(MemoryId{0}).partitions.empty()) {
    beyond("plans where the outermost memory has a capacity");
  }
  if (!problem.memory(MemoryId{kSharedMemory}).partitions.empty()) {
    beyond("plans where the shared memory is divided into partitions");
  }
}

// What passes by a memory is shared in fan-outs outside it.
bool is_bypass_spread(const Problem& problem, const Rules& rules, int memory, int tensor) {
  int keeper = memory - 1;
  while (keeper > 0 && !contains(rules.must[at(keeper)], tensor)) --keeper;
  const std::vector<int> places = fanout_places(problem), slots = fanout_slots(problem);
  for (std::size_t f = 0; f < places.size(); ++f) {
    const bool several =
        problem.instances_along(slots[f]) * problem.instances_along(slots[f] + 1) > 1;
    if (several && places[f] > std::max(keeper, kSharedMemory) && places[f] <= memory) return true;
  }
  return false;
}

void refuse_fanouts(const Problem& problem, const Rules& rules, const Energies& energies) {
  const std::vector<int> places = fanout_places(problem), slots = fanout_slots(problem);
  for (std::size_t f = 0; f < places.size(); ++f) {
    const bool several =
        problem.instances_along(slots[f]) * problem.instances_along(slots[f] + 1) > 1;
    if (several && places[f] <= kSharedMemory)
      beyond("plans with a fan-out outside the shared memory");
    if (energies.fanouts[f] != 0) beyond("plans where words in a fan-out take energy");
  }
  for (int m = kSharedMemory + 1; m < problem.memory_count(); ++m) {
    for (int t = 0; t < problem.tensor_count(); ++t) {
      if (contains(rules.must[at(m)], t) || !is_bypass_spread(problem, rules, m, t)) continue;
      beyond("plans where {} passes by {}, and a fan-out lies outside that",
             problem.workload().tensor(TensorId{t}).name, problem.memory(MemoryId{m}).name);
    }
  }
}

Rules rules_of(const Problem& problem) {
  Checked<Rules> rules = read_rules(problem, SpaceKind::Perfect, {});
  if (!rules.ok()) beyond("{}", to_string(rules.problems.front()));
  return std::move(*rules.value);
}

}  // namespace

PlanSpace::PlanSpace(const Cascade& cascade, const Architecture& arch, const std::string& shared,
                     int longest, Among nests)
    : cascade_(&cascade), arch_(&arch), shared_(shared), longest_(longest), nests_(nests) {
  if (arch.accounting != Accounting::Exact) beyond("plans with the accounting of Timeloop");
  if (arch.reads_first_sums) beyond("plans where first sums are read");
  if (tilewright::shares_halos(arch)) beyond("plans with shared halos");
  for (const Constraint& constraint : arch.constraints) {
    const auto* factor = std::get_if<FactorRule>(&constraint.rule);
    if (factor != nullptr && !factor->value) {
      beyond("plans where a place has to take all of {}", factor->dim);
    }
  }
  for (const CascadeEinsum& einsum : cascade.einsums) add_einsum(einsum);
  take_prices();
  add_intermediates();
}

std::optional<int> PlanSpace::find_dim(const std::string& name) const {
  const auto found = std::find(dim_names_.begin(), dim_names_.end(), name);
  if (found == dim_names_.end()) return std::nullopt;
  return static_cast<int>(found - dim_names_.begin());
}

void PlanSpace::add_einsum(const CascadeEinsum& einsum) {
  Checked<Problem> problem = Problem::create(einsum.workload, *arch_);
  if (!problem.ok()) beyond("{}", to_string(problem.problems.front()));
  auto kept = std::make_shared<const Problem>(std::move(*problem.value));
  if (kept->memory_count() < 2 || kept->memory(MemoryId{kSharedMemory}).name != shared_) {
    beyond("plans whose shared memory is not the second one from outside");
  }
  PlanEinsum made{kept, rules_of(*kept), Terms(*kept), 1, 0, {}, {}, 0};
  refuse_architecture(made);
  // Points of the shared memory are for tensors that are streamed, which depends on the plan.
  if (nests_ == Among::All) allow_points(*kept, ~3U, made.rules);
  for (const Dimension& dim : einsum.workload.dims) {
    const std::optional<int> known = find_dim(dim.name);
    if (known && size(*known) != dim.size) beyond("plans where {} has two sizes", dim.name);
    made.dims.push_back(known.value_or(dims()));
    if (!known) {
      dim_names_.push_back(dim.name);
      sizes_.push_back(dim.size);
    }
    if (dims() > 32) beyond("plans with more than 32 dimensions");
    made.all_dims |= 1U << made.dims.back();
  }
  for (const Tensor& tensor : einsum.workload.tensors) {
    PlanTensor one;
    for (const Rank& rank : tensor.ranks) {
      const bool alone = rank.size() == 1 && rank.front().coefficient == 1;
      if (!alone) beyond("plans where {} is seen through a window", tensor.name);
      const std::uint32_t bit = 1U << made.dims[at(index_of(rank.front().dim))];
      if ((one.dims & bit) != 0) beyond("plans where {} has a dimension twice", tensor.name);
      one.dims |= bit;
    }
    one.irrelevant = made.all_dims & ~one.dims;
    one.shareable = contains(made.rules.must[kSharedMemory], static_cast<int>(made.tensors.size()));
    made.tensors.push_back(one);
  }
  einsums_.push_back(std::move(made));
}

void PlanSpace::refuse_architecture(const PlanEinsum& einsum) const {
  const Problem& problem = *einsum.problem;
  if (problem.systolic()) beyond("plans on systolic arrays");
  refuse_memories(problem, einsum.rules);
  refuse_fanouts(problem, einsum.rules, einsum.terms.energies);
}

// Sums of what these take must be far below 2^127: words of a tensor are never more than products.
void PlanSpace::refuse_large(const PlanEinsum& einsum) const {
  constexpr Int128 kMost = static_cast<Int128>(1) << 110;
  const auto refuse_price = [&](Int128 price) {
    if (times(times(price, einsum.scale), einsum.terms.macs) >= kMost) {
      beyond("plans whose energies have too many digits");
    }
  };
  refuse_price(einsum.terms.energies.mac);
  for (const Energies::OfMemory& memory : einsum.terms.energies.memories) {
    for (const Energies::OfAccess& access : memory.access) {
      refuse_price(access.read);
      refuse_price(access.write);
      refuse_price(access.update);
    }
  }
}

// Energies of all einsums in one unit.
void PlanSpace::take_prices() {
  for (std::size_t e = 0; e < einsums_.size(); ++e) {
    decimals_ = std::max(decimals_, einsums_[e].terms.energies.decimals);
    const auto& then = cascade_->einsums[e].then;
    if (then) decimals_ = std::max(decimals_, decimals_of(then->energy_pj));
  }
  for (std::size_t e = 0; e < einsums_.size(); ++e) {
    PlanEinsum& einsum = einsums_[e];
    const Problem& problem = *einsum.problem;
    einsum.scale = power_of_ten(decimals_ - einsum.terms.energies.decimals);
    const auto& then = cascade_->einsums[e].then;
    if (then) einsum.afterwards = units_of(then->energy_pj, decimals_);
    refuse_large(einsum);
    const Memory& shared = problem.memory(MemoryId{kSharedMemory});
    room_ = room_of(shared.capacity, shared);
    const bool in_place = problem.memory(MemoryId{0}).accumulates_in_place;
    for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
      PlanTensor& tensor = einsum.tensors[t];
      tensor.width = amount_of(shared.capacity, shared, problem.workload().tensors[t], 1);
      const auto& outside = einsum.terms.energies.memories[0].access[t];
      const Int128 taken =
          times(plus(outside.read, einsum.terms.energies.memories[kSharedMemory].access[t].write),
                einsum.scale);
      tensor.is_output = t + 1 == einsum.tensors.size();
      tensor.comes_back = tensor.is_output && !in_place;
      tensor.word = tensor.is_output && in_place ? 0 : taken;
      if (!tensor.is_output) continue;
      // Old sums come back, but those that are new.
      tensor.spared = times(tensor.word, elements(tensor));
      tensor.word = plus(tensor.word, times(outside.update, einsum.scale));
    }
  }
}

void PlanSpace::add_intermediates() {
  for (int w = 0; w < einsums(); ++w) {
    const std::string& name = cascade_->workload(w).tensors.back().name;
    HandedOn one;
    one.writer = w;
    one.leaves = cascade_->einsums[at(w)].leaves;
    for (int e = w + 1; e < einsums(); ++e) {
      const std::vector<Tensor>& tensors = cascade_->workload(e).tensors;
      if (tensors.back().name == name) beyond("plans where {} is written twice", name);
      for (std::size_t t = 0; t + 1 < tensors.size(); ++t) {
        if (tensors[t].name == name) one.readers.emplace_back(e, static_cast<int>(t));
      }
    }
    if (!one.readers.empty()) add_intermediate(std::move(one));
  }
}

// Whether a reader has the tensor as it is written, on the chip.
bool PlanSpace::is_alike(int writer, int reader, int tensor) const {
  const auto dims_in_order = [&](int e, const Tensor& of) {
    std::vector<int> order;
    for (const Rank& rank : of.ranks) {
      order.push_back(einsum(e).dims[at(index_of(rank.front().dim))]);
    }
    return order;
  };
  const PlanTensor& written = einsum(writer).output();
  const PlanTensor& read = einsum(reader).tensors[at(tensor)];
  return written.shareable && read.shareable && read.width == written.width &&
         dims_in_order(writer, cascade_->workload(writer).tensors.back()) ==
             dims_in_order(reader, cascade_->workload(reader).tensors[at(tensor)]);
}

void PlanSpace::add_intermediate(HandedOn one) {
  one.dims = einsum(one.writer).output().dims;
  const int number = static_cast<int>(handed_on_.size());
  bool any = false;
  for (const auto& [e, t] : one.readers) {
    if (!is_alike(one.writer, e, t)) {
      never_together_.push_back({one.writer, e});
      continue;
    }
    any = true;
    einsums_[at(e)].tensors[at(t)].handed_on = number;
  }
  if (!any) return;
  einsums_[at(one.writer)].tensors.back().handed_on = number;
  take_normalising(one);
  handed_on_.push_back(std::move(one));
}

// What is done to the output for these readers.
void PlanSpace::take_normalising(HandedOn& one) const {
  const auto& then = cascade_->einsums[at(one.writer)].then;
  if (!then || !then->reduces) return;
  one.reduces = find_dim(*then->reduces).value_or(-1);
  one.online = then->online_words.has_value() && !one.leaves;
  one.state_words = then->online_words.value_or(0);
  one.rescaled = 0;
  if (one.reduces < 0 || !contains(one.dims, one.reduces)) beyond("what a softmax is along");
  for (const auto& [e, t] : one.readers) {
    // Other sums of the reader would have to be rescaled more often.
    const PlanTensor& sum = einsum(e).output();
    one.online = one.online && sum.irrelevant == 1U << one.reduces;
    one.rescaled = narrow(Count(one.rescaled) + elements(sum));
  }
  one.rescale = times(einsum(one.writer).afterwards, one.rescaled);
}

std::vector<HandedOn> PlanSpace::handed_on(const EinsumRun& group) const {
  std::vector<HandedOn> inside;
  for (HandedOn one : handed_on_) {
    if (!group.has(one.writer) || !group.has(one.readers.front().first)) continue;
    const auto is_behind = [&](const auto& reader) { return !group.has(reader.first); };
    if (std::erase_if(one.readers, is_behind) > 0) one.leaves = true;
    take_normalising(one);
    inside.push_back(std::move(one));
  }
  return inside;
}

bool PlanSpace::may_be_run(const EinsumRun& run) const {
  return run.length() <= longest_ &&
         std::none_of(never_together_.begin(), never_together_.end(),
                      [&](const EinsumRun& pair) { return run.has(pair); });
}

bool PlanSpace::may_be_group(const EinsumRun& run) const {
  return run.length() == 1 || may_be_run(run);
}

std::uint32_t PlanSpace::shared_dims(const EinsumRun& run, const EinsumRun& group) const {
  std::uint32_t dims = ~0U;
  for (int e = run.first; e <= run.last; ++e) dims &= einsum(e).all_dims;
  for (const HandedOn& one : handed_on(group)) {
    if (!run.has(one.writer) || !run.has(one.readers.front().first)) continue;
    dims &= one.dims;
    if (one.reduces >= 0 && !one.online) dims &= ~(1U << one.reduces);
  }
  for (const int d : members(dims)) {
    if (size(d) == 1) dims &= ~(1U << d);
  }
  return dims;
}

bool PlanSpace::is_inside(const EinsumRun& group, int number, int tensor) const {
  const PlanTensor& of = einsum(number).tensors[at(tensor)];
  if (of.handed_on < 0) return false;
  const HandedOn& one = handed_on_[at(of.handed_on)];
  return group.has(one.writer) && group.has(one.readers.front().first);
}

bool PlanSpace::also_leaves(const EinsumRun& group, int number) const {
  const PlanEinsum& of = einsum(number);
  const int output = static_cast<int>(of.tensors.size()) - 1;
  if (!is_inside(group, number, output)) return false;
  const HandedOn& one = handed_on_[at(of.output().handed_on)];
  return one.leaves || !group.has(one.last());
}

std::int64_t PlanSpace::product(std::uint32_t dims,
                                const std::vector<std::int64_t>& extents) const {
  Count words = 1;
  for (const int d : members(dims)) words *= extents[at(d)];
  return narrow(words);
}

Int128 PlanSpace::loaded(const PlanTensor& tensor, const std::vector<std::int64_t>& extents) const {
  Count words = elements(tensor);
  for (const int d : members(tensor.irrelevant)) words *= size(d) / extents[at(d)];
  return words;
}

}  // namespace tilewright::certificate
