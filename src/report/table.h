// Aligned columns of text, and numbers as people like to read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::report {

class Table {
 public:
  enum class Align { Left, Right };
  struct Column {
    std::string heading;
    Align align = Align::Right;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;  // each line indented by two blanks

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string grouped(std::int64_t number);      // 1,234,567
std::string energy(double pj);                 // "12.3 uJ"
std::string edp(double pj_cycles);             // "0.49 J*cycle"
std::string area(double um2);                  // "3.2 mm2"
std::string percent(double share);             // 0.123 -> "12.3 %"
std::string share(double part, double whole);  // "12.3 %", "-" of nothing
std::string plain(double number);              // "1.5", "2", "12,346"
// Every line but the first moved to the right; no line break at the end.
std::string indented(const std::string& text, int blanks);
std::string list_of(const std::vector<std::string>& words);  // "a, b and c"

}  // namespace tilewright::report
