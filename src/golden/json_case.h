#pragma once

#include <string>
#include <string_view>

#include "tilewright/golden.h"

namespace tilewright::golden {

// One line of a .jsonl file.
Parsed<Case> read_json_case(std::string_view line, const SourcePosition& where);

// The rows of a .csv file under its heading.
class CsvReader {
 public:
  explicit CsvReader(std::string_view heading) : heading_(heading) {}
  // Nothing if the heading is the one that read_row expects.
  std::optional<Diagnostic> check_heading(const SourcePosition& where) const;
  Parsed<Case> read_row(std::string_view row, const SourcePosition& where) const;

 private:
  std::string heading_;
};

// Brings the parts together, or says why they do not fit.
Parsed<Case> make_case(std::string id, Workload workload, Architecture arch,
                       const SourcePosition& where);

}  // namespace tilewright::golden
