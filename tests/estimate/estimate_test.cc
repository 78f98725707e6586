// The estimator against figures that it was not fitted to, and docs/energy.md against both.
#include "tilewright/estimate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/checkout.h"
#include "support/file_text.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;

// A published energy, of one access or one multiply-accumulate.
struct Figure {
  const char* name;
  const char* kind;
  double node_nm;
  std::int64_t capacity_bits, access_bits;
  double pj;
  bool fitted = false;  // the formula was made to meet it
};

constexpr std::int64_t kKiB = 8 * 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

// M. Horowitz, ISSCC 2014 (at 0.9 V); CACTI runs listed by github.com/Dongyunkam/DRAM_info;
// Accelergy's tables of the Timeloop exercises (eyeriss_like, simba_like); the architectures of
// this repository after FactorFlow and GOMA, whose words have 8 bits.
const std::vector<Figure> kFigures = {
    {"Horowitz 8 KiB", "sram", 45, 8 * kKiB, 64, 10, true},
    {"Horowitz 32 KiB", "sram", 45, 32 * kKiB, 64, 20, true},
    {"Horowitz 1 MiB", "sram", 45, kMiB, 64, 100, true},
    {"CACTI 128 B", "sram", 45, 1024, 32, 32 * 0.021365},
    {"CACTI 512 B", "sram", 45, 4096, 32, 32 * 0.0331553},
    {"CACTI 128 B", "sram", 28, 1024, 32, 32 * 0.009217},
    {"CACTI 4 KiB", "sram", 28, 4 * kKiB, 512, 512 * 0.032993},
    {"CACTI 8 KiB", "sram", 28, 8 * kKiB, 512, 512 * 0.0347046},
    {"eyeriss_like 128 KiB", "sram", 32, 128 * kKiB, 64, 18.183829},
    {"simba_like 64 KiB", "sram", 45, 64 * kKiB, 256, 51.870888},
    {"FactorFlow gemmini 512 KiB", "sram", 32, 512 * kKiB, 8, 3.47},
    {"FactorFlow tpu_v1 24 MiB", "sram", 28, 24 * kMiB, 8, 19.66},
    {"GOMA eyeriss 162 KiB", "sram", 65, 165888 * 8, 8, 8.483},
    {"GOMA gemmini 576 KiB", "sram", 22, 589824 * 8, 8, 1.680},
    {"GOMA tpu_v1 30 MiB", "sram", 28, 30 * kMiB, 8, 21.37},
    {"GOMA a100 36 MiB", "sram", 7, 36 * kMiB, 8, 7.457},
    {"eyeriss_like 12 x 16", "regfile", 32, 12 * 16, 16, 0.202442, true},
    {"eyeriss_like 16 x 16", "regfile", 32, 16 * 16, 16, 0.2513, true},
    {"eyeriss_like 192 x 16", "regfile", 32, 192 * 16, 16, 1.976602, true},
    {"simba_like 8192 x 64", "regfile", 45, 8192 * 64, 64, 242.079552},
    {"simba_like 4096 x 64", "regfile", 45, 4096 * 64, 64, 121.36387},
    {"simba_like 128 x 24", "regfile", 45, 128 * 24, 24, 3.091057},
    {"GOMA eyeriss 424 x 8", "regfile", 65, 424 * 8, 8, 2.599},
    {"GOMA tpu_v1 2 x 8", "regfile", 28, 2 * 8, 8, 0.01866},
    {"GOMA a100 128 x 8", "regfile", 7, 128 * 8, 8, 0.06574},
    {"FactorFlow tpu_v1 queue 256 KiB", "fifo", 28, 256 * kKiB, 8, 2.11},
    {"Horowitz, 8 and 32 bits", "int8", 45, 0, 0, 0.3, true},
    {"Horowitz, half", "fp16", 45, 0, 0, 1.5, true},
    {"Horowitz, single", "fp32", 45, 0, 0, 4.6, true},
    {"eyeriss_like 8 x 8 + 16", "int8", 32, 0, 0, 0.207692},
    {"simba_like 8 x 8 + 16", "int8", 45, 0, 0, 0.315},
    {"GOMA a100", "int8", 7, 0, 0, 0.1071},
    {"GOMA tpu_v1", "int8", 28, 0, 0, 0.4169},
    {"Ruby eyeriss 16 bits", "int16", 45, 0, 0, 2.2},
};

double estimated(const Figure& figure) {
  Component component{figure.kind, figure.capacity_bits, figure.access_bits, figure.node_nm, {}};
  if (std::string(figure.name).starts_with("Horowitz")) component.volts = 0.9;
  const Checked<ComponentNumbers> numbers = estimate(component);
  EXPECT_TRUE(numbers.ok()) << figure.name;
  return numbers.ok() ? numbers.value->read_pj : 1;
}

// As a table of docs/energy.md has it.
std::string row_of(const Figure& figure) {
  const double pj = estimated(figure);
  return fmt::format("| {}{} | {} | {} nm | {:.4g} | {:.4g} | {:+.0f} % |", figure.name,
                     figure.fitted ? " (fitted)" : "", figure.kind, figure.node_nm, figure.pj, pj,
                     100 * (pj / figure.pj - 1));
}

// The root of the mean square of the logarithms, as a factor, over what was left out of the fit.
double error_of(const std::string& kind) {
  double sum = 0;
  int count = 0;
  for (const Figure& figure : kFigures) {
    const bool is_mac = figure.capacity_bits == 0;
    if (figure.fitted || (kind == "mac" ? !is_mac : figure.kind != kind)) continue;
    const double apart = std::log(estimated(figure) / figure.pj);
    sum += apart * apart;
    ++count;
  }
  return std::exp(std::sqrt(sum / count));
}

TEST(Estimate, MeetsWhatItWasFittedTo) {
  for (const Figure& figure : kFigures) {
    if (figure.fitted) EXPECT_NEAR(estimated(figure) / figure.pj, 1, 0.13) << figure.name;
  }
}

TEST(Estimate, IsAsFarFromOtherFiguresAsItSays) {
  EXPECT_LE(error_of("sram"), error_factor_of("sram"));
  EXPECT_LE(error_of("regfile"), error_factor_of("regfile"));
  EXPECT_LE(error_of("fifo"), error_factor_of("fifo"));
  EXPECT_LE(error_of("mac"), error_factor_of("int8"));
}

TEST(Estimate, IsOnThePageFigureByFigure) {
  const std::string page = file_text(checkout_folder() + "/docs/energy.md");
  for (const Figure& figure : kFigures) EXPECT_THAT(page, HasSubstr(row_of(figure) + "\n"));
  for (const char* kind : {"sram", "regfile", "mac"}) {
    EXPECT_THAT(page, HasSubstr(fmt::format("{}: a factor of {:.2f}", kind, error_of(kind))));
  }
}

TEST(Estimate, GrowsWithSizeAndNode) {
  const auto pj = [](std::int64_t bits, double nm) {
    return estimate({"sram", bits, 64, nm, {}}).value->read_pj;
  };
  EXPECT_NEAR(pj(4 * kMiB, 28) / pj(kMiB, 28), 2, 0.01);
  double smaller = 0;
  for (const double nm : {7, 10, 14, 16, 20, 22, 28, 32, 45, 65}) {
    EXPECT_GT(pj(kMiB, nm), smaller) << nm;
    smaller = pj(kMiB, nm);
  }
}

TEST(Estimate, HasFourDigits) {
  const double pj = estimate({"sram", 3 * kMiB, 64, 28, {}}).value->read_pj;
  EXPECT_EQ(fmt::format("{}", pj).size(), std::string("12.34").size()) << pj;
}

// Other numbers of arrays, and energies of wires, in units of their own.
struct OtherFigure {
  const char* name;
  const char* unit;
  Component component;
  double published;
  bool fitted = false;
};

Component array_of(double nm, std::int64_t bytes, std::int64_t row_bits) {
  Component component{"sram", 8 * bytes, row_bits, nm, {}};
  component.leaks_fast = nm >= 28 && nm <= 45;
  return component;
}

Component wire_at(double volts) {
  Component component{kWire, 0, 1, {}, volts};
  component.length_mm = 1;
  return component;
}

// Areas and leakage: CACTI's runs of github.com/hsharma35/bitfusion (45 nm, high-performance cells,
// 360 K, 32 bits) and github.com/clevercool/ANT-Quantization (28 nm, 512 bits); Accelergy's table
// of eyeriss_like; the floor plan of TPU v1 (Jouppi et al., ISCA 2017): 29 % of 331 mm2. Wires: S.
// Keckler et al., IEEE Micro 31(5), 2011; W. Dally at Yale Patt 75, 2014; W. Dally et al., VLSI
// Symposia 2018, 20 to 40 fJ; W. Dally, Y. Turakhia, S. Han, CACM 63(7), 2020; W. Dally, CACM
// 65(9), 2022. The last three say nothing of the supply; 0.8 V is taken.
const std::vector<OtherFigure>& other_figures() {
  static const std::vector<OtherFigure> figures = {
      {"CACTI 1 KiB", "um2", array_of(45, 1024, 32), 8823.62},
      {"CACTI 2 KiB", "um2", array_of(45, 2048, 32), 15132},
      {"CACTI 4 KiB", "um2", array_of(45, 4096, 32), 30060.7},
      {"CACTI 8 KiB", "um2", array_of(45, 8192, 32), 57506.1, true},
      {"CACTI 16 KiB", "um2", array_of(45, 16384, 32), 108577, true},
      {"CACTI 4 KiB, 512 bits", "um2", array_of(28, 4096, 512), 46066.5},
      {"CACTI 8 KiB, 512 bits", "um2", array_of(28, 8192, 512), 55583.7},
      {"eyeriss_like 128 KiB", "um2", array_of(45, 131072, 64), 1162549},
      {"TPU v1 24 MiB", "um2", array_of(28, 24 << 20, 2048), 0.29 * 331e6},
      {"CACTI 1 KiB", "mW", array_of(45, 1024, 32), 1.85663},
      {"CACTI 2 KiB", "mW", array_of(45, 2048, 32), 3.33843},
      {"CACTI 4 KiB", "mW", array_of(45, 4096, 32), 7.53642},
      {"CACTI 8 KiB", "mW", array_of(45, 8192, 32), 14.1035},
      {"CACTI 16 KiB", "mW", array_of(45, 16384, 32), 27.9122, true},
      {"CACTI 128 B", "mW", array_of(28, 128, 32), 0.136585},
      {"CACTI 4 KiB, 512 bits", "mW", array_of(28, 4096, 512), 3.11199},
      {"CACTI 8 KiB, 512 bits", "mW", array_of(28, 8192, 512), 5.75335, true},
      {"Keckler 40 nm, 0.9 V", "pJ/mm", wire_at(0.9), 310.0 / 2560, true},
      {"Keckler 10 nm, 0.75 V", "pJ/mm", wire_at(0.75), 200.0 / 2560},
      {"Keckler 10 nm, 0.65 V", "pJ/mm", wire_at(0.65), 150.0 / 2560},
      {"Dally 2014, 10 nm, 0.7 V", "pJ/mm", wire_at(0.7), 174.0 / 2560},
      {"Dally 2018, 16 nm", "pJ/mm", wire_at(0.8), 0.03},
      {"Dally 2020, 14 nm", "pJ/mm", wire_at(0.8), 0.1},
      {"Dally 2022", "pJ/mm", wire_at(0.8), 0.03},
  };
  return figures;
}

double estimated(const OtherFigure& figure) {
  const Checked<ComponentNumbers> numbers = estimate(figure.component);
  EXPECT_TRUE(numbers.ok()) << figure.name;
  if (!numbers.ok()) return 1;
  const std::string unit = figure.unit;
  if (unit == "um2") return numbers.value->area_um2.value_or(1);
  return unit == "mW" ? numbers.value->leakage_mw.value_or(1) : numbers.value->read_pj;
}

std::string row_of(const OtherFigure& figure) {
  const double ours = estimated(figure);
  return fmt::format("| {}{} | {} | {:.4g} | {:.4g} | {:+.0f} % |", figure.name,
                     figure.fitted ? " (fitted)" : "", figure.unit, figure.published, ours,
                     100 * (ours / figure.published - 1));
}

double error_in(const std::string& unit) {
  double sum = 0;
  int count = 0;
  for (const OtherFigure& figure : other_figures()) {
    if (figure.fitted || figure.unit != unit) continue;
    const double apart = std::log(estimated(figure) / figure.published);
    sum += apart * apart;
    ++count;
  }
  return std::exp(std::sqrt(sum / count));
}

TEST(Estimate, OfAreaLeakageAndWiresIsAsFarOffAsItSays) {
  for (const OtherFigure& figure : other_figures()) {
    if (figure.fitted) EXPECT_NEAR(estimated(figure) / figure.published, 1, 0.02) << figure.name;
  }
  EXPECT_LE(error_in("um2"), kAreaError);
  EXPECT_LE(error_in("mW"), kLeakageError);
  EXPECT_LE(error_in("pJ/mm"), error_factor_of(kWire));
}

TEST(Estimate, OfAreaLeakageAndWiresIsOnThePage) {
  const std::string page = file_text(checkout_folder() + "/docs/energy.md");
  for (const OtherFigure& figure : other_figures()) {
    EXPECT_THAT(page, HasSubstr(row_of(figure) + "\n"));
  }
  EXPECT_THAT(page, HasSubstr(fmt::format("area of sram: a factor of {:.2f}", error_in("um2"))));
  EXPECT_THAT(page, HasSubstr(fmt::format("leakage of sram: a factor of {:.2f}", error_in("mW"))));
  EXPECT_THAT(page, HasSubstr(fmt::format("wire: a factor of {:.2f}", error_in("pJ/mm"))));
}

// Each generation of DRAM is thriftier than the one before; the page has the figures.
TEST(Estimate, OfDramIsPerBit) {
  const auto per_bit = [](const char* kind) {
    return estimate({kind, 0, 64, {}, {}}).value->read_pj / 64;
  };
  EXPECT_DOUBLE_EQ(per_bit("ddr4"), 1300.0 / 64);
  EXPECT_NEAR(per_bit("ddr5"), 17.07, 0.01);
  EXPECT_NEAR(per_bit("lpddr5"), 7.29, 0.01);
  EXPECT_NEAR(per_bit("gddr6"), 6.48, 0.01);
  EXPECT_NEAR(per_bit("hbm3"), 3.28, 0.01);
  EXPECT_LT(error_factor_of("hbm3"), error_factor_of("ddr5"));
}

TEST(Estimate, HasNoAreaOfSmallArraysAndNoRateOfSomeDram) {
  EXPECT_FALSE(estimate(array_of(45, 512, 32)).value->area_um2);
  EXPECT_EQ(estimate({"ddr5", 0, 8, {}, {}}).value->transfers_per_second, 4'800'000'000);
  EXPECT_FALSE(estimate({"gddr5", 0, 8, {}, {}}).value->transfers_per_second);
}

struct OutOfRange {
  Component component;
  std::string message;
};
class OutOfRanges : public ::testing::TestWithParam<OutOfRange> {};

TEST_P(OutOfRanges, AreRefused) {
  const Checked<ComponentNumbers> numbers = estimate(GetParam().component);
  EXPECT_FALSE(numbers.value);
  ASSERT_FALSE(numbers.problems.empty());
  EXPECT_THAT(numbers.problems.front().message, HasSubstr(GetParam().message));
}

Component array_at_7nm() {
  Component component = array_of(7, 8192, 64);
  component.leaks_fast = true;
  return component;
}

INSTANTIATE_TEST_SUITE_P(
    Estimate, OutOfRanges,
    ::testing::Values(
        OutOfRange{{"sram", kMiB, 64, 5, {}}, "technology: 5 nm is outside"},
        OutOfRange{{"sram", kMiB, 64, 90, {}}, "technology: 90 nm is outside"},
        OutOfRange{{"sram", kMiB, 64, {}, {}}, "technology: an estimate for sram needs a node"},
        OutOfRange{{"sram", kMiB, 64, 28, 1.5}, "voltage: 1.5 V is outside"},
        OutOfRange{{"sram", 64, 64, 28, {}}, "capacity: 64 bits are outside"},
        OutOfRange{{"sram", 65 * kMiB, 64, 28, {}}, "capacity: "},
        OutOfRange{{"sram", 0, 64, 28, {}}, "capacity: an estimate for sram needs a size"},
        OutOfRange{{"regfile", 8, 8, 28, {}}, "capacity: 1 rows of 8 bits are outside"},
        OutOfRange{{"regfile", kMiB, 8, 28, {}}, "capacity: "},
        OutOfRange{{"lpddr4", 0, 0, 28, {}}, "word: an estimate for lpddr4 needs the width"},
        OutOfRange{{"int8", 0, 0, {}, {}}, "technology: "},
        OutOfRange{array_at_7nm(), "cells: the leakage of cells is known from 28 to 45 nm alone"},
        OutOfRange{wire_at(1.5), "voltage: 1.5 V is outside"},
        OutOfRange{{kWire, 0, 8, {}, {}}, "wire: an estimate needs a length"},
        OutOfRange{{"core", kMiB, 8, 28, {}}, "class: nothing is known of \"core\""}));

}  // namespace
}  // namespace tilewright
