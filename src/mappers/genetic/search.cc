#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "map/mapper_parts.h"
#include "map/search_log.h"
#include "mappers/genetic/founders.h"
#include "mappers/genetic/operators.h"

namespace tilewright {
namespace genetic {
namespace {

struct Individual {
  Mapping mapping;
  Score score;
};

// What fits is fitter than what does not. Of two that do not, the one that breaks
// further out: all memories inside have room. Then the one that lacks less; so even a
// population that cannot live finds its way to where it can.
bool is_fitter(Objective objective, const Score& a, const Score& b) {
  if (a.verdict.fits() != b.verdict.fits()) return a.verdict.fits();
  if (a.verdict.fits()) return is_better(objective, a, b);
  if (a.verdict.level != b.verdict.level) return a.verdict.level < b.verdict.level;
  return static_cast<Int128>(a.verdict.needed) * b.verdict.available <
         static_cast<Int128>(b.verdict.needed) * a.verdict.available;
}

class Evolution {
 public:
  Evolution(const MappingTask& task, const GeneSpace& genes, const Limits& limits,
            const GeneticSettings& settings, const Deadline& deadline)
      : objective_(task.objective),
        settings_(settings),
        genes_(genes),
        log_(task, limits, deadline, settings.population * (1.0 + settings.generations)) {
    const auto size = static_cast<std::size_t>(std::max(settings.population, 2));
    population_.assign(size, {Mapping(task.evaluator.problem()), {}});
    next_ = population_;
    ranking_.resize(size);
    const auto share = [&](double part) {
      const double count = std::clamp(part, 0.0, 1.0) * static_cast<double>(size);
      return std::max<std::size_t>(1, static_cast<std::size_t>(count));
    };
    most_parents_ = share(settings.parents);
    elite_ = std::min(share(settings.elite), most_parents_);
  }

  SearchResult run(Founders& founders) {
    found(founders);
    for (int g = 1; g <= settings_.generations && !log_.is_over(); ++g) breed(g);
    return log_.conclude(SearchResult::Stop::Generations);
  }

 private:
  // A stream for each individual, so that none depends on what another has drawn.
  Rng rng_of(int generation, std::size_t number) const {
    return Rng(settings_.seed,
               static_cast<std::uint64_t>(generation) * population_.size() + number);
  }

  void found(Founders& founders) {
    for (std::size_t i = 0; i < population_.size() && !log_.is_over(); ++i) {
      Rng rng = rng_of(0, i);
      founders.draw(rng, population_[i].mapping);
      evaluate(population_[i]);
    }
  }

  void breed(int generation) {
    choose_parents();
    const std::size_t kept = std::min(elite_, parents_);
    for (std::size_t i = 0; i < kept; ++i) next_[i] = population_[ranking_[i]];
    for (std::size_t i = kept; i < next_.size() && !log_.is_over(); ++i) {
      Rng rng = rng_of(generation, i);
      const Mapping& parent = population_[ranking_[rng.below(parents_)]].mapping;
      const Mapping& other = population_[ranking_[rng.below(parents_)]].mapping;
      genetic::breed(genes_, settings_.rates, parent, other, rng, next_[i].mapping);
      evaluate(next_[i]);
    }
    std::swap(population_, next_);
  }

  // The fittest come first in the ranking, one of those that cost the same: they do
  // the same, but for loops in an order that does not matter.
  void choose_parents() {
    std::iota(ranking_.begin(), ranking_.end(), std::size_t{0});
    const auto score = [&](std::size_t i) -> const Score& { return population_[i].score; };
    std::sort(ranking_.begin(), ranking_.end(), [&](std::size_t a, std::size_t b) {
      if (is_fitter(objective_, score(a), score(b))) return true;
      return a < b && !is_fitter(objective_, score(b), score(a));
    });
    const auto end =
        std::unique(ranking_.begin(), ranking_.end(),
                    [&](std::size_t a, std::size_t b) { return score(a) == score(b); });
    parents_ = std::min(most_parents_, static_cast<std::size_t>(end - ranking_.begin()));
  }

  void evaluate(Individual& individual) {
    individual.score = log_.note(individual.mapping);
    if (settings_.on_visit) settings_.on_visit(individual.mapping);
  }

  const Objective objective_;
  const GeneticSettings& settings_;
  const GeneSpace& genes_;
  SearchLog log_;
  std::vector<Individual> population_, next_;
  std::vector<std::size_t> ranking_;  // positions in the population
  std::size_t most_parents_ = 1, elite_ = 1, parents_ = 0;
};

}  // namespace
}  // namespace genetic

SearchResult search_genetically(const MappingTask& task, const Limits& limits,
                                const GeneticSettings& settings) {
  const Deadline deadline(limits.seconds, limits.cancelled);
  const Problem& problem = task.evaluator.problem();
  // What cannot fit for one dimension's sake alone need not be tried.
  Restrictions fitting = task.restrictions;
  fitting.exclude_misfits(problem);
  const genetic::GeneSpace genes(problem, task.space, fitting);
  genetic::Founders founders(genes, task.evaluator, task.space, fitting);
  if (!founders.exist()) return {};
  return genetic::Evolution(task, genes, limits, settings, deadline).run(founders);
}

namespace {

constexpr MapperOption kPopulation{.name = "population",
                                   .help = "mappings in a generation of the genetic search",
                                   .fallback = "100",
                                   .least = 2,
                                   .most = 1'000'000};
constexpr MapperOption kGenerations{.name = "generations",
                                    .help = "that the genetic search breeds",
                                    .fallback = "100",
                                    .most = 1'000'000'000};

MapperResult run_genetic(const MappingTask& task, const Limits& limits,
                         const OptionValues& options) {
  GeneticSettings settings;
  settings.population = static_cast<int>(options.count(kPopulation));
  settings.generations = static_cast<int>(options.count(kGenerations));
  settings.seed = static_cast<std::uint64_t>(options.count(kSeed));
  return result_of(search_genetically(task, limits, settings));
}

}  // namespace

const Mapper& genetic_mapper() {
  static const Mapper row{.name = "genetic",
                          .summary = "bred as GAMMA does (docs/genetic.md)",
                          .options = {kSeed, kPopulation, kGenerations, kEvaluations, kTarget},
                          .run = run_genetic};
  return row;
}

}  // namespace tilewright
