// Eyeriss's layers and mappings, as its paper gives them.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/common.h"
#include "reproduce/silicon_figures.h"
#include "reproduce/tables.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {
namespace {

constexpr std::int64_t kBatch = 4, kColumns = 14, kRows = 12;

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Loops of one dimension, innermost first, with what is left for the last pass: "C 3 last 1".
std::vector<std::string> split(const char* dim, std::int64_t size,
                               const std::vector<std::int64_t>& bounds) {
  std::vector<std::string> loops;
  for (const std::int64_t bound : bounds) {
    const std::int64_t last = (size - 1) % bound + 1;
    loops.push_back(fmt::format("{} {}", dim, bound));
    if (last != bound) loops.back() += fmt::format(" last {}", last);
    size = quotient_up(size, bound);
  }
  return loops;
}

}  // namespace

std::vector<ChipLayer> eyeriss_layers() {
  std::vector<ChipLayer> layers;
  for (const auto& row : printed_table("silicon_eyeriss").rows) {
    const auto whole = [&](std::size_t i) { return std::int64_t{std::stoll(row[i])}; };
    const auto number = [&](std::size_t i) { return std::stod(row[i]); };
    layers.push_back({row[0], whole(1), whole(2), whole(3), whole(4), whole(5), whole(6), whole(7),
                      whole(8), whole(9), whole(10), whole(11), whole(12), whole(13), number(14),
                      number(15), number(16), number(17), row[18]});
  }
  return layers;
}

// In a pass, the sums of m filters stay in the buffer while the channels come in, q x r at a time.
// A set that is wider than the array is folded; sets stand above each other as far as the rows go,
// else side by side.
std::string eyeriss_mapping(const ChipLayer& layer) {
  const auto& [name, filters, channels, output, filter, stride, groups, m, n, e, p, q, r, t, pes,
               milliseconds, buffer, dram, zeros] = layer;
  const std::int64_t width = std::min(e, kColumns), folds = quotient_up(e, kColumns);
  const auto rows = split("P", output, {width, folds, quotient_up(output, e)});
  const auto of_group = split("M", filters / groups, {p, t, m / (p * t), filters / groups / m});
  const std::int64_t inputs = channels / groups;
  const auto reduced = split("C", inputs, {q, r, quotient_up(inputs, q * r)});
  const bool stacked = filter * folds * r * t <= kRows;
  return fmt::format(
      R"(mapping: {}
levels:
  DRAM: {{loops: [{}N {}, {}, {}, {}]}}
  GlobalBuffer: {{loops: [{}, N {}, Q {}]}}
  PEs: {{y: [{}R {}, {}, {}], x: [{}{}]}}
  WeightSpad: {{loops: [{}, S {}]}}
  PsumSpad: {{loops: [{}]}}
)",
      name, groups > 1 ? fmt::format("G {}, ", groups) : "", kBatch / n, of_group[3], rows[2],
      reduced[2], of_group[2], n, output, stacked ? of_group[1] + ", " : "", filter, rows[1],
      reduced[1], stacked ? "" : of_group[1] + ", ", rows[0], reduced[0], filter, of_group[0]);
}

Workload eyeriss_workload(const ChipLayer& layer) {
  return with_bits(make_conv2d(layer.name, {.batch = kBatch,
                                            .in_channels = layer.channels,
                                            .out_channels = layer.filters,
                                            .p = layer.output,
                                            .q = layer.output,
                                            .r = layer.filter,
                                            .s = layer.filter,
                                            .stride_h = layer.stride,
                                            .stride_w = layer.stride,
                                            .groups = layer.groups}),
                   16);
}

Evaluation eyeriss_evaluation(const ChipLayer& layer) {
  const Problem problem =
      Problem::create(eyeriss_workload(layer), shipped_architecture("eyeriss_chip")).value.value();
  const Mapping mapping =
      io::read_mapping(eyeriss_mapping(layer), layer.name, problem).value.value();
  return Evaluator::compile(problem).value.value().evaluate(mapping);
}

double milliseconds_of(const Evaluation& evaluation) {
  const auto hertz = static_cast<double>(shipped_architecture("eyeriss_chip").clock_hz.value());
  return static_cast<double>(evaluation.score.cycles) / hertz * 1e3;
}

double milliseconds_with_sums(const ChipLayer& layer, const Evaluation& evaluation) {
  const double macs_of_a_sum = static_cast<double>(layer.q * layer.filter);
  return milliseconds_of(evaluation) * (1 + 1 / macs_of_a_sum);
}

}  // namespace tilewright::reproduce
