// Numbers that an architecture file leaves to an estimate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tilewright/estimate.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kArch = R"(
architecture: small
levels:
  - {memory: DRAM, capacity: unlimited, word: 8 bits, dram: lpddr4}
  - {memory: Buffer, capacity: 64 KiB, word: 8 bits, block: 8 words, class: sram, width: 64 bits,
     banks: 2}
  - {fanout: PEs, x: 4, y: 4}
  - {memory: Registers, capacity: 32 B, word: 8 bits, class: regfile, write: 0 pJ}
  - {compute: MAC, mac: int8}
technology: 28 nm
)";

Architecture estimated_arch(const std::vector<std::string>& changes = {}) {
  const Checked<Architecture> parsed = read_architecture(kArch, "a.yaml", changes);
  for (const Diagnostic& problem : parsed.problems) ADD_FAILURE() << to_string(problem);
  return parsed.value.value_or(Architecture{});
}

const Memory& memory_of(const Architecture& arch, std::size_t level) {
  return std::get<Memory>(arch.levels[level]);
}

TEST(Estimates, FillInWhatIsNotGiven) {
  const Architecture arch = estimated_arch();
  EXPECT_EQ(memory_of(arch, 0).read_pj, 64);
  const Memory& buffer = memory_of(arch, 1);
  const auto numbers = estimate({"sram", 64 * 1024 * 8, 64, 28, {}});
  EXPECT_EQ(buffer.read_pj, numbers.value->read_pj);
  EXPECT_EQ(buffer.update_pj, numbers.value->write_pj);
  EXPECT_EQ(buffer.shared_bandwidth, (Rational{16, 1}));
  EXPECT_THAT(buffer.estimated, ElementsAre("read", "write", "update", "area", "bandwidth"));
  EXPECT_GT(arch.compute().mac_pj, 0);
}

TEST(Estimates, GiveWayToNumbers) {
  const Architecture arch = estimated_arch();
  const Memory& registers = memory_of(arch, 3);
  EXPECT_GT(registers.read_pj, 0);
  EXPECT_EQ(registers.write_pj, 0);
  EXPECT_THAT(registers.estimated, ElementsAre("read", "update", "area"));
  const Architecture given =
      estimated_arch({"Buffer.read=3 pJ", "Buffer.bandwidth=4 words/cycle", "Buffer.area=1 um2"});
  EXPECT_EQ(memory_of(given, 1).read_pj, 3);
  EXPECT_EQ(memory_of(given, 1).write_pj, 3);
  EXPECT_THAT(memory_of(given, 1).estimated, IsEmpty());
}

constexpr const char* kWithTables = R"(
architecture: small
technology: 28 nm
levels:
  - {memory: DRAM, capacity: unlimited, word: 8 bits, dram: lpddr4}
  - memory: Buffer
    capacity: 64 KiB
    word: 8 bits
    read: 2 pJ
    imported: {from: "ERT, v0.4", read: 3 pJ, write: 4 pJ}
    class: sram
  - {fanout: PEs, x: 4, imported: {from: a table, word_energy: 0.5 pJ}}
  - {compute: MAC, imported: {from: ERT, energy: 1 pJ, area: 7 um2}}
)";

TEST(Estimates, GiveWayToImportedNumbersAndTheseToGivenOnes) {
  const auto read = read_architecture(kWithTables, "a.yaml").value;
  ASSERT_TRUE(read);
  const Memory& buffer = memory_of(*read, 1);
  EXPECT_EQ(buffer.read_pj, 2);
  EXPECT_EQ(buffer.write_pj, 4);
  EXPECT_EQ(buffer.update_pj, 4);  // as write
  EXPECT_THAT(buffer.imported.keys, ElementsAre("write"));
  EXPECT_THAT(buffer.estimated, ElementsAre("area"));
  EXPECT_EQ(std::get<Fanout>(read->levels[2]).word_pj, 0.5);
  EXPECT_EQ(read->compute().mac_pj, 1);
  EXPECT_EQ(read->compute().area_um2, 7);
  EXPECT_THAT(report::architecture_text(*read),
              HasSubstr("Buffer (sram): write imported from ERT, v0.4; area estimated, mostly "
                        "within a factor of 1.4; all else is given\n"));
  const std::string text = write_architecture(*read);
  EXPECT_THAT(text, HasSubstr("imported: {from: \"ERT, v0.4\", write: 4 pJ}\n"));
  EXPECT_EQ(read_architecture(text, "again").value, read) << text;
}

TEST(Estimates, OfImportedNumbersAreChangedLikeOthers) {
  const auto read = read_architecture(kWithTables, "a.yaml", {"MAC.energy=9 pJ"}).value;
  ASSERT_TRUE(read);
  EXPECT_EQ(read->compute().mac_pj, 9);
  EXPECT_THAT(read->compute().imported.keys, ElementsAre("area"));
  EXPECT_EQ(std::get<Compute>(without_estimates(*read).levels[3]).imported, Imported{});
}

TEST(Estimates, FollowTheSize) {
  const Architecture small = estimated_arch(), large = estimated_arch({"Buffer.capacity=256KiB"});
  EXPECT_NEAR(memory_of(large, 1).read_pj / memory_of(small, 1).read_pj, 2, 0.001);
}

TEST(Estimates, AreMadeAgainFromWhatIsWritten) {
  const Architecture arch = estimated_arch();
  const std::string text = write_architecture(arch);
  EXPECT_THAT(text, HasSubstr("class: sram\n"));
  EXPECT_EQ(read_architecture(text, "again").value, arch) << text;
}

TEST(Estimates, AreNumbersLikeOthersWhereProofsSpeakOfThem) {
  const Architecture arch = estimated_arch();
  const std::string text = write_architecture(without_estimates(arch));
  EXPECT_THAT(text, HasSubstr("read: "));
  EXPECT_EQ(text.find("class:"), std::string::npos);
  const auto again = read_architecture(text, "again").value;
  ASSERT_TRUE(again);
  EXPECT_EQ(memory_of(*again, 1).read_pj, memory_of(arch, 1).read_pj);
  EXPECT_EQ(again->compute().mac_pj, arch.compute().mac_pj);
}

TEST(Estimates, AreShownWithTheirError) {
  const std::string text = report::architecture_text(estimated_arch());
  EXPECT_THAT(text, HasSubstr("where numbers come from (docs/energy.md)\n"));
  EXPECT_THAT(text, HasSubstr("Buffer (sram): read, write, update, area, bandwidth estimated, "
                              "mostly within a factor of 1.4; all else is given\n"));
  const std::vector<std::string> given = {"Buffer.read=3 pJ", "Buffer.bandwidth=1 words/cycle",
                                          "Buffer.area=1 um2"};
  EXPECT_THAT(report::architecture_text(estimated_arch(given)),
              HasSubstr("Buffer (sram): all numbers are given\n"));
}

TEST(Estimates, OfDramAreOfItsDataPinsAndTheClock) {
  // 64 bits at 3200 million transfers in a second are 25.6 GB/s: 32 bytes of a cycle at 800 MHz,
  // of which programs reach three quarters.
  const Architecture arch = estimated_arch({"clock=800 MHz", "DRAM.width=64 bits"});
  EXPECT_EQ(memory_of(arch, 0).shared_bandwidth, (Rational{24, 1}));
  EXPECT_TRUE(memory_of(arch, 0).energy_of_bits);
  EXPECT_FALSE(memory_of(arch, 1).energy_of_bits);
  const Architecture ddr4 = estimated_arch(
      {"clock=800 MHz", "DRAM.dram=ddr4", "DRAM.read=9 pJ/bit", "DRAM.width=64 bits"});
  EXPECT_EQ(memory_of(ddr4, 0).shared_bandwidth, (Rational{24, 1}));
  EXPECT_EQ(memory_of(ddr4, 0).read_pj, 72);
}

TEST(Estimates, OfLeakageAreOfCellsAndTheClock) {
  const Architecture arch = estimated_arch(
      {"clock=500 MHz", "Buffer.cells=high_performance", "PEs.wire=2 mm", "PEs.word=16 bits"});
  const double milliwatts = 0.000214 * 524288 * std::pow(28.0 / 45, 1.88);
  EXPECT_NEAR(memory_of(arch, 1).leakage_pj_per_cycle, 2 * milliwatts, 0.001 * milliwatts);
  EXPECT_THAT(memory_of(arch, 1).estimated,
              ElementsAre("read", "write", "update", "area", "leakage", "bandwidth"));
  const auto& fanout = std::get<Fanout>(arch.levels[2]);
  EXPECT_NEAR(fanout.word_pj, 16 * 2 * 310.0 / 2560 * 0.64 / 0.81, 0.001);
  EXPECT_THAT(fanout.estimated, ElementsAre("word_energy"));
  const std::string text = write_architecture(arch);
  EXPECT_THAT(text, HasSubstr("wire: 2 mm\n"));
  EXPECT_EQ(read_architecture(text, "again").value, arch) << text;
  const std::string plain = write_architecture(without_estimates(arch));
  EXPECT_THAT(plain, HasSubstr("leakage: "));
  EXPECT_EQ(plain.find("cells"), std::string::npos);
  EXPECT_EQ(plain.find("wire"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::io
