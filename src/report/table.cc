#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/search_objective.h"
#include "base/text.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string scaled(double value, std::span<const Scale> scales) {
  const Scale* best = scales.data();
  for (const Scale& scale : scales) {
    if (std::abs(value) >= scale.factor) best = &scale;
  }
  return fmt::format("{} {}", plain(value / best->factor), best->unit);
}

std::vector<std::size_t> Table::column_widths() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.heading.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

std::vector<bool> Table::columns_that_fit(const std::vector<std::size_t>& widths) const {
  std::vector<bool> shown(columns_.size(), true);
  if (width_ <= 0) return shown;
  const auto room = static_cast<std::size_t>(width_);
  std::vector<std::size_t> by_rank;  // the least important first, of equal ones the last
  std::size_t needed = 0;
  for (std::size_t i = columns_.size(); i-- > 0;) {
    if (columns_[i].rank > 0) by_rank.push_back(i);
    needed += 2 + widths[i];
  }
  std::stable_sort(by_rank.begin(), by_rank.end(), [&](std::size_t x, std::size_t y) {
    return columns_[x].rank > columns_[y].rank;
  });
  for (const std::size_t column : by_rank) {
    if (needed <= room) break;
    shown[column] = false;
    needed -= 2 + widths[column];
  }
  // Where a wide column went, there may be room for one that went before it.
  for (auto column = by_rank.rbegin(); column != by_rank.rend(); ++column) {
    if (shown[*column] || needed + 2 + widths[*column] > room) continue;
    shown[*column] = true;
    needed += 2 + widths[*column];
  }
  return shown;
}

std::string Table::left_out(const std::vector<bool>& shown) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown[i]) parts.push_back(columns_[i].heading + ",");
  }
  if (parts.empty()) return "";
  parts.back().back() = ';';
  parts.emplace_back("--wide prints all)");
  std::string text = "  (left out to fit:";
  std::size_t used = text.size();
  for (const std::string& part : parts) {
    const bool fits = used + 1 + part.size() <= static_cast<std::size_t>(width_);
    text += (fits ? " " : "\n   ") + part;
    used = (fits ? used + 1 : 3) + part.size();
  }
  return text + "\n";
}

std::string Table::text() const {
  const std::vector<std::size_t> widths = column_widths();
  const std::vector<bool> shown = columns_that_fit(widths);
  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!shown[i]) continue;
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
  return out + left_out(shown);
}

std::string grouped(Int128 number) { return with_commas(fmt::format("{}", number)); }

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

std::string rounded(double number) {
  constexpr std::array<Scale, 4> kScales = {{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}}};
  return number < 1000 ? fmt::format("{:.0f}", number) : scaled(number, kScales);
}

std::string title_of(Objective objective) {
  if (objective == Objective::Edp) return "EDP";
  return objective == Objective::Ed2p ? "ED2P" : to_string(objective);
}

std::string value_text(Objective objective, const Score& score) {
  return value_text(objective, value_of(objective, score));
}

std::string value_text(Objective objective, double value) {
  if (objective == Objective::Energy) return energy(value);
  if (objective == Objective::Latency) {
    return grouped(static_cast<std::int64_t>(value)) + " cycles";
  }
  if (objective == Objective::Edp) return edp(value);
  if (objective == kPower) return fmt::format("{:.4g} pJ/cycle", value);
  const auto power = [](const char* unit, int of) {
    return of == 0 ? "" : of == 1 ? unit : fmt::format("{}^{}", unit, of);
  };
  const std::string energies = power("pJ", objective.energy);
  const std::string cycles = power("cycle", objective.cycles);
  return fmt::format("{:.4g} {}{}{}", value, energies,
                     energies.empty() || cycles.empty() ? "" : "*", cycles);
}

std::string table_text(const std::vector<std::string>& headings,
                       const std::vector<std::vector<std::string>>& rows) {
  const auto is_number = [](const std::string& cell) {
    return cell.empty() || cell.find_first_not_of("0123456789.,+-eE% ") == std::string::npos;
  };
  std::vector<Table::Column> columns;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    const bool numbers = std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
      return i >= row.size() || is_number(row[i]);
    });
    columns.push_back({headings[i], numbers ? Align::Right : Align::Left});
  }
  Table table(std::move(columns));
  for (const std::vector<std::string>& row : rows) table.add(row);
  return table.text();
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  }
  return row + '\n';
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string share(double part, double whole) { return whole == 0 ? "-" : percent(part / whole); }

std::string plain(double number) {
  // Four digits would turn larger ones into powers of ten.
  if (std::abs(number) >= 1e3 && std::abs(number) < 1e15) return grouped(std::llround(number));
  return fmt::format("{:.4g}", number);
}

std::string ratio_text(double ratio) {
  constexpr double kSmall = 0.001;
  return ratio != 0 && ratio < kSmall ? fmt::format("{:.2e}", ratio) : fmt::format("{:.4f}", ratio);
}

std::string mean_count(double count) {
  constexpr double kLarge = 1e9;
  return count >= kLarge ? fmt::format("{:.2e}", count) : plain(count);
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

}  // namespace tilewright::report
