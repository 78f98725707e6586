#include <bit>

#include "tilewright/search.h"

namespace tilewright {

std::string to_string(Objective objective) {
  switch (objective) {
    case Objective::Energy:
      return "energy";
    case Objective::Latency:
      return "latency";
    case Objective::Edp:
      break;
  }
  return "edp";
}

double value_of(Objective objective, const Score& score) {
  switch (objective) {
    case Objective::Energy:
      return score.energy_pj;
    case Objective::Latency:
      return static_cast<double>(score.cycles);
    case Objective::Edp:
      break;
  }
  return score.edp();
}

namespace {

// To the nearest of the numbers without the last 12 of 52 binary digits, so that what
// differs by rounding alone is equal; unlike a tolerance this stays an order. Of numbers
// that are not negative.
double rounded(double value) {
  constexpr std::uint64_t kUnit = std::uint64_t{1} << 12U;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + kUnit / 2) & ~(kUnit - 1));
}

}  // namespace

bool is_better(Objective objective, const Score& a, const Score& b) {
  const double first_of_a = rounded(value_of(objective, a));
  const double first_of_b = rounded(value_of(objective, b));
  if (objective != Objective::Latency && first_of_a != first_of_b) return first_of_a < first_of_b;
  if (a.cycles != b.cycles) return a.cycles < b.cycles;
  const double energy_of_a = rounded(a.energy_pj);
  const double energy_of_b = rounded(b.energy_pj);
  if (energy_of_a != energy_of_b) return energy_of_a < energy_of_b;
  return a.instances < b.instances;
}

std::string to_string(SearchResult::Stop stop) {
  switch (stop) {
    case SearchResult::Stop::LocalOptimum:
      return "no neighbour is better";
    case SearchResult::Stop::Generations:
      return "all generations were bred";
    case SearchResult::Stop::Patience:
      return "no improvement for as long as was asked";
    case SearchResult::Stop::Evaluations:
      return "the limit of evaluations was reached";
    case SearchResult::Stop::Time:
      return "the time was up";
    case SearchResult::Stop::Target:
      return "the target was reached";
    case SearchResult::Stop::Cancelled:
      return "it was interrupted";
    case SearchResult::Stop::Hopeless:
      return "nothing valid came up";
    case SearchResult::Stop::Complete:
      break;
  }
  return "the whole space was seen";
}

}  // namespace tilewright
