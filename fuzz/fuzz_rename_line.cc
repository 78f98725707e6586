// Any line is read or refused; what is read renames a workload into one that is
// sound, or is refused there.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz_target.h"
#include "tilewright/io.h"

FUZZ_TARGET(rename_line)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto renamings = tilewright::io::read_rename_line(text, "fuzz");
  if (renamings.value.has_value() == !renamings.problems.empty()) std::abort();
  if (!renamings.value) return 0;
  tilewright::Workload workload = tilewright::make_gemm("fuzz", 2, 3, 4);
  const auto problems = tilewright::rename_dims(workload, *renamings.value);
  if (!tilewright::problems_of(workload).empty()) std::abort();
  if (!problems.empty() && workload != tilewright::make_gemm("fuzz", 2, 3, 4)) std::abort();
  return 0;
}
