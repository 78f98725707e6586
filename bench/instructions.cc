// Scores a case a given number of times and nothing else, so that instruction
// counts of two runs can be compared: tools/count_instructions.sh.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cases.h"

int main(int argc, char** argv) {
  using namespace tilewright;
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const bench::CaseSpec& spec : bench::case_specs()) std::printf("%s\n", spec.name);
    return 0;
  }
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s --list | CASE EVALUATIONS\n", argv[0]);
    return 2;
  }
  for (const bench::CaseSpec& spec : bench::case_specs()) {
    if (std::strcmp(spec.name, argv[1]) != 0) continue;
    const bench::EvaluationCase cases = bench::make_case(spec);
    std::int64_t cycles = 0;
    const long count = std::atol(argv[2]);
    for (long i = 0; i < count; ++i) {
      cycles ^=
          cases.evaluator.score(cases.mappings[static_cast<std::size_t>(i) % cases.mappings.size()])
              .cycles;
    }
    std::printf("%lld\n", static_cast<long long>(cycles));
    return 0;
  }
  std::fprintf(stderr, "no case %s\n", argv[1]);
  return 2;
}
