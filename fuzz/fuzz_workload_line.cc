// Any line is read or refused; what is read survives being written to a file.
#include <cstdint>
#include <string_view>

#include "check_workload.h"
#include "fuzz_target.h"

FUZZ_TARGET(workload_line)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_workload(tilewright::io::read_workload_line(text, "fuzz"));
  return 0;
}
