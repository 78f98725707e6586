// Figures of a study that texts and JSON share.
#pragma once

#include <optional>

#include "tilewright/report.h"

namespace tilewright::report {

// The area that a variant's freedom adds, as a share.
double area_overhead(const StudyReport& report, const Variant& variant);
// What a variant takes of a network, relative to the first variant; nothing if a
// layer has no mapping.
std::optional<double> relative(const StudyReport& report, Objective objective, std::size_t variant,
                               std::size_t network);

}  // namespace tilewright::report
