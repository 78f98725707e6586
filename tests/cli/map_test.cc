#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using testing::contents;
using ::testing::HasSubstr;
using testing::json_of;
using ::testing::Not;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using ::testing::StartsWith;
using Json = nlohmann::json;

constexpr const char* kGemm = "gemm: m=24 n=10 k=12";

// What eval prints beside the figures of a mapping belongs to the document.
Json figures_of(Json evaluated) {
  for (const char* key : {"schema", "command", "hardware", "remarks"}) evaluated.erase(key);
  return evaluated;
}

// The figures that the mapper reports are those that eval finds for the file
// it wrote, in every space.
TEST(CliMap, WritesAMappingThatEvaluatesToTheSameNumbers) {
  const Scratch scratch;
  for (const char* space : {"pfm", "ruby-s", "ruby-t", "ruby"}) {
    const std::string path = scratch.path(std::string(space) + ".yaml");
    const Json mapped =
        json_of({"map", "-a", "toy_array", "-w", kGemm, "--mapspace", space, "--out", path});
    const Json evaluated = json_of({"eval", "-a", "toy_array", "-w", kGemm, "-m", path});
    EXPECT_EQ(mapped.at("result"), figures_of(evaluated)) << space;
  }
}

// The file carries its padded sizes.
TEST(CliMap, PaddedMappingsEvaluateToTheSameNumbers) {
  const Scratch scratch;
  const std::string path = scratch.path("padded.yaml");
  // 127 is prime: perfect factors can use the row of six only when it is padded.
  const Json mapped = json_of({"map", "-a", "toy_linear", "-w", "O[x] += I[x]; x=127", "--mapspace",
                               "pfm-pad", "-o", "latency", "--out", path});
  EXPECT_EQ(mapped.at("result").at("cycles"), 22);
  EXPECT_EQ(mapped.at("result").at("workload").at("dims").at("x"), 132);
  EXPECT_THAT(contents(path), HasSubstr("\npadded: {x: 132}\nlevels:\n"));
  const std::vector<std::string> eval = {"eval", "-a", "toy_linear", "-w", "O[x] += I[x]; x=127",
                                         "-m",   path};
  const Json evaluated = json_of(eval);
  EXPECT_EQ(evaluated.at("useful_macs"), 127);
  EXPECT_EQ(evaluated.at("useful_share"), 127.0 / 132);
  EXPECT_EQ(figures_of(evaluated), mapped.at("result"));
  EXPECT_THAT(run_tool(eval).out, HasSubstr("\n  useful work  96.2 % of the MACs (127 of 132), "));
}

TEST(CliMap, PaddedMappingsOfANetworkEvaluateLayerByLayer) {
  const Scratch scratch;
  const std::string csv = scratch.write("net.csv",
                                        "model,layer,op,N,M,C,P,Q,R,S\n"
                                        "net,prime,gemm,1,13,8,11,1,1,1\n"
                                        "net,even,gemm,1,16,8,8,1,1,1\n");
  const Json mapped = json_of({"map", "-a", "toy_array", "--model", csv, "--mapspace", "pfm-pad",
                               "--out", scratch.path("maps")});
  int padded = 0;
  for (const char* layer : {"prime", "even"}) {
    const std::size_t at = layer == std::string("prime") ? 0 : 1;
    const Json evaluated =
        json_of({"eval", "-a", "toy_array", "--model", csv, "-l", layer, "-m",
                 scratch.path("maps/0" + std::to_string(at + 1) + "_" + layer) + ".yaml"});
    EXPECT_EQ(figures_of(evaluated), mapped.at("layers").at(at).at("result")) << layer;
    padded += evaluated.at("useful_share") < 1 ? 1 : 0;
  }
  EXPECT_EQ(padded, 1);
}

TEST(CliMap, NamesOfFilesNeedNotBeUtf8) {
  const Scratch scratch;
  const std::string path = scratch.path("m\xFF.csv");
  const Json json =
      json_of({"map", "--arch", "toy_array", "--workload", "gemm: m=4 n=4 k=4", "--csv", path});
  EXPECT_THAT(json.at("command").get<std::string>(), HasSubstr("m\xEF\xBF\xBD.csv"));
  EXPECT_THAT(contents(path), HasSubstr("energy"));
}

TEST(CliMap, FindsRubysExample) {
  for (const auto& [space, cycles] : {std::pair("pfm", 20), std::pair("ruby-s", 17)}) {
    const Json mapped =
        json_of({"map", "-a", "toy_linear", "-w", "examples/workloads/elements_100.yaml",
                 "--mapper", "exhaustive", "--mapspace", space, "-o", "latency"});
    EXPECT_EQ(mapped.at("result").at("cycles"), cycles) << space;
    EXPECT_EQ(mapped.at("search").at("seen").dump(),
              mapped.at("search").at("space_size").get<std::string>());
  }
}

TEST(CliMap, ShowsTheNestTheCostAndTheSearch) {
  const Outcome outcome =
      run_tool({"map", "-a", "toy_linear", "-w", "examples/workloads/elements_100.yaml",
                "--mapspace", "ruby-s", "--objective", "latency", "--mapper", "random"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");  // no progress where nobody watches
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("par_for X in 6 (last: 4)"), HasSubstr("cycles       17"),
                    HasSubstr("space        ruby-s, "), HasSubstr("seed 1")));
}

TEST(CliMap, TheDefaultMapperProvesItsMapping) {
  const std::vector<std::string> words = {"map", "-a", "eyeriss", "--model", "quickflow",
                                          "-l",  "V",  "-o",      "edp"};
  EXPECT_THAT(run_tool(words).out,
              HasSubstr("search       optimal, proven optimal among even mappings\n"));
  const Json json = json_of(words);
  const Json& proof = json.at("search").at("proof");
  EXPECT_EQ(proof.at("proven"), true);
  EXPECT_EQ(proof.at("among"), "even mappings");
  EXPECT_EQ(proof.at("gap"), 0);
  EXPECT_EQ(proof.at("bound"), json.at("result").at("edp_pj_cycles"));
  EXPECT_EQ(json.at("search").at("space_size"), nullptr);  // nobody counted
  for (const char* threads : {"1", "3"}) {
    std::vector<std::string> again = words;
    again.insert(again.end(), {"--threads", threads});
    EXPECT_EQ(json_of(again).at("result"), json.at("result")) << threads;
  }
}

TEST(CliMap, PerformancePerWattIsEnergy) {
  const auto best = [](const char* objective) {
    return json_of({"map", "-a", "toy_array", "-w", kGemm, "-o", objective});
  };
  const Json energy = best("energy");
  const Json efficiency = best("perf-per-watt");
  EXPECT_EQ(efficiency.at("result").at("energy_pj"), energy.at("result").at("energy_pj"));
  EXPECT_EQ(efficiency.at("search").at("objective"), "energy");
}

// What is found has less power than the fastest mapping, and nothing is claimed to be proven.
TEST(CliMap, PowerIsSearchedWithoutProof) {
  const std::vector<std::string> words = {"map", "-a", "toy_array", "-w", kGemm};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return json_of(more);
  };
  const auto power = [](const Json& found) {
    return found.at("result").at("energy_pj").get<double>() /
           found.at("result").at("cycles").get<double>();
  };
  const Json fast = with({"-o", "latency"});
  for (const char* mapper : {"genetic", "random", "quickflow"}) {
    const Json found = with({"-o", "power", "--mapper", mapper});
    EXPECT_LT(power(found), power(fast)) << mapper;
    EXPECT_TRUE(found.at("search").at("proof").is_null());
  }
  EXPECT_THAT(
      run_tool({"map", "-a", "toy_array", "-w", kGemm, "-o", "power", "--mapper", "genetic"}).out,
      HasSubstr(" pJ/cycle"));
}

// Solver and checker share no code, and agree.
TEST(CliMap, CertificatesAreVerified) {
  const Scratch scratch;
  const std::string path = scratch.path("v.cert.json");
  for (const char* objective : {"energy", "latency", "edp"}) {
    for (const char* space : {"pfm", "ruby-s"}) {
      const Outcome mapped =
          run_tool({"map", "-a", "eyeriss", "--model", "quickflow", "-l", "XII", "-o", objective,
                    "--mapspace", space, "-c", "SACols.x: Q <= 7", "--certificate", path});
      EXPECT_EQ(mapped.exit_code, 0) << mapped.err;
      const Outcome checked = run_tool({"check", path});
      EXPECT_EQ(checked.exit_code, 0) << checked.err;
      EXPECT_THAT(checked.out, HasSubstr(", which is optimal"));
    }
  }
}

TEST(CliMap, CertificatesOfAGapClaimTheBoundAlone) {
  const Scratch scratch;
  const std::string path = scratch.path("gap.cert.json");
  for (const char* objective : {"energy", "latency", "edp"}) {
    const Outcome mapped = run_tool({"map", "-a", "eyeriss", "--model", "quickflow", "-l", "X",
                                     "-o", objective, "--gap", "0.5", "--certificate", path});
    EXPECT_EQ(mapped.exit_code, 0) << mapped.err;
    EXPECT_THAT(mapped.out, HasSubstr("within the gap asked for"));
    const Outcome checked = run_tool({"check", path});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_THAT(checked.out, Not(HasSubstr("which is optimal")));
  }
}

TEST(CliMap, ATimeLimitLeavesABoundThatHolds) {
  const auto run = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"map", "-a", "simba", "--model", "quickflow", "-l", "V"};
    words.insert(words.end(), more.begin(), more.end());
    return json_of(words);
  };
  const double optimum = run({}).at("result").at("edp_pj_cycles");
  const Json cut_short = run({"--time", "5ms"});
  const double found = cut_short.at("result").at("edp_pj_cycles");
  const double bound = cut_short.at("search").at("proof").at("bound");
  EXPECT_LE(bound, optimum);
  EXPECT_LE(optimum, found);
}

TEST(CliMap, WhatDoesNotFitIsToldByTheSolverToOthersToo) {
  for (const char* mapper : {"optimal", "quickflow", "genetic"}) {
    const Outcome outcome = run_tool({"map", "-a", "toy_array", "-w", "gemm: m=16 n=16 k=16", "-c",
                                      "Registers: M=8, N=8", "--mapper", mapper});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err,
                HasSubstr("no mapping fits Registers: the tiles need 80 B, 48 B more"));
  }
}

TEST(CliMap, QuickflowIsNearTheOptimumAndSaysThatNothingIsProven) {
  const std::vector<std::string> words = {"map", "-a", "simba",    "--model",  "quickflow",
                                          "-l",  "IV", "--mapper", "quickflow"};
  EXPECT_THAT(run_tool(words).out, AllOf(HasSubstr("mappings visited; not proven optimal\n"),
                                         HasSubstr("no neighbour is better; ")));
  const Json json = json_of(words);
  EXPECT_EQ(json.at("search").at("found_by"), "quickflow");
  EXPECT_EQ(json.at("search").at("proof"), nullptr);
  const Json optimum = json_of({"map", "-a", "simba", "--model", "quickflow", "-l", "IV"});
  const double found = json.at("result").at("edp_pj_cycles");
  const double best = optimum.at("result").at("edp_pj_cycles");
  EXPECT_GE(found, best);
  EXPECT_LE(found, 1.05 * best);
}

// A mebibyte is too little for the solver: the mapping comes from quickflow, the
// bound from the solver.
TEST(CliMap, QuickflowStepsInWhereTheSolverComesToNoEnd) {
  const std::vector<std::string> words = {"map", "-a", "eyeriss",  "--model", "quickflow",
                                          "-l",  "V",  "--memory", "256KiB"};
  const Json mixed = json_of(words);
  EXPECT_EQ(mixed.at("search").at("mapper"), "optimal");
  EXPECT_EQ(mixed.at("search").at("found_by"), "quickflow");
  EXPECT_EQ(mixed.at("search").at("proof").at("proven"), false);
  const double found = mixed.at("result").at("edp_pj_cycles");
  EXPECT_LE(mixed.at("search").at("proof").at("bound"), found);
  EXPECT_THAT(run_tool(words).out, AllOf(HasSubstr("search       quickflow, not proven optimal; "),
                                         HasSubstr("% above the optimum of even mappings\n")));
}

// One padded variant has no start and is left to the solver, the others are not.
TEST(CliMap, AProofOfOnePaddedVariantIsNoProofOfAll) {
  const Json json =
      json_of({"map", "-a", "toy_array", "-w", "O[m,n] += A[m,k]*B[k,n]; m=12 n=11 k=7", "--mapper",
               "quickflow", "--mapspace", "pfm-pad", "-c", "DRAM: dims n", "-c", "Buffer: dims n",
               "-c", "Array.x: dims m k"});
  EXPECT_EQ(json.at("search").at("proof"), nullptr);
}

TEST(CliMap, QuickflowMapsNetworks) {
  const Outcome outcome =
      run_tool({"map", "-a", "eyeriss", "--model", "ncf", "--mapper", "quickflow"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("lowest edp among even mappings, by quickflow search in pfm"),
                    HasSubstr("visited")));
}

TEST(CliMap, TheGeneticMapperBreedsAsManyAsItIsTold) {
  const std::vector<std::string> words = {
      "map",     "-a",           "eyeriss", "--model",       "resnet50", "-l",     "#3", "--mapper",
      "genetic", "--population", "40",      "--generations", "5",        "--seed", "7"};
  EXPECT_THAT(run_tool(words).out,
              AllOf(HasSubstr("genetic, 230 mappings visited, seed 7; not proven optimal\n"),
                    HasSubstr("all generations were bred; ")));
  const Json search = json_of(words).at("search");
  EXPECT_EQ(search.at("found_by"), "genetic");
  EXPECT_EQ(search.at("population"), 40);
  EXPECT_EQ(search.at("generations"), 5);
  EXPECT_EQ(search.at("seen"), 40 + 5 * (40 - 2));  // two of each generation live on
  EXPECT_EQ(json_of(words).at("result"), json_of(words).at("result"));
}

TEST(CliMap, TheGeneticMapperRaisesBroodsIfItIsTold) {
  const auto search = [](const char* brood) {
    return json_of({"map", "-a", "eyeriss", "--model", "resnet50", "-l", "#3", "--mapper",
                    "genetic", "--generations", "5", "--brood", brood})
        .at("search");
  };
  EXPECT_EQ(search("none").at("seen"), 100 + 5 * 95);
  EXPECT_EQ(search("orders").at("brood"), "orders");
  EXPECT_GT(search("orders").at("seen"), 3 * (100 + 5 * 95));
  EXPECT_GT(search("factors").at("seen"), search("orders").at("seen"));
  const Outcome unknown =
      run_tool({"map", "-a", "eyeriss", "-w", kGemm, "--mapper", "genetic", "--brood", "all"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--brood"));
}

TEST(CliMap, TheSameSeedGivesTheSameAnswerWithAnyNumberOfThreads) {
  const auto run = [](const char* threads, const char* seed) {
    return json_of({"map", "-a", "eyeriss", "--model", "resnet50", "-l", "conv2_1b", "--mapspace",
                    "ruby-s", "--mapper", "random", "--patience", "500", "--threads", threads,
                    "--seed", seed});
  };
  const Json one = run("1", "5");
  const Json three = run("3", "5");
  EXPECT_EQ(one.at("result"), three.at("result"));
  EXPECT_EQ(one.at("search").at("seen"), three.at("search").at("seen"));
  EXPECT_NE(run("1", "6").at("result"), one.at("result"));
}

TEST(CliMap, HeedsLimits) {
  const std::vector<std::string> base = {"map", "-a",       "toy_array", "-w",
                                         kGemm, "--mapper", "random"};
  const auto end = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return json_of(more).at("search").at("end").get<std::string>();
  };
  EXPECT_EQ(end({"--evaluations", "5000", "--patience", "0"}),
            "the limit of evaluations was reached");
  EXPECT_EQ(end({}), "no improvement for as long as was asked");
  EXPECT_EQ(end({"--target", "1e300"}), "the target was reached");
  EXPECT_EQ(end({"--patience", "0", "--time", "50ms"}), "the time was up");
}

TEST(CliMap, MapsAWholeNetworkWithIdenticalLayersOnce) {
  const Scratch scratch;
  const std::string csv = scratch.write("net.csv",
                                        "# A test.\n"
                                        "model,layer,op,N,M,C,P,Q,R,S,count\n"
                                        "net,first,gemm,1,12,8,10,1,1,1,3\n"
                                        "net,second,gemm,1,12,8,10,1,1,1,1\n"
                                        "net,third,gemm,1,16,8,10,1,1,1,1\n");
  const std::string folder = scratch.path("maps");
  const Json json = json_of({"map", "-a", "toy_array", "--model", csv, "--out", folder});
  EXPECT_EQ(json.at("schema"), "tilewright.mapped_network.v1");
  const Json& layers = json.at("layers");
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[1].at("same_as"), 1);
  EXPECT_EQ(layers[0].at("result"), layers[1].at("result"));
  const auto cycles = [&](std::size_t i) { return layers[i].at("result").at("cycles").get<int>(); };
  EXPECT_EQ(json.at("totals").at("cycles"), 4 * cycles(0) + cycles(2));
  EXPECT_TRUE(std::filesystem::exists(folder + "/03_third.yaml"));
  const Outcome text = run_tool({"map", "-a", "toy_array", "--model", csv});
  EXPECT_THAT(text.out, AllOf(HasSubstr("as #1"), HasSubstr("Totals, each layer as often")));
}

TEST(CliMap, ANetworksTableNamesWhatLimitsEachLayer) {
  const std::vector<std::string> words = {"map", "-a", "eyeriss", "--model", "alexnet"};
  const Outcome text = run_tool(words);
  EXPECT_THAT(text.out, HasSubstr("  limited by  "));
  const Json json = json_of(words);
  std::set<std::string> ports;
  for (const Json& layer : json.at("layers")) {
    const Json& bottleneck = layer.at("result").at("bottleneck");
    const std::string port = bottleneck.at("port");
    ports.insert(port);
    const std::string named = port == "compute" ? "multipliers"
                              : port == "read"
                                  ? bottleneck.at("level").get<std::string>() + " reads"
                                  : "?";
    EXPECT_THAT(text.out, HasSubstr("  " + named + "  ")) << port;
  }
  EXPECT_EQ(ports, (std::set<std::string>{"compute", "read"}));
  const double macs = 714'188'480;  // docs/models.md: 7.14e8
  const Json& totals = json.at("totals");
  EXPECT_NEAR(totals.at("utilisation").get<double>(),
              macs / (168 * totals.at("cycles").get<double>()), 1e-4);
}

TEST(CliMap, ExplainsNetworks) {
  const Outcome outcome = run_tool({"map", "-a", "eyeriss", "--model", "alexnet", "--explain"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Totals, each layer"), HasSubstr("\n\nEnergy: "),
                                 HasSubstr(" %  reading W from DRAM\n"), HasSubstr("\n\nTime: "),
                                 HasSubstr(" %  in layers limited by DRAM's "),
                                 HasSubstr("\nLayers that take longest\n")));
}

TEST(CliMap, JsonSaysWhyThereIsNoMapping) {
  const Outcome outcome =
      run_tool({"map", "-a", "toy_array", "-w", kGemm, "-c", "DRAM: M = 5", "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("status"), "infeasible");
  EXPECT_THAT(json.at("problems").at(0).get<std::string>(), HasSubstr("no chain of pfm factors"));
  EXPECT_FALSE(json.contains("result"));
}

TEST(CliMap, PaddingIsToldApartFromUsefulWork) {
  const std::vector<std::string> words = {
      "map",        "-a",      "toy_linear", "-w",     "O[x] += I[x]; x=127",
      "--mapspace", "pfm-pad", "-o",         "latency"};
  EXPECT_THAT(run_tool(words).out, HasSubstr("useful work  96.2 % of the MACs (127 of 132)"));
  EXPECT_EQ(json_of(words).at("search").at("useful_macs"), 127);
}

TEST(CliMap, ExhaustiveSearchOfPaddedWorkloadsIsRefusedIfOneIsTooLarge) {
  const Outcome outcome =
      run_tool({"map", "-a", "toy_array", "-w", "gemm: m=127 n=127 k=127", "--mapspace", "pfm-pad",
                "--mapper", "exhaustive", "--time", "300ms"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("padded to"), HasSubstr("to see them all")));
}

TEST(CliMap, SaysWhyNothingFits) {
  const Outcome outcome = run_tool({"map", "-a", "toy_array", "-w", "gemm: m=16 n=16 k=16", "-c",
                                    "Registers: M=8, N=8", "--mapper", "random"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(
      outcome.err,
      AllOf(HasSubstr("no mapping of gemm_16x16x16 on toy_array is valid: all 6,404 of pfm"),
            HasSubstr("5,756 failed; closest: Registers: the tiles need 80 B, 48 B more"),
            HasSubstr("The mapping that came closest:"), HasSubstr("for M in 8")));
}

TEST(CliMap, AnInterruptGivesTheBestSoFar) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Outcome outcome = testing::run_and_interrupt(
        {"map", "-a", "eyeriss", "--model", "resnet50", "-l", "conv2_1b", "--mapper", "random",
         "--patience", "0", "--evaluations", "2000000000"},
        signal);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "interrupted: the best so far\n");
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Loop nest"), HasSubstr("it was interrupted")));
  }
}

// The first layer takes for ever, so the second is never reached.
TEST(CliMap, AnInterruptedNetworkSaysWhichLayersWereNotMapped) {
  const Scratch scratch;
  const std::string csv = scratch.write("net.csv",
                                        "model,layer,op,N,M,C,P,Q,R,S\n"
                                        "net,first,gemm,1,12,8,10,1,1,1\n"
                                        "net,second,gemm,1,16,8,10,1,1,1\n");
  const std::vector<std::string> words = {
      "map",    "-a",         "toy_array", "--model",       csv,         "--mapper",
      "random", "--patience", "0",         "--evaluations", "2000000000"};
  const Outcome text = testing::run_and_interrupt(words);
  EXPECT_EQ(text.exit_code, 130);
  EXPECT_THAT(text.out, AllOf(Not(HasSubstr("no mapping\n")), HasSubstr("not mapped\n"),
                              HasSubstr("no totals: 1 of 2 layers have no mapping, 1 of them not "
                                        "mapped before the interruption\n")));
  std::vector<std::string> with_json = words;
  with_json.emplace_back("--json");
  const Json json = Json::parse(testing::run_and_interrupt(with_json).out);
  EXPECT_EQ(json.at("layers").at(0).at("status"), "found");
  EXPECT_EQ(json.at("layers").at(1).at("status"), "not_tried");
}

}  // namespace
}  // namespace tilewright::cli
