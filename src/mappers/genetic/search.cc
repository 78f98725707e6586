#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "map/mapper_parts.h"
#include "mappers/genetic/founders.h"
#include "mappers/genetic/operators.h"

namespace tilewright {
namespace genetic {
namespace {

using Stop = SearchResult::Stop;

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
      : evaluator_(task.evaluator),
        objective_(task.objective),
        limits_(limits),
        settings_(settings),
        genes_(genes),
        deadline_(deadline) {
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
    for (int g = 1; g <= settings_.generations && !stop_; ++g) breed(g);
    result_.stop = stop_.value_or(Stop::Generations);
    if (result_.best) result_.best = canonical(evaluator_.problem(), *result_.best);
    result_.seconds = deadline_.seconds();
    return std::move(result_);
  }

 private:
  // A stream for each individual, so that none depends on what another has drawn.
  Rng rng_of(int generation, std::size_t number) const {
    return Rng(settings_.seed,
               static_cast<std::uint64_t>(generation) * population_.size() + number);
  }

  void found(Founders& founders) {
    for (std::size_t i = 0; i < population_.size() && !stop_; ++i) {
      Rng rng = rng_of(0, i);
      founders.draw(rng, population_[i].mapping);
      evaluate(population_[i]);
    }
  }

  void breed(int generation) {
    choose_parents();
    const std::size_t kept = std::min(elite_, parents_);
    for (std::size_t i = 0; i < kept; ++i) next_[i] = population_[ranking_[i]];
    for (std::size_t i = kept; i < next_.size() && !stop_; ++i) {
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
    individual.score = evaluator_.score(individual.mapping);
    if (settings_.on_visit) settings_.on_visit(individual.mapping);
    ++result_.seen;
    if (individual.score.verdict.fits()) note(individual);
    look_around();
  }

  void note(const Individual& individual) {
    ++result_.valid;
    if (result_.best && !is_better(objective_, individual.score, result_.score)) return;
    result_.best = individual.mapping;
    result_.score = individual.score;
    result_.steps.push_back({result_.seen, result_.valid, individual.score});
    if (limits_.target && value_of(objective_, result_.score) <= *limits_.target) {
      stop_ = Stop::Target;
    }
  }

  // What ends the search from outside, and who wants to know how far it is.
  void look_around() {
    if (limits_.evaluations && result_.seen >= *limits_.evaluations && !stop_) {
      stop_ = Stop::Evaluations;
    }
    constexpr std::uint64_t kPause = 64;  // evaluations, some microseconds each
    if (stop_ || result_.seen % kPause != 1) return;
    if (deadline_.is_cancelled()) stop_ = Stop::Cancelled;
    if (!stop_ && deadline_.is_out_of_time()) stop_ = Stop::Time;
    if (limits_.on_progress) report();
  }

  void report() {
    constexpr double kPause = 0.1;
    const double now = deadline_.seconds();
    if (now - last_report_ < kPause) return;
    last_report_ = now;
    SearchProgress progress;
    progress.seen = result_.seen;
    progress.valid = result_.valid;
    progress.seconds = now;
    if (result_.best) progress.best = result_.score;
    progress.fraction = fraction();
    limits_.on_progress(progress);
  }

  double fraction() const {
    const auto seen = static_cast<double>(result_.seen);
    double done = seen / (static_cast<double>(population_.size()) * (1.0 + settings_.generations));
    if (limits_.evaluations) {
      done = std::max(done, seen / static_cast<double>(*limits_.evaluations));
    }
    if (limits_.seconds) done = std::max(done, deadline_.seconds() / *limits_.seconds);
    return std::min(1.0, done);
  }

  const Evaluator& evaluator_;
  const Objective objective_;
  const Limits& limits_;
  const GeneticSettings& settings_;
  const GeneSpace& genes_;
  const Deadline& deadline_;
  double last_report_ = 0;  // seconds since the start
  std::vector<Individual> population_, next_;
  std::vector<std::size_t> ranking_;  // positions in the population
  std::size_t most_parents_ = 1, elite_ = 1, parents_ = 0;
  std::optional<Stop> stop_;
  SearchResult result_;
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
