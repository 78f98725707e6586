// Parts of reports on plans: those that were found, and those that were written by hand.
#pragma once

#include "report/json_values.h"
#include "report/table.h"

namespace tilewright::report {

struct PlanView {
  const Cascade& cascade;
  const Plan& plan;
  const PlanEvaluation& evaluation;
};

// How many times less the second is; "1.00" where both are nothing.
std::string times_less(double before, double after);
// A line if nothing takes energy, else nothing.
std::string energies_text(const Architecture& arch);
// The memories that groups share, and others that tensors are at home in.
std::string shared_text(const PlanView& view);
// The trees of all groups, with their energies.
std::string groups_text(const PlanView& view);
// A line per einsum: what it costs, what limits it, what is live.
Table einsum_table(const PlanView& view);
// A line per tensor of an einsum: where it is, and its words outside.
Table tensor_table(const PlanView& view);
// A line per tensor, memory and einsum: words and energy.
Table memory_table(const PlanView& view);

Json group_energies(const PlanView& view);
Json einsums_json(const PlanView& view);

}  // namespace tilewright::report
