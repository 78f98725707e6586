// Any text is read or refused, with values in place of some of its own, too; what is read survives
// being written, and its flexibility being printed.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "check_flexibility.h"
#include "fuzz_target.h"

using tilewright::Architecture;
using tilewright::Checked;

namespace {

// A comment "#set PATH=VALUE" is a change to the rest of the text.
std::vector<std::string> changes_in(std::string_view text) {
  constexpr std::string_view kMark = "#set ";
  std::vector<std::string> changes;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(kMark)) changes.emplace_back(line.substr(kMark.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return changes;
}

}  // namespace

FUZZ_TARGET(architecture)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Checked<Architecture> arch =
      tilewright::io::read_architecture(text, "fuzz", changes_in(text));
  if (arch.value.has_value() == !arch.problems.empty()) std::abort();
  if (!arch.value) return 0;
  const Checked<Architecture> again =
      tilewright::io::read_architecture(tilewright::io::write_architecture(*arch.value), "again");
  if (!again.ok() || !(*again.value == *arch.value)) std::abort();
  if (arch.value->flexibility) check_flexibility(*arch.value, *arch.value->flexibility);
  return 0;
}
