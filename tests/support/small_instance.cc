#include "support/small_instance.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "support/problems.h"
#include "support/random_shape.h"
#include "support/small_arch.h"
#include "support/systolic.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

Restrictions make_restrictions(const Problem& problem, const std::vector<Constraint>& more) {
  Checked<Restrictions> restrictions = Restrictions::create(problem, more);
  if (!restrictions.ok()) throw std::logic_error(to_string(restrictions.problems.front()));
  return std::move(*restrictions.value);
}

// Whether an instance allows the mapping it grows around.
struct Leniency {
  bool rules = true, capacities = true;
};

// Nothing if there are too many mappings to narrow them down by constraints.
std::optional<Mapping> draw_witness(TestRng& rng, const Problem& problem,
                                    const SmallOptions& options) {
  const MadeSpace space = MapSpace::create(problem, options.kind, make_restrictions(problem, {}));
  if (space.too_large) return std::nullopt;
  // Dimensions may have nowhere to go. Then nothing is allowed anyway.
  if (!space.ok()) return Mapping(problem);
  if (space.value->size() > BigUint(options.most_mappings * 50)) return std::nullopt;
  Rng index(rng.next());
  return space.value->at(index.below(space.value->size()));
}

// True if both place the loops of one memory: two orders are taken to
// contradict each other even where the loops they name never meet.
bool both_order(const Constraint& a, const Constraint& b) {
  return a.level == b.level && std::holds_alternative<OrderRule>(a.rule) &&
         std::holds_alternative<OrderRule>(b.rule);
}

bool allows(const Constraint& rule, const Problem& problem, const Mapping& mapping) {
  const Restrictions alone = make_restrictions(problem, {rule});
  return alone.contradictions().empty() && alone.broken_by(problem, mapping).empty();
}

std::vector<Constraint> draw_rules(TestRng& rng, const Problem& problem, const Mapping& witness,
                                   bool lenient) {
  std::vector<Constraint> rules;
  for (auto count = rng.chance(30) ? 0 : rng.between(2, 10); count > 0; --count) {
    const Constraint rule = small_rule(rng, problem);
    const bool second = std::any_of(rules.begin(), rules.end(), [&](const Constraint& known) {
      return both_order(known, rule);
    });
    if (second || (lenient && !allows(rule, problem, witness))) continue;
    rules.push_back(rule);
  }
  return rules;
}

// Capacities that the witness just needs, or somewhat more; or less.
Architecture with_capacities(TestRng& rng, const Problem& problem, const Mapping& witness,
                             bool lenient) {
  Architecture arch = problem.arch();
  if (!structural_problems(problem, witness).empty()) return arch;
  const std::vector<std::int64_t> shares = lenient
                                               ? std::vector<std::int64_t>{100, 100, 120, 150, 300}
                                               : std::vector<std::int64_t>{0, 40, 70};
  for (const Verdict& verdict : make_evaluator(problem).violations(witness)) {
    auto& memory = std::get<Memory>(arch.levels[static_cast<std::size_t>(index_of(verdict.level))]);
    const std::int64_t amount = std::max<std::int64_t>(
        1, verdict.needed * (memory.double_buffered ? 2 : 1) * rng.pick(shares) / 100);
    if (verdict.kind == Verdict::Kind::CapacityExceeded) {
      memory.capacity.amount = amount;
      continue;
    }
    // A partition goes by the tensor's name or its role, which may be another's too.
    for (auto& [name, share] : memory.partitions) {
      if (names_tensor(name, problem.workload().tensor(verdict.tensor))) {
        share.amount = std::max(share.amount, amount);
      }
    }
  }
  return arch;
}

// An instance of the problem's sizes; nothing if its space is too large.
std::optional<SmallInstance> try_sizes(TestRng& rng, const Problem& problem,
                                       const SmallOptions& options, Leniency lenient) {
  const std::optional<Mapping> witness = draw_witness(rng, problem, options);
  if (!witness) return std::nullopt;
  std::vector<Constraint> rules;
  if (!options.square || rng.chance(50)) rules = draw_rules(rng, problem, *witness, lenient.rules);
  Architecture arch = with_capacities(rng, problem, *witness, lenient.capacities);
  // Some of them are the hardware's own.
  const auto own = rng.between(0, static_cast<std::int64_t>(rules.size()));
  arch.constraints.assign(rules.begin(), rules.begin() + own);
  rules.erase(rules.begin(), rules.begin() + own);
  SmallInstance instance{make_problem(problem.workload(), arch), rules};
  const MadeSpace space =
      MapSpace::create(instance.problem, options.kind, restrictions_of(instance));
  if (space.ok() && space.value->size() > BigUint(options.most_mappings)) return std::nullopt;
  return instance;
}

// Now and then all of them, or all but the multipliers': then the rest of an
// objective's key decides.
void leave_out_energies(std::uint64_t seed, Architecture& arch) {
  constexpr std::uint64_t kOneIn = 16;
  if (seed % kOneIn > 1) return;
  for (Level& level : arch.levels) {
    if (auto* memory = std::get_if<Memory>(&level)) {
      memory->read_pj = memory->write_pj = memory->update_pj = memory->leakage_pj_per_cycle = 0;
    } else if (auto* fanout = std::get_if<Fanout>(&level)) {
      fanout->word_pj = 0;
    } else if (seed % kOneIn == 0) {
      std::get<Compute>(level).mac_pj = 0;
    }
  }
}

// As many columns as rows, if there are as in square_shape().
void make_square(Workload& workload) {
  workload.dims[2].size = workload.dims[1].size;
  workload.dims[4].size = workload.dims[3].size;
}

void shrink(TestRng& rng, Workload& workload) {
  std::vector<Dimension*> large;
  for (Dimension& dim : workload.dims) {
    if (dim.size > 1) large.push_back(&dim);
  }
  if (large.empty()) throw std::logic_error("no instance is as small as asked for");
  Dimension& chosen = *rng.pick(large);
  chosen.size = chosen.size * 2 / 3;
}

// The same with a systolic array, if its rules allow that.
SmallInstance systolic_instance(std::uint64_t seed, SmallInstance instance) {
  TestRng rng(seed);
  const std::optional<Problem> problem = make_systolic(rng, instance.problem);
  if (!problem || !Restrictions::create(*problem, instance.constraints).ok()) return instance;
  instance.problem = *problem;
  return instance;
}

}  // namespace

SmallInstance small_instance(std::uint64_t seed, const SmallOptions& options) {
  TestRng rng(seed);
  Workload workload = options.square ? square_shape(rng) : random_shape(rng);
  Architecture arch = small_arch(rng, workload);
  leave_out_energies(seed, arch);
  TestRng aside(~seed);  // what is drawn otherwise does not change
  if (aside.chance(options.halos)) share_halos(aside, arch);
  for (Dimension& dim : workload.dims) dim.size = rng.between(1, options.square ? 6 : 12);
  if (options.square) make_square(workload);
  for (Tensor& tensor : workload.tensors) tensor.bits = rng.pick<std::int64_t>({8, 8, 16});
  const Leniency lenient{rng.chance(97), rng.chance(93)};
  for (;;) {
    const auto instance = try_sizes(rng, make_problem(workload, arch), options, lenient);
    if (instance && options.systolic) return systolic_instance(seed, *instance);
    if (instance) return *instance;
    shrink(rng, workload);
    if (options.square) make_square(workload);
  }
}

Restrictions restrictions_of(const SmallInstance& instance) {
  return make_restrictions(instance.problem, instance.constraints);
}

std::string text_of(const SmallInstance& instance) {
  std::string text = "# architecture\n" + io::write_architecture(instance.problem.arch()) +
                     "# workload\n" + io::write_workload(instance.problem.workload());
  if (!instance.constraints.empty()) {
    text += "# constraints\n" + io::write_constraints(instance.constraints);
  }
  return text;
}

}  // namespace tilewright::testing
