// Values in place of those that an architecture file gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kArch = R"(
architecture: a
variables: {rows: 4}
levels:
  - memory: DRAM
    capacity: unlimited
    read: 64 pJ
  - memory: Buffer
    capacity: 2 * rows KiB
    keep: [input]
  - {fanout: PEs, x: 14, y: {size: 12, dims: [M]}}
  - compute: MAC
)";

Architecture changed(const std::vector<std::string>& changes) {
  const Checked<Architecture> parsed = read_architecture(kArch, "a.yaml", changes);
  for (const Diagnostic& problem : parsed.problems) ADD_FAILURE() << to_string(problem);
  return parsed.value.value_or(Architecture{});
}

const Memory& buffer_of(const Architecture& arch) { return std::get<Memory>(arch.levels[1]); }
const Fanout& fanout_of(const Architecture& arch) { return std::get<Fanout>(arch.levels[2]); }

TEST(Changes, ReplaceValuesAndAddThem) {
  const Architecture arch =
      changed({"Buffer.capacity=64KiB", "Buffer.word = 8 bits", "Buffer.keep=[input, weight]",
               "DRAM.bandwidth=4 words/cycle", "MAC.energy=0.2 pJ", "accounting=timeloop"});
  EXPECT_EQ(buffer_of(arch).capacity.amount, 64 * 1024 * 8);
  EXPECT_EQ(buffer_of(arch).word_bits, 8);
  EXPECT_THAT(*buffer_of(arch).keep, ElementsAre("input", "weight"));
  EXPECT_EQ(std::get<Memory>(arch.levels[0]).shared_bandwidth, (Rational{4, 1}));
  EXPECT_EQ(arch.compute().mac_pj, 0.2);
  EXPECT_EQ(arch.accounting, Accounting::Timeloop);
}

TEST(Changes, ReachIntoAxesAndVariables) {
  const Architecture arch = changed({"PEs.x=32", "PEs.y=8", "PEs.x.dims=[C]", "variables.rows=16"});
  EXPECT_EQ(fanout_of(arch).x.size, 32);
  EXPECT_THAT(*fanout_of(arch).x.dims, ElementsAre("C"));
  EXPECT_EQ(fanout_of(arch).y.size, 8);
  EXPECT_THAT(*fanout_of(arch).y.dims, ElementsAre("M"));
  EXPECT_EQ(buffer_of(arch).capacity.amount, 32 * 1024 * 8);
}

TEST(Changes, MayUseVariables) { EXPECT_EQ(fanout_of(changed({"PEs.x=2 * rows"})).x.size, 8); }

TEST(Changes, OfOnePlaceLeaveTheLast) {
  EXPECT_EQ(fanout_of(changed({"PEs.x=2", "PEs.x=3"})).x.size, 3);
}

struct WrongChange {
  std::string change, message;
};
class WrongChanges : public ::testing::TestWithParam<WrongChange> {};

TEST_P(WrongChanges, AreNamedInTheComplaint) {
  const Checked<Architecture> parsed = read_architecture(kArch, "a.yaml", {GetParam().change});
  EXPECT_FALSE(parsed.value);
  ASSERT_EQ(parsed.problems.size(), 1U);
  EXPECT_EQ(to_string(parsed.problems[0]), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Changes, WrongChanges,
    ::testing::Values(
        WrongChange{"Bufer.capacity=1 KiB",
                    "--set Bufer.capacity: the architecture has no level and no key \"Bufer\"; did "
                    "you mean Buffer?"},
        WrongChange{"Buffer.capcity=1 KiB",
                    "--set Buffer.capcity: unknown key \"capcity\" in memory Buffer; did you mean "
                    "capacity?"},
        WrongChange{"Buffer.capacity=1 KBit",
                    "--set Buffer.capacity: \"1 KBit\" is not a size; units are bits, Kibit, "
                    "Mibit, Gibit, B, KiB, MiB, GiB, kB, MB, GB, words"},
        WrongChange{"PEs.x=0", "--set PEs.x: 0 is too small; write a whole number from 1 to 2^60"},
        WrongChange{"PEs.x=2 * ros", "--set PEs.x: \"ros\" is not a variable; did you mean rows?"},
        WrongChange{"Buffer",
                    "--set: \"Buffer\" gives nothing a value; write a path and a value, such as "
                    "GlobalBuffer.capacity=64KiB"},
        WrongChange{"Buffer=3",
                    "--set Buffer: this is a whole level; name one of its keys, such "
                    "as Buffer.capacity=..."},
        WrongChange{"Buffer.capacity.size=3",
                    "--set Buffer.capacity.size: \"capacity\" has no keys of its own; leave out "
                    "\".size\""},
        WrongChange{"Buffer.keep=[input",
                    "--set Buffer.keep:1:1: not valid YAML: end of sequence flow not found; close "
                    "the list with \"]\""},
        WrongChange{"a.b.c.d.e.f.g.h.i.j.k.l.m=1",
                    "--set: the path has too many parts; write a path and a value, such as "
                    "GlobalBuffer.capacity=64KiB"}));

}  // namespace
}  // namespace tilewright::io
