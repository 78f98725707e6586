// Aligned columns of text, and numbers as people like to read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tilewright/base.h"

namespace tilewright::report {

class Table {
 public:
  enum class Align { Left, Right };
  struct Column {
    std::string heading;
    Align align = Align::Right;
    // Where room is short, columns with the highest rank are left out first;
    // those of rank 0 stay.
    int rank = 0;
  };

  // A width of 0 is no limit.
  explicit Table(std::vector<Column> columns, int width = 0)
      : columns_(std::move(columns)), width_(width) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Each line is indented by two blanks. A last line names the columns that are
  // left out.
  std::string text() const;

 private:
  std::vector<std::size_t> column_widths() const;
  std::vector<bool> columns_that_fit(const std::vector<std::size_t>& widths) const;
  std::string left_out(const std::vector<bool>& shown) const;

  std::vector<Column> columns_;
  int width_;
  std::vector<std::vector<std::string>> rows_;
};

using Align = Table::Align;

// A unit, and how many of those of the number it is.
struct Scale {
  double factor;
  const char* unit;
};
// The number in the largest unit that leaves it at 1 or more; they rise.
std::string scaled(double value, std::span<const Scale> scales);

std::string grouped(Int128 number);  // 1,234,567
std::string energy(double pj);       // "12.3 uJ"
// "EDP", "ED2P", "energy^2*cycles"
std::string title_of(Objective objective);
std::string edp(double pj_cycles);             // "0.49 J*cycle"
std::string area(double um2);                  // "3.2 mm2"
std::string percent(double share);             // 0.123 -> "12.3 %"
std::string share(double part, double whole);  // "12.3 %", "-" of nothing
std::string plain(double number);              // "1.5", "2", "12,346"
std::string ratio_text(double ratio);          // "0.2222", "1.20e-07"
// A count that may be a mean: "720", "26.15", "1.79e+14"
std::string mean_count(double count);
// Every line but the first moved to the right; no line break at the end.
std::string indented(const std::string& text, int blanks);

}  // namespace tilewright::report
