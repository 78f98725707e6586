#include <algorithm>

#include "parts.h"

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

// A tile that is built in is that of all tensors of its memory together.
Evenness map::evenness_of_setting(const Architecture& flexible, Evenness evenness,
                                  Architecture& set_up) {
  const Flexibility& flexibility = *flexible.flexibility;
  if (evenness == Evenness::Even || flexibility.tile.kind != TileFreedom::Kind::Fixed) {
    return evenness;
  }
  const std::string& tiled = name_of(flexible.level(parts_of(flexible, flexibility)->tile));
  for (Level& level : set_up.levels) {
    auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr) continue;
    memory->uneven |= evenness == Evenness::Uneven;
    memory->uneven &= memory->name != tiled;
  }
  return Evenness::Marked;
}

std::vector<Diagnostic> reasons_against_uneven(const MappingTask& task) {
  std::vector<Diagnostic> reasons;
  const auto complain = [&](std::string message, std::string hint) {
    reasons.push_back({{"--uneven"}, std::move(message), std::move(hint)});
  };
  if (has_points(task.evaluator.problem())) {
    complain("the architecture has storage points already", "give it with whole memories");
  }
  if (has_parts(task.evaluator.problem().arch())) {
    complain("uneven mappings with memories that share room are not searched yet",
             "leave out --uneven, or write one memory in place of those that share");
  }
  return reasons;
}

}  // namespace tilewright
