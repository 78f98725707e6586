#include <fmt/format.h>

#include "base/bits.h"
#include "tilewright/cascade.h"

namespace tilewright {
namespace {

Checked<Problem> refused(std::string message, std::string hint = "") {
  return {std::nullopt, {{{}, std::move(message), std::move(hint)}}};
}

// What a memory does with each tensor, said by their own names.
void list_tensors(const Problem& problem, MemoryId id, std::uint32_t kept, std::uint32_t passing,
                  Memory& memory) {
  const MemoryUse& use = problem.use(id);
  memory.keep = TensorNames{};
  memory.bypass.clear();
  memory.free.clear();
  for (int t = 0; t < problem.tensor_count(); ++t) {
    const std::string& name = problem.workload().tensor(TensorId{t}).name;
    const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(t);
    const Residence given = use.residence[at(t)];
    const Residence residence = (passing & bit) != 0 ? Residence::Bypass
                                : (kept & bit) != 0  ? Residence::Keep
                                                     : given;
    if (residence == Residence::Keep) memory.keep->push_back(name);
    if (residence == Residence::Bypass) memory.bypass.push_back(name);
    if (residence == Residence::Free) memory.free.push_back(name);
  }
}

// Why residents cannot be in the memory; empty if they can.
std::string misfit_of(const Problem& problem, LevelId level, std::uint32_t residents) {
  const auto& memory = std::get<Memory>(problem.arch().level(level));
  if (problem.memory_at(level) == MemoryId{0}) {
    return fmt::format("{} is the outermost memory: it cannot be shared", memory.name);
  }
  if (!memory.partitions.empty()) {
    return fmt::format("{} is parted between tensors: it cannot be shared", memory.name);
  }
  if (physical_instances(problem.arch(), level) != 1) {
    return fmt::format("{} has several instances: it cannot be shared", memory.name);
  }
  const std::uint32_t kept = problem.use(problem.memory_at(level)).keep_allowed;
  for (const int t : members(residents & ~kept)) {
    return fmt::format("{} never keeps {}", memory.name,
                       problem.workload().tensor(TensorId{t}).name);
  }
  return "";
}

// The architecture with residents at home in these memories, which others outside them let pass.
Architecture with_residents(const Problem& problem, const std::vector<std::uint32_t>& at_home) {
  Architecture changed = problem.arch();
  std::uint32_t further_in = 0;  // residents of this memory and of those inside it
  for (int m = problem.memory_count() - 1; m >= 0; --m) {
    const std::uint32_t kept = at_home[at(m)];
    further_in |= kept;
    if (further_in == 0) continue;
    auto& memory = std::get<Memory>(changed.levels[at(problem.use(MemoryId{m}).level)]);
    list_tensors(problem, MemoryId{m}, kept, further_in & ~kept, memory);
    for (const int t : members(kept)) {
      memory.partitions[problem.workload().tensor(TensorId{t}).name] = Capacity{};
    }
  }
  return changed;
}

}  // namespace

Checked<Problem> leaf_problem(const Workload& workload, const Architecture& arch,
                              const std::vector<Home>& homes,
                              const std::vector<std::int64_t>& extents) {
  Workload reduced = workload;
  for (std::size_t d = 0; d < extents.size(); ++d) reduced.dims[d].size = extents[d];
  Checked<Problem> whole = Problem::create(reduced, arch);
  std::uint32_t residents = 0;
  for (const Home& home : homes) residents |= home.residents;
  if (!whole.ok() || residents == 0) return whole;
  if (shares_halos(arch)) {
    return refused("einsums are not fused yet on fan-outs with \"halo: shared\"",
                   "leave that out of the architecture");
  }
  std::vector<std::uint32_t> at_home(at(whole.value->memory_count()));
  for (const Home& home : homes) {
    if (home.residents == 0) continue;
    const auto level = arch.find_level(home.memory);
    if (!level || !std::holds_alternative<Memory>(arch.level(*level))) {
      return refused(
          fmt::format("the architecture has no memory \"{}\" to be shared", home.memory));
    }
    std::string misfit = misfit_of(*whole.value, *level, home.residents);
    if (!misfit.empty()) return refused(std::move(misfit), "share another memory");
    at_home[at(index_of(whole.value->memory_at(*level)))] |= home.residents;
  }
  return Problem::create(std::move(reduced), with_residents(*whole.value, at_home));
}

Checked<Problem> leaf_problem(const Workload& workload, const Architecture& arch,
                              const std::string& shared, std::uint32_t residents,
                              const std::vector<std::int64_t>& extents) {
  return leaf_problem(workload, arch, std::vector<Home>{{shared, residents}}, extents);
}

}  // namespace tilewright
