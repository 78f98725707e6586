// TPU v1: throughput of six applications.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "reproduce/common.h"
#include "reproduce/silicon_figures.h"
#include "reproduce/tables.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {
namespace {

constexpr double kOperationsOfAMac = 2, kTera = 1e12;
// ISCA 2017, Table 2.
constexpr double kWeightBytesPerSecond = 34e9;

// Layers that stand in for an application's, whose shapes are not published.
struct StandIn {
  std::string_view application;
  std::int64_t layers;  // fully connected ones (Table 1)
};
constexpr std::array<StandIn, 4> kStandIns = {
    {{"MLP0", 5}, {"MLP1", 4}, {"LSTM0", 24}, {"LSTM1", 37}}};

Workload product(std::int64_t side, std::int64_t batch) {
  return with_bits(make_gemm("stand-in", side, batch, side), 8);
}

std::int64_t side_of_square(double weights) {
  std::int64_t side = 1;
  while (static_cast<double>((side + 1) * (side + 1)) <= weights) ++side;
  return side;
}

struct Shape {
  std::string text;
  Workload workload;
};
std::optional<Shape> stand_in(const std::string& application, double weights, std::int64_t batch) {
  for (const StandIn& one : kStandIns) {
    if (application != one.application) continue;
    const std::int64_t side = side_of_square(weights / static_cast<double>(one.layers));
    return Shape{fmt::format("{} x {}, {} times", side, side, one.layers), product(side, batch)};
  }
  if (application != "CNN0") return std::nullopt;
  return Shape{"3 x 3, 256 to 256 channels, 19 x 19",
               with_bits(make_conv2d("CNN0", {.batch = batch,
                                              .in_channels = 256,
                                              .out_channels = 256,
                                              .p = 19,
                                              .q = 19,
                                              .r = 3,
                                              .s = 3}),
                         8)};
}

double tops(const Workload& workload, const Architecture& arch, const MapOptions& map) {
  const MapOutcome outcome = map_workload(workload, arch, map);
  if (!outcome.found()) return 0;
  const double seconds =
      static_cast<double>(outcome.search.score.cycles) / static_cast<double>(arch.clock_hz.value());
  return kOperationsOfAMac * static_cast<double>(outcome.useful_macs) / seconds / kTera;
}

double peak_tops(const Architecture& arch) {
  return kOperationsOfAMac *
         static_cast<double>(physical_instances(arch, LevelId{arch.level_count() - 1})) *
         static_cast<double>(arch.clock_hz.value()) / kTera;
}

std::vector<std::string> tpu_notes() {
  return {
      "operations per weight byte: multiply-accumulates, two operations each, for a byte of "
      "weights "
      "from DRAM. roof: the lower of that at 34 GB/s and the multipliers' peak.",
      "The paper gives weights, layers and batch, no shapes. Square matrices with as many weights "
      "stand in for fully connected layers; CNN0 has 2888 = 8 x 19 x 19 positions a weight, so "
      "layers of 19 x 19. CNN1 mixes shallow convolutions with fully connected layers and cannot "
      "be "
      "stood in for: half of its multipliers are idle and a third of its time waits for weights.",
      "MLP0, MLP1 and LSTM0 reach 85 to 90 % of what the model says: they also wait for inputs "
      "over "
      "PCIe and for results of the layer before (read-after-write), 9 to 20 % of the cycles by the "
      "chip's counters. LSTM1's matrices are narrower than a square: 40 % of the multipliers idle "
      "where they run, and its vector layers take their own time.",
      "CNN0: with fill, the array fills and drains along its diagonal at each change of the "
      "weights, "
      "and nothing else goes on. The chip holds the next weights already and overlaps part of "
      "that: "
      "it is between the two."};
}

}  // namespace

Figure silicon_tpu(const Options& options) {
  Figure figure{"TPU v1: throughput in TOPS, beside the published (ISCA 2017, Tables 1 and 3)",
                {"application", "weights M", "batch", "operations per weight byte", "stand-in",
                 "roof", "model", "off %", "model with fill", "chip"}};
  const Architecture arch = shipped_architecture("tpu_v1_chip");
  const Architecture filling =
      io::load_architecture("tpu_v1_chip", {"Columns.fill=diagonal", "Rows.fill=diagonal"})
          .value.value();
  MapOptions map = map_options(options, "optimal");
  map.space = SpaceKind::RubyS;
  map.objective = Objective::Latency;
  for (const auto& row : printed_table("silicon_tpu").rows) {
    tell_progress(options, row[0], figure.rows.size(), 6);
    const double roof = std::min(
        peak_tops(arch), kOperationsOfAMac * std::stod(row[3]) * kWeightBytesPerSecond / kTera);
    const auto shape = stand_in(row[0], std::stod(row[1]) * 1e6, std::stoll(row[2]));
    std::vector<std::string> cells = {
        row[0], row[1], row[2], row[3], "", fmt::format("{:.2f}", roof), "", "", "", row[4]};
    if (shape) {
      const double ours = tops(shape->workload, arch, map);
      cells[4] = shape->text;
      cells[6] = fmt::format("{:.2f}", ours);
      cells[7] = fmt::format("{:+.1f}", 100 * (ours / std::stod(row[4]) - 1));
      cells[8] = fmt::format("{:.2f}", tops(shape->workload, filling, map));
    }
    if (is_cancelled(options)) break;
    figure.rows.push_back(cells);
  }
  figure.notes = tpu_notes();
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
