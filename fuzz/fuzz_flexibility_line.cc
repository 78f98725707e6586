// Any line is read or refused; what is read is sound and survives being printed,
// and being written to a file.
#include <cstdint>
#include <string_view>

#include "check_flexibility.h"
#include "fuzz_target.h"

using tilewright::Architecture;
using tilewright::io::read_architecture;

namespace {

// What lines are read against: an array without a word on what it can be set to.
const Architecture& flexible_arch() {
  static const Architecture arch = *read_architecture(R"(
architecture: small
levels:
  - {memory: DRAM, capacity: unlimited}
  - {memory: Buffer, capacity: 64 KiB}
  - {fanout: array, x: 14, y: 12}
  - compute: MAC
)",
                                                      "arch")
                                        .value;
  return arch;
}

}  // namespace

FUZZ_TARGET(flexibility_line)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto flexibility = tilewright::io::read_flexibility_line(text, "fuzz", flexible_arch());
  if (flexibility.value.has_value() == !flexibility.problems.empty()) std::abort();
  if (!flexibility.value) return 0;
  check_flexibility(flexible_arch(), *flexibility.value);
  Architecture arch = flexible_arch();
  arch.flexibility = flexibility.value;
  const auto again = read_architecture(tilewright::io::write_architecture(arch), "again");
  if (!again.ok() || !(*again.value == arch)) std::abort();
  return 0;
}
