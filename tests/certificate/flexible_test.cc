// Certificates of flexible architectures: every setting is closed, and the checker derives the
// settings by itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certificate/settings.h"
#include "support/check_optimum.h"
#include "support/flexible_case.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/space_kinds.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"
#include "tilewright/map.h"

namespace tilewright::certificate {
namespace {

using testing::flexible_brute_force;
using testing::FlexibleCase;
using ::testing::HasSubstr;
using testing::kObjectives;
using testing::random_flexible_case;
using testing::same_value;
using testing::slow_build;

std::string line_of(const Setting& setting) {
  return "P=" + to_string(setting.pair) + ",S=" + to_string(setting.shape) +
         (setting.order ? ",O=" + to_string(*setting.order) : "");
}

Proven prove_outcome(const Workload& workload, const Architecture& arch, const MapOptions& options,
                     const MapOutcome& outcome) {
  const Problem problem = testing::make_problem(workload, arch);
  Claim claim{problem, options.space, {}, options.objective, *outcome.search.best, {}};
  claim.setting = line_of(*outcome.setting);
  if (options.evenness == Evenness::Uneven) claim.among = Among::All;
  if (has_points(*outcome.problem)) claim.apart = *outcome.problem;
  return prove(claim);
}

std::string verdict_on(const Certificate& certificate) {
  const Outcome outcome = check(certificate);
  return outcome.problems.empty() ? "verified" : to_string(outcome.problems.front());
}

// --- random accelerators ------------------------------------------------------------------

class FlexibleCertificates : public ::testing::TestWithParam<SpaceKind> {};

// Whether a mapping that a random search found is worse than the best; if so it has no certificate.
bool check_worse(const FlexibleCase& flexible, MapOptions options, double best) {
  options.mapper = find_mapper("random");
  options.limits.evaluations = 3;
  const MapOutcome any = map_workload(flexible.workload, flexible.arch, options);
  if (!any.found() || same_value(value_of(options.objective, any.search.score), best)) return false;
  const Proven worse = prove_outcome(flexible.workload, flexible.arch, options, any);
  EXPECT_FALSE(worse.certificate);
  EXPECT_TRUE(worse.better);
  return true;
}

void check_best(const FlexibleCase& flexible, const MapOptions& options, double best) {
  const MapOutcome found = map_workload(flexible.workload, flexible.arch, options);
  ASSERT_TRUE(found.found());
  const Proven proven = prove_outcome(flexible.workload, flexible.arch, options, found);
  ASSERT_TRUE(proven.certificate) << (proven.better ? "better with " + proven.setting
                                                    : to_string(proven.problems.front()));
  EXPECT_EQ(verdict_on(*proven.certificate), "verified");
  EXPECT_TRUE(same_value(std::stod(proven.certificate->value), best));
}

// The first cases may have no mapping that is worse than the best.
std::uint64_t case_count(int all) {
  return slow_build() ? 3 : static_cast<std::uint64_t>(testing::affordable(all));
}

// What trying every mapping finds best has a certificate, and nothing else has. Gives the number of
// mappings that were worse.
int check_cases(std::uint64_t seeds, const testing::FlexibleOptions& drawn) {
  int worse = 0;
  for (std::uint64_t seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    const FlexibleCase flexible = random_flexible_case(seed, drawn);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(flexible));
    const auto truth = flexible_brute_force(flexible, drawn.kind);
    for (std::size_t o = 0; o < kObjectives.size(); ++o) {
      if (!truth.best[o]) continue;
      MapOptions options;
      options.space = drawn.kind;
      options.objective = kObjectives[o];
      const double best = value_of(kObjectives[o], truth.best[o]->score);
      check_best(flexible, options, best);
      worse += check_worse(flexible, options, best) ? 1 : 0;
    }
  }
  return worse;
}

TEST_P(FlexibleCertificates, AreThoseOfTheBestMappings) {
  EXPECT_GT(check_cases(case_count(25), {.kind = GetParam()}), 0);
}

TEST_P(FlexibleCertificates, AreThoseOfTheBestMappingsWithTilesOfPes) {
  const int worse = check_cases(case_count(40), {.kind = GetParam(), .tiles_of_pes = true});
  EXPECT_GT(worse, slow_build() ? -1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Spaces, FlexibleCertificates,
                         ::testing::Values(SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby),
                         testing::name_of_space);

// The same among all mappings, even and uneven; the best even one has no certificate where it is
// not the best of all.
TEST_P(FlexibleCertificates, AreThoseOfTheBestUnevenMappings) {
  int tried = 0, gains = 0;
  for (std::uint64_t seed = 1; seed <= case_count(30); ++seed) {
    const FlexibleCase flexible =
        random_flexible_case(seed, {.kind = GetParam(), .most_mappings = 400});
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(flexible));
    std::optional<Score> best;
    const auto note = [&](const Evaluator& apart, const Mapping& mapping) {
      const Score score = apart.score(mapping);
      if (!score.verdict.fits()) return;
      if (!best || is_better(Objective::Energy, score, *best)) best = score;
    };
    if (!testing::for_each_uneven_that_runs(flexible, GetParam(), 10'000, note) || !best) continue;
    MapOptions options;
    options.space = GetParam();
    options.objective = Objective::Energy;
    const MapOutcome even = map_workload(flexible.workload, flexible.arch, options);
    options.evenness = Evenness::Uneven;
    check_best(flexible, options, value_of(Objective::Energy, *best));
    ++tried;
    if (even.found() && is_better(Objective::Energy, *best, even.search.score)) {
      const Proven worse = prove_outcome(flexible.workload, flexible.arch, options, even);
      EXPECT_FALSE(worse.certificate);
      EXPECT_TRUE(worse.better);
      ++gains;
    }
    if (HasFailure()) return;
  }
  if (slow_build()) return;
  EXPECT_GE(tried, testing::enough(6));
  if (GetParam() == SpaceKind::Perfect) {
    EXPECT_GT(gains, 0);
  }
}

// The checker's own reading of a layer and of a setting, beside that of the mappers.
TEST(FlexibleProofs, SetUpsAreThoseOfTheMappers) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= (slow_build() ? 10U : 80U); ++seed) {
    const FlexibleCase flexible =
        random_flexible_case(seed, {.kind = SpaceKind::Ruby, .tiles_of_pes = seed % 4 == 0});
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(flexible));
    const std::vector<Constraint> none;
    const Settings settings(flexible.workload, flexible.arch, none);
    const auto of_mappers = settings_of(flexible.workload, flexible.arch);
    for (const Setting& setting : *of_mappers.value) {
      const tilewright::SetUp theirs = set_up(flexible.workload, flexible.arch, setting);
      const Problem problem = testing::make_problem(flexible.workload, theirs.arch);
      const Rules wanted = *read_rules(problem, SpaceKind::Ruby, theirs.constraints).value;
      bool same = false;
      for (const ArraySetting& named : settings.named(line_of(setting))) {
        const Settings::SetUpProblem ours = settings.set_up(named, SpaceKind::Ruby, Among::Even);
        EXPECT_EQ(ours.problem.arch(), theirs.arch);
        const auto equal = [](const Rules::Limits& a, const Rules::Limits& b) {
          return a.least == b.least && a.most == b.most;
        };
        same = same || std::equal(wanted.limits.begin(), wanted.limits.end(),
                                  ours.rules.limits.begin(), ours.rules.limits.end(), equal);
        for (std::size_t m = 0; m < wanted.orders.size(); ++m) {
          EXPECT_EQ(wanted.orders[m].outermost, ours.rules.orders[m].outermost);
        }
      }
      EXPECT_TRUE(same) << to_string(setting);
      ++compared;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 20);
}

// --- tampered ones --------------------------------------------------------------------------

Architecture small_arch(const std::string& line) {
  Memory outer = testing::make_memory("Outer");
  outer.read_pj = outer.write_pj = outer.update_pj = 64.5;
  outer.read_bandwidth = Rational{2, 1};
  Memory buffer = testing::make_memory("Buffer", 60);
  buffer.read_pj = buffer.write_pj = buffer.update_pj = 1.25;
  Architecture arch = testing::make_arch({outer, buffer, testing::make_fanout("Array", 4, 2)});
  if (line.starts_with("tile_of=")) {
    arch.levels.insert(arch.levels.end() - 1, testing::make_memory("Local", 12));
  }
  const auto read = io::read_flexibility_line(line, "test", arch);
  if (!read.ok()) throw std::logic_error(to_string(read.problems.front()));
  arch.flexibility = *read.value;
  return arch;
}

Certificate certified(const std::string& line, Objective objective,
                      SpaceKind kind = SpaceKind::RubyS) {
  const Workload workload = make_gemm("gemm", 6, 5, 4);
  const Architecture arch = small_arch(line);
  MapOptions options;
  options.space = kind;
  options.objective = objective;
  const MapOutcome best = map_workload(workload, arch, options);
  if (!best.found()) throw std::logic_error("no mapping with " + line);
  const Proven proven = prove_outcome(workload, arch, options, best);
  if (proven.certificate) return *proven.certificate;
  throw std::logic_error(proven.better ? "better with " + proven.setting
                                       : to_string(proven.problems.front()));
}

constexpr const char* kTilesOfPes = "tile_of=Local,T=fixed(K2,C3,Y1,X1,R1,S1),P={KC,YK},S=bands(2)";

std::vector<Certificate> flexible_examples() {
  return {
      certified("P={KC,YK},S=any", Objective::Latency),
      certified("P=all,S=bands(2),O={KCYXRS,YXKCRS}", Objective::Edp),
      certified("T=fixed(K2,C2,Y3,X1,R1,S1),P={KC,CK},S=any", Objective::Energy, SpaceKind::Ruby),
      certified("T=hard(1:1:1),P=all,S=blocks(2x2)", Objective::Edp, SpaceKind::Perfect),
      certified(kTilesOfPes, Objective::Edp, SpaceKind::Ruby)};
}

TEST(FlexibleProofs, AreReadBackAsTheyWere) {
  for (const Certificate& example : flexible_examples()) {
    ASSERT_GT(example.settings.size(), 1U);
    EXPECT_EQ(verdict_on(example), "verified");
    const auto read = read_certificate(write_certificate(example), "c.json");
    ASSERT_TRUE(read.ok()) << to_string(read.problems.front());
    EXPECT_TRUE(*read.value == example);
  }
}

TEST(FlexibleProofs, NoSettingCanBeLeftOut) {
  for (const Certificate& example : flexible_examples()) {
    for (std::size_t i = 0; i < example.settings.size(); ++i) {
      Certificate changed = example;
      changed.settings.erase(changed.settings.begin() + static_cast<std::ptrdiff_t>(i));
      const bool last = i == changed.settings.size();
      EXPECT_THAT(
          verdict_on(changed),
          HasSubstr(last ? "there is no proof for the setting " + example.settings[i].setting
                         : "where " + example.settings[i].setting + " is to be closed"));
      changed = example;
      changed.settings.push_back(example.settings[i]);
      EXPECT_THAT(verdict_on(changed), HasSubstr("settings, and proofs for"));
    }
  }
}

TEST(FlexibleProofs, EverySettingNeedsItsProof) {
  for (const Certificate& example : flexible_examples()) {
    for (std::size_t i = 0; i < example.settings.size(); ++i) {
      if (example.settings[i].proof.empty()) continue;  // shapes before it have all
      Certificate changed = example;
      changed.settings[i].proof.clear();
      EXPECT_THAT(verdict_on(changed), HasSubstr("setting " + example.settings[i].setting +
                                                 ": cell 1 is not in the proof"));
    }
  }
}

TEST(FlexibleProofs, BoundsAreOfAllSettings) {
  // A mapping that is not the best, with a bound that holds and with one that does not.
  const Workload workload = make_gemm("gemm", 6, 5, 4);
  const Architecture arch = small_arch("P={KC,YK},S=any");
  MapOptions options;
  options.space = SpaceKind::RubyS;
  options.objective = Objective::Latency;
  const MapOutcome best = map_workload(workload, arch, options);
  options.mapper = find_mapper("random");
  options.limits.evaluations = 2;
  const MapOutcome other = map_workload(workload, arch, options);
  ASSERT_GT(other.search.score.cycles, best.search.score.cycles);
  const Problem problem = testing::make_problem(workload, arch);
  Claim claim{problem, options.space, {}, options.objective, *other.search.best, {}};
  claim.setting = line_of(*other.setting);
  claim.bound = fmt::format("{}", best.search.score.cycles);
  Certificate gap = prove(claim).certificate.value();
  EXPECT_EQ(verdict_on(gap), "verified");
  gap.bound = fmt::format("{}", best.search.score.cycles + 1);
  EXPECT_THAT(verdict_on(gap), HasSubstr("the claimed " + gap.bound));
}

TEST(FlexibleProofs, SettingsAreThoseOfTheArchitecture) {
  for (const Certificate& example : flexible_examples()) {
    for (const char* other :
         {"", "P=RS,S=3x3", "S=4x2", "P=CK", "P={KC,CK},S=4x2", "P=KC,S=any",
          "T=fixed(K1,C1,Y1,X1,R1,S1),P=KC,S=2x4", "P=KC,S=4x2,O=SRXYCK", "nonsense"}) {
      Certificate changed = example;
      changed.setting = other;
      EXPECT_NE(verdict_on(changed), "verified") << other;
    }
  }
}

TEST(FlexibleProofs, MoreFreedomNeedsAnotherProof) {
  const Certificate example = certified("P={KC,YK},S=bands(2)", Objective::Latency);
  ASSERT_EQ(verdict_on(example), "verified");
  Certificate changed = example;
  const std::size_t place = changed.architecture.find("bands(2)");
  ASSERT_NE(place, std::string::npos) << changed.architecture;
  changed.architecture.replace(place, 8, "any");
  EXPECT_NE(verdict_on(changed), "verified");
  changed = example;
  changed.architecture.erase(changed.architecture.find("flexibility:"));
  EXPECT_EQ(verdict_on(changed), "there are settings, but the architecture has no flexibility");
  changed = example;
  changed.setting.clear();
  changed.settings.clear();
  changed.proof = {{ProofStep::Floor, 1}};
  EXPECT_EQ(verdict_on(changed), "a flexible architecture has a proof for each setting");
}

TEST(FlexibleProofs, OtherTilesOfPesNeedAnotherProof) {
  const Certificate example = certified(kTilesOfPes, Objective::Latency, SpaceKind::Ruby);
  ASSERT_EQ(verdict_on(example), "verified");
  const auto changed = [&](const std::string& piece, const std::string& other) {
    Certificate tampered = example;
    const std::size_t place = tampered.architecture.find(piece);
    EXPECT_NE(place, std::string::npos) << tampered.architecture;
    tampered.architecture.replace(place, piece.size(), other);
    return verdict_on(tampered);
  };
  EXPECT_NE(changed("K2,C3", "K1,C3"), "verified");
  EXPECT_NE(changed("K2,C3", "K2,C1"), "verified");
  EXPECT_NE(changed("  tile_of: Local\n", ""), "verified") << "the tile of the buffer";
  EXPECT_THAT(changed("tile_of: Local", "tile_of: Buffer"),
              HasSubstr("tile_of names Buffer, which is no memory inside the array"));
}

TEST(FlexibleProofs, EntriesThatAreNoSettingsAreBadInput) {
  const std::string text = write_certificate(certified("P=KC,S=bands(2)", Objective::Latency));
  const auto with = [&](const std::string& piece, const std::string& other) {
    std::string changed = text;
    changed.replace(changed.find(piece), piece.size(), other);
    const auto read = read_certificate(changed, "c.json");
    return read.ok() ? "read" : to_string(read.problems.front());
  };
  EXPECT_THAT(with("\"settings\": [", "\"settings\": [7,"), HasSubstr("entry 1 is no setting"));
  EXPECT_THAT(with("\"settings\": [", "\"settings\": [{\"setting\": \"P=KC\"},"),
              HasSubstr("entry 1 is no setting; write {\"setting\": "));
  EXPECT_THAT(with("\"settings\": [", "\"proof\": [\"f\"], \"settings\": ["),
              HasSubstr("\"proof\" stands beside \"settings\""));
  EXPECT_THAT(with("\"setting\": \"P", "\"sitting\": \"P"), HasSubstr("did you mean \"setting\"?"));
}

}  // namespace
}  // namespace tilewright::certificate
