// What the files of the native module share: the values that Python holds, and how
// complaints get there.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/base.h"
#include "tilewright/mapping.h"
#include "tilewright/workload.h"

namespace tilewright::python {

namespace nb = nanobind;

// --- values -------------------------------------------------------------------

// Counts the native objects that live, so that a test can look for leaks.
class Counted {
 public:
  Counted() { ++count(); }
  Counted(const Counted& /*other*/) { ++count(); }
  Counted(Counted&& /*other*/) noexcept { ++count(); }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() { --count(); }

  static std::atomic<std::int64_t>& count();
};

// A value of the library that Python holds. It never changes.
template <typename T>
struct Held : Counted {
  explicit Held(T of) : value(std::move(of)) {}
  T value;
};

using Constraints = std::vector<Constraint>;
using HeldWorkload = Held<Workload>;
using HeldArchitecture = Held<Architecture>;
using HeldNetwork = Held<Network>;
using HeldConstraints = Held<Constraints>;

// What mappings are of. The workload of the problem may be padded.
struct Place {
  Problem problem;
  Workload given;
};
using SharedPlace = std::shared_ptr<const Place>;

// A mapping that knows what it is of.
struct PlacedMapping : Counted {
  PlacedMapping(SharedPlace of, Mapping is) : place(std::move(of)), mapping(std::move(is)) {}
  SharedPlace place;
  Mapping mapping;
};

// --- complaints -----------------------------------------------------------------

// Becomes tilewright.InputError.
struct Refused {
  std::vector<Diagnostic> problems;
};
// Becomes tilewright.Infeasible or, for exit codes of bad input, tilewright.NothingFound. The
// lines are those of the command line.
struct Failed {
  std::vector<std::string> lines;
  int exit_code = 0;
};

template <typename T>
T value_or_refuse(Checked<T> checked) {
  if (!checked.ok()) throw Refused{std::move(checked.problems)};
  return std::move(*checked.value);
}

inline void refuse_if_any(std::vector<Diagnostic> problems) {
  if (!problems.empty()) throw Refused{std::move(problems)};
}

// --- parts of the module ----------------------------------------------------------

void bind_errors(nb::module_& m);
void bind_values(nb::module_& m);
void bind_yaml(nb::module_& m);
void bind_mapping(nb::module_& m);
void bind_evaluate(nb::module_& m);
void bind_search(nb::module_& m);
void bind_space(nb::module_& m);
void bind_flex(nb::module_& m);
void bind_fusion(nb::module_& m);
void bind_command_line(nb::module_& m);

}  // namespace tilewright::python
