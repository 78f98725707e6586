// The tables and figures of QuickFlow, one function each. They can also be made for some
// map-spaces or with less effort, which tests do.
#pragma once

#include <vector>

#include "reproduce/quickflow_runs.h"

namespace tilewright::reproduce {

using QuickflowSpaces = std::vector<QuickflowSpace>;

// Section IV-B: how many orders of a kernel's loops differ in what they reuse.
Figure quickflow_classes(const Options& options);

// Section V-B: whether orders chosen in one shot are the best.
Figure quickflow_orders(const Options& options, const QuickflowSpaces& spaces = quickflow_spaces(),
                        const QuickflowEffort& effort = {});

// How fast the model is.
Figure quickflow_table3(const Options& options, const QuickflowSpaces& spaces = quickflow_spaces(),
                        const QuickflowEffort& effort = {});

// EDP, time and mappings visited of all mappers: of every map-space, and over all; then of the
// local search alone, on average.
Figure quickflow_fig6(const Options& options, const QuickflowSpaces& spaces = quickflow_spaces(),
                      const QuickflowEffort& effort = {});
Figure quickflow_mappers(const Options& options, const QuickflowSpaces& spaces = quickflow_spaces(),
                         const QuickflowEffort& effort = {});
Figure quickflow_averages(const Options& options,
                          const QuickflowSpaces& spaces = quickflow_spaces(),
                          const QuickflowEffort& effort = {});

// Section III-D: sizes of the map-spaces.
Figure quickflow_sizes(const Options& options, const QuickflowSpaces& spaces = quickflow_spaces());
// Section IV-C: steps of the search, and the bound on what it visits.
Figure quickflow_steps(const Options& options, const QuickflowSpaces& spaces = quickflow_spaces());
// Section V-B: what is left to be gained by a wider search, and by any.
Figure quickflow_wider(const Options& options, const QuickflowSpaces& spaces = quickflow_spaces(),
                       const QuickflowEffort& effort = {});

// Section V-B: how long a random search takes to find as good a mapping.
Figure quickflow_random(const Options& options,
                        const QuickflowSpaces& spaces = quickflow_spaces({"V"}),
                        const QuickflowEffort& effort = {});

}  // namespace tilewright::reproduce
