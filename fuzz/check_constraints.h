// What both readers of constraints must hold to.
#pragma once

#include <cstdlib>
#include <vector>

#include "tilewright/io.h"

// What constraints are read against.
inline const tilewright::Architecture& constrained_arch() {
  static const tilewright::Architecture arch = *tilewright::io::read_architecture(R"(
architecture: small
levels:
  - {memory: DRAM, capacity: unlimited}
  - {memory: Buffer, capacity: 64 KiB}
  - {fanout: Rows, y: 12}
  - {fanout: array, x: 14, y: 12}
  - compute: MAC
)",
                                                                                  "arch")
                                                    .value;
  return arch;
}

// Either a value or complaints; a value is sound and survives being written.
inline void check_constraints(
    const tilewright::Checked<std::vector<tilewright::Constraint>>& constraints) {
  if (constraints.value.has_value() == !constraints.problems.empty()) std::abort();
  if (!constraints.value) return;
  for (const tilewright::Constraint& constraint : *constraints.value) {
    if (!tilewright::problems_of(constrained_arch(), constraint).empty()) std::abort();
  }
  const auto again = tilewright::io::read_constraints(
      tilewright::io::write_constraints(*constraints.value), "again", constrained_arch());
  if (!again.ok() || !(*again.value == *constraints.value)) std::abort();
}
