#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "map/mapper_parts.h"
#include "map/search_log.h"
#include "mappers/genetic/genetic.h"
#include "mappers/genetic/habitats.h"
#include "mappers/genetic/operators.h"
#include "model/merit.h"

namespace tilewright {
namespace genetic {
namespace {

struct Individual {
  Mapping mapping;
  Score score;
  std::size_t habitat = 0;
};

// What fits is fitter than what does not. Of two that do not, the one that breaks
// further out: all memories inside have room. Then the one that lacks less; so even a
// population that cannot live finds its way to where it can.
struct Fitness {
  Fitness(Objective objective, const Score& score) : verdict(score.verdict) {
    if (verdict.fits()) merit = merit_of(objective, score);
  }

  bool is_above(const Fitness& other) const {
    if (verdict.fits() != other.verdict.fits()) return verdict.fits();
    if (verdict.fits()) return merit < other.merit;
    if (verdict.level != other.verdict.level) return verdict.level < other.verdict.level;
    return static_cast<Int128>(verdict.needed) * other.verdict.available <
           static_cast<Int128>(other.verdict.needed) * verdict.available;
  }

  Merit merit;
  Verdict verdict;
};

class Evolution {
 public:
  // The task is that of any habitat.
  Evolution(const MappingTask& task, Habitats& habitats, const Limits& limits,
            const GeneticSettings& settings, const Deadline& deadline)
      : objective_(task.objective),
        settings_(settings),
        rates_(settings.rates),
        habitats_(habitats),
        log_(task, limits, deadline, settings.population * (1.0 + settings.generations)),
        moved_(task.evaluator.problem()),
        moved_too_(moved_) {
    // A brood has the best orders of a child whatever its own are.
    if (settings.brood != GeneticSettings::Brood::None) rates_.reorder = 0;
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

  SearchResult run() {
    found();
    for (int g = 1; g <= settings_.generations && !log_.is_over(); ++g) breed(g);
    return log_.conclude(SearchResult::Stop::Generations);
  }

  std::size_t habitat_of_best() const { return habitat_of_best_; }

 private:
  // A stream for each individual, so that none depends on what another has drawn.
  Rng rng_of(int generation, std::size_t number) const {
    return Rng(settings_.seed,
               static_cast<std::uint64_t>(generation) * population_.size() + number);
  }

  void found() {
    for (std::size_t i = 0; i < population_.size() && !log_.is_over(); ++i) {
      Rng rng = rng_of(0, i);
      settle(rng, population_[i]);
      evaluate(population_[i]);
    }
  }

  // A founder in any habitat that there can be one in.
  void settle(Rng& rng, Individual& founder) {
    founder.habitat = habitats_.draw(rng);
    while (habitats_.find(founder.habitat) == nullptr) {
      founder.habitat = (founder.habitat + 1) % habitats_.count();
    }
    habitats_.find(founder.habitat)->founders.draw(rng, founder.mapping);
  }

  // Where a child of these lives, most often where its parent does.
  std::size_t habitat_for(const Individual& parent, const Individual& other, Rng& rng) {
    if (habitats_.count() == 1) return 0;
    std::size_t habitat = happens(rates_.crossover, rng) ? other.habitat : parent.habitat;
    if (happens(rates_.setting, rng)) habitat = habitats_.draw_neighbour(habitat, rng);
    return habitats_.find(habitat) == nullptr ? parent.habitat : habitat;
  }

  void make_child(const Individual& parent, const Individual& other, Rng& rng, Individual& child) {
    child.habitat = habitat_for(parent, other, rng);
    Habitat& habitat = *habitats_.find(child.habitat);
    const Mapping* first = &parent.mapping;
    const Mapping* second = &other.mapping;
    if (parent.habitat != child.habitat) {
      moved_ = parent.mapping;
      if (!move_in(habitat.genes, rng, moved_)) habitat.founders.draw(rng, moved_);
      first = &moved_;
    }
    if (other.habitat != child.habitat) {
      moved_too_ = other.mapping;
      second = move_in(habitat.genes, rng, moved_too_) ? &moved_too_ : first;
    }
    genetic::breed(habitat.genes, rates_, *first, *second, rng, child.mapping);
  }

  void breed(int generation) {
    choose_parents();
    const std::size_t kept = std::min(elite_, parents_);
    for (std::size_t i = 0; i < kept; ++i) next_[i] = population_[ranking_[i]];
    for (std::size_t i = kept; i < next_.size() && !log_.is_over(); ++i) {
      Rng rng = rng_of(generation, i);
      const Individual& parent = population_[ranking_[rng.below(parents_)]];
      const Individual& other = population_[ranking_[rng.below(parents_)]];
      make_child(parent, other, rng, next_[i]);
      evaluate(next_[i]);
    }
    std::swap(population_, next_);
  }

  // The fittest come first in the ranking, one of those that cost the same: they do
  // the same, but for loops in an order that does not matter.
  void choose_parents() {
    const auto score = [&](std::size_t i) -> const Score& { return population_[i].score; };
    std::iota(ranking_.begin(), ranking_.end(), std::size_t{0});
    fitness_.clear();
    for (const std::size_t i : ranking_) fitness_.emplace_back(objective_, score(i));
    std::sort(ranking_.begin(), ranking_.end(), [&](std::size_t a, std::size_t b) {
      if (fitness_[a].is_above(fitness_[b])) return true;
      return a < b && !fitness_[b].is_above(fitness_[a]);
    });
    const auto end =
        std::unique(ranking_.begin(), ranking_.end(),
                    [&](std::size_t a, std::size_t b) { return score(a) == score(b); });
    parents_ = std::min(most_parents_, static_cast<std::size_t>(end - ranking_.begin()));
  }

  void evaluate(Individual& individual) {
    Habitat& habitat = *habitats_.find(individual.habitat);
    if (settings_.brood != GeneticSettings::Brood::None) {
      raise(habitat, individual);
    } else {
      individual.score = log_.note(individual.mapping, habitat.scorer);
      if (settings_.on_visit) settings_.on_visit(individual.mapping);
    }
    if (log_.is_improved()) habitat_of_best_ = individual.habitat;
  }

  void raise(Habitat& habitat, Individual& individual) {
    if (!habitat.brood) {
      habitat.brood.emplace(habitat.genes, habitat.evaluator, objective_, settings_);
    }
    const Brood::Outcome outcome =
        habitat.brood->raise(individual.mapping, log_.evaluations_left());
    individual.score = outcome.score;
    log_.note(individual.mapping, outcome.score, outcome.count, outcome.place);
  }

  const Objective objective_;
  const GeneticSettings& settings_;
  GeneticSettings::Rates rates_;
  Habitats& habitats_;
  SearchLog log_;
  std::vector<Individual> population_, next_;
  std::vector<std::size_t> ranking_;  // positions in the population
  std::vector<Fitness> fitness_;      // by position
  Mapping moved_, moved_too_;         // parents, as they would live elsewhere
  std::size_t habitat_of_best_ = 0;
  std::size_t most_parents_ = 1, elite_ = 1, parents_ = 0;
};

}  // namespace
}  // namespace genetic

SearchResult search_genetically(const MappingTask& task, const Limits& limits,
                                const GeneticSettings& settings) {
  const Deadline deadline(limits.seconds, limits.cancelled);
  genetic::Habitats habitats(task);
  if (habitats.find(0) == nullptr) return {};
  return genetic::Evolution(task, habitats, limits, settings, deadline).run();
}

SettingsResult search_settings_genetically(SettingTasks& tasks, const Limits& limits,
                                           const GeneticSettings& settings) {
  const Deadline deadline(limits.seconds, limits.cancelled);
  genetic::Habitats habitats(tasks);
  std::size_t first = 0;
  while (first < habitats.count() && habitats.find(first) == nullptr) ++first;
  if (first == habitats.count()) return {};
  genetic::Evolution evolution(tasks.task(first), habitats, limits, settings, deadline);
  SettingsResult found;
  found.search = evolution.run();
  found.setting = evolution.habitat_of_best();
  found.searched = habitats.visited();
  return found;
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

// As GeneticSettings::Brood has them.
constexpr std::array<std::string_view, 3> kBroods = {"none", "orders", "factors"};
constexpr MapperOption kBrood{
    .name = "brood",
    .kind = MapperOption::Kind::Choice,
    .help =
        "neighbours that are scored with each child of the genetic search: none, those in other "
        "orders of its loops, or also those with a factor moved to another memory",
    .fallback = "none",
    .choices = kBroods};

GeneticSettings settings_from(const OptionValues& options) {
  GeneticSettings settings;
  settings.population = static_cast<int>(options.count(kPopulation));
  settings.generations = static_cast<int>(options.count(kGenerations));
  settings.seed = static_cast<std::uint64_t>(options.count(kSeed));
  const auto* const brood = std::find(kBroods.begin(), kBroods.end(), options.choice(kBrood));
  settings.brood = static_cast<GeneticSettings::Brood>(brood - kBroods.begin());
  return settings;
}

MapperResult run_genetic(const MappingTask& task, const Limits& limits,
                         const OptionValues& options) {
  return result_of(search_genetically(task, limits, settings_from(options)));
}

SettingsResult run_genetic_settings(SettingTasks& tasks, const Limits& limits,
                                    const OptionValues& options) {
  return search_settings_genetically(tasks, limits, settings_from(options));
}

}  // namespace

const Mapper& genetic_mapper() {
  static const Mapper row{
      .name = "genetic",
      .summary = "bred as GAMMA does (docs/genetic.md)",
      .options = {kSeed, kPopulation, kGenerations, kBrood, kEvaluations, kTarget},
      .run = run_genetic,
      .run_settings = run_genetic_settings};
  return row;
}

}  // namespace tilewright
