// Any line is read or refused; what is read survives being written to a file.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tilewright/io.h"

using tilewright::Parsed;
using tilewright::Workload;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Parsed<Workload> workload = tilewright::io::read_workload_line(text, "fuzz");
  if (workload.value.has_value() == !workload.problems.empty()) std::abort();
  if (!workload.value) return 0;
  if (!tilewright::problems_of(*workload.value).empty()) std::abort();
  const Parsed<Workload> again =
      tilewright::io::read_workload(tilewright::io::write_workload(*workload.value), "again");
  if (!again.ok() || !(*again.value == *workload.value)) std::abort();
  return 0;
}
