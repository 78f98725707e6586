#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/example.h"

namespace tilewright::report {
namespace {

using report::testing::example_arch;
using report::testing::memory_at;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ArchitectureText, ShowsEveryLevel) {
  Architecture arch = example_arch();
  arch.technology = "32 nm";
  memory_at(arch, 1).read_bandwidth = Rational{1, 2};
  memory_at(arch, 1).shared_bandwidth = Rational{4, 1};
  memory_at(arch, 1).block_words = 4;
  EXPECT_THAT(architecture_text(arch),
              AllOf(HasSubstr("test (32 nm)\n"), HasSubstr("unlimited"), HasSubstr("4,096 words"),
                    HasSubstr("0.1 / 0.2 / 0.7 per 4 words"), HasSubstr("r 0.5, rw 4"),
                    HasSubstr("x 4, y 3"), HasSubstr("0.05 per word"),
                    HasSubstr("leaks 0.03 pJ/cycle"), HasSubstr("0.3 per MAC"),
                    HasSubstr("1 MAC every cycle\n"), HasSubstr("area 1,500 um2")));
}

TEST(ArchitectureText, SaysWhatAMemoryKeeps) {
  struct Row {
    std::optional<TensorNames> keep;
    TensorNames bypass, free;
    const char* text;
  };
  const std::vector<Row> table = {
      {std::nullopt, {}, {}, "keeps all\n"},
      {{{"input", "output"}}, {}, {}, "keeps input output\n"},
      {{{}}, {}, {}, "keeps nothing\n"},
      {std::nullopt, {"weight"}, {}, "bypasses weight; keeps the rest\n"},
      {std::nullopt, {}, {"A"}, "the mapping decides on A; keeps the rest\n"},
      {std::nullopt,
       {},
       {"input", "weight", "output"},
       "the mapping decides on input weight output\n"},
      {std::nullopt,
       {"input", "weight"},
       {"output"},
       "bypasses input weight; the mapping decides on output\n"},
      {{{"input"}}, {"weight"}, {"output"}, "keeps input; the mapping decides on output\n"}};
  for (const Row& row : table) {
    Architecture arch = example_arch();
    Memory& dram = memory_at(arch, 0);
    dram.keep = row.keep;
    dram.bypass = row.bypass;
    dram.free = row.free;
    EXPECT_THAT(architecture_text(arch), HasSubstr(std::string("  ") + row.text));
  }
}

TEST(ArchitectureText, SaysWhatChangesOfAStationaryTileTake) {
  Architecture arch = example_arch();
  auto& array = std::get<Fanout>(arch.levels[2]);
  array.stationary = "weight";
  EXPECT_THAT(architecture_text(arch), HasSubstr("x 4, y 3; weight stationary"));
  array.fills_diagonally = true;
  array.preload = Axis::Y;
  EXPECT_THAT(architecture_text(arch),
              HasSubstr("; weight stationary; fills in 5 cycles; preloads in 3 cycles"));
}

TEST(ArchitectureText, SaysWhatIsUnusual) {
  Architecture arch = example_arch();
  Memory& buffer = memory_at(arch, 1);
  buffer.capacity.amount = 1;
  buffer.double_buffered = true;
  buffer.word_bits = 16;
  buffer.accumulates_in_place = true;
  buffer.partitions["weight"] = {Capacity::Unit::Bits, 8 * 32768};
  buffer.dims.emplace();
  auto& array = std::get<Fanout>(arch.levels[2]);
  array.multicast = array.reduction = false;
  array.x.dims = {{"N", "K"}};
  std::get<Compute>(arch.levels[3]).macs = 2;
  std::get<Compute>(arch.levels[3]).cycles = 3;
  EXPECT_THAT(architecture_text(arch),
              AllOf(HasSubstr("1 word, weight 32 KiB, words of 16 bits, double buffered"),
                    HasSubstr("; no loops"), HasSubstr("; accumulates in place"),
                    HasSubstr("x 4 (N K), y 3"), HasSubstr("; no multicast; no reduction"),
                    HasSubstr("2 MACs every 3 cycles")));
}

TEST(ArchitectureText, SaysThatHalosAreShared) {
  Architecture arch = example_arch();
  EXPECT_THAT(architecture_text(arch), Not(HasSubstr("halo")));
  std::get<Fanout>(arch.levels[2]).shares_halos = true;
  EXPECT_THAT(architecture_text(arch), HasSubstr("; halos shared"));
}

TEST(ArchitectureText, IndentsASourceOfSeveralLines) {
  Architecture arch = example_arch();
  arch.source = "one\ntwo\n";
  EXPECT_THAT(architecture_text(arch), HasSubstr("\n  source: one\n    two\n  exact"));
}

TEST(ArchitectureText, ListsTheConstraints) {
  Architecture arch = example_arch();
  EXPECT_THAT(architecture_text(arch), Not(HasSubstr("must keep to")));
  const std::string buffer = name_of(arch.levels[1]);
  arch.constraints = {{buffer, {}, FactorRule{"M", FactorRule::Relation::AtMost, 8}, {}},
                      {buffer, {}, OrderRule{{"M"}, {"K"}}, {}}};
  EXPECT_THAT(architecture_text(arch), HasSubstr("\n  mappings must keep to\n    " + buffer +
                                                 ": M <= 8\n    " + buffer + ": order M ... K\n"));
}

TEST(ArchitectureList, IsShort) {
  Architecture arch = example_arch();
  arch.name = "one";
  memory_at(arch, 1).capacity.amount = 128 * 1024;
  const std::string text = architecture_list({arch}, false);
  EXPECT_THAT(text,
              AllOf(HasSubstr("  one"), HasSubstr("  12  Buffer 128 Ki"), Not(HasSubstr("DRAM"))));
}

TEST(WorkloadText, ShowsShapesAndReuse) {
  Conv2d conv;
  conv.in_channels = 3;
  conv.out_channels = 64;
  conv.p = conv.q = 112;
  conv.r = conv.s = 7;
  conv.stride_h = conv.stride_w = 2;
  EXPECT_THAT(workload_text(make_conv2d("conv1", conv)),
              AllOf(HasSubstr("conv1\n  O[N,M,P,Q] += I[N,C,2*P+R,2*Q+S]*W[M,C,R,S]\n"),
                    HasSubstr("118,013,952 MACs"), HasSubstr("1 x 3 x 229 x 229"),
                    HasSubstr("  M            64  I\n"), HasSubstr("  weight  64 x 3 x 7 x 7")));
}

}  // namespace
}  // namespace tilewright::report
