// What a mapping makes of a flexible accelerator: its tile and its order.
#pragma once

#include "tilewright/map.h"

namespace tilewright::study {

// The order is that of the setting or, if that leaves it open, of the loops of the mapping's
// outermost memory; those that run once come last. The outcome has a mapping and a setting.
ConvOrder chosen_order(const MapOutcome& outcome);

// The extents of a memory's tile, loop by loop.
ConvSizes chosen_tile(const MapOutcome& outcome, LevelId memory);

}  // namespace tilewright::study
