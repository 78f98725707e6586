#include "base/utf8.h"

namespace tilewright {

std::size_t utf8_length(std::string_view text) {
  using Byte = unsigned char;
  if (text.empty()) return 0;
  const auto lead = static_cast<Byte>(text[0]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;  // continuation, overlong, or beyond Unicode
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<Byte>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const auto second = static_cast<Byte>(text[1]);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

}  // namespace tilewright
