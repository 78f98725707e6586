// What a callback throws reaches the caller, whoever is at work meanwhile. The searches
// here would go on for a long time, so none ends before it has reported something.
#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <limits>
#include <thread>

#include "mappers/sampling/sampling.h"
#include "support/asked.h"
#include "support/problems.h"
#include "threaded/some_work.h"
#include "tilewright/map.h"
#include "tilewright/study.h"

namespace tilewright {
namespace {

using testing::kNumbersOfThreads;

class Enough : public std::exception {};

// Throws in the call with this number; complains of calls by other threads, and of
// those that come after.
class Throwing {
 public:
  explicit Throwing(int at) : at_(at) {}
  template <typename... Arguments>
  void operator()(const Arguments&... /*arguments*/) {
    EXPECT_EQ(std::this_thread::get_id(), caller_);
    EXPECT_LT(calls_, at_) << "called after it has thrown";
    if (++calls_ == at_) throw Enough();
  }

 private:
  std::thread::id caller_ = std::this_thread::get_id();
  int at_;
  int calls_ = 0;
};

// --- mappers ----------------------------------------------------------------------

const std::vector<const Mapper*> kMappers = {find_mapper("optimal"), find_mapper("quickflow"),
                                             find_mapper("genetic"), find_mapper("random"),
                                             find_mapper("exhaustive")};

MapOptions without_limits(const Mapper* mapper, int threads) {
  MapOptions options;
  options.mapper = mapper;
  if (mapper == find_mapper("quickflow")) options.space = SpaceKind::Ruby;
  options.mapper_options.set("generations", std::int64_t{1'000'000'000});
  options.mapper_options.set("patience", std::int64_t{0});
  if (mapper == find_mapper("exhaustive")) {
    options.limits.seconds = std::numeric_limits<double>::infinity();
  }
  options.limits.threads = threads;
  return options;
}

// On which the mapper takes long.
Architecture arch_for(const Mapper* mapper) {
  return mapper == find_mapper("quickflow") ? testing::deep_arch() : testing::eyeriss();
}

TEST(ThrowingCallback, EndsEveryMapper) {
  for (const Mapper* mapper : kMappers) {
    for (const int threads : kNumbersOfThreads) {
      for (const int at : {1, 2}) {
        MapOptions options = without_limits(mapper, threads);
        options.limits.on_progress = Throwing(at);
        EXPECT_THROW(map_workload(testing::long_convolution(), arch_for(mapper), options), Enough)
            << std::string(mapper->name) << " with " << threads << " threads";
      }
    }
  }
}

// With these options the mappers have no end on a short layer either; it takes less time
// to sort its settings.
TEST(ThrowingCallback, EndsAMapperThatGoesThroughSettings) {
  const Workload workload = make_conv2d(
      "conv", {.in_channels = 24, .out_channels = 24, .p = 12, .q = 12, .r = 3, .s = 3});
  for (const Mapper* mapper : {find_mapper("genetic"), find_mapper("random")}) {
    for (const int threads : kNumbersOfThreads) {
      MapOptions options = without_limits(mapper, threads);
      options.limits.on_progress = Throwing(1);
      EXPECT_THROW(map_workload(workload, testing::large_flexible_arch(), options), Enough)
          << std::string(mapper->name) << " with " << threads << " threads";
    }
  }
}

TEST(ThrowingCallback, EndsTheSearchForAFront) {
  const Problem problem = testing::make_problem(testing::long_convolution(), testing::eyeriss());
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  for (const int threads : kNumbersOfThreads) {
    Asked options;
    options.threads = threads;
    options.on_progress = Throwing(1);
    EXPECT_THROW(find_front(evaluator, SpaceKind::Perfect, restrictions, options), Enough);
  }
}

TEST(ThrowingCallback, EndsANetwork) {
  Network network;
  network.layers = {{"layer", testing::long_convolution(), 1, {}, {}}};
  for (const Mapper* mapper : kMappers) {
    for (const int threads : kNumbersOfThreads) {
      // The first call comes before the layer is begun.
      for (const int at : {1, 2}) {
        const MapOptions options = without_limits(mapper, threads);
        EXPECT_THROW(map_network(network, arch_for(mapper), options, Throwing(at)), Enough)
            << std::string(mapper->name) << " with " << threads << " threads";
      }
    }
  }
}

// --- callbacks for every mapping --------------------------------------------------------

TEST(ThrowingCallback, EndsASearchThatTellsOfEveryMapping) {
  const Problem problem = testing::make_problem(testing::long_convolution(), testing::deep_arch());
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  for (const int at : {1, 10, 100}) {
    QuickflowSettings quickflow;
    quickflow.on_visit = Throwing(at);
    EXPECT_THROW(search_locally(evaluator, SpaceKind::Ruby, restrictions, {}, quickflow), Enough);
    GeneticSettings genetic;
    genetic.on_visit = Throwing(at);
    EXPECT_THROW(search_genetically(evaluator, SpaceKind::Ruby, restrictions, {}, genetic), Enough);
  }
}

// With several threads they are called from all of them; one throws. Others may be at
// work then.
TEST(ThrowingCallback, MayThrowOnAnyThread) {
  const Problem problem = testing::make_problem(testing::long_convolution(), testing::deep_arch());
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  for (const int at : {1, 100, 1000, 5000}) {
    std::atomic<int> calls{0};
    QuickflowSettings settings;
    settings.on_visit = [&](const Mapping& /*mapping*/) {
      if (++calls == at) throw Enough();
    };
    Asked options;
    options.threads = 4;
    EXPECT_THROW(search_locally(evaluator, SpaceKind::Ruby, restrictions, options, settings),
                 Enough)
        << at;
  }
}

// A strategy whose third unit cannot be explored.
class BrokenStrategy : public Strategy {
 public:
  std::unique_ptr<Explorer> explorer() const override { return std::make_unique<Broken>(); }
  std::uint64_t unit_size() const override { return 2; }
  std::optional<std::uint64_t> total() const override { return std::nullopt; }

 private:
  class Broken : public Explorer {
   public:
    void explore(std::uint64_t unit, std::uint64_t /*most*/, Recorder& /*recorder*/) override {
      if (unit >= 2) throw Enough();
    }
  };
};

TEST(ThrowingCallback, MayBeAStrategyOfOnesOwn) {
  const Problem problem = testing::make_problem(testing::short_work(), testing::small_arch());
  const Evaluator evaluator = testing::make_evaluator(problem);
  for (const int threads : kNumbersOfThreads) {
    SamplingOptions options;
    options.threads = threads;
    EXPECT_THROW(search(evaluator, BrokenStrategy(), options), Enough);
  }
}

// --- studies ----------------------------------------------------------------------------

StudyOptions study_with(int threads) {
  StudyOptions options = usual_study();
  options.threads = threads;
  return options;
}

TEST(ThrowingCallback, EndsAComparison) {
  for (const int threads : kNumbersOfThreads) {
    for (const int at : {1, 4}) {
      StudyOptions options = study_with(threads);
      options.on_progress = Throwing(at);
      EXPECT_THROW(compare(testing::some_variants(), {testing::small_network()},
                           testing::flexible_arch(), options),
                   Enough);
    }
  }
}

// The first layers are done at once, the last one has no end; it is cut short.
TEST(ThrowingCallback, EndsAComparisonWhoseLastLayerTakesForever) {
  Network network = testing::small_network();
  network.layers.push_back({"long", testing::long_convolution(), 1, {}, {}});
  const Architecture arch = testing::large_flexible_arch();
  for (const int threads : kNumbersOfThreads) {
    StudyOptions options = study_with(threads);
    options.map = without_limits(find_mapper("random"), 1);
    options.map.objective = Objective::Latency;
    options.map.limits.target = 1e6;  // its multiplications alone take longer
    options.on_progress = Throwing(2);
    EXPECT_THROW(compare({{"any", *arch.flexibility}}, {network}, arch, options), Enough);
  }
}

// Callbacks of the mappings of a study do not count: they would be called by any thread.
TEST(Study, DoesNotCallBackForSingleMappings) {
  StudyOptions options = study_with(1);
  options.map.mapper = find_mapper("random");
  options.map.limits.evaluations = 60'000;  // long enough for a report
  options.map.limits.on_progress = [](const SearchProgress&) { ADD_FAILURE() << "called"; };
  Network network;
  network.layers = {{"layer", testing::short_convolution(), 1, {}, {}}};
  design_fixed(network, testing::flexible_arch(), options, {std::nullopt, 30, 0});
  compare({testing::some_variants().back()}, {network}, testing::flexible_arch(), options);
}

}  // namespace
}  // namespace tilewright
