#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/utf8.h"

namespace tilewright {

namespace {

// The shortest digits that are read back as this number, "1.25e-07".
struct Digits {
  std::string digits;
  int point = 0;  // how many of them stand before it; less than 0 or more than there are
};

Digits shortest_digits(double positive) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), positive,
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  Digits result{std::string(text.substr(0, e)), 0};
  std::erase(result.digits, '.');
  const bool negative = text[e + 1] == '-';
  std::from_chars(text.data() + e + 2, end, result.point);
  result.point = (negative ? -result.point : result.point) + 1;
  return result;
}

// Exponents begin at 1e+15 and below 1e-4.
std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (value == 0) return sign + "0.0";
  const auto [digits, point] = shortest_digits(std::abs(value));
  const int count = static_cast<int>(digits.size());
  if (point > 15 || point <= -4) {
    const std::string fraction = count > 1 ? "." + digits.substr(1) : "";
    return fmt::format("{}{}{}e{:+03}", sign, digits[0], fraction, point - 1);
  }
  if (point <= 0) return fmt::format("{}0.{:0>{}}", sign, digits, count - point);
  const auto before = static_cast<std::size_t>(std::min(point, count));
  const std::string after = point < count ? digits.substr(before) : "0";
  return fmt::format("{}{:0<{}}.{}", sign, digits.substr(0, before), point, after);
}

std::string escaped(char c) {
  constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const std::size_t which = kPlain.find(c);
  if (which != std::string_view::npos) return {'\\', kLetters[which]};
  if (static_cast<unsigned char>(c) < 0x20) return fmt::format("\\u{:04x}", static_cast<int>(c));
  return {c};
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else if (length == 1) {
      result += escaped(text[0]);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result + "\"";
}

}  // namespace

Json::Json() : Json(Written{"null"}) {}
Json::Json(Int128 value) : Json(Written{fmt::format("{}", value)}) {}
Json::Json(double value) : Json(Written{number_text(value)}) {}
Json::Json(std::string_view text) : Json(Written{quoted(text)}) {}
Json::Json(std::initializer_list<Member> members) : kind_(Kind::Object), members_(members) {}
Json::Json(Written written) : text_(std::move(written.text)) {}
Json::Json(Kind kind) : kind_(kind) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Member::Member(std::string_view its_key, Json its_value)
    : key(its_key), value(std::move(its_value)) {}
Json::Member::Member(const Member& other) = default;
Json::Member::Member(Member&& other) noexcept = default;
Json::Member& Json::Member::operator=(const Member& other) = default;
Json::Member& Json::Member::operator=(Member&& other) noexcept = default;
Json::Member::~Member() = default;

Json Json::array() { return Json(Kind::List); }
Json Json::object() { return Json(Kind::Object); }

Json& Json::operator[](std::string_view key) {
  kind_ = Kind::Object;
  const auto found = std::ranges::find(members_, key, &Member::key);
  if (found != members_.end()) return found->value;
  return members_.emplace_back(key, nullptr).value;
}

void Json::update(const Json& object) {
  for (const Member& member : object.members_) (*this)[member.key] = member.value;
}

void Json::push_back(Json value) {
  kind_ = Kind::List;
  members_.emplace_back("", std::move(value));
}

std::string Json::to_text() const {
  std::string out;
  write(out, 0);
  return out;
}

void Json::write(std::string& out, std::size_t indent) const {
  if (kind_ == Kind::Plain) {
    out += text_;
    return;
  }
  const bool is_object = kind_ == Kind::Object;
  out += is_object ? '{' : '[';
  const std::string line = "\n" + std::string(indent, ' ');
  for (std::size_t i = 0; i < members_.size(); ++i) {
    out += (i > 0 ? "," : "") + line + "  ";
    if (is_object) out += quoted(members_[i].key) + ": ";
    members_[i].value.write(out, indent + 2);
  }
  if (!members_.empty()) out += line;
  out += is_object ? '}' : ']';
}

}  // namespace tilewright
