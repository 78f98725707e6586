// Searches of other tools, written from what was published about them, on our model: rows to
// compare a mapper with. docs/arena.md says what was taken and what had to be adapted.
#pragma once

#include "tilewright/map.h"

namespace tilewright {

const Mapper& timeloop_random_mapper();
const Mapper& timeloop_linear_mapper();
const Mapper& timeloop_hybrid_mapper();
const Mapper& loma_mapper();
const Mapper& salsa_mapper();
const Mapper& factorflow_mapper();

}  // namespace tilewright
