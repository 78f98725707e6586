// Mistakes in a call of `map`, and what each is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;

constexpr const char* kGemm = "gemm: m=24 n=10 k=12";

struct Mistake {
  const char* name;
  std::vector<std::string> words;
  int exit_code;
  const char* message;
};

class CliMapMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(CliMapMistake, IsToldWithTheRightExitCode) {
  std::vector<std::string> words = {"map", "-a", "toy_array"};
  words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
  const Outcome outcome = run_tool(words);
  EXPECT_EQ(outcome.exit_code, GetParam().exit_code);
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_EQ(outcome.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Map, CliMapMistake,
    ::testing::Values(
        Mistake{"Nothing", {}, 2, "add --workload or --model"},
        Mistake{"NegativeCount", {"-w", kGemm, "--evaluations", "-3"}, 2, "--evaluations"},
        Mistake{"HugeSeed", {"-w", kGemm, "--seed", "18446744073709551616"}, 2, "--seed"},
        Mistake{"UseAndDims",
                {"-w", kGemm, "-c", "Array: use >= 0.9", "-c", "Array.x: dims none"},
                3,
                "Array: use >= 0.9 (--constrain 1:1:15)"},
        Mistake{"UnknownModel", {"--model", "resnet5"}, 2, "did you mean resnet50?"},
        Mistake{"UnknownLayer", {"--model", "vgg16", "-l", "99"}, 2, "99"},
        Mistake{"LayerByBareNumber",
                {"--model", "vgg16", "-l", "1"},
                2,
                "vgg16: no layer is named \"1\"; write '#1' for the 1st layer, or its name 00"},
        Mistake{"UnknownSpace", {"-w", kGemm, "--mapspace", "rubi"}, 2, "rubi"},
        Mistake{"PowerProven",
                {"-w", kGemm, "-o", "power"},
                2,
                "--objective: power is less where a mapping takes longer, so nothing can be proven "
                "of it; take \"map\" with a mapper that proves nothing, such as --mapper genetic"},
        Mistake{"Area",
                {"-w", kGemm, "-o", "area"},
                2,
                "area is that of the architecture, the same with all its mappings"},
        Mistake{"CertificateOfANetwork",
                {"--model", "ncf", "--certificate", "c.json"},
                2,
                "a certificate is of one layer; add --layer"},
        Mistake{"CertificateOfSamples",
                {"-w", kGemm, "--mapper", "random", "--certificate", "c.json"},
                2,
                "--certificate: means nothing to the random mapper"},
        Mistake{"PatienceOfTheOptimalMapper",
                {"-w", kGemm, "--patience", "300"},
                2,
                "--patience: means nothing to the optimal mapper; leave it out, or add --mapper "
                "random"},
        Mistake{"SeedOfQuickflow",
                {"-w", kGemm, "--mapper", "quickflow", "--seed", "3"},
                2,
                "--seed: means nothing to the quickflow mapper"},
        Mistake{"PopulationOfARandomSearch",
                {"-w", kGemm, "--mapper", "random", "--population", "30"},
                2,
                "--population: means nothing to the random mapper; leave it out, or add --mapper "
                "genetic"},
        Mistake{"PopulationOfOne",
                {"-w", kGemm, "--mapper", "genetic", "--population", "1"},
                2,
                "--population"},
        Mistake{"TargetOfTheOptimalMapper",
                {"-w", kGemm, "--target", "3"},
                2,
                "--target: means nothing to the optimal mapper"},
        Mistake{"BadMemory", {"-w", kGemm, "--memory", "2x"}, 2, "'2x' is no amount of memory"},
        Mistake{"NegativeGap", {"-w", kGemm, "--gap", "-1"}, 2, "--gap"},
        Mistake{"GapBeyondDoubles",
                {"-w", kGemm, "--gap", "1e400"},
                2,
                "--gap: must be a number from 0 on; such as 0.01"},
        Mistake{"EndlessTarget",
                {"-w", kGemm, "--mapper", "random", "--target", "inf"},
                2,
                "--target: must be a number above 0; such as 1e9"},
        Mistake{"TargetBeyondDoubles",
                {"-w", kGemm, "--mapper", "random", "--target", "1e400"},
                2,
                "--target: must be a number above 0; such as 1e9"},
        Mistake{"PresetOfAnotherMapper",
                {"-w", kGemm, "--quickflow", "paper"},
                2,
                "--quickflow: means nothing to the optimal mapper; leave it out, or add --mapper "
                "quickflow"},
        Mistake{"UnknownPreset",
                {"-w", kGemm, "--mapper", "quickflow", "--quickflow", "papr"},
                2,
                "--quickflow: papr not in {fast,paper}"},
        Mistake{"NoStart",
                {"-w", kGemm, "--mapper", "quickflow", "--starts", "0"},
                2,
                "--starts: Value 0 not in range"},
        Mistake{"HexadecimalSeed",
                {"-w", kGemm, "--mapper", "random", "--seed", "0x10"},
                2,
                "--seed: must be a whole number; such as 1000"},
        Mistake{"BadTime", {"-w", kGemm, "--time", "2x"}, 2, "'2x' is no time"},
        Mistake{"UnknownDim", {"-w", kGemm, "-c", "Buffer: X = 2"}, 2, "has no dimension X"},
        Mistake{"BadConstraint", {"-w", kGemm, "-c", "Bufer: M = 2"}, 2, "did you mean Buffer?"},
        Mistake{"MissingFile", {"-w", kGemm, "--constraints", "nowhere.yaml"}, 2, "no such file"},
        Mistake{
            "Contradiction",
            {"-w", kGemm, "-c", "Buffer: M >= 8", "-c", "Buffer: M <= 4"},
            3,
            "--constrain 2:1:11: Buffer: M <= 4 contradicts Buffer: M >= 8 (--constrain 1:1:11)"},
        Mistake{"NoFactor", {"-w", kGemm, "-c", "DRAM: M = 5"}, 3, "no chain of pfm factors"},
        Mistake{
            "NoRoom", {"-w", kGemm, "-c", "Array.x: M = 2, N >= 5, K = 1"}, 3, "Array.x: N >= 5"},
        Mistake{
            "Hopeless",
            {"-w", "gemm: m=5040 n=5040 k=5040", "--mapper", "exhaustive", "--mapspace", "ruby"},
            2,
            "to see them all would take about"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tilewright::cli
