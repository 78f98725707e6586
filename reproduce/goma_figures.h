// The tables and figures of GOMA, one function each. Those that map can also be made
// for some cases or with less effort, which tests do.
#pragma once

#include <vector>

#include "golden/golden.h"
#include "reproduce/goma_cases.h"
#include "reproduce/goma_runs.h"

namespace tilewright::reproduce {

// All 8,064 mappings of the authors' fidelity study: 7 matrix products, 8 tilings, 9 pairs
// of walking axes, 16 choices of what to keep. Nothing is known of their energies: these
// are 0.
std::vector<golden::GemmRow> goma_study();
// How far apart the energies of mappings of one product are; of this many that fit.
Figure goma_fig2(const Options& options, std::size_t mappings = 20'000);
// Section IV-G: how often the closed form is exact.
Figure goma_fidelity(const Options& options);

Figure goma_table2(const Options& options, const std::vector<GomaCase>& cases = goma_cases(),
                   const GomaEffort& effort = {});
Figure goma_table3(const Options& options, const std::vector<GomaCase>& cases = goma_cases(),
                   const GomaEffort& effort = {});
Figure goma_fig6(const Options& options, const std::vector<GomaCase>& cases = goma_cases(),
                 const GomaEffort& effort = {});
Figure goma_fig7(const Options& options, const GomaEffort& effort = {});
// Times; of a case, and of the products of the one that the paper shows.
Figure goma_fig8(const Options& options, const std::vector<GomaCase>& cases = goma_cases(),
                 const GomaEffort& effort = {});
Figure goma_fig9(const Options& options, const GomaEffort& effort = {});

// Not in the paper but in its repository: what the solver found for each product.
Figure goma_optima(const Options& options, const std::vector<GomaCase>& cases = goma_cases(),
                   const GomaEffort& effort = {});

}  // namespace tilewright::reproduce
