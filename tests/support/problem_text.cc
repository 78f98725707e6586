#include "support/problem_text.h"

#include "support/problems.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

template <typename T>
T value_of(const Checked<T>& read) {
  if (!read.ok()) throw std::logic_error(to_string(read.problems.front()));
  return *read.value;
}

}  // namespace

Problem problem_of(const std::string& arch, const std::string& workload) {
  return make_problem(value_of(io::read_workload_line(workload, "workload")),
                      value_of(io::read_architecture(arch, "architecture")));
}

}  // namespace tilewright::testing
