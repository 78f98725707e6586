// Answers of the library that Python holds.
#pragma once

#include "bindings.h"
#include "tilewright/report.h"

namespace tilewright::python {

// A mapping with what it costs.
struct HeldResult : Counted {
  HeldResult(report::Result of, Workload as_given)
      : value(std::move(of)), given(std::move(as_given)) {}

  PlacedMapping mapping() const {
    return {std::make_shared<const Place>(Place{value.problem, given}), value.mapping};
  }

  report::Result value;
  Workload given;
};

}  // namespace tilewright::python
