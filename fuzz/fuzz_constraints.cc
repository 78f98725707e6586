// Any text is read or refused; what is read survives being written.
#include <cstdint>
#include <string_view>

#include "check_constraints.h"
#include "fuzz_target.h"

FUZZ_TARGET(constraints)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_constraints(tilewright::io::read_constraints(text, "fuzz", constrained_arch()));
  return 0;
}
