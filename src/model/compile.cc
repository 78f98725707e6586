#include <fmt/format.h>

#include <utility>

#include "base/bits.h"
#include "model/compiled.h"

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

Evaluator::Evaluator(std::shared_ptr<const model::Compiled> compiled)
    : compiled_(std::move(compiled)) {}

const Problem& Evaluator::problem() const { return compiled_->problem; }

const FlatProblem& Evaluator::flat() const { return *compiled_; }

}  // namespace tilewright
