// Quantities as data sheets give them: per second, in bits, in bytes, by rows and banks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/checkout.h"
#include "support/file_text.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::io {
namespace {

using ::testing::HasSubstr;

Checked<Architecture> read_with(const std::string& top, const std::string& keys) {
  return read_architecture(
      "architecture: a\n" + top + "\nlevels:\n  - {memory: M, " + keys + "}\n  - compute: MAC\n",
      "a.yaml");
}

// The memory of an architecture with these keys at the top.
Memory memory_with(const std::string& top, const std::string& keys) {
  const Checked<Architecture> parsed = read_with(top, keys);
  for (const Diagnostic& problem : parsed.problems) ADD_FAILURE() << to_string(problem);
  if (!parsed.value) return {};
  // What was converted is written in the units of the model, and means the same.
  const Checked<Architecture> again = read_architecture(write_architecture(*parsed.value), "b");
  EXPECT_EQ(again.value, parsed.value) << write_architecture(*parsed.value);
  return std::get<Memory>(parsed.value->levels[0]);
}

std::string message_with(const std::string& top, const std::string& keys) {
  const Checked<Architecture> parsed = read_with(top, keys);
  EXPECT_EQ(parsed.problems.size(), 1U);
  return parsed.problems.empty() ? "" : to_string(parsed.problems.front());
}

struct BandwidthCase {
  std::string top, keys;
  Rational words_per_cycle;
};
class Bandwidths : public ::testing::TestWithParam<BandwidthCase> {};

TEST_P(Bandwidths, AreExactFractionsOfWordsPerCycle) {
  const auto& [top, keys, words_per_cycle] = GetParam();
  EXPECT_EQ(memory_with(top, "capacity: 1 KiB, " + keys).shared_bandwidth, words_per_cycle);
}

INSTANTIATE_TEST_SUITE_P(
    Units, Bandwidths,
    ::testing::Values(
        BandwidthCase{"", "bandwidth: 4 words/cycle", {4, 1}},
        BandwidthCase{"", "word: 8 bits, bandwidth: 64 B/cycle", {64, 1}},
        BandwidthCase{"", "word: 16 bits, bandwidth: 64 B/cycle", {32, 1}},
        BandwidthCase{"", "bandwidth: 512 bits/cycle, word: 24 bits", {64, 3}},
        BandwidthCase{"clock: 800 MHz", "word: 16 bits, bandwidth: 25.6 GB/s", {16, 1}},
        BandwidthCase{"clock: 700 MHz", "word: 16 bits, bandwidth: 25.6 GB/s", {128, 7}},
        BandwidthCase{"clock: 1 GHz", "word: 8 bits, bandwidth: 1 GiB/s", {2097152, 1953125}},
        BandwidthCase{"clock: 1.5 GHz", "word: 8 bits, bandwidth: 1.2 TB/s", {800, 1}},
        BandwidthCase{"clock: 100 MHz", "word: 1 bits, bandwidth: 3.2 Gbit/s", {32, 1}},
        BandwidthCase{"clock: 200 MHz", "word: 16 bits, bandwidth: 1/3 GB/s", {5, 6}}));

TEST(Units, OfAccessesArePerBlock) {
  const Memory memory = memory_with(
      "", "capacity: 1 KiB, word: 8 bits, block: 4 words, read: 2 pJ per 16 bits, write: 8 pJ/bit");
  EXPECT_EQ(memory.read_pj, 4);
  EXPECT_EQ(memory.write_pj, 256);
  EXPECT_EQ(memory.update_pj, 256);
}

TEST(Units, OfEnergiesThatDoNotEndAreRoundedToNineDigits) {
  const auto read_pj = [](const std::string& energy) {
    return memory_with("", "capacity: 1 KiB, word: 8 bits, read: " + energy).read_pj;
  };
  EXPECT_EQ(read_pj("1 pJ per 24 bits"), 0.333333333);
  EXPECT_EQ(read_pj("2 pJ per 24 bits"), 0.666666667);
  // A half goes to the even digit: 1.234567885 and 1.234567875.
  EXPECT_EQ(read_pj("2.46913577 pJ per 16 bits"), 1.23456788);
  EXPECT_EQ(read_pj("2.46913575 pJ per 16 bits"), 1.23456788);
  // What needs no conversion is what was written.
  EXPECT_EQ(read_pj("1.23456789012345 pJ"), 1.23456789012345);
}

TEST(Units, OfBitsLetEnergiesFollowTheWidthOfElements) {
  const auto of_bits = [](const std::string& energies) {
    return memory_with("", "capacity: 1 KiB, word: 8 bits, " + energies).energy_of_bits;
  };
  EXPECT_TRUE(of_bits("read: 2 pJ per 16 bits"));
  EXPECT_TRUE(of_bits("read: 2 pJ/bit, write: 1 pJ per 8 bits, update: 0 pJ"));
  EXPECT_FALSE(of_bits("read: 2 pJ"));
  EXPECT_FALSE(of_bits("read: 0 pJ/bit"));
  EXPECT_THAT(message_with("", "capacity: 1 KiB, word: 8 bits, read: 2 pJ/bit, write: 1 pJ"),
              HasSubstr("\"1 pJ\" is said of an access, and \"2 pJ/bit\" of bits; say all energies "
                        "of a memory in the same way"));
}

TEST(Units, OfBitsAreWrittenBack) {
  const std::string text = write_architecture(
      *read_with("",
                 "capacity: 1 KiB, word: 8 bits, block: 4 words, read: 2 pJ/bit, write: 1 pJ "
                 "per 16 bits")
           .value);
  EXPECT_THAT(text, HasSubstr("read: 64 pJ per 32 bits\n"));
  EXPECT_THAT(text, HasSubstr("write: 2 pJ per 32 bits\n"));
  const auto again = read_architecture(text, "again.yaml");
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(report::architecture_text(*again.value), HasSubstr("64 / 2 / 2 per 32 bits"));
  EXPECT_EQ(write_architecture(*again.value), text);
}

TEST(Units, OfLeakageUseTheClock) {
  EXPECT_EQ(memory_with("clock: 800 MHz", "capacity: 1 B, leakage: 2 mW").leakage_pj_per_cycle,
            2.5);
  EXPECT_EQ(memory_with("clock: 1 GHz", "capacity: 1 B, leakage: 5 uW").leakage_pj_per_cycle,
            0.005);
  EXPECT_EQ(memory_with("clock: 700 MHz", "capacity: 1 B, leakage: 0.001 W").leakage_pj_per_cycle,
            1.42857143);
}

TEST(Units, OfSizesMayBeRowsAndBanks) {
  const auto bits = [](const std::string& size) {
    return memory_with("", "capacity: " + size).capacity.amount;
  };
  EXPECT_EQ(bits("1024 rows x 64 bits"), 65536);
  EXPECT_EQ(bits("1024 rows x 8 B x 4 banks"), 262144);
  EXPECT_EQ(memory_with("", "capacity: 16 rows x 2 words x 2 banks").capacity,
            (Capacity{Capacity::Unit::Words, 64}));
}

TEST(Units, OfClocksAreWholeNumbersOfHertz) {
  EXPECT_EQ(read_with("clock: 0.8 GHz", "capacity: 1 B").value->clock_hz, 800'000'000);
  EXPECT_EQ(read_with("clock: 1.0000001 kHz", "capacity: 1 B").value, std::nullopt);
  EXPECT_THAT(write_architecture(*read_with("clock: 1250 MHz", "capacity: 1 B").value),
              HasSubstr("clock: 1250 MHz\n"));
}

TEST(Units, ThatNeedMoreSayWhatTheyNeed) {
  EXPECT_EQ(message_with("", "capacity: 1 B, word: 8 bits, bandwidth: 1 GB/s"),
            "a.yaml:4:57: \"1 GB/s\" is said of seconds, and no clock is given; add \"clock: 800 "
            "MHz\" or the like to the architecture");
  EXPECT_EQ(message_with("", "capacity: 1 B, bandwidth: 8 B/cycle"),
            "a.yaml:4:43: \"8 B/cycle\" is said of bits, and no width of a word is given; add "
            "\"word: 8 bits\" or the like to the memory");
  // A clock that is there but wrong is enough of a complaint.
  EXPECT_THAT(message_with("clock: 8 m", "capacity: 1 B, word: 8 bits, bandwidth: 1 GB/s"),
              HasSubstr("\"8 m\" is not a frequency"));
}

// The first block of YAML on a page.
std::string example_on(const std::string& page) {
  const std::string text = file_text(checkout_folder() + "/docs/" + page);
  const std::string fence = "```";
  const std::size_t start = text.find(fence + "yaml\n") + fence.size() + 5;
  return text.substr(start, text.find(fence, start) - start);
}

TEST(Units, OnThePagesAreUnderstood) {
  for (const char* page : {"units.md", "energy.md"}) {
    const Checked<Architecture> arch = read_architecture(example_on(page), page);
    for (const Diagnostic& problem : arch.problems) ADD_FAILURE() << to_string(problem);
  }
}

}  // namespace
}  // namespace tilewright::io
