// Any text is read against a fixed problem or refused; what is read is a
// mapping of the problem and survives being written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz_target.h"
#include "tilewright/io.h"

using tilewright::Checked;
using tilewright::Mapping;
using tilewright::Problem;

namespace {

Problem make_problem() {
  const auto arch = tilewright::io::read_architecture(R"(
architecture: small
levels:
  - {memory: DRAM, capacity: unlimited, keep: [input, weight, output]}
  - {memory: Buffer, capacity: 64 KiB, keep: [input], bypass: [weight], free: [output]}
  - {fanout: array, x: 14, y: {size: 12, dims: [M, K]}}
  - {memory: Register, capacity: 16 words, free: [input, weight, output]}
  - compute: MAC
)",
                                                      "problem");
  return *Problem::create(tilewright::make_gemm("g", 8, 6, 65), *arch.value).value;
}

// What was read with padded dimensions and storage points survives being written.
void check_round_trip(const Problem& problem, const tilewright::io::PaddedMapping& read) {
  if (!tilewright::structural_problems(read.problem, read.mapping).empty()) std::abort();
  const std::string written =
      tilewright::io::write_padded_mapping(read.problem, read.mapping, problem.workload());
  const auto again = tilewright::io::read_padded_mapping(written, "again", problem);
  if (!again.ok() || !(again.value->mapping == read.mapping)) std::abort();
}

}  // namespace

FUZZ_TARGET(mapping)(const std::uint8_t* data, std::size_t size) {
  static const Problem problem = make_problem();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto padded = tilewright::io::read_padded_mapping(text, "fuzz", problem);
  if (padded.value.has_value() == !padded.problems.empty()) std::abort();
  if (padded.value) check_round_trip(problem, *padded.value);
  const Checked<Mapping> mapping = tilewright::io::read_mapping(text, "fuzz", problem);
  if (mapping.value.has_value() == !mapping.problems.empty()) std::abort();
  if (!mapping.value) return 0;
  if (!tilewright::structural_problems(problem, *mapping.value).empty()) std::abort();
  const std::string written = tilewright::io::write_mapping(problem, *mapping.value);
  const Checked<Mapping> again = tilewright::io::read_mapping(written, "again", problem);
  if (!again.ok() || !(*again.value == *mapping.value)) std::abort();
  return 0;
}
