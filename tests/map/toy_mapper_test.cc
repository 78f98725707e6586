// A mapper is a row: this file adds one and finds it on the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "proofs/proof_commands.h"
#include "threaded/some_work.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

constexpr MapperOption kSkip{.name = "skip",
                             .help = "mappings of the space that the toy passes over",
                             .fallback = "0",
                             .most = 1000};

// Takes the first mapping of the space that fits.
MapperResult run_toy(const MappingTask& task, const Limits& limits, const OptionValues& options) {
  MapperResult result;
  const Problem& problem = task.evaluator.problem();
  const MadeSpace space = MapSpace::create(problem, task.space, task.restrictions);
  if (!space.ok()) return result;
  Walk walk(*space.value, BigUint(static_cast<std::uint64_t>(options.count(kSkip))),
            space.value->size());
  while (const Mapping* mapping = walk.next()) {
    ++result.search.seen;
    result.search.score = task.evaluator.score(*mapping);
    if (result.search.score.verdict.fits()) {
      result.search.best = *mapping;
      result.status = MapperResult::Status::Found;
      break;
    }
    if (limits.evaluations && result.search.seen >= *limits.evaluations) break;
  }
  return result;
}

const Mapper& toy_mapper() {
  static const Mapper row{.name = "toy",
                          .summary = "the first that fits",
                          .options = {kSkip, *find_mapper("random")->find("evaluations")},
                          .run = run_toy};
  return row;
}

struct Printed {
  int code = 0;
  std::string out, err;
};

// The tool with one more mapper.
Printed run_with_toy(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tilewright");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  std::vector<const Mapper*> table = mappers();
  table.push_back(&toy_mapper());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Printed printed;
  printed.code =
      cli::run(static_cast<int>(pointers.size()), pointers.data(), table, &cli::kProofCommands);
  printed.out = ::testing::internal::GetCapturedStdout();
  printed.err = ::testing::internal::GetCapturedStderr();
  return printed;
}

const std::vector<std::string> kMap = {"map", "-a", "toy_linear", "-w", "gemm: m=4 n=4 k=4"};

Printed map_with_toy(std::vector<std::string> more) {
  more.insert(more.begin(), kMap.begin(), kMap.end());
  return run_with_toy(std::move(more));
}

TEST(ToyMapper, IsInTheHelpWithItsOptions) {
  const Printed help = run_with_toy({"map", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find(" toy}"), std::string::npos);
  EXPECT_NE(help.out.find("toy: the first that"), std::string::npos);
  EXPECT_NE(help.out.find("--skip"), std::string::npos);
}

TEST(ToyMapper, RunsFromTheCommandLine) {
  const Printed text = map_with_toy({"--mapper", "toy"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("toy, 1 mappings visited; not proven optimal"), std::string::npos)
      << text.out;
  const Printed json = map_with_toy({"--mapper", "toy", "--skip", "2", "--json"});
  const auto search = nlohmann::json::parse(json.out).at("search");
  EXPECT_EQ(search.at("mapper"), "toy");
  EXPECT_EQ(search.at("found_by"), "toy");
  EXPECT_EQ(search.at("skip"), 2);
}

TEST(ToyMapper, OptionsThatMeanNothingAreRefused) {
  const Printed idle = map_with_toy({"--skip", "2"});
  EXPECT_EQ(idle.code, 2);
  EXPECT_EQ(idle.err,
            "--skip: means nothing to the optimal mapper; leave it out, or add --mapper toy\n");
  const Printed certificate = map_with_toy({"--mapper", "toy", "--certificate", "c.json"});
  EXPECT_EQ(certificate.code, 2);
  EXPECT_EQ(certificate.err,
            "--certificate: means nothing to the toy mapper; leave it out, or add --mapper "
            "optimal\n");
}

TEST(ToyMapper, CanBeHandedToTheLibrary) {
  MapOptions options;
  options.mapper = &toy_mapper();
  options.mapper_options.set("skip", std::int64_t{1});
  const MapOutcome outcome =
      map_workload(make_gemm("gemm", 4, 4, 4), testing::small_arch(), options);
  EXPECT_TRUE(outcome.found());
  EXPECT_EQ(outcome.found_by, &toy_mapper());
}

}  // namespace
}  // namespace tilewright
