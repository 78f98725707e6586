// Any line is read or refused; what is read survives being written to a file,
// and each rule being printed.
#include <cstdint>
#include <string_view>

#include "check_constraints.h"
#include "fuzz_target.h"

using tilewright::io::read_constraint_line;

FUZZ_TARGET(constraints_line)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto constraints = read_constraint_line(text, "fuzz", constrained_arch());
  check_constraints(constraints);
  if (!constraints.value) return 0;
  for (const tilewright::Constraint& constraint : *constraints.value) {
    const auto again = read_constraint_line(to_string(constraint), "again", constrained_arch());
    if (!again.ok() || again.value->size() != 1 || !(again.value->front() == constraint)) {
      std::abort();
    }
  }
  return 0;
}
