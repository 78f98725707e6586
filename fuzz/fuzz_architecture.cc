// Any text is read or refused; what is read survives being written, and its
// flexibility being printed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "check_flexibility.h"

using tilewright::Architecture;
using tilewright::Checked;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Checked<Architecture> arch = tilewright::io::read_architecture(text, "fuzz");
  if (arch.value.has_value() == !arch.problems.empty()) std::abort();
  if (!arch.value) return 0;
  const Checked<Architecture> again =
      tilewright::io::read_architecture(tilewright::io::write_architecture(*arch.value), "again");
  if (!again.ok() || !(*again.value == *arch.value)) std::abort();
  if (arch.value->flexibility) check_flexibility(*arch.value, *arch.value->flexibility);
  return 0;
}
