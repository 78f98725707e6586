// Every mapper, in the order of the help.
#include "mappers/genetic/genetic.h"
#include "mappers/optimal/optimal.h"
#include "mappers/published/published.h"
#include "mappers/quickflow/quickflow.h"
#include "mappers/sampling/sampling.h"

namespace tilewright {

const std::vector<const Mapper*>& mappers() {
  static const std::vector<const Mapper*> table = {
      &optimal_mapper(),         &quickflow_mapper(),       &genetic_mapper(),
      &random_mapper(),          &exhaustive_mapper(),      &loma_mapper(),
      &salsa_mapper(),           &factorflow_mapper(),      &timeloop_hybrid_mapper(),
      &timeloop_random_mapper(), &timeloop_linear_mapper(),
  };
  return table;
}

}  // namespace tilewright
