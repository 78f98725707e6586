// Uneven mappings from the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using Json = nlohmann::json;

// An array of 8 x 8 with registers; drains are charged as AccelForge does.
std::string registers_of(int words) {
  return R"(architecture: registers
levels:
  - {memory: DRAM, capacity: unlimited, read: 64 pJ, write: 64 pJ, update: 66 pJ, bandwidth: 8 words/cycle}
  - {memory: Buffer, capacity: 16384 words, read: 2 pJ, write: 2 pJ, update: 2.5 pJ,
     read_bandwidth: 16 words/cycle, write_bandwidth: 16 words/cycle}
  - {fanout: Array, x: {size: 8, dims: [n]}, y: {size: 8, dims: [m]}}
  - {memory: Regs, capacity: )" +
         std::to_string(words) + R"( words, read: 0.5 pJ, write: 0.5 pJ, update: 0.5 pJ}
  - {compute: MAC, energy: 0.2 pJ}
)";
}

struct Published {
  int registers;
  const char* workload;
  double even_uj, uneven_uj;
};

// The optima of a prototype, two programs that share no code; AccelForge's evaluator accepts them.
TEST(CliMapUneven, FindsTheOptimaOfThePrototype) {
  const Scratch scratch;
  for (const Published& known : {Published{8, "m=512 n=512 k=512", 641.047, 630.561},
                                 Published{12, "m=512 n=512 k=512", 641.047, 605.395},
                                 Published{32, "m=512 n=512 k=512", 590.715, 580.230},
                                 Published{48, "m=512 n=512 k=512", 578.132, 567.647},
                                 Published{32, "m=2048 n=8192 k=8192", 589'038, 578'301}}) {
    const std::string arch = scratch.write("arch.yaml", registers_of(known.registers));
    const std::string workload = std::string("O[m,n] += W:weight[m,k]*I[k,n]; ") + known.workload;
    for (const bool uneven : {false, true}) {
      const Outcome outcome = run_tool({"map", "-a", arch, "-w", workload, "-o", "energy",
                                        uneven ? "--uneven" : "--even", "--json"});
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      const Json json = Json::parse(outcome.out);
      const double value = uneven ? known.uneven_uj : known.even_uj;
      const double digit = value > 10'000 ? 0.5 : 0.0005;
      EXPECT_NEAR(json.at("result").at("energy_pj").get<double>() / 1e6, value, digit);
      const Json& proof = json.at("search").at("proof");
      EXPECT_EQ(proof.at("among"), uneven ? "all mappings, even and uneven" : "even mappings");
      EXPECT_EQ(proof.at("gap"), 0) << outcome.out;
    }
  }
}

TEST(CliMapUneven, WritesAMappingThatEvaluatesToTheSameNumbers) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", registers_of(12));
  const std::string path = scratch.path("mapping.yaml");
  const std::string workload = "O[m,n] += W:weight[m,k]*I[k,n]; m=64 n=64 k=64";
  const Outcome mapped = run_tool(
      {"map", "-a", arch, "-w", workload, "-o", "energy", "--uneven", "--json", "--out", path});
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  EXPECT_THAT(testing::contents(path), HasSubstr("Regs("));
  const Outcome evaluated = run_tool({"eval", "-a", arch, "-w", workload, "-m", path, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  Json figures = Json::parse(evaluated.out);
  for (const char* key : {"schema", "command", "hardware", "remarks"}) figures.erase(key);
  EXPECT_EQ(Json::parse(mapped.out).at("result"), figures);
  const Outcome text = run_tool({"eval", "-a", arch, "-w", workload, "-m", path});
  EXPECT_THAT(text.out, AllOf(HasSubstr("\nRegs keeps"), HasSubstr("\n  Regs(")));
  const Outcome explained = run_tool({"eval", "-a", arch, "-w", workload, "-m", path, "--explain"});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
}

TEST(CliMapUneven, SaysWhatTheProofIsAbout) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", registers_of(12));
  const Outcome outcome = run_tool(
      {"map", "-a", arch, "-w", "O[m,n] += W:weight[m,k]*I[k,n]; m=64 n=64 k=64", "--uneven"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("proven optimal among all mappings, even and uneven"));
}

TEST(CliMapUneven, WritesCertificatesThatTheCheckerVerifies) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", registers_of(12));
  const std::string path = scratch.path("best.json");
  const std::string workload = "O[m,n] += W:weight[m,k]*I[k,n]; m=64 n=64 k=64";
  for (const char* objective : {"energy", "edp", "latency"}) {
    const Outcome mapped = run_tool(
        {"map", "-a", arch, "-w", workload, "-o", objective, "--uneven", "--certificate", path});
    ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
    const Outcome checked = run_tool({"check", path});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_THAT(checked.out, AllOf(HasSubstr("no mapping of the map-space pfm has a lower"),
                                   HasSubstr(", even or uneven\n"), HasSubstr("is optimal")));
    Json certificate = Json::parse(testing::contents(path));
    EXPECT_EQ(certificate.at("among"), "all mappings, even and uneven");
    certificate["among"] = "even mappings";
    const Outcome other = run_tool({"check", scratch.write("other.json", certificate.dump())});
    EXPECT_EQ(other.exit_code, 1) << other.out;
    EXPECT_THAT(other.err, HasSubstr("the mapping is uneven"));
  }
}

// Remainders in time, rules on the loops of each point, one memory of several, settings.
TEST(CliMapUneven, WritesCertificatesOfAllThatItSearches) {
  const Scratch scratch;
  const std::string path = scratch.path("best.json");
  std::string marked = registers_of(12);
  marked.replace(marked.find("memory: Regs"), 12, "memory: Regs, uneven: true");
  const std::string arch = scratch.write("arch.yaml", registers_of(12));
  struct Question {
    std::vector<std::string> words;
    const char* said;
  };
  const std::vector<Question> questions = {
      {{"-a", arch, "--uneven", "--mapspace", "ruby"}, "map-space ruby has a lower energy (pJ)"},
      {{"-a", arch, "--uneven", "-c", "Regs: m <= 2, order k ..."}, ", even or uneven\n"},
      {{"-a", scratch.write("marked.yaml", marked)},
       ", even or uneven at the memories that the architecture calls uneven\n"},
      {{"-a", arch, "--uneven", "--flex", "P={KC,CK},S=8x8"}, "each of the 2 settings"}};
  for (const Question& question : questions) {
    std::vector<std::string> words = {
        "map",           "-w", "O[m,n] += W:weight[m,k]*I[k,n]; m=10 n=9 k=6", "-o", "energy",
        "--certificate", path};
    words.insert(words.end(), question.words.begin(), question.words.end());
    const Outcome mapped = run_tool(words);
    ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
    const Outcome checked = run_tool({"check", path});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_THAT(checked.out, AllOf(HasSubstr(question.said), HasSubstr("is optimal")));
  }
}

TEST(CliMapUneven, TheBestEvenMappingIsNotCertifiedAsTheBestOfAll) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", registers_of(12));
  const std::string path = scratch.path("best.json");
  const Outcome mapped =
      run_tool({"map", "-a", arch, "-w", "O[m,n] += W:weight[m,k]*I[k,n]; m=64 n=64 k=64", "-o",
                "energy", "--certificate", path});
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  Json certificate = Json::parse(testing::contents(path));
  EXPECT_EQ(certificate.at("among"), "even mappings");
  certificate["among"] = "all mappings, even and uneven";
  const Outcome forged = run_tool({"check", scratch.write("forged.json", certificate.dump())});
  EXPECT_EQ(forged.exit_code, 1);
  EXPECT_THAT(forged.err, HasSubstr("refused: cell"));
  certificate["among"] = "all";
  const Outcome vague = run_tool({"check", scratch.write("vague.json", certificate.dump())});
  EXPECT_EQ(vague.exit_code, 2);
  EXPECT_THAT(vague.err, HasSubstr("nothing is proven among 'all'; write \"even mappings\", "));
}

// The architecture says it of one memory, and --even overrules it.
TEST(CliMapUneven, IsAskedForByTheArchitecture) {
  const Scratch scratch;
  const std::string text = registers_of(12);
  std::string marked = text;
  marked.replace(marked.find("memory: Regs"), 12, "memory: Regs, uneven: true");
  const auto mapped = [&](const std::string& arch, const char* flag) {
    std::vector<std::string> words = {"map",
                                      "-a",
                                      scratch.write("arch.yaml", arch),
                                      "-w",
                                      "O[m,n] += W:weight[m,k]*I[k,n]; m=512 n=512 k=512",
                                      "-o",
                                      "energy",
                                      "--json"};
    if (*flag != '\0') words.emplace_back(flag);
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    return std::pair(json.at("result").at("energy_pj").get<double>(),
                     json.at("search").at("proof").at("among").get<std::string>());
  };
  EXPECT_EQ(mapped(marked, "--even"), mapped(text, ""));
  EXPECT_EQ(mapped(marked, "--uneven"), mapped(text, "--uneven"));
  const auto regs = mapped(marked, "");
  EXPECT_EQ(regs.second, "all mappings, uneven at marked memories alone");
  EXPECT_LT(regs.first, mapped(text, "").first);
  EXPECT_GE(regs.first, mapped(text, "--uneven").first);
}

TEST(CliSpace, CountsUnevenMappings) {
  const std::vector<std::string> words = {"space", "-a", "toy_array", "-w", "gemm: m=4 n=4 k=4"};
  const auto counted = [&](const char* flag) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {flag, "--json"});
    const Outcome outcome = run_tool(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json even = counted("--even");
  const Json both = counted("--uneven");
  EXPECT_EQ(even.at("even_and_uneven"), nullptr);
  EXPECT_EQ(even.at("mappings"), both.at("mappings"));
  EXPECT_GT(std::stoull(both.at("even_and_uneven").get<std::string>()),
            std::stoull(both.at("mappings").get<std::string>()));
  std::vector<std::string> text = words;
  text.emplace_back("--uneven");
  EXPECT_THAT(run_tool(text).out, HasSubstr("all mappings, even and uneven"));
}

// Fronts and numbers of mappings say where they are uneven, as map does.
TEST(CliMarkedMemories, AreNamedByFrontsAndSpaces) {
  const Scratch scratch;
  std::string marked = registers_of(12);
  marked.replace(marked.find("memory: Regs"), 12, "memory: Regs, uneven: true");
  const std::string arch = scratch.write("arch.yaml", marked);
  const auto answered = [&](const char* command, const std::vector<std::string>& flags) {
    std::vector<std::string> words = {command, "-a", arch, "-w", "gemm: m=4 n=4 k=4"};
    words.insert(words.end(), flags.begin(), flags.end());
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  const char* const marks = "all mappings, uneven at marked memories alone";
  for (const char* command : {"pareto", "space"}) {
    SCOPED_TRACE(command);
    EXPECT_THAT(answered(command, {}), HasSubstr(marks));
    EXPECT_EQ(Json::parse(answered(command, {"--json"})).at("among"), marks);
    EXPECT_EQ(Json::parse(answered(command, {"--json", "--even"})).at("among"), "even mappings");
    EXPECT_EQ(Json::parse(answered(command, {"--json", "--uneven"})).at("among"),
              "all mappings, even and uneven");
  }
}

// Mappers of even mappings begin there, and points are moved.
TEST(CliMapUneven, OtherMappersImproveOnTheirEvenMappings) {
  const Scratch scratch;
  const std::string arch = scratch.write("arch.yaml", registers_of(12));
  for (const char* mapper : {"quickflow", "random", "genetic"}) {
    const auto energy = [&](const char* flag) {
      const Outcome outcome =
          run_tool({"map", "-a", arch, "-w", "O[m,n] += W:weight[m,k]*I[k,n]; m=512 n=512 k=512",
                    "-o", "energy", "--mapper", mapper, "--json", "--evaluations", "2000", flag});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      return Json::parse(outcome.out).at("result").at("energy_pj").get<double>();
    };
    const double even = energy("--even"), uneven = energy("--uneven");
    EXPECT_LT(uneven, even) << mapper;
    EXPECT_GE(uneven, 605.39e6) << mapper;
  }
}

TEST(CliMapUneven, SearchesTheSettingsOfFlexibleArchitectures) {
  const Scratch scratch;
  const std::string path = scratch.path("mapping.yaml");
  const std::vector<std::string> inputs = {
      "-a", "flex_1024",           "--flex", "S=4x4,P=KC", "--set", "Buffer.capacity=700 B",
      "-w", "gemm: m=48 n=48 k=48"};
  const auto asked = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), inputs.begin(), inputs.end());
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const auto best = [&](const char* flag) {
    const Json json =
        asked({"map"}, {"-o", "energy", "--mapspace", "pfm", "--json", "--out", path, flag});
    EXPECT_EQ(json.at("search").at("proof").at("gap"), 0);
    EXPECT_EQ(json.at("search").at("proof").at("among"),
              std::string(flag) == "--uneven" ? "all mappings, even and uneven" : "even mappings");
    return json.at("result").at("energy_pj").get<double>();
  };
  const double even = best("--even");
  const double uneven = best("--uneven");
  EXPECT_LT(uneven, even);
  EXPECT_THAT(testing::contents(path), HasSubstr("Buffer("));
  EXPECT_EQ(asked({"eval"}, {"-m", path, "--json"}).at("energy_pj"), uneven);
  EXPECT_EQ(asked({"space"}, {"--mapspace", "pfm", "--uneven", "--json"}).at("among"),
            "all mappings, even and uneven");
}

// A tile that is built in is that of all tensors.
TEST(CliMapUneven, AFixedTileHasNoStoragePoints) {
  const Scratch scratch;
  const std::string mapping = scratch.write(
      "mapping.yaml", "levels:\n  DRAM: [K 2]\n  Buffer(W): [M 8]\n  Buffer(I, O): [K 4, N 8]\n");
  const Outcome outcome =
      run_tool({"eval", "-a", "flex_1024", "--flex", "T=fixed(K8,C4,Y1,X1,R1,S1)", "-w",
                "gemm: m=8 n=8 k=8", "-m", mapping});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("the tile of Buffer is fixed, so it has no storage points"));
}

}  // namespace
}  // namespace tilewright::cli
