#include "golden/golden.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/standard_input.h"

namespace tilewright::cli {
namespace {

struct Tally {
  int equal = 0;
  int different = 0;
};

// Compares the cases of a file and prints the first that differ.
Tally compare(const golden::File& file, int shown) {
  Tally tally;
  for (const golden::Case& reference : file.cases) {
    const auto differences = golden::differences(reference);
    if (differences.empty()) {
      ++tally.equal;
      continue;
    }
    if (++tally.different > shown) continue;
    print(fmt::format("  {} differs:\n", reference.id));
    for (const std::string& line : differences) print(fmt::format("    {}\n", line));
  }
  if (tally.different > shown) {
    print(fmt::format("  ... and {} more\n", tally.different - shown));
  }
  return tally;
}

// Standard input has no name that ends in .csv or .jsonl.
golden::File read_cases(const std::string& text, const std::string& path) {
  if (path != "-") return golden::read_file(text, path);
  return golden::read_text(text, name_of_input(path), /*is_csv=*/!text.starts_with('{'));
}

}  // namespace

int run_golden(const GoldenOptions& options) {
  Tally sum;
  bool bad = false;
  std::vector<NamedFile> named;
  for (const std::string& path : options.files) named.push_back({"files", path});
  const std::vector<Diagnostic> twice = standard_input_twice(named);
  complain(twice);
  if (!twice.empty()) return kBadInput;
  for (const std::string& path : options.files) {
    const Checked<std::string> text = read_text(path, kMaxFileBytes);
    if (!text.ok()) {
      complain(text.problems);
      bad = true;
      continue;
    }
    const golden::File file = read_cases(*text.value, path);
    complain(file.problems);
    bad = bad || !file.problems.empty();
    const Tally tally = compare(file, options.shown);
    print(fmt::format("{}: {} equal, {} differ\n", name_of_input(path), tally.equal,
                      tally.different));
    sum.equal += tally.equal;
    sum.different += tally.different;
  }
  if (options.files.size() > 1) {
    print(fmt::format("all: {} equal, {} differ\n", sum.equal, sum.different));
  }
  if (bad) return kBadInput;
  return sum.different == 0 ? kGood : kDiffers;
}

}  // namespace tilewright::cli
