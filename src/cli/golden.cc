#include "tilewright/golden.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

// Reference files grow with the number of cases; this many are plenty.
constexpr std::size_t kMaxBytes = std::size_t{1} << 26U;

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

}  // namespace

int run_golden(const GoldenOptions& options) {
  Tally sum;
  bool bad = false;
  for (const std::string& path : options.files) {
    const Parsed<std::string> text = io::read_file(path, kMaxBytes);
    if (!text.ok()) {
      complain(text.problems);
      bad = true;
      continue;
    }
    const golden::File file = golden::read_file(*text.value, path);
    complain(file.problems);
    bad = bad || !file.problems.empty();
    const Tally tally = compare(file, options.shown);
    print(fmt::format("{}: {} equal, {} differ\n", path, tally.equal, tally.different));
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
