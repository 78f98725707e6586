// Tables that others made, from files inside the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reproduce/figure.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {

const std::vector<io::BuiltinFile>& reference_files();  // references/*.csv
const std::vector<io::BuiltinFile>& printed_files();    // reproduce/printed/*.csv

// The text of a reference file. Names must be right, here and below.
std::string_view reference(std::string_view name);

struct Table {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;

  // The row that begins with these cells; a null pointer if there is none.
  const std::vector<std::string>* find(const std::vector<std::string>& first) const;
};
// What a paper prints or its authors published.
Table printed_table(std::string_view name);

// Fills in such a table: columns with "paper" in their heading, in those rows of the
// figure that are equal in the other columns. Of columns with the same heading the first
// goes to the first.
void add_printed(Figure& figure, std::string_view name);

}  // namespace tilewright::reproduce
