// Whatever is changed in a certificate, the checker refuses it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "certificate/examples.h"
#include "certificate/points.h"
#include "support/asked.h"
#include "support/random_problem.h"
#include "support/slow_build.h"

namespace tilewright::certificate {
namespace {

using testing::certify;
using testing::conv_example;
using testing::gemm_example;
using testing::make_arch;
using testing::make_evaluator;
using testing::make_fanout;
using testing::make_memory;
using testing::make_problem;
using testing::marked_example;
using testing::restricted_example;
using testing::systolic_example;
using testing::uneven_example;
using testing::uneven_systolic_example;

bool is_refused(const Certificate& certificate) { return !check(certificate).problems.empty(); }

std::string reason(const Certificate& certificate) {
  const Outcome outcome = check(certificate);
  return outcome.problems.empty() ? "verified" : to_string(outcome.problems.front());
}

// Whether the solver comes to the claimed cost from the certificate's inputs.
bool is_true(const Certificate& claim) {
  const Checked<Architecture> arch = io::read_architecture(claim.architecture, "architecture");
  const Checked<Workload> workload = io::read_workload(claim.workload, "workload");
  const Problem problem = make_problem(*workload.value, *arch.value);
  std::vector<Constraint> constraints;
  if (!claim.constraints.empty()) {
    constraints = *io::read_constraints(claim.constraints, "constraints", *arch.value).value;
  }
  const Restrictions restrictions = *Restrictions::create(problem, constraints).value;
  Asked options;
  options.objective = claim.objective;
  options.uneven = claim.among != Among::Even;
  options.memories = uneven_memories(problem, claim.among);
  const OptimalResult best =
      find_optimum(make_evaluator(problem), claim.mapspace, restrictions, options);
  if (claim.bound != claim.value) return best.bound >= std::stod(claim.bound);
  return fmt::format("{}", best.score.energy_pj) == claim.energy_pj &&
         best.score.cycles == claim.cycles && best.score.instances == claim.instances;
}

// Everything in loops of the outermost memory.
Mapping all_in_time(const Problem& problem) {
  Mapping mapping(problem);
  for (int d = 0; d < problem.dim_count(); ++d) {
    mapping.set_bound(problem.use(MemoryId{0}).slot, DimId{d},
                      problem.workload().dim(DimId{d}).size);
  }
  return mapping;
}

// Another digit at the end.
std::string nudged(std::string decimal, int by) {
  char& last = decimal.back();
  last = static_cast<char>('0' + (last - '0' + by + 10) % 10);
  return decimal;
}

std::vector<Certificate> examples() {
  return {certify(gemm_example(SpaceKind::Perfect, Objective::Edp)),
          certify(gemm_example(SpaceKind::RubyS, Objective::Edp)),
          certify(gemm_example(SpaceKind::Perfect, Objective::Latency)),
          certify(gemm_example(SpaceKind::Ruby, Objective::Energy)),
          certify(conv_example()),
          certify(systolic_example(SpaceKind::Perfect, Objective::Edp)),
          certify(systolic_example(SpaceKind::Ruby, Objective::Latency)),
          certify(uneven_example(Objective::Edp)),
          certify(uneven_example(Objective::Energy)),
          certify(uneven_example(Objective::Edp, SpaceKind::RubyS)),
          certify(uneven_example(Objective::Energy, SpaceKind::RubyT)),
          certify(uneven_example(Objective::Edp, SpaceKind::Ruby)),
          certify(restricted_example(Objective::Energy)),
          certify(uneven_systolic_example(SpaceKind::Perfect)),
          certify(marked_example()),
          certify(gemm_example(SpaceKind::RubyS, Objective::Energy), 1)};
}

TEST(Tampered, UntouchedExamplesAreVerified) {
  for (const Certificate& example : examples()) EXPECT_EQ(reason(example), "verified");
}

TEST(Tampered, CostsAreCounted) {
  for (const Certificate& example : examples()) {
    for (int by = 1; by < 10; by += testing::slow_build() ? 4 : 1) {
      Certificate changed = example;
      changed.energy_pj = nudged(example.energy_pj, by);
      EXPECT_TRUE(is_refused(changed));
      changed = example;
      changed.cycles += by - (by > 5 ? 10 : 0);
      EXPECT_TRUE(is_refused(changed));
      changed = example;
      changed.instances += by - (by > 5 ? 10 : 0);
      EXPECT_TRUE(is_refused(changed));
      changed = example;
      changed.value = nudged(example.value, by);
      EXPECT_TRUE(is_refused(changed));
    }
  }
}

// With fewer cycles for a change of the stationary tile the mapping is faster than the claim
// says, with more it is slower.
TEST(Tampered, CyclesOfSystolicArraysAreCounted) {
  const Certificate example = certify(systolic_example(SpaceKind::RubyS, Objective::Edp));
  ASSERT_EQ(reason(example), "verified");
  for (const auto& [from, to] : {std::pair{"fill: diagonal", "fill: none"},
                                 {"preload: x", "preload: y"},
                                 {"preload: x", "preload: none"},
                                 {"stationary: weight", "stationary: input"},
                                 {"stationary: weight", "stationary: output"}}) {
    Certificate changed = example;
    const std::size_t place = changed.architecture.find(from);
    ASSERT_NE(place, std::string::npos) << changed.architecture;
    changed.architecture.replace(place, std::string(from).size(), to);
    EXPECT_TRUE(is_refused(changed)) << to;
  }
}

TEST(Tampered, BoundsHoldForEveryFrame) {
  Certificate gap = certify(gemm_example(SpaceKind::RubyS, Objective::Energy), 1);
  ASSERT_NE(gap.bound, gap.value);
  gap.bound = gap.value;
  EXPECT_NE(reason(gap).find("the claimed " + gap.value), std::string::npos) << reason(gap);
  for (const char* bad : {"", "x", "1e9", "-1", "00000", "1.", "99999999999999999999"}) {
    gap.bound = bad;
    EXPECT_TRUE(is_refused(gap)) << bad;
  }
}

// As docs/certificates.md has it: no more places than the energies have, none of
// them for nothing, and none at all for cycles.
TEST(Tampered, BoundsAreNoFinerThanValuesCanBe) {
  const Certificate energy = certify(gemm_example(SpaceKind::RubyS, Objective::Energy), 1);
  const Certificate latency = certify(gemm_example(SpaceKind::Perfect, Objective::Latency));
  const std::string whole = energy.bound.substr(0, energy.bound.find('.'));
  for (const std::string& bound : {whole + ".0", whole + ".12345678901", "0" + whole}) {
    Certificate changed = energy;
    changed.bound = bound;
    EXPECT_NE(reason(changed).find("is not a decimal with at most"), std::string::npos) << bound;
  }
  Certificate changed = latency;
  changed.bound = "1.5";
  EXPECT_NE(reason(changed).find("with at most 0 places"), std::string::npos) << reason(changed);
}

// The proof with its steps one by one.
Certificate in_steps(Certificate certificate) {
  Proof steps;
  for (const Run& run : certificate.proof) {
    for (std::int64_t i = 0; i < run.cells; ++i) steps.push_back({run.step, 1});
  }
  certificate.proof = std::move(steps);
  return certificate;
}

TEST(Tampered, EveryCellIsInTheProof) {
  for (const Certificate& whole : examples()) {
    const Certificate example = in_steps(whole);
    EXPECT_EQ(reason(example), "verified");
    for (std::size_t i = 0; i < example.proof.size(); i += testing::slow_build() ? 7 : 1) {
      Certificate changed = example;
      changed.proof.erase(changed.proof.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_TRUE(is_refused(changed));
      for (const int by : {-1, 1, 1000}) {
        // A cell with one part may be split for nothing.
        if (by == 1 && example.proof[i].step == ProofStep::Split) continue;
        changed = example;
        changed.proof[i].cells += by;
        EXPECT_TRUE(is_refused(changed));
      }
    }
    Certificate longer = example;
    longer.proof.push_back({ProofStep::Floor, 1});
    EXPECT_NE(reason(longer).find("the proof goes on after cell"), std::string::npos);
    longer.proof.resize(longer.proof.size() - 2);
    EXPECT_NE(reason(longer).find("is not in the proof"), std::string::npos);
    longer.proof.clear();
    EXPECT_EQ(reason(longer), "cell 1 is not in the proof");
  }
}

TEST(Tampered, CellsAreClosedAsTheProofSays) {
  int weakened = 0;
  for (const Certificate& whole : examples()) {
    const Certificate example = in_steps(whole);
    for (std::size_t i = 0; i < example.proof.size(); i += testing::slow_build() ? 3 : 1) {
      for (const ProofStep step : {ProofStep::Floor, ProofStep::Lattice, ProofStep::Tree}) {
        if (step >= example.proof[i].step && example.proof[i].step != ProofStep::Split) continue;
        Certificate changed = example;
        changed.proof[i].step = step;
        EXPECT_TRUE(is_refused(changed));
        ++weakened;
      }
    }
  }
  EXPECT_GT(weakened, 5);
}

// What is not proven by a proof that is right everywhere else.
TEST(Tampered, EveryPartHasToBeClosed) {
  const Certificate example = in_steps(certify(gemm_example(SpaceKind::RubyS, Objective::Edp)));
  int splits = 0;
  for (std::size_t i = 0; i < example.proof.size(); ++i) {
    if (example.proof[i].step != ProofStep::Split) continue;
    // The cell after the split is said to be the last one.
    Certificate changed = example;
    changed.proof.resize(i + 1);
    EXPECT_TRUE(is_refused(changed));
    ++splits;
  }
  EXPECT_GT(splits, 3);
}

// The inputs are part of the claim: where a change of them leaves it true, it is
// accepted, and nowhere else.
TEST(Tampered, WhatIsAcceptedOfOtherInputsIsTrue) {
  int accepted = 0;
  for (const Certificate& example : examples()) {
    for (std::string Certificate::* part : {&Certificate::architecture, &Certificate::workload}) {
      for (std::size_t i = 0; i < (example.*part).size(); i += testing::slow_build() ? 9 : 3) {
        Certificate changed = example;
        char& c = (changed.*part)[i];
        c = c == '1' ? '2' : '1';
        if (is_refused(changed)) continue;
        ++accepted;
        EXPECT_TRUE(is_true(changed)) << changed.*part;
      }
    }
  }
  EXPECT_GT(accepted, 0);  // names, for one
}

// Unless the best mapping is the same there, and the same steps show it, as they do for most
// uneven ones.
TEST(Tampered, AnotherMapSpaceNeedsAnotherProof) {
  int accepted = 0;
  for (const Certificate& example : examples()) {
    Certificate changed = example;
    changed.constraints = "";
    changed.mapspace = example.mapspace == SpaceKind::RubyT ? SpaceKind::Perfect : SpaceKind::RubyT;
    if (is_refused(changed)) continue;
    accepted += example.among == Among::Even ? 1 : 0;
    EXPECT_TRUE(is_true(changed));
  }
  EXPECT_LE(accepted, 2);
}

// With one energy alone, the multipliers', every mapping takes the same.
TEST(Tampered, EqualByTheObjectiveIsNotEnough) {
  const Architecture arch = make_arch({make_memory("Outer"), make_fanout("Array", 2, 2)});
  const Problem problem = make_problem(make_gemm("gemm", 4, 4, 1), arch);
  for (const Objective objective : {Objective::Energy, Objective::Edp}) {
    const Certificate best = certify({problem, SpaceKind::Perfect, {}, objective});
    EXPECT_EQ(best.cycles, 4);
    Certificate slower = best;
    slower.mapping = io::write_mapping(problem, canonical(problem, all_in_time(problem)));
    slower.cycles = 16;
    slower.instances = 1;
    slower.proof = best.proof;
    EXPECT_TRUE(is_refused(slower));
    EXPECT_TRUE(
        prove({problem, SpaceKind::Perfect, {}, objective, all_in_time(problem), {}}).better);
  }
}

TEST(Tampered, OtherInputsNeedAnotherProof) {
  const Certificate example = certify(gemm_example(SpaceKind::Perfect, Objective::Energy));
  for (const char* pj : {"64.4", "64.6", "1", "640"}) {
    Certificate changed = example;
    const std::size_t at = changed.architecture.find("64.5");
    ASSERT_NE(at, std::string::npos);
    changed.architecture.replace(at, 4, pj);
    EXPECT_NE(reason(changed).find("the mapping costs"), std::string::npos) << reason(changed);
  }
  Certificate smaller = example;
  const std::size_t at = smaller.architecture.find("24 words");
  ASSERT_NE(at, std::string::npos);
  smaller.architecture.replace(at, 2, "3");
  EXPECT_NE(reason(smaller).find("too many"), std::string::npos) << reason(smaller);
}

TEST(Tampered, OtherMappingsCostOtherwise) {
  const testing::Example example = gemm_example(SpaceKind::Perfect, Objective::Energy);
  const Certificate best = certify(example);
  const Checked<Restrictions> rules = Restrictions::create(example.problem);
  const MadeSpace space = MapSpace::create(example.problem, example.kind, *rules.value);
  const Evaluator evaluator = testing::make_evaluator(example.problem);
  const Checked<Mapping> known = io::read_mapping(best.mapping, "mapping", example.problem);
  const Score score = evaluator.score(*known.value);
  Sampler sampler(*space.value);
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const Mapping& other = sampler.draw(rng);
    const Score cost = evaluator.score(other);
    if (cost.verdict.fits() && cost.cycles == score.cycles && cost.energy_pj == score.energy_pj) {
      continue;
    }
    Certificate changed = best;
    changed.mapping = io::write_mapping(example.problem, canonical(example.problem, other));
    EXPECT_TRUE(is_refused(changed));
  }
}

// Another key, the same proof.
TEST(Tampered, TheBestEvenMappingIsNotTheBestOfAll) {
  for (const auto& [objective, kind] : {std::pair{Objective::Energy, SpaceKind::Perfect},
                                        {Objective::Edp, SpaceKind::Perfect},
                                        {Objective::Energy, SpaceKind::RubyS},
                                        {Objective::Energy, SpaceKind::Ruby}}) {
    testing::Example example = uneven_example(objective, kind);
    const Certificate uneven = certify(example);
    ASSERT_NE(uneven.mapping.find("Inner("), std::string::npos) << uneven.mapping;
    EXPECT_EQ(reason(uneven), "verified");
    example.uneven = false;
    Certificate even = certify(example);
    EXPECT_EQ(reason(even), "verified");
    EXPECT_NE(even.value, uneven.value);
    even.among = Among::All;
    EXPECT_TRUE(is_refused(even));
    even.proof = uneven.proof;
    EXPECT_NE(reason(even).find("below the claimed"), std::string::npos) << reason(even);
    // An uneven mapping beside the proof of the best even one.
    Certificate mixed = uneven;
    mixed.among = Among::Even;
    EXPECT_NE(reason(mixed).find("the mapping is uneven"), std::string::npos) << reason(mixed);
  }
}

// Tiles at other points take other room, and are filled at other times.
TEST(Tampered, StoragePointsAreCountedWhereTheyStand) {
  const Certificate example = certify(uneven_example(Objective::Energy));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    Certificate changed = example;
    const std::size_t place = changed.mapping.find(from);
    if (place != std::string::npos) changed.mapping.replace(place, from.size(), to);
    return changed;
  };
  const std::vector<std::string> tensors = {"W", "I", "O"};
  int changes = 0;
  for (const std::string& one : tensors) {
    for (const std::string& other : tensors) {
      const Certificate changed = replaced("Inner(" + one, "Inner(" + other);
      if (changed == example) continue;
      ++changes;
      EXPECT_TRUE(is_refused(changed)) << changed.mapping;
    }
  }
  EXPECT_GT(changes, 1);
  Certificate smaller = example;
  const std::size_t room = smaller.architecture.find("7 words");
  ASSERT_NE(room, std::string::npos);
  smaller.architecture.replace(room, 1, "6");
  EXPECT_TRUE(is_refused(smaller)) << reason(smaller);
}

// More mappings, or fewer, need another proof.
TEST(Tampered, WhatUnevenMappingsThereAreIsPartOfTheClaim) {
  const Certificate example = certify(uneven_example(Objective::Energy));
  for (const SpaceKind kind : {SpaceKind::RubyT, SpaceKind::Ruby}) {
    Certificate remainders = example;
    remainders.mapspace = kind;
    EXPECT_TRUE(is_refused(remainders) || is_true(remainders)) << to_string(kind);
  }
  for (const char* rule : {"{level: Inner, order: {outermost: [K]}}", "{level: Inner, M: <=2}"}) {
    Certificate ruled = example;
    ruled.constraints = fmt::format("constraints:\n  - {}\n", rule);
    EXPECT_TRUE(is_refused(ruled) || is_true(ruled)) << rule;
  }
  const Certificate restricted = certify(restricted_example(Objective::Energy));
  EXPECT_NE(restricted.mapping.find("Inner("), std::string::npos) << restricted.mapping;
  Certificate free = restricted;
  free.constraints.clear();
  EXPECT_TRUE(is_refused(free)) << reason(free);
}

TEST(Tampered, OnlyMarkedMemoriesHaveSeveralStoragePoints) {
  const Certificate marked = certify(marked_example());
  ASSERT_EQ(reason(marked), "verified");
  EXPECT_NE(marked.mapping.find("Inner("), std::string::npos) << marked.mapping;
  testing::Example everywhere = marked_example();
  everywhere.uneven = true;
  everywhere.marked = false;
  const Certificate all = certify(everywhere);
  ASSERT_NE(all.mapping.find("Middle("), std::string::npos) << all.mapping;
  Certificate changed = all;
  changed.among = Among::Marked;
  EXPECT_EQ(reason(changed),
            "the mapping is not in the map-space: Middle has several storage points");
  changed = marked;
  changed.among = Among::All;
  EXPECT_TRUE(is_refused(changed)) << reason(changed);
  changed = marked;
  const std::size_t mark = changed.architecture.find("uneven: true");
  ASSERT_NE(mark, std::string::npos) << changed.architecture;
  changed.architecture.replace(mark, 12, "uneven: false");
  EXPECT_EQ(reason(changed),
            "the mapping is not in the map-space: Inner has several storage points");
}

TEST(Tampered, SecondBestIsNotTheBest) {
  // A proof of the best, with a mapping that is not.
  const Certificate best = certify(gemm_example(SpaceKind::RubyS, Objective::Energy));
  Certificate second = certify(gemm_example(SpaceKind::RubyS, Objective::Energy), 1);
  second.bound = second.value;
  second.proof = best.proof;
  EXPECT_TRUE(is_refused(second));
}

TEST(Tampered, AnyByteOfTheFile) {
  testing::TestRng rng(9);
  const Certificate example = certify(gemm_example(SpaceKind::RubyS, Objective::Edp));
  const std::string text = write_certificate(example);
  for (int i = 0; i < 400; ++i) {
    std::string changed = text;
    char& c = changed[static_cast<std::size_t>(
        rng.between(0, static_cast<std::int64_t>(text.size()) - 1))];
    const char before = c;
    c = static_cast<char>(rng.between(32, 126));
    const Checked<Certificate> read = read_certificate(changed, "changed");
    // A smaller bound is a weaker claim, a mapping may be written in other ways.
    if (c == before || !read.ok() || *read.value == example ||
        read.value->mapping != example.mapping || read.value->bound != example.bound) {
      continue;
    }
    EXPECT_TRUE(is_refused(*read.value) || is_true(*read.value)) << before << " to " << c;
  }
}

}  // namespace
}  // namespace tilewright::certificate
