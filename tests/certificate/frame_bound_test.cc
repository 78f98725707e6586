// The bounds of cells and frames against the best mapping of each, found by trying all.
#include "certificate/frame_bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "certificate/cell_floor.h"
#include "certificate/lattice.h"
#include "certificate/points.h"
#include "certificate/small_problems.h"
#include "support/slow_build.h"
#include "support/space_kinds.h"
#include "support/uneven_case.h"

namespace tilewright::certificate {
namespace {

const int kProblems = testing::affordable(200);

using testing::SmallProblem;
using testing::SmallProblemOptions;
using testing::TestRng;

// The least of each, or -1 where there is no mapping.
struct Best {
  Int128 energy = -1;
  Int128 cycles = -1;
  std::int64_t instances = -1;

  void take(const Best& other) {
    if (other.energy < 0) return;
    if (energy < 0 || other.energy < energy) energy = other.energy;
    if (cycles < 0 || other.cycles < cycles) cycles = other.cycles;
    if (instances < 0 || other.instances < instances) instances = other.instances;
  }
};
// By what each memory keeps and the unrolling at each fan-out.
using Key = std::pair<Placement, std::vector<std::int64_t>>;

Key key_of(const Problem& problem, const Mapping& mapping) {
  Key key;
  for (int m = 0; m < problem.memory_count(); ++m) key.first.push_back(mapping.kept(MemoryId{m}));
  for (int s = 0; s < problem.slot_count(); ++s) {
    if (problem.slots()[at(s)].kind != SlotKind::SpatialY) continue;
    for (int d = 0; d < problem.dim_count(); ++d) {
      key.second.push_back(mapping.bound(s, DimId{d}) * mapping.bound(s + 1, DimId{d}));
    }
  }
  return key;
}

std::map<Key, Best> best_by_frame(const SmallProblem& small, const Terms& terms) {
  std::map<Key, Best> best;
  Walk walk(small.space, BigUint(0), small.space.size());
  while (const Mapping* mapping = walk.next()) {
    const Counter counter(terms, *mapping);
    if (!counter.overflows().empty()) continue;
    const Cost cost = counter.cost();
    best[key_of(small.problem, *mapping)].take({cost.energy, cost.cycles, cost.instances});
  }
  return best;
}

// Sharing along diagonals, outputs or homes of windows that are unrolled, and
// Timeloop's shares of outputs are bounded, not counted.
bool is_bounded_only(const Context& context) {
  if (context.problem().arch().accounting == Accounting::Timeloop &&
      !context.terms().parts.back().plain) {
    return true;
  }
  for (const Parts& parts : context.terms().parts) {
    for (const Window& window : parts.windows) {
      for (int f = 0; f < context.unrolling().fanouts(); ++f) {
        int unrolled = 0;
        for (const int d : window.dims()) unrolled += context.unrolling().factor(f, d) > 1 ? 1 : 0;
        if (unrolled > 1) return true;
        if (unrolled > 0 && &parts == &context.terms().parts.back()) return true;
        if (unrolled > 0 && context.place(f) > 0) return true;
      }
    }
  }
  return false;
}

struct Tally {
  int frames = 0, equal = 0, below = 0, problems = 0, cells = 0;
  int refined = 0, nearer = 0;  // frames with extents told apart by their bounds
};

// Even small dimensions have classes of several extents.
constexpr ChainLimits kNoneIsSmall = {.small = 1};

// Goes through all cells of a cover, down to the frames.
class Comparison {
 public:
  Comparison(std::map<Key, Best> best, const Terms& terms, const Rules& rules, Tally& tally)
      : terms_(terms),
        rules_(rules),
        tally_(tally),
        best_(std::move(best)),
        cover_(*terms.problem, rules),
        floors_(terms, rules),
        chains_(*terms.problem, rules, kNoneIsSmall) {}

  void run(bool wants_equal) {
    wants_equal_ = wants_equal;
    for (const Cell& cell : cover_.whole()) compare(cell);
    EXPECT_EQ(met_, best_.size());  // every mapping is in a frame
  }

 private:
  // The best mapping of a cell; -1 if there is none.
  Best compare(const Cell& cell) {
    const Best best = cover_.is_frame(cell) ? compare_frame(cell) : best_of_parts(cell);
    if (best.energy < 0) return best;
    ++tally_.cells;
    const std::optional<Cost> floor = floors_.floor(cover_, cell);
    EXPECT_TRUE(floor) << "something fits";
    if (!floor) return best;
    EXPECT_LE(floor->energy, best.energy);
    EXPECT_LE(floor->cycles, best.cycles);
    EXPECT_LE(floor->instances, best.instances);
    return best;
  }

  Best best_of_parts(const Cell& cell) {
    Best best;
    for (const Cell& part : cover_.parts(cell)) best.take(compare(part));
    return best;
  }

  Best compare_frame(const Cell& cell) {
    const Unrolling unrolling = cover_.unrolling(cell);
    const Placement placement = cover_.placement(cell);
    const Context context(terms_, rules_, placement, unrolling, *cover_.chains().all(unrolling));
    Key key{placement, {}};
    for (int f = 0; f < unrolling.fanouts(); ++f) {
      for (int d = 0; d < context.dims(); ++d) key.second.push_back(unrolling.factor(f, d));
    }
    const bool exact = wants_equal_ && !is_bounded_only(context);
    const FrameBound bound(context);
    const Deadline never(std::nullopt);
    Closings closings(context);
    const Lattice lattice(context, closings, static_cast<std::int64_t>(bound.energy()), {}, never);
    const auto found = best_.find(key);
    if (found == best_.end()) {
      if (exact) {
        EXPECT_EQ(lattice.least(), kNever);
      }
      return {};
    }
    ++met_;
    ++tally_.frames;
    EXPECT_LE(bound.cycles(), found->second.cycles);
    EXPECT_LE(bound.energy(), found->second.energy);
    EXPECT_LE(lattice.least(), found->second.energy);
    (lattice.least() == found->second.energy ? tally_.equal : tally_.below)++;
    if (exact) {
      EXPECT_EQ(lattice.least(), static_cast<std::int64_t>(found->second.energy));
    }
    compare_classes(placement, unrolling, found->second);
    return found->second;
  }

  // The same where classes have several extents, and where these are told apart by their bounds.
  void compare_classes(const Placement& placement, const Unrolling& unrolling, const Best& best) {
    const auto finer = chains_.refined(unrolling);
    if (!finer) return;
    ++tally_.refined;
    const Int128 least = compare_lattice({terms_, rules_, placement, unrolling, *finer}, best);
    const auto chains = chains_.all(unrolling);
    ASSERT_TRUE(chains);
    const Int128 by_left = compare_lattice({terms_, rules_, placement, unrolling, *chains}, best);
    tally_.nearer += least > by_left ? 1 : 0;
  }

  // Its least energy.
  Int128 compare_lattice(const Context& context, const Best& best) {
    const FrameBound bound(context);
    const Deadline never(std::nullopt);
    Closings closings(context);
    const Lattice lattice(context, closings, static_cast<std::int64_t>(bound.energy()), {}, never);
    EXPECT_LE(bound.cycles(), best.cycles);
    EXPECT_LE(bound.instances(), best.instances);
    EXPECT_LE(lattice.least(), best.energy);
    return lattice.least();
  }

  const Terms& terms_;
  const Rules& rules_;
  Tally& tally_;
  std::map<Key, Best> best_;
  Cover cover_;
  CellFloors floors_;
  Chains chains_;
  bool wants_equal_ = false;
  std::size_t met_ = 0;
};

void compare(const SmallProblem& small, bool wants_equal, Tally& tally) {
  const Terms terms(small.problem);
  const Checked<Rules> rules = read_rules(small.problem, small.kind, small.constraints);
  ASSERT_TRUE(rules.ok());
  Comparison(best_by_frame(small, terms), terms, *rules.value, tally).run(wants_equal);
}

Tally compare_many(std::uint64_t seed, const SmallProblemOptions& options) {
  TestRng rng(seed);
  Tally tally;
  while (tally.problems < kProblems) {
    const auto small = testing::small_problem(rng, options);
    if (!small) continue;
    SCOPED_TRACE(fmt::format("problem {}, {}", tally.problems, to_string(small->kind)));
    compare(*small, options.simple && small->kind == SpaceKind::Perfect, tally);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << testing::describe({small->problem, small->space.at(BigUint(0))});
      return tally;
    }
    ++tally.problems;
  }
  return tally;
}

TEST(Lattice, IsTheLeastEnergyOfAFrameOfPerfectFactors) {
  const Tally tally =
      compare_many(5, {.kind = SpaceKind::Perfect, .simple = true, .largest_space = 3000});
  EXPECT_GT(tally.equal, tally.below);
}

TEST(Lattice, IsNeverAboveTheLeastEnergyOfAFrame) {
  const Tally tally = compare_many(6, {.kind = {}, .simple = false, .largest_space = 3000});
  EXPECT_GT(tally.frames, testing::enough(600));
  EXPECT_GT(tally.cells, testing::enough(1000));
  EXPECT_GT(tally.refined, testing::enough(100));
  EXPECT_GT(tally.nearer, testing::enough(10));
}

// --- storage points --------------------------------------------------------------------------

// The frame of a mapping of a problem with storage points: what they keep together.
Key whole_key(const Problem& apart, const Mapping& mapping) {
  Key key = key_of(apart, mapping);
  Placement kept;
  for (int m = 0; m < apart.memory_count(); ++m) {
    if (first_point(apart, m) == m) kept.push_back(0);
    kept.back() |= key.first[at(m)];
  }
  key.first = kept;
  return key;
}

bool has_unmarked_points(const Problem& apart) {
  for (int m = 0; m < apart.memory_count(); ++m) {
    const Memory& memory = apart.memory(MemoryId{m});
    if (!memory.point_of.empty() && !memory.uneven) return true;
  }
  return false;
}

// Marks every second memory.
Problem marked(const Problem& problem, std::uint64_t seed) {
  Architecture arch = problem.arch();
  for (Level& level : arch.levels) {
    auto* memory = std::get_if<Memory>(&level);
    if (memory != nullptr) memory->uneven = ++seed % 2 == 0;
  }
  return *Problem::create(problem.workload(), arch).value;
}

std::optional<std::map<Key, Best>> best_of_all_by_frame(const testing::SmallInstance& instance,
                                                        SpaceKind kind, Among among) {
  std::map<Key, Best> best;
  std::optional<Problem> own;
  std::optional<Terms> terms;
  std::vector<StoragePoints> last;  // that these are of
  const auto visit = [&](const Evaluator& apart, const Mapping& mapping) {
    const std::vector<StoragePoints> points = points_of(apart.problem());
    if (!terms || points != last) {
      own.emplace(apart.problem());
      terms.emplace(*own);
      last = points;
    }
    if (among == Among::Marked && has_unmarked_points(*own)) return;
    const Counter counter(*terms, mapping);
    if (!counter.overflows().empty()) return;
    const Cost cost = counter.cost();
    best[whole_key(*own, mapping)].take({cost.energy, cost.cycles, cost.instances});
  };
  if (!testing::go_through_uneven(instance, kind, 4'000, visit)) return std::nullopt;
  return best;
}

class FloorsOfUnevenMappings : public ::testing::TestWithParam<SpaceKind> {};

// With rules of all sorts, systolic arrays and shared halos.
TEST_P(FloorsOfUnevenMappings, AreNeverAboveAnyOfThem) {
  Tally tally;
  const int problems = testing::slow_build() ? 1 : testing::affordable(4);
  for (std::uint64_t seed = 300; tally.problems < problems && seed < 900; ++seed) {
    const Among among = seed % 4 == 0 ? Among::Marked : Among::All;
    testing::SmallInstance instance = testing::small_instance(
        seed, {.kind = GetParam(), .most_mappings = 4'096, .systolic = seed % 5 == 4, .halos = 30});
    if (among == Among::Marked) instance.problem = marked(instance.problem, seed / 4);
    auto best = best_of_all_by_frame(instance, GetParam(), among);
    if (!best || best->empty()) continue;
    const Terms terms(instance.problem);
    const Checked<Rules> rules = read_rules(instance.problem, GetParam(), instance.constraints,
                                            uneven_memories(instance.problem, among));
    ASSERT_TRUE(rules.ok());
    Comparison(std::move(*best), terms, *rules.value, tally).run(false);
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << text_of(instance);
    ++tally.problems;
  }
  EXPECT_EQ(tally.problems, problems);
  EXPECT_GT(tally.cells, 2 * problems);
}

INSTANTIATE_TEST_SUITE_P(Spaces, FloorsOfUnevenMappings, ::testing::ValuesIn(testing::kSpaceKinds),
                         testing::name_of_space);

}  // namespace
}  // namespace tilewright::certificate
