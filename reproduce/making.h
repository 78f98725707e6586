// What figures of all papers need while they are being made.
#pragma once

#include <string>
#include <vector>

#include "reproduce/figure.h"
#include "tilewright/arch.h"
#include "tilewright/search.h"

namespace tilewright::reproduce {

// An architecture that ships; the name must be right.
Architecture shipped_architecture(const std::string& name);

bool is_cancelled(const Options& options);
void tell_progress(const Options& options, const std::string& what, double fraction);
// Says in a note that the figure lacks something, if it was cancelled.
void note_cancellation(const Options& options, Figure& figure);

// The threads and the cancellation of a figure, without limits.
SearchOptions search_options(const Options& options);

double median(std::vector<double> values);  // not of none

}  // namespace tilewright::reproduce
