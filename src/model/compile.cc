#include <fmt/format.h>

#include <utility>

#include "base/bits.h"
#include "model/compiled.h"
#include "model/scorer.h"

namespace tilewright::model {
namespace {

// Windows of different tensors may chain dimensions together.
void close_partners(Compiled& c) {
  for (int round = 0; round < c.dims; ++round) {
    for (int d = 0; d < c.dims; ++d) {
      std::uint32_t& partners = c.partners[at(d)];
      for (const int partner : members(partners)) partners |= c.partners[at(partner)];
    }
  }
}

}  // namespace

Compiled::Compiled(const Problem& p)
    : FlatProblem(p), problem(p), area_um2(total_area_um2(p.arch())) {
  for (const FlatFanout& each : fanout) any_network = any_network || each.word_pj > 0;
  for (const FlatMemory& each : memory) any_leakage = any_leakage || each.leakage_pj != 0;
  memory_at.fill(-1);
  for (int m = 0; m < memories; ++m) memory_at[at(memory[at(m)].slot)] = m;
  for (int d = 0; d < dims; ++d) partners[at(d)] = 1U << d;
  for (const FlatTensor& each : tensor) {
    for (const Window& window : each.windows) {
      for (const int dim : members(window.dim_bits())) partners[at(dim)] |= window.dim_bits();
    }
  }
  close_partners(*this);
  for (const FlatTensor& each : tensor) {
    for (const Window& window : each.windows) {
      if (each.shares_halos) by_digits |= partners[at(window.dim(0))];
    }
  }
  prepare_simple_counts();
}

void Compiled::prepare_simple_counts() {
  simple_ = !wide && !systolic && shared.empty();
  for (int t = 0; t < tensors; ++t) {
    const FlatTensor& each = tensor[at(t)];
    if ((each.output && !each.windows.empty()) || each.shares_halos) simple_ = false;
    if (!wide) whole[at(t)] = each.words(size);
  }
  for (int m = 0; m < memories; ++m) {
    const Room& room = memory[at(m)].room;
    PlainRoom& plain = rooms[at(m)];
    plain.plain = room.capacity.unit != Capacity::Unit::Unlimited;
    plain.amount = room.capacity.amount;
    for (int t = 0; t < tensors; ++t) {
      if (room.partitions[at(t)]) plain.plain = false;
      const bool bits = room.capacity.unit == Capacity::Unit::Bits;
      plain.unit[at(t)] = bits ? room.element_bits[at(t)] : 1;
    }
  }
}

}  // namespace tilewright::model

namespace tilewright {

Checked<Evaluator> Evaluator::compile(const Problem& problem) {
  Checked<Evaluator> result;
  auto compiled = std::make_shared<model::Compiled>(problem);
  for (const TensorId id : compiled->uncountable) {
    const std::string& name = problem.workload().tensor(id).name;
    result.problems.push_back(
        {{},
         fmt::format("the indices of tensor {} share dimensions in a way that cannot be counted "
                     "in closed form",
                     name),
         fmt::format("let each dimension occur in one index of {} only, with at most {} "
                     "dimensions in one index",
                     name, kMaxWindowDims)});
  }
  if (result.problems.empty()) result.value = Evaluator(std::move(compiled));
  return result;
}

Checked<Evaluator> Evaluator::compile(const Workload& workload, const Architecture& arch) {
  Checked<Problem> problem = Problem::create(workload, arch);
  if (!problem.ok()) return {std::nullopt, std::move(problem.problems)};
  return compile(*problem.value);
}

Evaluator in_wide_counts(const Evaluator& evaluator) {
  auto compiled = std::make_shared<model::Compiled>(*evaluator.compiled_);
  compiled->wide = true;
  return Evaluator(std::move(compiled));
}

Evaluator::Evaluator(std::shared_ptr<const model::Compiled> compiled)
    : compiled_(std::move(compiled)) {}

const Problem& Evaluator::problem() const { return compiled_->problem; }

const FlatProblem& Evaluator::flat() const { return *compiled_; }

}  // namespace tilewright
