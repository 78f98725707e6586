// Objectives that a search may have beside those that can be proven.
#pragma once

#include <optional>
#include <string>

#include "tilewright/base.h"

namespace tilewright {

// Energy per cycle. It is less where a mapping takes longer: no bound of energy and of cycles
// bounds it, so it is for searches alone that prove nothing.
inline constexpr Objective kPower{1, -1};
constexpr bool can_be_bounded(Objective objective) { return objective.cycles >= 0; }

// As objective_named(), and power.
std::optional<Objective> search_objective_named(const std::string& text);
// Why a text is none of the objectives; `search` says whether power would be one.
std::string reason_against_objective(const std::string& text, bool search);

}  // namespace tilewright
