// A result as JSON, as a report for people or as rows, whichever was asked for.
#pragma once

#include <string>
#include <type_traits>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"

namespace tilewright::cli {

template <typename Report>
struct Renderings {
  std::string (*json)(const Report&);
  std::string (*text)(const Report&, int width);
  std::string (*csv)(const Report&) = nullptr;          // null: there is no --csv
  std::string (*explanation)(const Report&) = nullptr;  // null: there is no --explain
};

// Prints first, then writes the file of rows: a full disk must not take the result away.
// False after a complaint.
template <typename Report>
bool present(const OutputOptions& how, const Report& report,
             const std::type_identity_t<Renderings<Report>>& as) {
  if (how.json) {
    print(as.json(report));
  } else if (!csv_on_output(how.csv)) {
    print_report(as.text(report, how.width));
    if (how.explain) print_report("\n" + as.explanation(report));
  }
  return how.csv.empty() || write_csv(how.csv, as.csv(report));
}

}  // namespace tilewright::cli
