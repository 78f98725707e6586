// What a comparison notices: every figure, and how far it may be off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using Pointer = nlohmann::json::json_pointer;

std::vector<std::string> differences_of(const std::string& text, const std::string& name) {
  const File file = read_file(text, name);
  for (const Diagnostic& problem : file.problems) ADD_FAILURE() << to_string(problem);
  if (file.cases.size() != 1) return {"not one case"};
  return differences(file.cases[0]);
}

std::vector<std::string> differences_of(const Json& json) {
  return differences_of(json.dump(), "case.jsonl");
}

// One figure of the small case is replaced, and this is said.
struct Tampering {
  const char* name;
  const char* where;
  Json value;
  const char* said;
};

std::ostream& operator<<(std::ostream& out, const Tampering& tampering) {
  return out << tampering.where;
}

class GoldenTampering : public ::testing::TestWithParam<Tampering> {};

TEST_P(GoldenTampering, IsReportedByName) {
  Json json = small_case();
  ASSERT_TRUE(json.contains(Pointer(GetParam().where)));
  json[Pointer(GetParam().where)] = GetParam().value;
  EXPECT_THAT(differences_of(json), ElementsAre(GetParam().said));
}

const char* const kBufferA = "/levels_outer_to_inner/1/expected/A";

INSTANTIATE_TEST_SUITE_P(
    Figures, GoldenTampering,
    ::testing::Values(
        Tampering{"Tile", "/levels_outer_to_inner/1/expected/A/tile", 5,
                  "Buffer A tile: expected 5, got 4"},
        Tampering{"Reads", "/levels_outer_to_inner/1/expected/A/reads", 37,
                  "Buffer A reads: expected 37 in each of 2 instances, got 72 in all"},
        Tampering{"ReadsOfASingleInstance", "/levels_outer_to_inner/0/expected/B/reads", 71,
                  "DRAM B reads: expected 71, got 72"},
        Tampering{"Fills", "/levels_outer_to_inner/1/expected/A/fills", 35,
                  "Buffer A fills: expected 35 in each of 2 instances, got 72 in all"},
        Tampering{"Updates", "/levels_outer_to_inner/1/expected/O/updates", 0,
                  "Buffer O updates: expected 0 in each of 2 instances, got 72 in all"},
        Tampering{"Instances", "/levels_outer_to_inner/1/expected/A/instances", 1,
                  "Buffer A instances: expected 1, got 2"},
        Tampering{"EnergyOfATensor", "/levels_outer_to_inner/1/expected/A/energy_per_instance", 181,
                  "Buffer A energy: expected 181 pJ, got 180 pJ"},
        Tampering{"CyclesOfALevel", "/levels_outer_to_inner/1/expected_cycles", 34,
                  "Buffer cycles: expected 34, got 36"},
        Tampering{"Macs", "/expected/macs", 71, "MACs: expected 71, got 72"},
        Tampering{"MacInstances", "/expected/mac_instances_used", 1,
                  "MAC instances: expected 1, got 2"},
        Tampering{"ComputeCycles", "/expected/compute_cycles", 37,
                  "compute cycles: expected 37, got 36"},
        Tampering{"Cycles", "/expected/cycles", 100, "cycles: expected 100, got 270"},
        Tampering{"Energy", "/expected/energy", 8281, "energy: expected 8281 pJ, got 8280 pJ"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(GoldenDifferences, SmallCaseAgrees) { EXPECT_THAT(differences_of(small_case()), IsEmpty()); }

TEST(GoldenDifferences, AcceptsOneCycleMoreThanOurs) {
  for (const char* where : {"/expected/cycles", "/levels_outer_to_inner/0/expected_cycles"}) {
    Json json = small_case();
    json[Pointer(where)] = 271;
    EXPECT_THAT(differences_of(json), IsEmpty()) << where;
    json[Pointer(where)] = 272;
    EXPECT_THAT(differences_of(json), ElementsAre(HasSubstr("cycles: expected 272, got 270")));
    json[Pointer(where)] = 269;
    EXPECT_THAT(differences_of(json), ElementsAre(HasSubstr("cycles: expected 269, got 270")));
  }
}

TEST(GoldenDifferences, ComputeCyclesAreExact) {
  Json json = small_case();
  json["expected"]["compute_cycles"] = 35;
  EXPECT_THAT(differences_of(json), ElementsAre("compute cycles: expected 35, got 36"));
}

TEST(GoldenDifferences, EnergiesAgreeToABillionth) {
  for (const double factor : {1 + 1e-10, 1 - 1e-10}) {
    Json json = small_case();
    json["expected"]["energy"] = 8280 * factor;
    EXPECT_THAT(differences_of(json), IsEmpty());
  }
  for (const double factor : {1 + 1e-8, 1 - 1e-8}) {
    Json json = small_case();
    json["expected"]["energy"] = 8280 * factor;
    EXPECT_THAT(differences_of(json), ElementsAre(HasSubstr("energy: expected 8")));
  }
}

TEST(GoldenDifferences, EnergiesOfZeroAreEqual) {
  Json json = small_case();
  for (Json& level : json["levels_outer_to_inner"]) {
    level["energy_per_block"] = {{"read", 0}, {"fill", 0}, {"update", 0}};
    for (Json& tensor : level["expected"]) tensor["energy_per_instance"] = 0;
  }
  json["mac"]["energy"] = 0;
  json["expected"]["energy"] = 0;
  EXPECT_THAT(differences_of(json), IsEmpty());
}

TEST(GoldenDifferences, SaysEverythingThatDiffers) {
  Json json = small_case();
  json[Pointer(kBufferA)]["tile"] = 1;
  json[Pointer(kBufferA)]["reads"] = 1;
  json["expected"]["macs"] = 1;
  EXPECT_THAT(differences_of(json), ElementsAre(HasSubstr("Buffer A tile"),
                                                HasSubstr("Buffer A reads"), HasSubstr("MACs")));
}

TEST(GoldenDifferences, FiguresThatAreNotGivenAreNotCompared) {
  Json json = small_case();
  json["expected"].erase("mac_instances_used");
  json[Pointer("/levels_outer_to_inner/1/expected")].erase("A");
  EXPECT_THAT(differences_of(json), IsEmpty());
}

TEST(GoldenDifferences, MappingMustFitTheMemories) {
  Json json = small_case();
  json[Pointer("/levels_outer_to_inner/1/capacity_words")] = 7;
  EXPECT_THAT(differences_of(json), ElementsAre(HasSubstr("Buffer: the tiles need 8 words")));
}

TEST(GoldenDifferences, TheSizeOfASingleFanoutIsNotCompared) {
  Json json = small_case();
  json[Pointer("/levels_outer_to_inner/0/fanout_below/x")] = 1;
  EXPECT_THAT(differences_of(json), IsEmpty());
}

TEST(GoldenDifferences, ReadsAFractionOfAWordPerCycleAsItIsWritten) {
  Json json = small_case();
  // 24 words at 0.29 a cycle take 83 cycles (82.76); at 0.28999... 83 as well, but
  // 29 words take exactly 100 and not 101.
  json[Pointer("/levels_outer_to_inner/0/read_bw")] = nullptr;
  json[Pointer("/levels_outer_to_inner/0/expected_cycles")] = 83;
  json["expected"]["cycles"] = 83;
  EXPECT_THAT(differences_of(json), IsEmpty());
  const File file = read_file(json.dump(), "case.jsonl");
  ASSERT_EQ(file.cases.size(), 1U);
  const auto& dram = std::get<Memory>(file.cases[0].problem.arch().level(LevelId{0}));
  EXPECT_EQ(dram.write_bandwidth, (Rational{29, 100}));
  EXPECT_EQ(dram.read_bandwidth, std::nullopt);
}

TEST(GoldenDifferences, SpatialLoopsOfADimensionOnOneAxisMultiply) {
  Json json = small_case();
  json[Pointer("/levels_outer_to_inner/0/temporal_outer_to_inner")] =
      Json::parse(R"([["N", 1], ["K", 3]])");
  json[Pointer("/levels_outer_to_inner/0/fanout_below")] = {
      {"x", 6}, {"y", 1}, {"spatial", {{"N", 2, "X"}, {"N", 3, "X"}}}};
  const File file = read_file(json.dump(), "case.jsonl");
  ASSERT_EQ(file.cases.size(), 1U);
  EXPECT_EQ(file.cases[0].mapping.bound(2, *file.cases[0].problem.workload().find_dim("N")), 6);
}

// --- rows of a CSV file -----------------------------------------------------

TEST(GoldenCsvDifferences, SmallRowAgrees) {
  EXPECT_THAT(differences_of(kCsvHeading + "\n" + kCsvRow + "\n", "rows.csv"), IsEmpty());
}

std::string row_ending_in(const std::string& figures) {
  return kCsvHeading + "\n" + kCsvRow.substr(0, kCsvRow.find("9229")) + figures;
}

TEST(GoldenCsvDifferences, NoticesEnergyAndCycles) {
  EXPECT_THAT(differences_of(row_ending_in("9229.45,4"), "rows.csv"),
              ElementsAre("energy: expected 9229.45 pJ, got 9229.44 pJ"));
  EXPECT_THAT(differences_of(row_ending_in("9229.44,5"), "rows.csv"), IsEmpty());
  EXPECT_THAT(differences_of(row_ending_in("9229.44,6"), "rows.csv"),
              ElementsAre("cycles: expected 6, got 4"));
}

TEST(GoldenCsvDifferences, NoticesWhatDoesNotFit) {
  // 21 x 21 words of B and so on in a register file of 424.
  const std::string row = "big,21,21,21,0,1x1x1x21,1x1x1x21,1x1x1x21,X,X,-,A,1,1";
  const auto found = differences_of(kCsvHeading + "\n" + row, "rows.csv");
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0], HasSubstr("RF: the tiles need 441 words"));
}

}  // namespace
}  // namespace tilewright::golden
