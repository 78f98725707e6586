#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::testing::ElementsAre;

Architecture read(const std::string& text) {
  const Checked<Architecture> parsed = read_architecture(text, "a.yaml");
  for (const Diagnostic& problem : parsed.problems) ADD_FAILURE() << to_string(problem);
  return parsed.value.value_or(Architecture{});
}

// The memory of an architecture that is otherwise as short as possible.
Memory read_memory(const std::string& keys) {
  const Architecture arch =
      read("architecture: a\nlevels:\n  - {memory: M, " + keys + "}\n  - compute: MAC\n");
  return arch.levels.empty() ? Memory{} : std::get<Memory>(arch.levels[0]);
}

constexpr const char* kEverything = R"(
architecture: everything
source: >
  Somewhere,
  page 3
technology: 32 nm
accounting: timeloop
leakage_of: all
levels:
  - memory: DRAM
    capacity: unlimited
  - memory: GLB
    capacity: 128 KiB
    partitions: {weight: 32 KiB, output: 100 words}
    block: 4 words
    read: 64 pJ
    write: 0.5 nJ
    update: 250 fJ
    read_bandwidth: 0.5 words/cycle
    write_bandwidth: 4 words/cycle
    bandwidth: 1/3 words/cycle
    leakage: 0.01 pJ/cycle
    area: 0.12 mm2
    keep: [input]
    bypass: [weight]
    free: [output]
    double_buffered: true
    accumulate: in_place
    dims: [C, R]
  - fanout: array
    x: {size: 14, dims: [Q, M]}
    y: 12
    multicast: false
    reduction: false
    word_energy: 0.05 pJ
  - compute: MAC
    macs: 2
    cycles: 3
    energy: 0.21 pJ
    area: 500 um2
)";

TEST(ReadArchitecture, TakesEveryKey) {
  const Architecture arch = read(kEverything);
  EXPECT_EQ(arch.name, "everything");
  EXPECT_EQ(arch.source, "Somewhere, page 3\n");
  EXPECT_EQ(arch.technology, "32 nm");
  EXPECT_EQ(arch.accounting, Accounting::Timeloop);
  EXPECT_EQ(arch.leaking, LeakingInstances::All);
  ASSERT_EQ(arch.level_count(), 4);

  Memory glb;
  glb.name = "GLB";
  glb.capacity = {Capacity::Unit::Bits, 128 * 1024 * 8};
  glb.partitions = {{"weight", {Capacity::Unit::Bits, 32 * 1024 * 8}},
                    {"output", {Capacity::Unit::Words, 100}}};
  glb.block_words = 4;
  glb.read_pj = 64;
  glb.write_pj = 500;
  glb.update_pj = 0.25;
  glb.read_bandwidth = Rational{1, 2};
  glb.write_bandwidth = Rational{4, 1};
  glb.shared_bandwidth = Rational{1, 3};
  glb.leakage_pj_per_cycle = 0.01;
  glb.area_um2 = 120000;
  glb.keep = {"input"};
  glb.bypass = {"weight"};
  glb.free = {"output"};
  glb.double_buffered = true;
  glb.accumulates_in_place = true;
  glb.dims = std::vector<std::string>{"C", "R"};
  EXPECT_EQ(std::get<Memory>(arch.levels[1]), glb);

  Fanout array;
  array.name = "array";
  array.x = {14, std::vector<std::string>{"Q", "M"}};
  array.y.size = 12;
  array.multicast = array.reduction = false;
  array.word_pj = 0.05;
  EXPECT_EQ(std::get<Fanout>(arch.levels[2]), array);
  EXPECT_EQ(arch.compute(),
            (Compute{.name = "MAC", .macs = 2, .cycles = 3, .mac_pj = 0.21, .area_um2 = 500}));
}

TEST(ReadArchitecture, LetsWriteDefaultToReadAndUpdateToWrite) {
  Memory memory = read_memory("capacity: 1 KiB, read: 3 pJ");
  EXPECT_EQ(memory.write_pj, 3);
  EXPECT_EQ(memory.update_pj, 3);
  memory = read_memory("capacity: 1 KiB, write: 5 pJ, read: 3 pJ");
  EXPECT_EQ(memory.update_pj, 5);
  memory = read_memory("capacity: 1 KiB, update: 0 pJ, read: 3 pJ");
  EXPECT_EQ(memory.write_pj, 3);
  EXPECT_EQ(memory.update_pj, 0);
}

TEST(ReadArchitecture, TellsAnEmptyListFromNone) {
  EXPECT_EQ(read_memory("capacity: 1 KiB").dims, std::nullopt);
  EXPECT_EQ(read_memory("capacity: 1 KiB, dims: []").dims, std::vector<std::string>{});
  EXPECT_EQ(read_memory("capacity: 1 KiB, keep: []").keep, TensorNames{});
}

TEST(ReadArchitecture, UnderstandsEveryUnitOfSize) {
  const auto bits = [](const std::string& text) {
    const Capacity capacity = read_memory("capacity: " + text).capacity;
    EXPECT_EQ(capacity.unit, Capacity::Unit::Bits);
    return capacity.amount;
  };
  EXPECT_EQ(bits("5 bits"), 5);
  EXPECT_EQ(bits("1 bit"), 1);
  EXPECT_EQ(bits("2 Kibit"), 2048);
  EXPECT_EQ(bits("1 Mibit"), 1 << 20);
  EXPECT_EQ(bits("3 B"), 24);
  EXPECT_EQ(bits("1.5 KiB"), 1536 * 8);
  EXPECT_EQ(bits("1KiB"), 8192);
  EXPECT_EQ(bits("64 MB"), 512'000'000);
  EXPECT_EQ(bits("1 kB"), 8000);
  EXPECT_EQ(bits("1 KB"), 8000);
  EXPECT_EQ(bits("1 GiB"), std::int64_t{8} << 30);
  EXPECT_EQ(bits("1e3 GB"), 8'000'000'000'000);
  EXPECT_EQ(read_memory("capacity: 131072 words").capacity,
            (Capacity{Capacity::Unit::Words, 131072}));
  EXPECT_EQ(read_memory("capacity: unlimited").capacity, Capacity{});
}

TEST(ReadArchitecture, RoundsNoDecimalTwice) {
  // 4.35 * 1000 is not 4350 in binary; moving the decimal point is exact.
  EXPECT_EQ(read_memory("capacity: 1 B, read: 4.35 nJ").read_pj, 4350.0);
  EXPECT_EQ(read_memory("capacity: 1 B, read: 0.1 pJ").read_pj, 0.1);
  EXPECT_EQ(read_memory("capacity: 1 B, read: 1e-3 uJ").read_pj, 1000.0);
}

TEST(ReadArchitecture, KeepsBandwidthsExactly) {
  const auto bandwidth = [](const std::string& text) {
    return read_memory("capacity: 1 B, bandwidth: " + text).shared_bandwidth.value();
  };
  EXPECT_EQ(bandwidth("16 words/cycle"), (Rational{16, 1}));
  EXPECT_EQ(bandwidth("1 word/cycle"), (Rational{1, 1}));
  EXPECT_EQ(bandwidth("0.125 words/cycle"), (Rational{1, 8}));
  EXPECT_EQ(bandwidth("5.12e1 words/cycle"), (Rational{256, 5}));
  EXPECT_EQ(bandwidth("2/7 words/cycle"), (Rational{2, 7}));
}

TEST(ReadArchitecture, AcceptsQuotesCommentsAndWindowsLineEnds) {
  const Architecture arch = read(
      "# first line\r\n\"architecture\": 'a b'\r\nlevels:\r\n  - memory: \"DRAM\" # here\r\n"
      "    capacity: \"unlimited\"\r\n  - compute: MAC\r\n");
  EXPECT_EQ(arch.name, "a b");
  EXPECT_EQ(name_of(arch.level(LevelId{0})), "DRAM");
}

TEST(ReadArchitecture, SkipsAByteOrderMark) {
  EXPECT_EQ(read("\xEF\xBB\xBF" + std::string(kEverything)), read(kEverything));
}

TEST(ReadArchitecture, NeverThrowsOnLargeInput) {
  EXPECT_FALSE(read_architecture(std::string(2 << 20, 'a'), "big").ok());
  EXPECT_FALSE(read_architecture(std::string(1 << 20, '['), "deep").ok());
  EXPECT_FALSE(read_architecture(std::string(1 << 20, '-'), "dashes").ok());
  std::string keys;
  for (int i = 0; i < 20000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  const Checked<Architecture> parsed = read_architecture(keys, "keys");
  EXPECT_EQ(parsed.problems.size(), 100U);
}

TEST(WriteArchitecture, LeavesOutWhatHoldsAnyway) {
  const std::string text =
      "architecture: a\n"
      "levels:\n"
      "  - memory: DRAM\n"
      "    capacity: unlimited\n"
      "    read: 64 pJ\n"
      "  - fanout: array\n"
      "    x: 4\n"
      "  - compute: MAC\n";
  EXPECT_EQ(write_architecture(read(text)), text);
}

TEST(WriteArchitecture, QuotesNamesThatYamlWouldMisread) {
  Architecture arch = read("architecture: a\nlevels: [{memory: M, capacity: 1 B}, {compute: C}]");
  arch.name = "null";
  arch.source = "line one\nline \"two\": \\ \t\x01 \xc3\xa9";
  std::get<Memory>(arch.levels[0]).name = "- [a, b]: #";
  std::get<Memory>(arch.levels[0]).keep = {"input, weight", "~", " a ", "'"};
  EXPECT_EQ(read(write_architecture(arch)), arch);
}

}  // namespace
}  // namespace tilewright::io
