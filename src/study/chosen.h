// What a mapping makes of a flexible accelerator: its tile and its order.
#pragma once

#include "tilewright/map.h"

namespace tilewright::study {

// Of the setting or, if that leaves it open, the loops in the order of the mapping's outermost
// memory; those that run once come last. The outcome has a mapping and a setting.
ConvOrder chosen_order(const MapOutcome& outcome);

// The extents of the buffer's tile, loop by loop.
ConvSizes chosen_tile(const MapOutcome& outcome, LevelId buffer);

}  // namespace tilewright::study
