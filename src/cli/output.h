// What commands say, and to whom: results to standard output, complaints to
// standard error.
#pragma once

#include <string>
#include <vector>

#include "tilewright/base.h"

namespace tilewright::cli {

void print(const std::string& text);
// A report for people: with colours, where output goes to a terminal.
void print_report(const std::string& text);
// What a command made of its result: JSON as it is, or else a report.
void print_result(const std::string& text, bool json);
// Comes after what was printed before, also where both go to one terminal.
void complain(const std::string& line);
void complain(const std::vector<Diagnostic>& problems);
// The lines of these complaints: "file:line:column: message; hint", "error: message".
std::vector<std::string> complaints_about(const std::vector<Diagnostic>& problems);
// Complains about what could not be read; false if all is well.
template <typename T>
bool refused(const Checked<T>& parsed) {
  if (!parsed.ok()) complain(parsed.problems);
  return !parsed.ok();
}

}  // namespace tilewright::cli
