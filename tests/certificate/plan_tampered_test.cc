// Whatever is changed in a certificate of a plan, the checker refuses it, unless it is still true.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/random_problem.h"
#include "support/slow_build.h"
#include "tilewright/certificate.h"
#include "tilewright/fusion.h"
#include "tilewright/io.h"

namespace tilewright::certificate {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using testing::affordable;
using testing::enough;
using testing::TestRng;

// Two words of the buffer less, and other plans are the best.
constexpr const char* kArchitecture = R"(architecture: small
levels:
  - {memory: DRAM, capacity: unlimited, read: 40 pJ}
  - {memory: Buffer, capacity: 40 words, read: 3.5 pJ}
  - {fanout: PEs, x: {size: 2, dims: [p, f, n, o, q]}, y: {size: 2, dims: [m, e, p]}}
  - {memory: Registers, capacity: 6 words, read: 0.1 pJ}
  - {compute: MAC, energy: 0.2 pJ}
)";

struct Sized {
  const char* cascade;
  std::vector<std::string> sizes;
};

Architecture small_architecture() {
  return *io::read_architecture(kArchitecture, "architecture").value;
}
// DRAM is slow enough to matter.
Architecture slow_architecture() {
  Architecture arch = small_architecture();
  std::get<Memory>(arch.levels.front()).shared_bandwidth = Rational{3, 2};
  return arch;
}

PlanCertificate certified(const Sized& sized, const Architecture& arch,
                          Objective objective = Objective::Energy, int longest_group = 6) {
  const Checked<Cascade> cascade = io::load_cascade(sized.cascade, sized.sizes);
  if (!cascade.ok()) throw std::logic_error(to_string(cascade.problems.front()));
  FuseOptions options;
  options.objective = objective;
  options.longest_group = longest_group;
  const FuseOutcome best = fuse(*cascade.value, arch, options);
  PlanClaim claim{*cascade.value, arch, best.plan};
  claim.objective = objective;
  const PlanProven proven = prove(claim);
  if (!proven.certificate) throw std::logic_error(to_string(proven.problems.front()));
  return *proven.certificate;
}

PlanCertificate attention() {
  return certified({"attention", {"heads=2", "tokens=8", "head_dim=4"}}, small_architecture());
}
PlanCertificate projection() {
  return certified({"attention_projection", {"heads=2", "tokens=4", "head_dim=2"}},
                   small_architecture());
}

PlanCertificate timed_attention(Objective objective) {
  return certified({"attention", {"heads=2", "tokens=8", "head_dim=4"}}, slow_architecture(),
                   objective);
}
PlanCertificate timed_projection(Objective objective) {
  return certified({"attention_projection", {"heads=2", "tokens=4", "head_dim=2"}},
                   slow_architecture(), objective);
}

// About the best plan without fusion, with the bound of all plans.
PlanCertificate unfused_projection(Objective objective) {
  return certified({"attention_projection", {"heads=2", "tokens=4", "head_dim=2"}},
                   slow_architecture(), objective, 1);
}

std::string reason(const PlanCertificate& certificate) {
  const PlanOutcome outcome = check(certificate);
  return outcome.problems.empty() ? "verified" : to_string(outcome.problems.front());
}

std::string replaced(std::string text, const std::string& piece, const std::string& other) {
  const std::size_t found = text.find(piece);
  if (found == std::string::npos) throw std::logic_error(piece + " is not in\n" + text);
  return text.replace(found, piece.size(), other);
}

// Another digit at the end.
std::string nudged(std::string decimal, int by) {
  char& last = decimal.back();
  last = static_cast<char>('0' + (last - '0' + by + 10) % 10);
  return decimal;
}

// What the search and the count of plans make of the same claim.
bool is_true(const PlanCertificate& claim) {
  const auto arch = io::read_architecture(claim.architecture, "architecture");
  const auto cascade = io::read_cascade(claim.cascade, "cascade");
  if (!arch.ok() || !cascade.ok()) return false;
  const auto plan = io::read_plan(claim.plan, "plan", *cascade.value, *arch.value);
  if (!plan.ok()) return false;
  const auto counted = evaluate_plan(*cascade.value, *arch.value, *plan.value);
  const double said = std::stod(claim.energy_pj), bound = std::stod(claim.bound);
  if (!counted.ok() || !counted.value->misfit.empty()) return false;
  if (std::abs(counted.value->energy_pj - said) > 1e-9 * said) return false;
  if (claim.objective.cycles > 0 && claim.cycles != counted.value->cycles) return false;
  FuseOptions options;
  options.objective = claim.objective;
  options.longest_group = claim.longest_group;
  options.shared = claim.shared;
  const FuseOutcome best = fuse(*cascade.value, *arch.value, options);
  return best.found() && best.value >= bound * (1 - 1e-9);
}

TEST(PlanTampered, UntouchedExamplesAreVerified) {
  EXPECT_EQ(reason(attention()), "verified");
  EXPECT_EQ(reason(projection()), "verified");
  // The examples are fused.
  EXPECT_THAT(attention().plan, HasSubstr("- for: [m 2, h 2]"));
}

TEST(PlanTampered, TheBuiltInCascadesAreCertifiedAtSmallSizes) {
  for (const Sized& sized : {Sized{"attention", {"heads=1", "tokens=16", "head_dim=4"}},
                             {"attention_projection", {"heads=2", "tokens=4", "head_dim=4"}},
                             {"mlp", {"tokens=8", "hidden=4", "inner=8"}}}) {
    const PlanCertificate made = certified(sized, small_architecture());
    EXPECT_EQ(made.bound, made.energy_pj) << sized.cascade;
    EXPECT_EQ(reason(made), "verified") << sized.cascade;
    EXPECT_TRUE(is_true(made)) << sized.cascade;
  }
}

TEST(PlanTampered, EnergiesAreCounted) {
  for (const PlanCertificate& example : {attention(), projection()}) {
    for (int by = 1; by < 10; ++by) {
      PlanCertificate changed = example;
      changed.energy_pj = nudged(example.energy_pj, by);
      EXPECT_THAT(reason(changed), HasSubstr("the certificate says")) << by;
      // Also where value and bound go along.
      changed.value = changed.bound = changed.energy_pj;
      EXPECT_THAT(reason(changed), HasSubstr("the certificate says")) << by;
    }
  }
}

// A bound may be lower than it could be, never higher.
TEST(PlanTampered, BoundsAreProven) {
  for (const PlanCertificate& example : {attention(), projection()}) {
    PlanCertificate changed = example;
    changed.bound += "1";
    EXPECT_NE(reason(changed), "verified");
    for (const char* bad : {"-1", "1e3", "", "x", "0.00000000001", "01", "1.0", "1,0"}) {
      changed.bound = bad;
      EXPECT_THAT(reason(changed), HasSubstr("is not a decimal with at most")) << bad;
    }
    changed = example;
    changed.least[0] = {{"x", 0}};
    EXPECT_THAT(reason(changed), HasSubstr("'x' is not a decimal with at most"));
  }
}

// Less for the first einsums is more for the groups behind them, and the other way round: no
// beginnings make a bound true that is too high.
TEST(PlanTampered, BeginningsAreProven) {
  int refused = 0;
  for (const Objective objective : {Objective::Energy, Objective::Latency, Objective::Edp}) {
    const PlanCertificate example = unfused_projection(objective);
    ASSERT_NE(example.bound, example.value);
    EXPECT_EQ(reason(example), "verified");
    for (std::size_t i = 0; i < example.least.size(); ++i) {
      for (const std::vector<PlanLeast>& totals : {std::vector<PlanLeast>{},
                                                   {{"0", 0}},
                                                   {{"100000000", 100'000'000}},
                                                   {{"0", 100'000'000}, {"100000000", 0}}}) {
        PlanCertificate changed = example;
        changed.least[i] = totals;
        refused += reason(changed) != "verified" ? 1 : 0;
        changed.bound = changed.value;
        EXPECT_NE(reason(changed), "verified") << to_string(objective) << " " << i;
      }
    }
  }
  EXPECT_GE(refused, 6);
}

TEST(PlanTampered, PlansInTimeAreCountedAndProven) {
  int fused = 0;
  for (const Objective objective : {Objective::Latency, Objective::Edp, Objective::Ed2p}) {
    for (const PlanCertificate& example :
         {timed_attention(objective), timed_projection(objective)}) {
      EXPECT_EQ(reason(example), "verified");
      EXPECT_EQ(example.bound, example.value);
      EXPECT_TRUE(is_true(example));
      fused += example.plan.find("for:") != std::string::npos ? 1 : 0;
      PlanCertificate changed = example;
      changed.cycles += 1;
      EXPECT_THAT(reason(changed), HasSubstr("cycles, the certificate says"));
      changed = example;
      changed.value = nudged(example.value, 1);
      EXPECT_THAT(reason(changed), HasSubstr("of the plan is"));
      changed = example;
      changed.bound = "1" + example.bound;
      EXPECT_THAT(reason(changed), HasSubstr("is above the value"));
      changed = example;
      changed.objective = Objective::Energy;
      EXPECT_NE(reason(changed), "verified");
      changed = example;
      changed.architecture = replaced(changed.architecture, "1.5 words/cycle", "1.6 words/cycle");
      EXPECT_TRUE(reason(changed) != "verified" || is_true(changed));
      for (const GroupStep step : {GroupStep::Floor, GroupStep::None}) {
        changed = example;
        changed.proof.front().back() = step;
        EXPECT_EQ(reason(changed) == "verified", step == example.proof.front().back());
      }
    }
  }
  EXPECT_GE(fused, 3);
}

// Without ports a plan without fusion is as fast as any, but takes more energy.
TEST(PlanTampered, EquallyFastPlansAreToldApartByEnergy) {
  const Sized sized{"attention", {"heads=2", "tokens=8", "head_dim=4"}};
  const PlanCertificate best = certified(sized, small_architecture(), Objective::Latency);
  PlanCertificate other = certified(sized, small_architecture(), Objective::Latency, 1);
  ASSERT_EQ(best.value, other.value);
  ASSERT_NE(best.energy_pj, other.energy_pj);
  EXPECT_EQ(best.bound, best.value);
  EXPECT_EQ(reason(other), "verified");
  EXPECT_EQ(std::stoll(other.bound), std::stoll(other.value) - 1);
  other.bound = other.value;
  EXPECT_NE(reason(other), "verified");
}

TEST(PlanTampered, NoGroupIsLeftOut) {
  const PlanCertificate example = projection();
  for (std::size_t e = 0; e < example.proof.size(); ++e) {
    for (std::size_t g = 0; g < example.proof[e].size(); ++g) {
      PlanCertificate changed = example;
      changed.proof[e][g] = GroupStep::None;
      EXPECT_THAT(reason(changed), HasSubstr("the proof says that these cannot be a group"));
      changed = example;
      changed.proof[e].erase(changed.proof[e].begin() + static_cast<std::ptrdiff_t>(g));
      EXPECT_THAT(reason(changed), HasSubstr("groups from"));
      // What was closed by its trees is not closed by its floor.
      changed = example;
      changed.proof[e][g] = GroupStep::Floor;
      const bool same = example.proof[e][g] == GroupStep::Floor;
      EXPECT_EQ(reason(changed) == "verified", same) << e << " " << g;
    }
  }
  PlanCertificate changed = example;
  changed.proof.pop_back();
  EXPECT_THAT(reason(changed), HasSubstr("the proof has groups from 2 of 3 einsums on"));
  changed = example;
  changed.least.pop_back();
  EXPECT_THAT(reason(changed), HasSubstr("the least totals are of 1 beginnings of 3 einsums"));
}

// Each change of the plan is named, and what the checker says.
TEST(PlanTampered, PlansAreReadAndCountedAgain) {
  const PlanCertificate example = attention();
  struct Change {
    const char *what, *from, *to, *why;
  };
  for (const Change& change :
       {Change{"a loop less", "h 2", "m 1", ""},
        {"a loop that does not divide", "h 2", "h 3", "does not divide"},
        {"einsums in another order", "do: [QK]", "do: [AV]", "second time"},
        {"an intermediate that leaves the chip", "local: [S", "local: [Q, S", ""},
        {"the other memory", "shared: Buffer", "shared: Registers", "it cannot be shared"},
        {"no nests", "nests:\n", "nests: {}\nnest:\n", ""}}) {
    PlanCertificate changed = example;
    ASSERT_NE(changed.plan.find(change.from), std::string::npos) << changed.plan;
    changed.plan = replaced(changed.plan, change.from, change.to);
    EXPECT_NE(reason(changed), "verified") << change.what;
    EXPECT_THAT(reason(changed), HasSubstr(change.why)) << change.what;
  }
}

// Such plans are sound, but nothing is proven of them.
TEST(PlanTampered, LoopsThatLeaveARemainderAreRefused) {
  const Sized sized{"attention", {"heads=1", "tokens=7", "head_dim=2"}};
  PlanCertificate changed = certified(sized, small_architecture(), Objective::Energy);
  ASSERT_EQ(reason(changed), "verified");
  const auto arch = io::read_architecture(changed.architecture, "architecture");
  const auto cascade = io::read_cascade(changed.cascade, "cascade");
  const auto plan = io::read_plan("plan:\n  - {for: [m by 3], do: [QK, AV]}\n", "plan",
                                  *cascade.value, *arch.value);
  const PlanNests whole = find_nests(*cascade.value, *arch.value, *plan.value);
  ASSERT_TRUE(whole.misfit.empty()) << whole.misfit.front();
  changed.plan = io::write_plan(*cascade.value, whole.plan);
  EXPECT_THAT(reason(changed), HasSubstr("leaves a remainder, which has no proof"));
}

TEST(PlanTampered, OtherMemoriesAreRefused) {
  PlanCertificate changed = attention();
  ASSERT_EQ(reason(changed), "verified");
  const auto arch = io::read_architecture(changed.architecture, "architecture");
  const auto cascade = io::read_cascade(changed.cascade, "cascade");
  const auto plan = io::read_plan(changed.plan, "plan", *cascade.value, *arch.value);
  const std::string other = name_of(arch.value->levels.front());
  Plan home = *plan.value, group = *plan.value;
  home.leaves.front().tensors.back().home = other;
  group.groups.front().shared = other;
  for (Plan* one : {&home, &group}) {
    for (PlanLeaf& leaf : one->leaves) leaf.nests.clear();
  }
  changed.plan = io::write_plan(*cascade.value, home);
  EXPECT_THAT(reason(changed), HasSubstr("is at home in another memory, which has no proof"));
  changed.plan = io::write_plan(*cascade.value, group);
  EXPECT_THAT(reason(changed), HasSubstr("shares another memory, which has no proof"));
}

TEST(PlanTampered, KeptTensorsHaveToBeWhereTheyAreSaid) {
  int tried = 0;
  for (const PlanCertificate& example : {attention(), projection()}) {
    const auto arch = io::read_architecture(example.architecture, "architecture");
    const auto cascade = io::read_cascade(example.cascade, "cascade");
    const auto plan = io::read_plan(example.plan, "plan", *cascade.value, *arch.value);
    for (std::size_t e = 0; e < plan.value->leaves.size(); ++e) {
      for (std::size_t t = 0; t < plan.value->leaves[e].tensors.size(); ++t) {
        for (const auto kind :
             {tilewright::Placement::Kind::Streamed, tilewright::Placement::Kind::Local,
              tilewright::Placement::Kind::Kept}) {
          Plan moved = *plan.value;
          moved.leaves[e].tensors[t] = {kind, 0};
          if (moved.leaves[e].tensors[t] == plan.value->leaves[e].tensors[t]) continue;
          PlanCertificate changed = example;
          changed.plan = io::write_plan(*cascade.value, moved);
          if (reason(changed) == "verified") {
            EXPECT_TRUE(is_true(changed)) << changed.plan;
            continue;
          }
          ++tried;
        }
      }
    }
  }
  EXPECT_GE(tried, 8);
}

TEST(PlanTampered, InputsArePartOfTheClaim) {
  const PlanCertificate example = attention();
  for (const auto& [from, to] : {std::pair{"40 words", "20 words"},
                                 {"40 pJ", "41 pJ"},
                                 {"40 words", "60 words"},
                                 {"0.2 pJ", "0.1 pJ"}}) {
    PlanCertificate changed = example;
    changed.architecture = replaced(changed.architecture, from, to);
    EXPECT_NE(reason(changed), "verified") << to;
  }
  PlanCertificate changed = example;
  changed.longest_group = 1;
  EXPECT_NE(reason(changed), "verified");
  changed = example;
  changed.shared = "DRAM";
  EXPECT_THAT(reason(changed), HasSubstr("cannot verify: plans whose shared memory is not"));
  changed = example;
  changed.version = 7;
  EXPECT_THAT(reason(changed), HasSubstr("this is version 7; only 2 is known"));
}

// One character of the file: what is verified nevertheless is true.
TEST(PlanTampered, OneCharacterMakesNothingFalseVerified) {
  int refused = 0, verified = 0;
  const std::array<std::string, 2> texts = {write_certificate(attention()),
                                            write_certificate(timed_attention(Objective::Edp))};
  TestRng rng(77);
  for (int i = 0; i < affordable(800); ++i) {
    const std::string& text = texts[rng.chance(50) ? 0 : 1];
    std::string changed = text;
    const auto place =
        static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(text.size()) - 1));
    changed[place] = rng.pick<char>({'0', '1', '2', '4', '8', 'm', 'h', 'p', ' ', '-', '"'});
    if (changed == text) continue;
    const auto read = read_plan_certificate(changed, "changed");
    if (!read.ok() || reason(*read.value) != "verified") {
      ++refused;
      continue;
    }
    ++verified;
    EXPECT_TRUE(is_true(*read.value)) << "at " << place << "\n" << changed;
  }
  EXPECT_GE(refused, enough(400));
  RecordProperty("verified", verified);
}

TEST(PlanTampered, WhatIsBeyondTheCheckerSaysSo) {
  const auto arch = small_architecture();
  const auto cascade = io::load_cascade("attention", {"heads=2", "tokens=8", "head_dim=4"});
  const Plan plan = fuse(*cascade.value, arch).plan;
  struct Change {
    const char *from, *to, *why;
  };
  for (const Change& change :
       {Change{"read: 3.5 pJ", "read: 3.5 pJ, leakage: 1 pJ/cycle", "Buffer leaks"},
        {"read: 3.5 pJ", "read: 3.5 pJ, free: [weight]", "free to keep"},
        {"unlimited", "4096 words", "the outermost memory has a capacity"},
        {"dims: [m, e, p]}", "dims: [m, e, p]}, word_energy: 1 pJ", "take energy"}}) {
    const auto changed =
        io::read_architecture(replaced(kArchitecture, change.from, change.to), "architecture");
    ASSERT_TRUE(changed.ok()) << to_string(changed.problems.front());
    const PlanProven proven = prove({*cascade.value, *changed.value, plan});
    ASSERT_FALSE(proven.certificate) << change.to;
    EXPECT_TRUE(proven.is_beyond) << change.to;
    EXPECT_THAT(to_string(proven.problems.front()), HasSubstr(change.why));
  }
}

}  // namespace
}  // namespace tilewright::certificate
