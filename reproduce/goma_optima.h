// What GOMA's solver found, according to the logs that its authors published.
#pragma once

#include <optional>
#include <string>

#include "reproduce/goma_cases.h"

namespace tilewright::reproduce {

// pJ per multiply-accumulate without leakage, of a mapping that the solver reports
// as optimal, with a gap of 0.
std::optional<double> goma_optimum(const GomaCase& evaluated, const std::string& layer);

}  // namespace tilewright::reproduce
