#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <thread>

#include "support/allocations.h"
#include "support/problems.h"
#include "support/random_problem.h"

namespace tilewright {
namespace {

using namespace tilewright::testing;

// A small array with every kind of limit; GEMM 8 x 4 x 6.
struct Fixture {
  Problem problem;
  Mapping mapping;
};

Fixture make_fixture(const std::function<void(Memory&)>& change_buffer = {}) {
  Memory buffer = make_memory("buf", 100);
  if (change_buffer) change_buffer(buffer);
  Problem problem = make_problem(make_gemm("g", 8, 4, 6),
                                 make_arch({make_memory("dram"), buffer, make_fanout("row", 4)}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "dram", {{"N", 2}, {"M", 2}});
  set_loops(problem, mapping, "buf", {{"K", 6}, {"N", 2}});
  set_loops(problem, mapping, "row.x", {{"M", 4}});
  return {std::move(problem), std::move(mapping)};
}

TEST(Evaluator, ScoresWithoutTouchingTheHeap) {
  TestRng rng(3);
  for (int i = 0; i < 200; ++i) {
    const RandomCase random = random_case(rng, {.halos = 0});
    const Evaluator evaluator = make_evaluator(random.problem);
    const long before = allocation_count();
    const Score score = evaluator.score(random.mapping);
    EXPECT_EQ(allocation_count(), before);
    EXPECT_GT(score.cycles, 0);
  }
}

TEST(Evaluator, ScoresManyMappingsAsItScoresEachOne) {
  const Fixture f = make_fixture();
  std::vector<Mapping> mappings(3, f.mapping);
  set_loops(f.problem, mappings[1], "buf", {{"N", 2}, {"K", 6}});
  set_loops(f.problem, mappings[2], "dram", {{"M", 2}, {"N", 2}});
  const Evaluator evaluator = make_evaluator(f.problem);
  std::vector<Score> scores(mappings.size());
  evaluator.score(mappings, scores);
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    EXPECT_EQ(scores[i], evaluator.score(mappings[i]));
  }
  EXPECT_NE(scores[0], scores[2]);
}

TEST(Evaluator, GivesTheSameScoreInEveryThread) {
  TestRng rng(4);
  const RandomCase random = random_case(rng, {});
  const Evaluator evaluator = make_evaluator(random.problem);
  const Score expected = evaluator.score(random.mapping);
  std::atomic<int> equal{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) equal += evaluator.score(random.mapping) == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, 4000);
}

TEST(Evaluator, NamesTheMemoryAndTheTensorThatOverflow) {
  const Fixture f = make_fixture([](Memory& m) { m.capacity = {Capacity::Unit::Words, 20}; });
  const Verdict verdict = make_evaluator(f.problem).score(f.mapping).verdict;
  // W 4x6, I 6x2, O 4x2: 44 words.
  EXPECT_EQ(verdict.kind, Verdict::Kind::CapacityExceeded);
  EXPECT_EQ(verdict.needed, 44);
  EXPECT_EQ(verdict.available, 20);
  EXPECT_EQ(to_string(verdict, f.problem),
            "buf: the tiles need 44 words, 24 words more than the 20 words there are; the largest "
            "is that of W");
}

TEST(Evaluator, HalvesTheCapacityOfADoubleBufferedMemory) {
  const auto fits = [](std::int64_t words) {
    const Fixture f = make_fixture([&](Memory& m) {
      m.capacity = {Capacity::Unit::Words, words};
      m.double_buffered = true;
    });
    return make_evaluator(f.problem).score(f.mapping).verdict.fits();
  };
  EXPECT_TRUE(fits(88));
  EXPECT_FALSE(fits(87));
}

TEST(Evaluator, ChecksAPartitionForItselfAndTheRestTogether) {
  const Fixture f = make_fixture([](Memory& m) {
    m.capacity = {Capacity::Unit::Words, 20};  // I and O take 20
    m.partitions = {{"weight", {Capacity::Unit::Words, 23}}};
  });
  const auto violations = make_evaluator(f.problem).violations(f.mapping);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].kind, Verdict::Kind::PartitionExceeded);
  EXPECT_EQ(violations[0].needed, 24);
  EXPECT_EQ(to_string(violations[0], f.problem),
            "buf: tensor W needs 24 words, 1 word more than its partition of 23 words");
}

TEST(Evaluator, MeasuresElementsInBitsWhereTheCapacityIs) {
  Workload workload = make_gemm("g", 8, 4, 6);
  workload.tensors[2].bits = 32;
  Memory buffer = make_memory("buf");
  buffer.capacity = {Capacity::Unit::Bits, (24 + 12) * 8 + 8 * 32};
  Problem problem =
      make_problem(workload, make_arch({make_memory("dram"), buffer, make_fanout("row", 4)}));
  Mapping mapping = make_fixture().mapping;
  EXPECT_TRUE(make_evaluator(problem).score(mapping).verdict.fits());
}

TEST(Evaluator, RoundsElementsUpToTheWordsOfTheMemory) {
  const auto fits = [](std::int64_t word_bits) {
    const Fixture f = make_fixture([&](Memory& m) {
      m.capacity = {Capacity::Unit::Bits, 44 * 12};  // 44 elements of 8 bits
      m.word_bits = word_bits;
    });
    return make_evaluator(f.problem).score(f.mapping).verdict.fits();
  };
  EXPECT_TRUE(fits(1));
  EXPECT_TRUE(fits(4));
  EXPECT_TRUE(fits(12));
  EXPECT_FALSE(fits(16));
}

TEST(Evaluator, ReportsAFanoutThatIsTooSmall) {
  Fixture f = make_fixture();
  set_loops(f.problem, f.mapping, "row.x", {{"M", 8}});
  set_loops(f.problem, f.mapping, "dram", {{"N", 2}, {"M", 1}});
  const Verdict verdict = make_evaluator(f.problem).score(f.mapping).verdict;
  EXPECT_EQ(verdict.kind, Verdict::Kind::FanoutExceeded);
  EXPECT_EQ(to_string(verdict, f.problem),
            "row.x: the mapping uses 8 instances, 4 more than the 4 there are");
}

TEST(Evaluator, NamesThePortThatLimits) {
  const Fixture f = make_fixture([](Memory& m) { m.write_bandwidth = Rational{1, 3}; });
  const Evaluation evaluation = make_evaluator(f.problem).evaluate(f.mapping);
  EXPECT_EQ(evaluation.bottleneck.port, Bottleneck::Port::Write);
  const MemoryReport& buffer = evaluation.memories[1];
  std::int64_t writes = 0;
  for (const Holding& held : buffer.tensors) writes += held.busiest.fills + held.busiest.updates;
  EXPECT_EQ(evaluation.score.cycles, writes * 3);
  EXPECT_EQ(evaluation.compute_cycles, 48);
}

TEST(Evaluator, RoundsAccessesUpToBlocksInEachInstance) {
  const auto read_energy = [](std::int64_t block) {
    const Fixture f = make_fixture([&](Memory& m) { m.block_words = block; });
    return make_evaluator(f.problem).evaluate(f.mapping).memories[1].tensors[0].read_pj;
  };
  EXPECT_EQ(read_energy(1), 192);
  EXPECT_EQ(read_energy(5), 39);  // 192 / 5 rounded up
}

TEST(Evaluator, ChargesLeakageForTheInstancesInUseOrForAll) {
  for (const LeakingInstances which : {LeakingInstances::Used, LeakingInstances::All}) {
    Memory registers = make_memory("reg");
    registers.leakage_pj_per_cycle = 0.5;
    Architecture arch = make_arch({make_memory("dram"), make_fanout("row", 8), registers});
    arch.leaking = which;
    const Problem problem = make_problem(make_gemm("g", 4, 1, 6), arch);
    Mapping mapping(problem);
    set_loops(problem, mapping, "row.x", {{"M", 4}});
    set_loops(problem, mapping, "reg", {{"K", 6}});
    const Evaluation evaluation = make_evaluator(problem).evaluate(mapping);
    const double instances = which == LeakingInstances::Used ? 4 : 8;
    EXPECT_EQ(evaluation.memories[1].leakage_pj, 0.5 * 6 * instances);
  }
}

TEST(Evaluator, ChargesTheNetworkForEveryWordThatArrives) {
  Fanout row = make_fanout("row", 4);
  row.word_pj = 0.25;
  const Problem problem =
      make_problem(make_gemm("g", 4, 1, 6), make_arch({make_memory("buf"), row}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "buf", {{"K", 6}});
  set_loops(problem, mapping, "row.x", {{"M", 4}});
  const Evaluation evaluation = make_evaluator(problem).evaluate(mapping);
  // 24 words each of W, I and O cross to or from the four multipliers.
  EXPECT_EQ(evaluation.fanouts[0].network_pj, 72 * 0.25);
}

TEST(Evaluator, ReadsNothingBackWhereTheMemoryAccumulates) {
  const auto run = [](bool in_place) {
    Memory dram = make_memory("dram");
    dram.accumulates_in_place = in_place;
    const Problem problem =
        make_problem(make_gemm("g", 2, 1, 6), make_arch({dram, make_memory("buf")}));
    Mapping mapping(problem);
    set_loops(problem, mapping, "dram", {{"K", 3}, {"M", 2}});
    set_loops(problem, mapping, "buf", {{"K", 2}});
    return make_evaluator(problem).evaluate(mapping);
  };
  EXPECT_EQ(run(false).memories[0].tensors[2].total.reads, 4);
  EXPECT_EQ(run(false).memories[1].tensors[2].total.fills, 4);
  EXPECT_EQ(run(true).memories[0].tensors[2].total.reads, 0);
  EXPECT_EQ(run(true).memories[1].tensors[2].total.fills, 0);
  EXPECT_EQ(run(true).memories[0].tensors[2].reductions, 4);
}

TEST(Evaluator, CountsUtilisationAgainstAllMultipliers) {
  Architecture arch = make_arch({make_memory("buf"), make_fanout("row", 6)});
  std::get<Compute>(arch.levels.back()).macs = 2;
  const Problem problem = make_problem(make_gemm("g", 5, 1, 8), arch);
  Mapping mapping(problem);
  set_loops(problem, mapping, "buf", {{"K", 8}});
  set_loops(problem, mapping, "row.x", {{"M", 5}});
  const Evaluation evaluation = make_evaluator(problem).evaluate(mapping);
  EXPECT_EQ(evaluation.score.cycles, 4);  // two MACs at once
  EXPECT_DOUBLE_EQ(evaluation.utilisation, 40.0 / (6 * 2 * 4));
}

TEST(Evaluator, CountsCyclesBeyond64Bits) {
  Architecture arch = make_arch({make_memory("buf")});
  std::get<Compute>(arch.levels.back()).cycles = std::int64_t{1} << 59;
  const Problem problem = make_problem(make_gemm("g", 64, 1, 64), arch);
  Mapping mapping(problem);
  set_loops(problem, mapping, "buf", {{"M", 64}, {"K", 64}});
  EXPECT_EQ(make_evaluator(problem).score(mapping).cycles, Int128{1} << 71U);
}

TEST(Evaluator, RefusesIndicesBeyondItsClosedForms) {
  Workload workload;
  workload.name = "odd";
  workload.dims = {{"i", 3}, {"j", 3}};
  const Rank sum = {{DimId{0}, 1}, {DimId{1}, 1}};
  workload.tensors = {{"A", Role::Input, {sum, sum}, 8}, {"O", Role::Output, {{{DimId{0}, 1}}}, 8}};
  const Problem problem = make_problem(workload, make_arch({make_memory("buf")}));
  const Checked<Evaluator> evaluator = Evaluator::compile(problem);
  ASSERT_FALSE(evaluator.ok());
  EXPECT_NE(evaluator.problems[0].message.find("tensor A"), std::string::npos);
}

TEST(Evaluator, ScalesWithTheEnergies) {
  TestRng rng(9);
  for (int i = 0; i < 50; ++i) {
    const RandomCase random = random_case(rng, {});
    Architecture doubled = random.problem.arch();
    for (Level& level : doubled.levels) {
      if (auto* memory = std::get_if<Memory>(&level)) {
        memory->read_pj *= 2;
        memory->write_pj *= 2;
        memory->update_pj *= 2;
        memory->leakage_pj_per_cycle *= 2;
      }
      if (auto* fanout = std::get_if<Fanout>(&level)) fanout->word_pj *= 2;
      if (auto* compute = std::get_if<Compute>(&level)) compute->mac_pj *= 2;
    }
    const Problem other = make_problem(random.problem.workload(), doubled);
    EXPECT_EQ(make_evaluator(other).score(random.mapping).energy_pj,
              2 * make_evaluator(random.problem).score(random.mapping).energy_pj);
  }
}

}  // namespace
}  // namespace tilewright
