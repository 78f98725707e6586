#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::report {
namespace {

struct Scale {
  double factor;
  const char* unit;
};

// The number in the largest unit that leaves it at 1 or more.
template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales) {
  const Scale* best = scales.data();
  for (const Scale& scale : scales) {
    if (std::abs(value) >= scale.factor) best = &scale;
  }
  return fmt::format("{} {}", plain(value / best->factor), best->unit);
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.heading.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool left = columns_[i].align == Align::Left;
      text += left ? fmt::format("  {:<{}}", cell(i), widths[i])
                   : fmt::format("  {:>{}}", cell(i), widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
  };
  std::string out = line([&](std::size_t i) { return columns_[i].heading; });
  out += line([&](std::size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : rows_) {
    out += line([&](std::size_t i) { return i < row.size() ? row[i] : std::string(); });
  }
  return out;
}

std::string grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  const std::ptrdiff_t first = number < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string energy(double pj) {
  constexpr std::array<Scale, 5> kScales = {
      {{1, "pJ"}, {1e3, "nJ"}, {1e6, "uJ"}, {1e9, "mJ"}, {1e12, "J"}}};
  return scaled(pj, kScales);
}

std::string edp(double pj_cycles) {
  constexpr std::array<Scale, 7> kScales = {{{1, "pJ*cycle"},
                                             {1e3, "nJ*cycle"},
                                             {1e6, "uJ*cycle"},
                                             {1e9, "mJ*cycle"},
                                             {1e12, "J*cycle"},
                                             {1e15, "kJ*cycle"},
                                             {1e18, "MJ*cycle"}}};
  return scaled(pj_cycles, kScales);
}

std::string area(double um2) {
  constexpr std::array<Scale, 2> kScales = {{{1, "um2"}, {1e6, "mm2"}}};
  return scaled(um2, kScales);
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string share(double part, double whole) { return whole == 0 ? "-" : percent(part / whole); }

std::string plain(double number) {
  // Four digits would turn larger ones into powers of ten.
  if (std::abs(number) >= 1e3 && std::abs(number) < 1e15) return grouped(std::llround(number));
  return fmt::format("{:.4g}", number);
}

std::string indented(const std::string& text, int blanks) {
  const std::size_t length = text.find_last_not_of('\n') + 1;
  std::string moved;
  for (const char c : text.substr(0, length)) {
    moved += c;
    if (c == '\n') moved.append(static_cast<std::size_t>(blanks), ' ');
  }
  return moved;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace tilewright::report
