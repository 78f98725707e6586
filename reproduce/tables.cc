#include "reproduce/tables.h"

#include <algorithm>

namespace tilewright::reproduce {

namespace {

using Cells = std::vector<std::string>;

std::string_view text_of(const std::vector<io::BuiltinFile>& files, std::string_view name) {
  const auto named = [&](const io::BuiltinFile& file) { return file.name == name; };
  return std::find_if(files.begin(), files.end(), named)->text;
}

// Quotes keep commas together; there are none inside quotes.
Cells cells_of(std::string_view line) {
  Cells cells(1);
  bool quoted = false;
  for (const char sign : line) {
    if (sign == '"') {
      quoted = !quoted;
    } else if (sign == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += sign;
    }
  }
  return cells;
}

bool is_printed(const std::string& heading) { return heading.find("paper") != std::string::npos; }

// Where the figure has the columns of a table; its size where it does not have them.
std::vector<std::size_t> places_of(const Cells& columns, const Cells& headings) {
  std::vector<std::size_t> places;
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    auto place = std::find(headings.begin(), headings.end(), *column);
    for (auto before = std::count(columns.begin(), column, *column);
         before > 0 && place != headings.end(); --before) {
      place = std::find(place + 1, headings.end(), *column);
    }
    places.push_back(static_cast<std::size_t>(place - headings.begin()));
  }
  return places;
}

}  // namespace

std::string_view reference(std::string_view name) { return text_of(reference_files(), name); }

const Cells* Table::find(const Cells& first) const {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Cells& cells) {
    return std::equal(first.begin(), first.end(), cells.begin());
  });
  return row == rows.end() ? nullptr : &*row;
}

Table printed_table(std::string_view name) {
  Table table;
  std::string_view text = text_of(printed_files(), name);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with('#')) table.rows.push_back(cells_of(line));
  }
  table.headings = std::move(table.rows.front());
  table.rows.erase(table.rows.begin());
  return table;
}

void add_printed(Figure& figure, std::string_view name) {
  const Table table = printed_table(name);
  const std::vector<std::size_t> places = places_of(table.headings, figure.headings);
  for (Cells& row : figure.rows) {
    for (const Cells& printed : table.rows) {
      bool meant = true;
      for (std::size_t c = 0; c < places.size(); ++c) {
        meant = meant && (is_printed(table.headings[c]) || row[places[c]] == printed[c]);
      }
      for (std::size_t c = 0; meant && c < places.size(); ++c) {
        if (places[c] < row.size()) row[places[c]] = printed[c];
      }
    }
  }
}

}  // namespace tilewright::reproduce
