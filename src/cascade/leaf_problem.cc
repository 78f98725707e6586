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

// Why fused plans cannot use the memory; empty if they can.
std::string misfit_of(const Problem& problem, LevelId level, std::uint32_t residents) {
  const auto& memory = std::get<Memory>(problem.arch().level(level));
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

}  // namespace

Checked<Problem> leaf_problem(const Workload& workload, const Architecture& arch,
                              const std::string& shared, std::uint32_t residents,
                              const std::vector<std::int64_t>& extents) {
  Workload reduced = workload;
  for (std::size_t d = 0; d < extents.size(); ++d) reduced.dims[d].size = extents[d];
  Checked<Problem> whole = Problem::create(reduced, arch);
  if (!whole.ok() || residents == 0) return whole;
  if (shares_halos(arch)) {
    return refused("einsums are not fused yet on fan-outs with \"halo: shared\"",
                   "leave that out of the architecture");
  }
  const auto level = arch.find_level(shared);
  if (!level || !std::holds_alternative<Memory>(arch.level(*level))) {
    return refused(fmt::format("the architecture has no memory \"{}\" to be shared", shared));
  }
  std::string misfit = misfit_of(*whole.value, *level, residents);
  if (!misfit.empty()) return refused(std::move(misfit), "share another memory");
  Architecture changed = arch;
  const MemoryId home = whole.value->memory_at(*level);
  for (int m = 0; m <= index_of(home); ++m) {
    const LevelId at_level = whole.value->use(MemoryId{m}).level;
    auto& memory = std::get<Memory>(changed.levels[at(at_level)]);
    const bool is_home = MemoryId{m} == home;
    list_tensors(*whole.value, MemoryId{m}, is_home ? residents : 0, is_home ? 0 : residents,
                 memory);
    for (const int t : members(is_home ? residents : 0)) {
      memory.partitions[workload.tensor(TensorId{t}).name] = Capacity{};
    }
  }
  return Problem::create(std::move(reduced), std::move(changed));
}

}  // namespace tilewright
