#include "reproduce/goma_closed_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/goma_figures.h"

namespace tilewright::reproduce {
namespace {

using golden::GemmRow;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kA = 1, kB = 2, kP = 4, kAll = 7;

// 64 multiply-accumulates on two processing elements side by side along x. Tiles:
// 2 x 4 x 2 in SRAM, 2 x 2 x 1 of the array, 1 x 2 x 1 in a register file.
GemmRow small_row() {
  GemmRow row;
  row.layer = "small";
  row.tiling = "0";
  row.sizes = {4, 4, 4};
  row.bounds = {{{2, 1, 2, 1}, {1, 2, 1, 2}, {2, 2, 1, 1}}};
  row.walking = {DimId{2}, DimId{1}};
  row.kept = {kAll, kAll};
  return row;
}

golden::Case case_of(const GemmRow& row) { return golden::gemm_case(row).value.value(); }

TEST(GomaClosedForm, CountsWordsByHand) {
  const GomaTraffic traffic = goma_traffic(small_row());
  EXPECT_EQ(traffic.macs, 64);
  // B every 2 along x, A every 4 along y, P once per column along z.
  EXPECT_THAT(traffic.into_sram, ElementsAre(32, 16, 16));
  // Only A stays, for 2 steps along y of 2 each.
  EXPECT_THAT(traffic.into_regfile, ElementsAre(64, 16, 64));
  EXPECT_EQ(traffic.old_sram, 0);
  EXPECT_EQ(traffic.old_regfile, 0.75);
  EXPECT_EQ(traffic.old_mac, 0.75);
}

Architecture with_distinct_energies() {
  Architecture arch = case_of(small_row()).problem.arch();
  const auto set = [&](std::size_t level, double read, double write, double update) {
    auto& memory = std::get<Memory>(arch.levels[level]);
    memory.read_pj = read;
    memory.write_pj = write;
    memory.update_pj = update;
  };
  set(0, 1000, 0, 2000);
  set(1, 30, 50, 70);
  set(3, 1, 2, 4);
  std::get<Compute>(arch.levels[4]).mac_pj = 0.5;
  return arch;
}

TEST(GomaClosedForm, WeighsWordsByHand) {
  const Architecture arch = with_distinct_energies();
  GemmRow row = small_row();
  const double b = 32 * (1000 + 50) + 64 * (2 + 30 / 2.0) + 64 * 1;
  const double a = 16 * (1000 + 50) + 16 * (2 + 30) + 64 * 1;
  const double p = 16 * 2000 + 64 * (0.75 * 2 + 70 + 0.75 * 30) + 64 * (4 + 0.75 * 1);
  EXPECT_DOUBLE_EQ(goma_energy_pj(row, arch), a + b + p + 32);
  row.kept = {kA, kB};
  const double b_past_sram = 64 * (2 + 1000 / 2.0) + 64 * 1;
  const double a_past_regfile = 16 * (1000 + 50) + 64 * 30;
  const double p_past_both = 64 * (2000 + 0.75 * 1000);
  EXPECT_DOUBLE_EQ(goma_energy_pj(row, arch), a_past_regfile + b_past_sram + p_past_both + 32);
}

TEST(GomaClosedForm, TakesReadsAndWritesApartAsTheModelDoes) {
  for (std::uint32_t kept = 0; kept < 64; ++kept) {
    GemmRow row = small_row();
    row.kept = {kept & 7U, kept >> 3U};
    const golden::Case made = case_of(row);
    const auto problem =
        Problem::create(made.problem.workload(), with_distinct_energies()).value.value();
    const double ours = Evaluator::compile(problem).value->score(made.mapping).energy_pj;
    EXPECT_NEAR(goma_energy_pj(row, problem.arch()), ours, 1e-9 * ours) << name_of(row);
  }
}

// The counts of equations 10 to 16 beside those of the model.
void expect_counts_of_the_model(const GemmRow& row) {
  const golden::Case made = case_of(row);
  const Evaluation ours = Evaluator::compile(made.problem).value->evaluate(made.mapping);
  const GomaTraffic traffic = goma_traffic(row);
  const auto expect = [&](std::size_t memory, const PerAxis<std::int64_t>& words, double old) {
    const std::vector<Holding>& held = ours.memories[memory].tensors;
    EXPECT_EQ(held[0].total.fills, words[kY]) << name_of(row);
    EXPECT_EQ(held[1].total.fills, words[kX]) << name_of(row);
    EXPECT_EQ(static_cast<double>(held[2].total.fills), old * static_cast<double>(words[kZ]));
  };
  expect(1, traffic.into_sram, traffic.old_sram);
  expect(2, traffic.into_regfile, traffic.old_regfile);
  const Traffic& sums = ours.memories[2].tensors[2].total;
  EXPECT_EQ(sums.updates, traffic.macs);
  EXPECT_EQ(static_cast<double>(sums.reads), traffic.old_mac * static_cast<double>(traffic.macs));
  EXPECT_EQ(ours.memories[0].tensors[2].total.updates, traffic.into_sram[kZ]);
}

TEST(GomaClosedForm, CountsAsTheModelDoesWhereItDoesNotDepart) {
  int compared = 0;
  for (const GemmRow& row : goma_study()) {
    if (row.kept != std::array{kAll, kAll} || !departures_of(row).empty()) continue;
    expect_counts_of_the_model(row);
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

// --- where it departs ---------------------------------------------------------

// All bounds that multiply to a size, at DRAM, SRAM, the array and RF.
std::vector<std::array<std::int64_t, 4>> chains(std::int64_t size) {
  std::vector<std::array<std::int64_t, 4>> all;
  for (std::int64_t a = 1; a <= size; ++a) {
    for (std::int64_t b = 1; a * b <= size; ++b) {
      for (std::int64_t c = 1; a * b * c <= size; ++c) {
        if (size % (a * b * c) == 0) all.push_back({a, b, c, size / (a * b * c)});
      }
    }
  }
  return all;
}

bool departs(const GemmRow& row) {
  const golden::Case made = case_of(row);
  const double ours = Evaluator::compile(made.problem).value->score(made.mapping).energy_pj;
  return std::abs(goma_energy_pj(row, made.problem.arch()) - ours) > 1e-9 * ours;
}

TEST(GomaDepartures, AreAllThereAre) {
  GemmRow row = small_row();
  row.sizes = {2, 4, 2};
  int index = 0, departing = 0;
  for (const auto& x : chains(2)) {
    for (const auto& y : chains(4)) {
      for (const auto& z : chains(2)) {
        row.bounds = {x, y, z};
        for (int variant = 0; variant < 9 * 64; ++variant) {
          if (++index % 11 != 0) continue;  // all of them take some seconds
          row.walking = {DimId{variant % 3}, DimId{variant / 3 % 3}};
          const auto kept = static_cast<std::uint32_t>(variant / 9);
          row.kept = {kept & 7U, kept >> 3U};
          EXPECT_EQ(departs(row), !departures_of(row).empty()) << name_of(row);
          departing += departs(row) ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(departing, 1000);
}

TEST(GomaDepartures, AnAxisWithoutALoopLeavesOnlyWhatAnotherLoopHolds) {
  GemmRow row = small_row();  // SRAM has loops along y and z, DRAM along x and z
  EXPECT_THAT(departures_of(row), IsEmpty());
  row.walking = {DimId{1}, DimId{1}};
  EXPECT_THAT(departures_of(row), ElementsAre(Departure::AxisWithoutLoopAtDram));
  row.kept = {kA | kP, kAll};  // along x, B would stay
  EXPECT_THAT(departures_of(row), IsEmpty());
  row.walking = {DimId{2}, DimId{0}};
  EXPECT_THAT(departures_of(row), ElementsAre(Departure::AxisWithoutLoopAtSram));
  row.kept = {kAll, kB | kP};  // along y, A would stay
  EXPECT_THAT(departures_of(row), IsEmpty());
}

TEST(GomaDepartures, ARunGoesOnWhereSramHasNoOtherLoop) {
  GemmRow row = small_row();
  row.bounds = {{{4, 1, 1, 1}, {2, 2, 1, 1}, {4, 1, 1, 1}}};
  row.walking = {DimId{1}, DimId{1}};
  EXPECT_THAT(departures_of(row), ElementsAre(Departure::RunGoesOn));
  row.walking = {DimId{0}, DimId{1}};  // B: DRAM's loop along x, SRAM's along y
  EXPECT_THAT(departures_of(row), IsEmpty());
}

TEST(GomaMovingAxes, AreTheFirstThatHaveALoop) {
  GemmRow row = small_row();
  EXPECT_EQ(with_moving_axes(row).walking, row.walking);
  row.walking = {DimId{1}, DimId{0}};
  EXPECT_THAT(with_moving_axes(row).walking, ElementsAre(DimId{0}, DimId{1}));
  row.bounds = {{{1, 1, 4, 1}, {1, 1, 4, 1}, {1, 1, 4, 1}}};
  EXPECT_EQ(with_moving_axes(row).walking, row.walking);
}

}  // namespace
}  // namespace tilewright::reproduce
