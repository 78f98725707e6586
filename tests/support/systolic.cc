#include "support/systolic.h"

#include <stdexcept>

#include "support/problems.h"

namespace tilewright::testing {
namespace {

// Lets a memory always keep a tensor, or pass it by; the others stay as they are. All are listed
// by their own names.
void settle(const Problem& problem, MemoryId id, TensorId tensor, Residence residence,
            Architecture& arch) {
  const MemoryUse& use = problem.use(id);
  auto& memory = std::get<Memory>(arch.levels[static_cast<std::size_t>(index_of(use.level))]);
  memory.keep.emplace();
  memory.bypass.clear();
  memory.free.clear();
  for (int t = 0; t < problem.tensor_count(); ++t) {
    const std::string& name = problem.workload().tensor(TensorId{t}).name;
    const Residence own =
        TensorId{t} == tensor ? residence : use.residence[static_cast<std::size_t>(t)];
    if (own == Residence::Keep) memory.keep->push_back(name);
    if (own == Residence::Bypass) memory.bypass.push_back(name);
    if (own == Residence::Free) memory.free.push_back(name);
  }
}

// Fan-outs with a memory inside.
std::vector<Fanout*> possible_arrays(Architecture& arch) {
  std::vector<Fanout*> found;
  std::size_t with_memory = 0;
  for (Level& level : arch.levels) {
    if (auto* fanout = std::get_if<Fanout>(&level)) found.push_back(fanout);
    if (std::holds_alternative<Memory>(level)) with_memory = found.size();
  }
  found.resize(with_memory);
  return found;
}

void draw_array(TestRng& rng, const std::string& tensor, Fanout& fanout) {
  fanout.stationary = tensor;
  fanout.fills_diagonally = rng.chance(80);
  const auto drawn = rng.between(0, 3);
  if (drawn > 1) fanout.preload = drawn == 2 ? Axis::X : Axis::Y;
  if (!fanout.is_systolic()) fanout.preload = Axis::X;
}

}  // namespace

std::optional<Problem> make_systolic(TestRng& rng, const Problem& problem) {
  Architecture arch = problem.arch();
  const std::vector<Fanout*> fanouts = possible_arrays(arch);
  if (fanouts.empty()) return std::nullopt;
  const TensorId tensor{static_cast<int>(rng.between(0, problem.tensor_count() - 1))};
  const std::string& name = problem.workload().tensor(tensor).name;
  Fanout& innermost = *rng.pick(fanouts);
  draw_array(rng, name, innermost);
  for (Fanout* other : fanouts) {
    if (other == &innermost) break;
    if (rng.chance(30)) draw_array(rng, name, *other);
  }
  const int level = index_of(*arch.find_level(innermost.name));
  bool placed = false;
  for (int m = 0; m < problem.memory_count() && !placed; ++m) {
    const bool inside = index_of(problem.use(MemoryId{m}).level) > level;
    if (m > 0 && !inside) continue;
    // Now and then the first memory inside is passed by.
    const bool last = m + 1 == problem.memory_count();
    const bool keeps = m == 0 || last || rng.chance(80);
    settle(problem, MemoryId{m}, tensor, keeps ? Residence::Keep : Residence::Bypass, arch);
    placed = inside && keeps;
  }
  return make_problem(problem.workload(), std::move(arch));
}

std::optional<RandomCase> make_systolic(TestRng& rng, const RandomCase& random) {
  std::optional<Problem> problem = make_systolic(rng, random.problem);
  if (!problem) return std::nullopt;
  Mapping mapping = random.mapping;
  for (int m = 0; m < problem->memory_count(); ++m) {
    const MemoryUse& use = problem->use(MemoryId{m});
    mapping.set_kept(MemoryId{m}, (mapping.kept(MemoryId{m}) | use.keep_always) & use.keep_allowed);
  }
  const auto problems = structural_problems(*problem, mapping);
  if (!problems.empty()) throw std::logic_error(problems.front());
  return RandomCase{std::move(*problem), std::move(mapping)};
}

}  // namespace tilewright::testing
