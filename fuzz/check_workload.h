// What both readers of workloads must hold to.
#pragma once

#include <cstdlib>

#include "tilewright/io.h"

// Either a value or complaints; a value is sound and survives being written.
inline void check_workload(const tilewright::Checked<tilewright::Workload>& workload) {
  if (workload.value.has_value() == !workload.problems.empty()) std::abort();
  if (!workload.value) return;
  if (!tilewright::problems_of(*workload.value).empty()) std::abort();
  const auto again =
      tilewright::io::read_workload(tilewright::io::write_workload(*workload.value), "again");
  if (!again.ok() || !(*again.value == *workload.value)) std::abort();
}
