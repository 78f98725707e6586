// Any text is read as a file of cases of either format. Every line is a case or
// a complaint with its place; whatever is a case can be compared.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz_target.h"
#include "golden/golden.h"

namespace {

void read_and_compare(std::string_view text, const std::string& name) {
  const tilewright::golden::File file = tilewright::golden::read_file(text, name);
  if (file.cases.empty() && file.problems.empty()) std::abort();
  for (const tilewright::Diagnostic& problem : file.problems) {
    if (problem.where.file != name || problem.message.empty()) std::abort();
  }
  for (const tilewright::golden::Case& reference : file.cases) {
    if (!structural_problems(reference.problem, reference.mapping).empty()) std::abort();
    tilewright::golden::differences(reference);
  }
}

}  // namespace

FUZZ_TARGET(golden)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_and_compare(text, "fuzz.jsonl");
  read_and_compare(text, "fuzz.csv");
  return 0;
}
