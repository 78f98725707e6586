// Lines that are no cases: a complaint with its place, and never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "golden/golden.h"
#include "golden/small_case.h"

namespace tilewright::golden {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kCsvHeading;
using testing::kCsvRow;
using testing::small_case;
using Json = nlohmann::json;

// --- JSON -------------------------------------------------------------------

struct BadLine {
  std::string name;
  std::string line;
  std::string reason;
};

std::ostream& operator<<(std::ostream& out, const BadLine& bad) {
  return out << bad.line.substr(0, 200);
}

BadLine replaced(const std::string& name, const char* where, const Json& value,
                 const std::string& reason) {
  Json json = small_case();
  json[Json::json_pointer(where)] = value;
  return {name, json.dump(), reason};
}

BadLine erased(const std::string& name, const char* parent, const char* key) {
  Json json = small_case();
  json[Json::json_pointer(parent)].erase(key);
  return {name, json.dump(), "\"" + std::string(key) + "\" is missing"};
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

constexpr const char* kLevel = "/levels_outer_to_inner/0";

std::vector<BadLine> lines_without_a_field() {
  return {erased("NoId", "", "id"),
          erased("NoDims", "", "dims"),
          erased("NoTensors", "", "tensors"),
          erased("NoLevels", "", "levels_outer_to_inner"),
          erased("NoMac", "", "mac"),
          erased("NoMacEnergy", "/mac", "energy"),
          erased("NoExpected", "", "expected"),
          erased("NoTensorName", "/tensors/0", "name"),
          erased("NoTensorIndex", "/tensors/0", "index"),
          erased("NoTensorOutput", "/tensors/0", "output"),
          erased("NoLevelName", kLevel, "name"),
          erased("NoBlock", kLevel, "block_words"),
          erased("NoEnergies", kLevel, "energy_per_block"),
          erased("NoFillEnergy", "/levels_outer_to_inner/0/energy_per_block", "fill"),
          erased("NoKeep", kLevel, "keep"),
          erased("NoLoops", kLevel, "temporal_outer_to_inner"),
          erased("NoFanoutX", "/levels_outer_to_inner/0/fanout_below", "x"),
          erased("NoSpatial", "/levels_outer_to_inner/0/fanout_below", "spatial"),
          erased("NoLevelCycles", kLevel, "expected_cycles"),
          erased("NoTile", "/levels_outer_to_inner/0/expected/A", "tile"),
          erased("NoReads", "/levels_outer_to_inner/0/expected/A", "reads"),
          erased("NoTensorEnergy", "/levels_outer_to_inner/0/expected/A", "energy_per_instance"),
          erased("NoMacs", "/expected", "macs"),
          erased("NoCycles", "/expected", "cycles"),
          erased("NoEnergy", "/expected", "energy")};
}

std::vector<BadLine> lines_of_another_kind() {
  return {
      {"NotJson", "{\"id\": ", "the line is not JSON"},
      {"JustWords", "not a case", "the line is not JSON"},
      {"TwoValues", "{} {}", "the line is not JSON"},
      {"NotUtf8", "{\"id\": \"\xff\"}", "the line is not JSON"},
      {"Number", "17", "the line is 17, not a map"},
      {"List", "[1, 2]", "the line is a list, not a map"},
      {"Null", "null", "the line is null, not a map"},
      {"HugeNumber", "{\"id\": 1e999}", "the number 1e999 is too large"},
      {"Nested", nested(60), "the line is a list"},
      {"NestedInside", "{\"id\": " + nested(60) + "}", "\"id\" is a list, not a text"},
      {"DeeplyNested", nested(100000), "lists and maps are nested too deeply"},
      {"DeeplyNestedInside", "{\"id\": " + nested(100000) + "}", "nested too deeply"},
      {"VeryLong", "[" + std::string(std::size_t{1} << 20U, ' ') + "]", "longer than 1 MiB"},
      replaced("LongText", "/dims", std::string(1000, 'x'), "xxx..., not a map"),
      replaced("DimsIsAList", "/dims", Json::array(), "\"dims\" is a list, not a map"),
      replaced("TensorsIsAMap", "/tensors", Json::object(), "\"tensors\" is a map, not a list"),
      replaced("LevelsIsText", "/levels_outer_to_inner", "x", "the list of levels is \"x\""),
      replaced("LevelIsANumber", kLevel, 3, "\"name\" is missing"),
      replaced("OutputIsText", "/tensors/0/output", "yes", "\"output\" is \"yes\", not true or"),
      replaced("IndexOfNumbers", "/tensors/0/index", {1, 2}, "an index is 1, not a list"),
      replaced("TermOfThree", "/tensors/0/index/0/0", {"M", 1, 1}, "[dimension, coefficient]"),
      replaced("LoopOfOne", "/levels_outer_to_inner/0/temporal_outer_to_inner/0", {"N"},
               "a loop is not [dimension, bound]"),
      replaced("SpatialLoopOfTwo", "/levels_outer_to_inner/0/fanout_below/spatial/0", {"N", 2},
               "[dimension, bound, axis]"),
      replaced("FanoutIsText", "/levels_outer_to_inner/0/fanout_below", "2x1", "\"x\" is missing"),
      replaced("ExpectedIsAList", "/levels_outer_to_inner/0/expected", Json::array(),
               "\"expected\" of a level is a list"),
  };
}

std::vector<BadLine> lines_with_a_wrong_value() {
  return {
      replaced("SizeOfAHalf", "/dims/M", 0.5, "a dimension's size is 0.5, not a whole number"),
      replaced("SizeIsText", "/dims/M", "4", "a dimension's size is \"4\""),
      replaced("SizeOfZero", "/dims/M", 0, "M"),
      replaced("SizeBeyond64Bits", "/dims/M", std::uint64_t{1} << 63, "below 2^63"),
      replaced("TooManyMacs", "/dims/M", std::int64_t{1} << 61, "2^60"),
      replaced("NoOutput", "/tensors/2/output", false, "0 tensors are outputs, not one"),
      replaced("TwoOutputs", "/tensors/0/output", true, "2 tensors are outputs, not one"),
      replaced("UnknownDimension", "/tensors/0/index/0/0/0", "Z", "dimension Z is not among"),
      replaced("CoefficientOfZero", "/tensors/0/index/0/0/1", 0, "A"),
      replaced("SameNameTwice", "/tensors/1/name", "A", "A"),
      replaced("UnknownLoop", "/levels_outer_to_inner/0/temporal_outer_to_inner/0/0", "Z",
               "dimension Z is not among"),
      replaced("SameLoopTwice", "/levels_outer_to_inner/0/temporal_outer_to_inner",
               Json::parse(R"([["N", 3], ["K", 3], ["N", 1]])"), "two loops at one level"),
      replaced("BoundOfZero", "/levels_outer_to_inner/0/temporal_outer_to_inner/0/1", 0,
               "a loop's bound is 0"),
      replaced("BoundsTooSmall", "/levels_outer_to_inner/0/temporal_outer_to_inner/0/1", 2,
               "small: the bounds of N"),
      replaced("BoundsTooLarge", "/levels_outer_to_inner/0/temporal_outer_to_inner/0/1", 7,
               "small"),
      replaced("ProductOfBoundsTooLarge", "/levels_outer_to_inner/0/fanout_below/spatial",
               {{"N", std::int64_t{1} << 40, "X"}, {"N", std::int64_t{1} << 40, "X"}},
               "multiply to more than 2^60"),
      replaced("UnknownAxis", "/levels_outer_to_inner/0/fanout_below/spatial/0/2", "Z",
               "axis Z is neither X nor Y"),
      replaced("FanoutOfZero", "/levels_outer_to_inner/0/fanout_below/x", 0, "DRAM_fanout"),
      replaced("BandwidthOfZero", "/levels_outer_to_inner/0/read_bw", 0,
               "\"read_bw\" is 0, not above zero"),
      replaced("NegativeBandwidth", "/levels_outer_to_inner/0/write_bw", -0.5, "not above zero"),
      replaced("HugeBandwidth", "/levels_outer_to_inner/0/read_bw", 1e300, "too many digits"),
      replaced("TinyBandwidth", "/levels_outer_to_inner/0/read_bw", 1e-300, "too many digits"),
      replaced("EndlessBandwidth", "/levels_outer_to_inner/0/read_bw", 1.0 / 3, "too many digits"),
      replaced("BandwidthIsText", "/levels_outer_to_inner/0/read_bw", "fast",
               "read_bw is \"fast\", not a number"),
      replaced("BlockOfZero", "/levels_outer_to_inner/0/block_words", 0, "DRAM"),
      replaced("NegativeCapacity", "/levels_outer_to_inner/1/capacity_words", -1, "Buffer"),
      replaced("NegativeEnergy", "/levels_outer_to_inner/1/energy_per_block/read", -1, "Buffer"),
      replaced("NothingKeptAnywhere", "/levels_outer_to_inner/0/keep", {"A", "O"}, "B"),
      replaced("ExpectedOfUnknownTensor", "/levels_outer_to_inner/0/expected/Z", Json::object(),
               "unknown tensor Z"),
      replaced("NegativeReads", "/levels_outer_to_inner/0/expected/A/reads", -1,
               "\"reads\" is -1, not zero or more"),
      replaced("CyclesOfAHalf", "/expected/cycles", 1.5, "\"cycles\" is 1.5, not a whole number"),
      replaced("EnergyIsText", "/expected/energy", "8 nJ", "\"energy\" is \"8 nJ\", not a number"),
  };
}

std::vector<BadLine> bad_lines() {
  std::vector<BadLine> all = lines_without_a_field();
  for (const auto& more : {lines_of_another_kind(), lines_with_a_wrong_value()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

class GoldenBadLine : public ::testing::TestWithParam<BadLine> {};

TEST_P(GoldenBadLine, IsReportedWithPlaceAndReason) {
  // On the second line, so that the place is not right by accident.
  const File file = read_file("\n" + GetParam().line + "\n", "bad.jsonl");
  EXPECT_THAT(file.cases, IsEmpty());
  ASSERT_FALSE(file.problems.empty());
  const Diagnostic& problem = file.problems[0];
  EXPECT_EQ(problem.where.file, "bad.jsonl");
  EXPECT_EQ(problem.where.line, 2);
  EXPECT_GE(problem.where.column, 1);
  EXPECT_THAT(problem.message, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(Json, GoldenBadLine, ::testing::ValuesIn(bad_lines()),
                         [](const auto& test) { return test.param.name; });

TEST(GoldenFile, EveryTruncationOfACaseIsRefused) {
  const std::string line = small_case().dump();
  for (std::size_t length = 1; length < line.size(); length += 7) {
    const File file = read_file(line.substr(0, length), "cut.jsonl");
    EXPECT_THAT(file.cases, IsEmpty()) << length;
    ASSERT_EQ(file.problems.size(), 1U) << length;
    EXPECT_THAT(to_string(file.problems[0]), HasSubstr("cut.jsonl:1:"));
  }
}

TEST(GoldenFile, GoodAndBadLinesYieldBoth) {
  Json second = small_case();
  second["id"] = "second";
  const std::string text = small_case().dump() + "\nnonsense\n\n  \r\n" + second.dump() +
                           "\r\n{}\n" + small_case().dump();  // no line end
  const File file = read_file(text, "mixed.jsonl");
  ASSERT_EQ(file.cases.size(), 3U);
  EXPECT_EQ(file.cases[0].id, "small");
  EXPECT_EQ(file.cases[1].id, "second");
  EXPECT_THAT(differences(file.cases[1]), IsEmpty());
  ASSERT_EQ(file.problems.size(), 2U);
  EXPECT_EQ(file.problems[0].where.line, 2);
  EXPECT_EQ(file.problems[1].where.line, 6);
}

TEST(GoldenFile, WithoutAnyCaseIsReported) {
  for (const std::string& text : {std::string(), std::string("\n\n"), kCsvHeading + "\n"}) {
    for (const char* name : {"empty.jsonl", "empty.csv"}) {
      const File file = read_file(text, name);
      EXPECT_THAT(file.cases, IsEmpty());
      EXPECT_EQ(file.problems.size(), 1U) << name << " " << text;
    }
  }
}

// --- CSV --------------------------------------------------------------------

std::string with_field(std::size_t number, const std::string& value) {
  std::string row;
  std::size_t at = 0;
  for (std::size_t begin = 0; begin <= kCsvRow.size(); ++at) {
    const std::size_t end = std::min(kCsvRow.find(',', begin), kCsvRow.size());
    row += (at > 0 ? "," : "") + (at == number ? value : kCsvRow.substr(begin, end - begin));
    begin = end + 1;
  }
  return row;
}

std::vector<BadLine> bad_rows() {
  return {{"TooFewFields", "tiny,4,4", "the row has 3 fields, not 14"},
          {"TooManyFields", kCsvRow + ",1", "the row has 15 fields, not 14"},
          {"SizeIsText", with_field(1, "four"), "\"four\" is not a size"},
          {"SizeIsEmpty", with_field(2, ""), "\"\" is not a size"},
          {"SizeWithBlank", with_field(3, " 4"), "\" 4\" is not a size"},
          {"SizeOfZero", with_field(1, "0"), "X"},
          {"SizeNegative", with_field(1, "-4"), "X"},
          {"SizeBeyond64Bits", with_field(1, "99999999999999999999"), "is not a size"},
          {"SizeTooLarge", with_field(1, "9000000000000000000"), "2^60"},
          {"ThreeBounds", with_field(5, "1x1x4"), "\"1x1x4\" is not four bounds"},
          {"FiveBounds", with_field(5, "1x1x4x1x1"), "is not four bounds"},
          {"BoundOfZero", with_field(6, "1x0x4x1"), "is not four bounds"},
          {"BoundIsText", with_field(7, "1xax4x1"), "is not four bounds"},
          {"BoundsTooSmall", with_field(5, "1x1x2x1"), "the bounds of X"},
          {"BoundsTooLarge", with_field(5, "1x1x4x8"), "bound 8 for X"},
          {"HugeSpatialBound", with_field(5, "1x1x9000000000000000000x1"), "for X"},
          {"UnknownWalkOfDram", with_field(8, "W"), "\"W\" is none of the dimensions"},
          {"UnknownWalkOfSram", with_field(9, ""), "\"\" is none of the dimensions"},
          {"UnknownTensorInSram", with_field(10, "A+C"), "\"A+C\" is neither - nor names"},
          {"NothingInRf", with_field(11, ""), "is neither - nor names"},
          {"EnergyIsText", with_field(12, "much"), "\"much\" is no energy"},
          {"EnergyIsInfinite", with_field(12, "inf"), "\"inf\" is no energy"},
          {"EnergyIsNoNumber", with_field(12, "nan"), "\"nan\" is no energy"},
          {"CyclesOfAHalf", with_field(13, "4.5"), "\"4.5\" is no number of cycles"},
          {"CyclesNegative", with_field(13, "-4"), "\"-4\" is no number of cycles"},
          {"NotUtf8", with_field(5, "\xff"), "is not four bounds"}};
}

class GoldenBadRow : public ::testing::TestWithParam<BadLine> {};

TEST_P(GoldenBadRow, IsReportedWithPlaceAndReason) {
  const std::string text = kCsvHeading + "\n" + kCsvRow + "\n" + GetParam().line + "\n" + kCsvRow;
  const File file = read_file(text, "bad.csv");
  EXPECT_EQ(file.cases.size(), 2U);
  ASSERT_EQ(file.problems.size(), 1U);
  EXPECT_EQ(file.problems[0].where, (SourcePosition{"bad.csv", 3, 1}));
  EXPECT_THAT(file.problems[0].message, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(Csv, GoldenBadRow, ::testing::ValuesIn(bad_rows()),
                         [](const auto& test) { return test.param.name; });

TEST(GoldenCsv, OtherHeadingIsReportedOnce) {
  const File file = read_file("a,b,c\n1,2,3\n4,5,6\n", "bad.csv");
  EXPECT_THAT(file.cases, IsEmpty());
  ASSERT_EQ(file.problems.size(), 1U);
  EXPECT_THAT(to_string(file.problems[0]),
              HasSubstr("bad.csv:1:1: the heading is not that of a file of GEMM cases"));
  EXPECT_THAT(file.problems[0].hint, HasSubstr(kCsvHeading));
}

TEST(GoldenCsv, AcceptsLineEndsOfBothKinds) {
  const File file = read_file(kCsvHeading + "\r\n\r\n" + kCsvRow + "\r\n", "rows.csv");
  for (const Diagnostic& problem : file.problems) ADD_FAILURE() << to_string(problem);
  ASSERT_EQ(file.cases.size(), 1U);
  EXPECT_THAT(differences(file.cases[0]), IsEmpty());
}

}  // namespace
}  // namespace tilewright::golden
