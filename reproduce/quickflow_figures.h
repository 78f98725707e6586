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

// EDP, time and mappings visited: of every map-space, and on average.
Figure quickflow_fig6(const Options& options, const QuickflowSpaces& spaces = quickflow_spaces(),
                      const QuickflowEffort& effort = {});
Figure quickflow_averages(const Options& options,
                          const QuickflowSpaces& spaces = quickflow_spaces(),
                          const QuickflowEffort& effort = {});

// Section V-B: how long a random search takes to find as good a mapping.
Figure quickflow_random(const Options& options,
                        const QuickflowSpaces& spaces = quickflow_spaces({"V"}),
                        const QuickflowEffort& effort = {});

}  // namespace tilewright::reproduce
