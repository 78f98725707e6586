#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certificate/examples.h"
#include "cli/run_tool.h"

namespace tilewright::cli {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::run_tool;
using testing::Scratch;
using tilewright::testing::certify;
using tilewright::testing::gemm_example;

TEST(CliCheck, SaysWhatIsVerified) {
  const certificate::Certificate made = certify(gemm_example(SpaceKind::RubyS, Objective::Energy));
  const Scratch scratch;
  const std::string path = scratch.write("best.json", certificate::write_certificate(made));
  const Outcome outcome = run_tool({"check", path});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr(path + ": verified\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("no even mapping of the map-space ruby-s has a lower energy (pJ) than " +
                        made.value));
  EXPECT_THAT(outcome.out, HasSubstr("which is optimal"));
}

TEST(CliCheck, RefusesAndSaysWhy) {
  certificate::Certificate made = certify(gemm_example(SpaceKind::Perfect, Objective::Edp));
  made.cycles += 1;
  const Scratch scratch;
  const std::string path = scratch.write("bad.json", certificate::write_certificate(made));
  const Outcome outcome = run_tool({"check", path});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(path + ": refused: the mapping takes "));
}

TEST(CliCheck, CertificatesOfFlexibleArchitecturesAreOfAllSettings) {
  const Scratch scratch;
  const std::string path = scratch.path("flexible.json");
  const Outcome mapped = run_tool({"map", "-a", "flex_1024", "--flex", "P={CK,YX},S=bands(16)",
                                   "-w", "conv2d: in_channels=24 out_channels=40 p=14 q=14 r=3 s=3",
                                   "-o", "latency", "--mapspace", "pfm", "--certificate", path});
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  const Outcome outcome = run_tool({"check", path});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("which is optimal"));
  EXPECT_THAT(outcome.out, HasSubstr("that holds for each of the "));
  EXPECT_THAT(outcome.out, HasSubstr("the mapping needs P="));
}

TEST(CliCheck, UnreadableFilesAreBadInput) {
  const Scratch scratch;
  const std::string path = scratch.write("no.json", "{");
  EXPECT_EQ(run_tool({"check", path}).exit_code, 2);
  EXPECT_EQ(run_tool({"check", scratch.path("nothing.json")}).exit_code, 2);
  EXPECT_EQ(run_tool({"check"}).exit_code, 2);
}

constexpr const char* kChip = R"(architecture: chip
levels:
  - {memory: DRAM, capacity: unlimited, read: 40 pJ}
  - {memory: Buffer, capacity: 40 words, read: 3.5 pJ}
  - {memory: Registers, capacity: 6 words, read: 0.1 pJ}
  - {compute: MAC, energy: 0.2 pJ}
)";

TEST(CliCheck, VerifiesCertificatesOfPlans) {
  const Scratch scratch;
  const std::string arch = scratch.write("chip.yaml", kChip), path = scratch.path("plan.json");
  const Outcome made =
      run_tool({"fuse", "-a", arch, "--cascade", "attention", "--size", "heads=1", "--size",
                "tokens=8", "--size", "head_dim=4", "--certificate", path});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const Outcome checked = run_tool({"check", path});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr(path + ": verified\n  no plan has a lower energy (pJ) than "));
  EXPECT_THAT(checked.out, HasSubstr("which is optimal"));
  EXPECT_THAT(checked.out, HasSubstr("groups 3: "));
  const std::string text = testing::contents(path);
  const std::size_t energy = text.find("\"energy_pj\": \"") + 14;
  const Outcome forged = run_tool(
      {"check", scratch.write("forged.json", text.substr(0, energy) + "1" + text.substr(energy))});
  EXPECT_EQ(forged.exit_code, 1);
  EXPECT_THAT(forged.err, HasSubstr("forged.json: refused: the plan takes "));
  const Outcome cut = run_tool({"check", scratch.write("cut.json", text.substr(0, energy))});
  EXPECT_EQ(cut.exit_code, 2);
}

TEST(CliCheck, VerifiesCertificatesOfPlansInTime) {
  const Scratch scratch;
  std::string chip = kChip;
  chip.insert(chip.find("read: 40 pJ"), "bandwidth: 2 words/cycle, ");
  const std::string arch = scratch.write("chip.yaml", chip), path = scratch.path("plan.json");
  struct Case {
    const char *objective, *said;
  };
  for (const Case& one : {Case{"latency", "no plan has a lower latency (cycles) than "},
                          {"edp", "no plan has a lower EDP (pJ*cycles) than "}}) {
    const Outcome made =
        run_tool({"fuse", "-a", arch, "--cascade", "attention", "--size", "heads=1", "--size",
                  "tokens=8", "--size", "head_dim=4", "-o", one.objective, "--certificate", path});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    const Outcome checked = run_tool({"check", path});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_THAT(checked.out, HasSubstr(one.said));
    EXPECT_THAT(checked.out, HasSubstr(" cycles, which is optimal"));
  }
}

TEST(CliCheck, TheTimeIsForThePlanAndItsCertificate) {
  const Scratch scratch;
  const std::string arch = scratch.write("chip.yaml", kChip), path = scratch.path("plan.json");
  // Far more than the search needs at this size.
  const Outcome made =
      run_tool({"fuse", "-a", arch, "--cascade", "attention", "--size", "heads=1", "--size",
                "tokens=4", "--size", "head_dim=2", "--time", "10 min", "--certificate", path});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  EXPECT_THAT(run_tool({"check", path}).out, HasSubstr("which is optimal"));
}

TEST(CliCheck, SaysOfWhichPlansThereAreNoCertificates) {
  const Scratch scratch;
  const std::string arch = scratch.write("chip.yaml", kChip), path = scratch.path("plan.json");
  struct Case {
    std::vector<std::string> words;
    const char* why;
  };
  for (const Case& one :
       {Case{{"--cascade", "attention", "--recompute"},
             "--certificate: there are no certificates yet of plans that do work again"},
        {{"--cascade", "attention", "--shared", "Buffer,Registers"},
         "--certificate: there are no certificates yet of plans that share several memories"},
        {{"--cascade", "attention", "--remainders"},
         "--certificate: there are no certificates yet of loops that leave a remainder"},
        {{"--model", "gpt2", "--recompute"},
         "--certificate: there are no certificates yet of plans that do work again"},
        {{"--cascade", "two_convolutions", "--size", "channels=2", "--size", "size=2", "--set",
          "Buffer.bypass=[weight]"},
         "no certificate: cannot prove: plans where Buffer does not keep all tensors"}}) {
    std::vector<std::string> words = {"fuse", "-a", arch, "--certificate", path};
    words.insert(words.end(), one.words.begin(), one.words.end());
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.exit_code, 2) << one.why;
    EXPECT_THAT(outcome.err, HasSubstr(one.why));
  }
}

// Plans with windows have flat groups.
TEST(CliCheck, VerifiesPlansWithWindows) {
  const Scratch scratch;
  const std::string arch = scratch.write("chip.yaml", kChip), path = scratch.path("plan.json");
  const Outcome made = run_tool({"fuse", "-a", arch, "--cascade", "two_convolutions", "--size",
                                 "channels=2", "--size", "size=4", "--certificate", path});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  const Outcome checked = run_tool({"check", path});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, AllOf(HasSubstr("verified\n  no plan has a lower energy (pJ) than"),
                                 HasSubstr("which is optimal"), HasSubstr("\n  nests ")));
  std::string text = testing::contents(path);
  text.replace(text.find("\"bound\": \""), 10, "\"bound\": \"9");
  const Outcome refused = run_tool({"check", scratch.write("tampered.json", text)});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("refused: "));
}

// What the checker cannot prove of plans it can bound.
TEST(CliCheck, VerifiesBoundsOfPlansWithWindows) {
  const Scratch scratch;
  const std::string arch = scratch.write("chip.yaml", kChip), path = scratch.path("plan.json");
  const std::string cascade = scratch.write("normalised.yaml",
                                            "cascade: normalised\n"
                                            "sizes: {c: 2, y: 6, p: 4, r: 3}\n"
                                            "einsums:\n"
                                            "  - First: T[c,y] += I[y] * W[c]\n"
                                            "    then: {norm: c}\n"
                                            "  - Second: O[p] += T[c,p+r] * V[c,r]\n");
  const Outcome made = run_tool({"fuse", "-a", arch, "--cascade", cascade, "--certificate", path});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.err, AllOf(HasSubstr("where T is normalised along c"),
                              HasSubstr("the certificate is of a bound: no plan takes less than")));
  const Outcome checked = run_tool({"check", path});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, AllOf(HasSubstr("verified\n  no plan has a lower energy (pJ) than"),
                                 HasSubstr("which is not checked")));
}

}  // namespace
}  // namespace tilewright::cli
