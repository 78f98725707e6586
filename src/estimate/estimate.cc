#include "tilewright/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace tilewright {
namespace {

// --- what was published ---------------------------------------------------------

// M. Horowitz, Computing's energy problem, ISSCC 2014: 45 nm, 0.9 V.
constexpr double kHorowitzNm = 45, kHorowitzVolts = 0.9;
constexpr double kSramPjPerBit = 100.0 / 64;  // a memory of 1 MiB, 100 pJ for 64 bits
constexpr double kMebibyteBits = 8.0 * 1024 * 1024;

// Register files of the Timeloop and Accelergy exercises, 32 nm, 0.8 V: a row of a file of d rows
// takes d^0.8 times this for each of its bits.
constexpr double kRegfileNm = 32, kRegfileVolts = 0.8;
constexpr double kRegfilePjPerBit = 0.00171, kRegfilePower = 0.8;
constexpr double kRegfileUm2PerBit = 3.85;

// Arrays of two ports in CACTI's runs for 45 nm (github.com/hsharma35/bitfusion): cells, and what
// stands at the end of every column.
constexpr double kCactiNm = 45;
constexpr double kCellUm2 = 0.78, kColumnUm2 = 200;
constexpr std::int64_t kLeastAreaBits = 8 * 1024;
// Leakage of cells for high performance at 360 K in the same runs, and those for 28 nm.
constexpr double kLeakageMwPerBit = 0.000214, kLeakagePower = 1.88;
constexpr double kLeastLeakageNm = 28, kMostLeakageNm = 45;

// S. Keckler et al., GPUs and the future of parallel computing, IEEE Micro 31(5), 2011: 310 pJ for
// 256 bits over 10 mm at 0.9 V. The capacity of a millimetre hardly changes with the node.
constexpr double kWirePj = 310.0 / 256 / 10, kWireVolts = 0.9;

// Energies as Accelergy's CACTI plug-in has them; HBM2 and GDDR5 are M. O'Connor et al., MICRO
// 2017; DDR4 and GDDR6 N. Jouppi et al., ISCA 2021 (1300 and 350 to 480 pJ for 64 bits). The others
// are those of the generation before by the square of the supplies that JEDEC prescribes.
// Transfers per second and pin are the most that the JEDEC standards have; 0: not known. Errors
// are factors between published figures (docs/energy.md).
struct PerBit {
  const char* kind;
  double pj;
  std::int64_t megatransfers;
  double error;
};
constexpr double by_supply(double pj, double volts, double before) {
  return pj * volts * volts / (before * before);
}
constexpr double kLpddr4 = 8, kDdr4 = 1300.0 / 64, kGddr6 = (350.0 + 480) / 2 / 64, kHbm2 = 3.9;
constexpr std::array<PerBit, 10> kDram = {{{"lpddr4", kLpddr4, 3200, 1.8},
                                           {"lpddr5", by_supply(kLpddr4, 1.05, 1.1), 6400, 1.8},
                                           {"lpddr", 40, 400, 1.8},
                                           {"ddr3", 70, 2133, 3.5},
                                           {"ddr4", kDdr4, 3200, 3.5},
                                           {"ddr5", by_supply(kDdr4, 1.1, 1.2), 6400, 3.5},
                                           {"gddr5", 14, 0, 1.8},
                                           {"gddr6", kGddr6, 16000, 1.8},
                                           {"hbm2", kHbm2, 2000, 1.8},
                                           {"hbm3", by_supply(kHbm2, 1.1, 1.2), 6400, 1.8}}};
constexpr std::int64_t kMega = 1'000'000;
// Refresh, turns of the bus and opened rows take their part of the peak: programs that stream reach
// 73 to 79 % of DDR4's and 67 to 71 % of LPDDR4's (docs/energy.md).
constexpr std::int64_t kReachedQuarters = 3;

// Multiply and add at 45 nm, 0.9 V. Horowitz has 8 and 32 bits, half and single precision; the
// others follow the power of the width that these give (docs/energy.md). Whole numbers are added
// up in 32 bits.
struct Multiplier {
  const char* kind;
  double multiply_pj, add_pj;
};
constexpr std::array<Multiplier, 7> kMultipliers = {{{"int4", 0.0508, 0.1},
                                                     {"int8", 0.2, 0.1},
                                                     {"int16", 0.787, 0.1},
                                                     {"fp8", 0.228, 0.178},
                                                     {"bf16", 0.671, 0.4},
                                                     {"fp16", 1.1, 0.4},
                                                     {"fp32", 3.7, 0.9}}};

// How far published figures are from the estimates, as factors (tests/estimate).
constexpr double kSramError = 1.4, kRegfileError = 1.3, kMacError = 3;
constexpr double kWireError = 2;

// --- ranges ---------------------------------------------------------------------

constexpr double kLeastNm = 7, kMostNm = 65, kLeastVolts = 0.6, kMostVolts = 1.1;
constexpr std::int64_t kByte = 8;
constexpr std::int64_t kLeastSram = 128 * kByte, kMostSram = (std::int64_t{64} << 20) * kByte;
constexpr std::int64_t kLeastRows = 2, kMostRows = 8192;

using Problems = std::vector<Diagnostic>;

void add_problem(Problems& problems, const std::string& message, const std::string& hint) {
  problems.push_back({{}, message, hint});
}

void check_volts(const Component& c, Problems& problems) {
  if (!c.volts || (*c.volts >= kLeastVolts && *c.volts <= kMostVolts)) return;
  add_problem(problems, fmt::format("voltage: {} V is outside of what estimates cover", *c.volts),
              fmt::format("write a supply from {} to {} V", kLeastVolts, kMostVolts));
}

void check_technology(const Component& c, Problems& problems) {
  const std::string range =
      fmt::format("write a node from {} to {} nm, such as \"32 nm\"", kLeastNm, kMostNm);
  if (!c.node_nm) {
    add_problem(problems, fmt::format("technology: an estimate for {} needs a node", c.kind),
                range);
  } else if (!(*c.node_nm >= kLeastNm && *c.node_nm <= kMostNm)) {
    add_problem(problems,
                fmt::format("technology: {} nm is outside of what estimates cover", *c.node_nm),
                range);
  }
  check_volts(c, problems);
}

// --- formulas ---------------------------------------------------------------------

// Four digits: more would claim what nobody knows.
double rounded(double value) {
  return number_in<double>(fmt::format("{:.3e}", value)).value_or(value);
}

double scale_to(const Component& c, double nm, double volts) {
  return energy_scale(nm, volts, *c.node_nm, c.volts.value_or(kNominalVolts));
}

double sram_pj(const Component& c) {
  const double size = std::sqrt(static_cast<double>(c.capacity_bits) / kMebibyteBits);
  return kSramPjPerBit * size * static_cast<double>(c.access_bits) *
         scale_to(c, kHorowitzNm, kHorowitzVolts);
}

double rows_of(const Component& c) {
  return static_cast<double>(c.capacity_bits) / static_cast<double>(c.access_bits);
}

double regfile_pj(const Component& c) {
  return kRegfilePjPerBit * std::pow(rows_of(c), kRegfilePower) *
         static_cast<double>(c.access_bits) * scale_to(c, kRegfileNm, kRegfileVolts);
}

bool is_sram_size(const Component& c) {
  return c.capacity_bits >= kLeastSram && c.capacity_bits <= kMostSram;
}

bool is_regfile_size(const Component& c) {
  return c.capacity_bits >= kLeastRows * c.access_bits &&
         c.capacity_bits <= kMostRows * c.access_bits;
}

std::optional<double> sram_um2(const Component& c) {
  if (c.capacity_bits < kLeastAreaBits) return std::nullopt;
  const double shrink = *c.node_nm / kCactiNm;
  const auto columns = static_cast<double>(c.row_bits > 0 ? c.row_bits : c.access_bits);
  return rounded((kCellUm2 * static_cast<double>(c.capacity_bits) + kColumnUm2 * columns) * shrink *
                 shrink);
}

Checked<ComponentNumbers> of_sram(const Component& c) {
  if (!is_sram_size(c)) {
    return {std::nullopt,
            {{{},
              fmt::format("capacity: {} bits are outside of what estimates for sram cover",
                          c.capacity_bits),
              "write 128 B to 64 MiB, or the energies themselves"}}};
  }
  ComponentNumbers numbers;
  numbers.write_pj = numbers.read_pj = rounded(sram_pj(c));
  numbers.area_um2 = sram_um2(c);
  numbers.error_factor = kSramError;
  if (!c.leaks_fast) return {numbers, {}};
  if (*c.node_nm < kLeastLeakageNm || *c.node_nm > kMostLeakageNm) {
    return {std::nullopt,
            {{{},
              fmt::format("cells: the leakage of cells is known from {} to {} nm alone",
                          kLeastLeakageNm, kMostLeakageNm),
              "leave \"cells\" out, and give \"leakage\""}}};
  }
  numbers.leakage_mw = rounded(kLeakageMwPerBit * static_cast<double>(c.capacity_bits) *
                               std::pow(*c.node_nm / kCactiNm, kLeakagePower));
  return {numbers, {}};
}

Checked<ComponentNumbers> of_regfile(const Component& c) {
  if (!is_regfile_size(c)) {
    return {std::nullopt,
            {{{},
              fmt::format("capacity: {} rows of {} bits are outside of what estimates for regfile "
                          "cover",
                          rows_of(c), c.access_bits),
              "write a capacity of 2 to 8192 words (of blocks, where an access moves several), or "
              "the energies themselves"}}};
  }
  const double pj = rounded(regfile_pj(c));
  // Cells shrink with the square of the node, more or less.
  const double shrink = *c.node_nm / kRegfileNm;
  const double area = kRegfileUm2PerBit * static_cast<double>(c.capacity_bits) * shrink * shrink;
  ComponentNumbers numbers;
  numbers.write_pj = numbers.read_pj = pj;
  numbers.area_um2 = rounded(area);
  numbers.error_factor = kRegfileError;
  return {numbers, {}};
}

// A queue is built of what is cheaper for its size.
Checked<ComponentNumbers> of_fifo(const Component& c) {
  const bool small = is_regfile_size(c) && (!is_sram_size(c) || regfile_pj(c) < sram_pj(c));
  auto numbers = small ? of_regfile(c) : of_sram(c);
  if (numbers.value) {
    numbers.value->error_factor = error_factor_of(c.kind);
    numbers.value->area_um2.reset();
  }
  return numbers;
}

Checked<ComponentNumbers> of_memory(const Component& c) {
  Problems problems;
  check_technology(c, problems);
  if (c.capacity_bits < 1) {
    add_problem(problems, fmt::format("capacity: an estimate for {} needs a size", c.kind),
                "write one such as \"64 KiB\"");
  }
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  if (c.kind == "sram") return of_sram(c);
  return c.kind == "regfile" ? of_regfile(c) : of_fifo(c);
}

Checked<ComponentNumbers> of_multiplier(const Component& c, const Multiplier& multiplier) {
  Problems problems;
  check_technology(c, problems);
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  ComponentNumbers numbers;
  numbers.read_pj = rounded((multiplier.multiply_pj + multiplier.add_pj) *
                            scale_to(c, kHorowitzNm, kHorowitzVolts));
  numbers.error_factor = kMacError;
  return {numbers, {}};
}

Checked<ComponentNumbers> of_wire(const Component& c) {
  Problems problems;
  check_volts(c, problems);
  if (!(c.length_mm > 0)) {
    add_problem(problems, "wire: an estimate needs a length", "write one such as \"2 mm\"");
  }
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  const double swing = c.volts.value_or(kNominalVolts) / kWireVolts;
  ComponentNumbers numbers;
  numbers.read_pj =
      rounded(kWirePj * swing * swing * c.length_mm * static_cast<double>(c.access_bits));
  numbers.error_factor = kWireError;
  return {numbers, {}};
}

ComponentNumbers of_dram(const Component& c, const PerBit& dram) {
  ComponentNumbers numbers;
  numbers.write_pj = numbers.read_pj = rounded(dram.pj * static_cast<double>(c.access_bits));
  if (dram.megatransfers > 0) {
    numbers.transfers_per_second = dram.megatransfers * kMega / 4 * kReachedQuarters;
  }
  numbers.error_factor = dram.error;
  return numbers;
}

template <typename Table>
std::vector<std::string> kinds_in(const Table& table) {
  std::vector<std::string> kinds;
  for (const auto& row : table) kinds.emplace_back(row.kind);
  return kinds;
}

}  // namespace

std::vector<std::string> memory_kinds() { return {"sram", "regfile", "fifo"}; }
std::vector<std::string> dram_kinds() { return kinds_in(kDram); }
std::vector<std::string> mac_kinds() { return kinds_in(kMultipliers); }

double error_factor_of(const std::string& kind) {
  for (const PerBit& dram : kDram) {
    if (kind == dram.kind) return dram.error;
  }
  if (contains(mac_kinds(), kind)) return kMacError;
  if (kind == kWire) return kWireError;
  if (kind == "regfile") return kRegfileError;
  return contains(memory_kinds(), kind) ? kSramError : 1;
}

Checked<ComponentNumbers> estimate(const Component& c) {
  for (const Multiplier& multiplier : kMultipliers) {
    if (c.kind == multiplier.kind) return of_multiplier(c, multiplier);
  }
  if (c.access_bits < 1) {
    return {std::nullopt,
            {{{},
              fmt::format("word: an estimate for {} needs the width of a word", c.kind),
              "write one such as \"8 bits\""}}};
  }
  for (const PerBit& dram : kDram) {
    if (c.kind == dram.kind) return {of_dram(c, dram), {}};
  }
  if (c.kind == kWire) return of_wire(c);
  if (contains(memory_kinds(), c.kind)) return of_memory(c);
  return {std::nullopt, {{{}, fmt::format("class: nothing is known of \"{}\"", c.kind), ""}}};
}

}  // namespace tilewright
