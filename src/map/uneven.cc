#include <algorithm>

#include "tilewright/map.h"

namespace tilewright {

Evenness evenness_for(const Architecture& arch, std::optional<bool> uneven) {
  if (uneven) return *uneven ? Evenness::Uneven : Evenness::Even;
  const bool marked = std::any_of(arch.levels.begin(), arch.levels.end(), [](const Level& level) {
    const auto* memory = std::get_if<Memory>(&level);
    return memory != nullptr && memory->uneven;
  });
  return marked ? Evenness::Marked : Evenness::Even;
}

std::uint32_t uneven_memories(const Problem& problem, Evenness evenness) {
  std::uint32_t memories = 0;
  for (int m = 0; evenness != Evenness::Even && m < problem.memory_count(); ++m) {
    if (evenness == Evenness::Uneven || problem.memory(MemoryId{m}).uneven) memories |= 1U << m;
  }
  return memories;
}

std::vector<Diagnostic> reasons_against_uneven(const MappingTask& task) {
  std::vector<Diagnostic> reasons;
  const auto complain = [&](std::string message, std::string hint) {
    reasons.push_back({{"--uneven"}, std::move(message), std::move(hint)});
  };
  if (has_points(task.evaluator.problem())) {
    complain("the architecture has storage points already", "give it with whole memories");
  }
  if (task.evaluator.problem().systolic()) {
    complain("uneven mappings of systolic arrays, with fill or preload, are not searched yet",
             "leave out --uneven, or fill and preload of the architecture's fan-outs");
  }
  if (shares_halos(task.evaluator.problem().arch())) {
    complain("uneven mappings with \"halo: shared\" are not searched yet",
             "leave out --uneven, or \"halo: shared\" of the architecture's fan-outs");
  }
  return reasons;
}

}  // namespace tilewright
