// Random problems made systolic: fan-outs take cycles at each change of a tile inside them.
#pragma once

#include <optional>

#include "support/random_problem.h"

namespace tilewright::testing {

// The problem with fill or preload at some of its fan-outs; some tensor is always kept in a
// memory inside them, and in the outermost. Nothing if no fan-out has a memory inside.
std::optional<Problem> make_systolic(TestRng& rng, const Problem& problem);

// The same with the mapping, which then keeps the tensor there.
std::optional<RandomCase> make_systolic(TestRng& rng, const RandomCase& random);

}  // namespace tilewright::testing
