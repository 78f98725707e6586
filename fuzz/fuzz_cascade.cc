// Any text is read as a cascade or refused; a cascade is sound and survives being written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz_target.h"
#include "tilewright/io.h"

FUZZ_TARGET(cascade)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cascade = tilewright::io::read_cascade(text, "fuzz");
  if (cascade.value.has_value() == !cascade.problems.empty()) std::abort();
  if (!cascade.value) return 0;
  if (!tilewright::problems_of(*cascade.value).empty()) std::abort();
  const std::string written = tilewright::io::write_cascade(*cascade.value);
  if (written.size() > tilewright::io::kMaxTextBytes) return 0;
  const auto again = tilewright::io::read_cascade(written, "again");
  if (!again.ok() || !(*again.value == *cascade.value)) std::abort();
  return 0;
}
