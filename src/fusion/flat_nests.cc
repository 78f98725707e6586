#include "fusion/flat_nests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/bits.h"
#include "cascade/same_work.h"
#include "fusion/count_leaf.h"
#include "fusion/nests_stack.h"
#include "map/price_search.h"
#include "mapping/prices.h"
#include "tilewright/map.h"

namespace tilewright::fusion {

namespace {

double macs_of(const NestQuestion& question) {
  double macs = 1;
  for (const std::int64_t extent : question.extents) macs *= static_cast<double>(extent);
  return macs;
}

// Whether what passes by the shared memory may take less there than what it keeps: bounds take it
// that everything is kept that can be.
bool may_pay_to_pass(const Problem& problem, const Restrictions& restrictions, MemoryId shared) {
  const std::uint32_t free = restrictions.keep_allowed(shared) & ~restrictions.keep_always(shared);
  const Memory& inner = problem.memory(shared);
  for (int m = 0; m < index_of(shared); ++m) {
    const Memory& outer = problem.memory(MemoryId{m});
    for (const int t : members(free)) {
      const AccessPrices at_outer = prices_of(outer, problem.workload().tensor(TensorId{t}));
      const AccessPrices at_inner = prices_of(inner, problem.workload().tensor(TensorId{t}));
      if (at_outer.read_pj < at_inner.read_pj || at_outer.update_pj < at_inner.update_pj)
        return true;
    }
    if (free != 0 && outer.accumulates_in_place && !inner.accumulates_in_place) return true;
  }
  return false;
}

// A memory that has this room for tiles of tensors that are not resident in it or further in.
// Without any, all of them pass by that may; false if others have to be kept.
bool limit_room(const Problem& whole, std::int64_t room, std::uint32_t residents, Memory& memory) {
  if (memory.capacity.unit != Capacity::Unit::Unlimited) {
    // A capacity of nothing would be no limit at all.
    memory.capacity.amount = std::max<std::int64_t>(1, room) * (memory.double_buffered ? 2 : 1);
  }
  if (room > 0) return true;
  const MemoryUse& use = whole.use(whole.memory_at(*whole.arch().find_level(memory.name)));
  const std::uint32_t passing = use.keep_allowed & ~use.keep_always & ~residents;
  const std::uint32_t all = (1U << whole.tensor_count()) - 1;
  if ((all & use.keep_allowed & ~residents & ~passing) != 0) return false;
  if (passing == 0) return true;
  memory.keep = TensorNames{};
  memory.bypass.clear();
  memory.free.clear();
  for (const int t : members(use.keep_allowed & ~passing)) {
    memory.keep->push_back(whole.workload().tensor(TensorId{t}).name);
  }
  return true;
}

// Makes a cycle take energy if the limit sets it, and no other one. The cycles of a port are words
// that pass it.
void price_cycles(const Limit& limit, Architecture& arch) {
  if (limit.kind == Limit::Kind::Nest) return;
  double& cycle_pj = std::get<Memory>(arch.levels.front()).leakage_pj_per_cycle;
  if (limit.kind == Limit::Kind::Port) {
    auto& memory = std::get<Memory>(arch.levels[at(limit.memory)]);
    const double word_pj = pj_per_word(memory, limit, cycle_pj);
    if (limit.reads) memory.read_pj += word_pj;
    if (limit.writes) memory.write_pj += word_pj;
    if (limit.writes) memory.update_pj += word_pj;
  }
  if (limit.kind != Limit::Kind::Multipliers) cycle_pj = 0;
  for (Level& level : arch.levels) {
    if (auto* memory = std::get_if<Memory>(&level)) lift_bandwidths(*memory);
  }
}

// The problem of an uneven nest.
Checked<Problem> at_points(Checked<Problem> problem, const std::vector<StoragePoints>& points) {
  if (points.empty() || !problem.ok()) return problem;
  return with_points(*problem.value, points);
}

// A nest of larger extents with shorter loops, the outermost ones first.
Mapping cut_down(const Problem& problem, Mapping nest) {
  for (int d = 0; d < problem.dim_count(); ++d) {
    std::int64_t left = problem.workload().dims[at(d)].size;
    for (int slot = problem.slot_count() - 1; slot >= 0; --slot) {
      const std::int64_t bound = std::gcd(left, nest.bound(slot, DimId{d}));
      nest.set_bound(slot, DimId{d}, bound);
      left /= bound;
    }
  }
  return nest;
}

}  // namespace

double pj_per_word(const Memory& memory, const Limit& limit, double cycle_pj) {
  const auto& rate = limit.reads && limit.writes ? memory.shared_bandwidth
                     : limit.reads               ? memory.read_bandwidth
                                                 : memory.write_bandwidth;
  const double pj = cycle_pj / rate->value();
  if (pj <= 0) return 0;
  // So many digits leave room for those of the energies and counts.
  constexpr int kSignificant = 12;
  const double scale = std::pow(10.0, kSignificant - 1 - std::floor(std::log10(pj)));
  return std::floor(pj * scale * (1 + 1e-15)) / scale;
}

Architecture priced(const Architecture& arch, double cycle_pj) {
  Architecture priced = map::with_price(arch, cycle_pj);
  // Einsums may have nothing there.
  priced.leaking = LeakingInstances::All;
  return priced;
}

std::int64_t capacity_of(const Memory& memory) {
  if (memory.capacity.unit == Capacity::Unit::Unlimited) return kCountLimit;
  return memory.capacity.amount / (memory.double_buffered ? 2 : 1);
}

std::vector<Diagnostic> problems_with_nests(const Workload& workload, const Architecture& arch,
                                            const std::string& shared) {
  const auto level = arch.find_level(shared);
  if (!level || !std::holds_alternative<Memory>(arch.level(*level))) {
    return {{{}, "the architecture has no memory \"" + shared + "\" to be shared", ""}};
  }
  const Checked<Problem> problem = Problem::create(workload, arch);
  if (!problem.ok()) return problem.problems;
  const Checked<Restrictions> restrictions = Restrictions::create(*problem.value);
  if (!restrictions.ok()) return restrictions.problems;
  const MemoryId memory = problem.value->memory_at(*level);
  std::vector<std::string> no =
      refusals_of_plans(*problem.value, *restrictions.value, index_of(memory));
  if (memory == MemoryId{0}) no.push_back(shared + " is the outermost memory");
  if (may_pay_to_pass(*problem.value, *restrictions.value, memory)) {
    no.push_back(
        shared +
        " is free to keep a tensor or not, but a memory outside it takes less energy; fused "
        "mapping needs to be told which it keeps");
  }
  std::vector<Diagnostic> problems;
  for (const std::string& message : no) problems.push_back({{}, message, ""});
  put_before(workload.name, problems);
  return problems;
}

SolvedNests::SolvedNests(const Cascade& cascade, const Architecture& arch, std::string shared,
                         const Deadline& deadline, std::optional<double> seconds, Evenness evenness)
    : cascade_(cascade),
      arch_(arch),
      shared_(std::move(shared)),
      deadline_(deadline),
      seconds_(seconds),
      evenness_(evenness) {
  floors_.resize(cascade.einsums.size());
  const LevelId level = *arch.find_level(shared_);
  std::vector<Cascade> alone;
  for (const CascadeEinsum& einsum : cascade.einsums) {
    const Checked<Problem> problem = Problem::create(einsum.workload, arch);
    const MemoryUse& use = problem.value->use(problem.value->memory_at(level));
    may_reside_.push_back(use.keep_allowed);
    may_pass_.push_back(use.keep_allowed & ~use.keep_always);
    alone.push_back(without_names({"", "", {{einsum.workload, {}}}}, arch));
    const auto first = std::find(alone.begin(), alone.end(), alone.back());
    same_as_.push_back(static_cast<int>(first - alone.begin()));
  }
  capacity_ = capacity_of(std::get<Memory>(arch.level(level)));
}

const SolvedNest& SolvedNests::find(NestQuestion question) {
  question.einsum = same_as_[at(question.einsum)];
  const std::uint32_t all = (1U << cascade_.workload(question.einsum).tensors.size()) - 1;
  // Residents take no room of their nest.
  if (question.residents == all) question.room = 0;
  if (arch_.constraints.empty()) question.unconstrained = false;
  if (cycle_pj() == 0) question.limit = {};
  const auto [known, is_new] = known_.try_emplace(question);
  if (!is_new) return known->second;
  try {
    deadline_.check();
    known->second = solve(question);
  } catch (const Expired&) {
    known_.erase(known);
    throw;
  }
  if (is_floor(question) && known->second.mapping) {
    floors_[at(question.einsum)].push_back(
        {question.extents, known->second.bound_pj / macs_of(question), &known->second});
  }
  return known->second;
}

bool SolvedNests::is_floor(const NestQuestion& question) const {
  return question.residents == may_reside(question.einsum) && !question.later_sums &&
         question.limit.kind == Limit::Kind::Multipliers &&
         (question.unconstrained || arch_.constraints.empty());
}

const SolvedNests::Floor* SolvedNests::highest_floor(
    int einsum, const std::vector<std::int64_t>& multiples) const {
  const Floor* highest = nullptr;
  for (const Floor& floor : floors_[at(same_as_[at(einsum)])]) {
    if (highest != nullptr && floor.pj_per_mac <= highest->pj_per_mac) continue;
    const bool divides =
        std::equal(floor.extents.begin(), floor.extents.end(), multiples.begin(),
                   [](std::int64_t whole, std::int64_t part) { return whole % part == 0; });
    if (divides) highest = &floor;
  }
  return highest;
}

double SolvedNests::known_pj_per_mac(int einsum, const std::vector<std::int64_t>& multiples) const {
  const Floor* highest = highest_floor(einsum, multiples);
  return highest == nullptr ? 0 : highest->pj_per_mac;
}

bool SolvedNests::is_reached(const NestQuestion& question) const {
  const Floor* highest = highest_floor(question.einsum, question.extents);
  if (highest == nullptr) return false;
  const Checked<Problem> problem = at_points(problem_of(question), highest->nest->points);
  if (!problem.ok()) return false;
  const Mapping nest = cut_down(*problem.value, *highest->nest->mapping);
  const double pj = Evaluator::compile(*problem.value).value->evaluate(nest).score.energy_pj;
  // Sums in another order may differ in their last digits.
  return pj <= highest->pj_per_mac * macs_of(question) * (1 + 1e-12);
}

SolvedExecutions SolvedNests::find_for(NestQuestion question, const Execution& execution) {
  const auto times_new = static_cast<double>(execution.first_touches);
  const auto times_old = static_cast<double>(execution.count - execution.first_touches);
  const SolvedNest& with_new = find(question);
  if (!with_new.mapping) return {};
  SolvedExecutions found{&with_new, times_new * with_new.pj, times_new * with_new.bound_pj};
  if (execution.first_touches == execution.count) return found;
  NestQuestion later = question;
  later.later_sums = true;
  const SolvedNest& with_old = find(later);
  if (!with_old.mapping) return {};
  found.bound_pj += times_old * with_old.bound_pj;
  found.pj += times_old * energy_of(later, with_new);
  const double other = times_new * energy_of(question, with_old) + times_old * with_old.pj;
  if (other >= found.pj) return found;
  return {&with_old, other, found.bound_pj};
}

std::optional<NestQuestion> SolvedNests::question_in(const Geometry& geometry, int einsum,
                                                     const Execution& execution, int first) const {
  const std::vector<Home> homes = homes_of(geometry, einsum);
  NestQuestion question{first + einsum, execution.extents, homes.front().residents};
  question.room = capacity_ - room_taken(geometry, arch_, einsum, execution.extents);
  if (question.room < 0) return std::nullopt;
  for (std::size_t i = 1; i < homes.size(); ++i) {
    const auto& memory = std::get<Memory>(arch_.level(*arch_.find_level(homes[i].memory)));
    const std::int64_t taken =
        room_taken(geometry, arch_, einsum, execution.extents, homes[i].memory);
    question.others.push_back({homes[i], capacity_of(memory) - taken});
    if (question.others.back().room < 0) return std::nullopt;
  }
  return question;
}

std::optional<PlannedNest> SolvedNests::find_in(const Geometry& geometry, int einsum,
                                                const Execution& execution, int first,
                                                const Limit& limit) {
  auto question = question_in(geometry, einsum, execution, first);
  if (!question) return std::nullopt;
  question->limit = limit;
  const SolvedExecutions found = find_for(*question, execution);
  if (found.nest == nullptr) return std::nullopt;
  Checked<Problem> problem = at_points(leaf_problem(geometry.cascade().workload(einsum), arch_,
                                                    homes_of(geometry, einsum), execution.extents),
                                       found.nest->points);
  if (!problem.ok()) return std::nullopt;
  return PlannedNest{{std::move(*problem.value), *found.nest->mapping}, found.bound_pj};
}

// The problem with the room that is left for streamed tiles.
Checked<Problem> SolvedNests::problem_of(const NestQuestion& question) const {
  const Workload& workload = cascade_.workload(question.einsum);
  std::vector<OtherRoom> rooms = {{{shared_, question.residents}, question.room}};
  append(rooms, question.others);
  const Checked<Problem> whole = Problem::create(workload, arch_);
  Architecture arch = arch_;
  std::vector<Home> homes;
  for (const OtherRoom& one : rooms) {
    const LevelId level = *arch_.find_level(one.home.memory);
    std::uint32_t residents = 0;  // of this memory, and of those further in
    for (const OtherRoom& other : rooms) {
      if (*arch_.find_level(other.home.memory) >= level) residents |= other.home.residents;
    }
    if (!limit_room(*whole.value, one.room, residents, std::get<Memory>(arch.levels[at(level)]))) {
      return {};
    }
    homes.push_back(one.home);
  }
  if (cycle_pj() > 0) price_cycles(question.limit, arch);
  arch.reads_first_sums = question.later_sums;
  if (question.unconstrained) arch.constraints.clear();
  return leaf_problem(workload, arch, homes, question.extents);
}

double SolvedNests::energy_of(const NestQuestion& question, const SolvedNest& nest) const {
  const Checked<Problem> problem = at_points(problem_of(question), nest.points);
  const Checked<Evaluator> evaluator = Evaluator::compile(*problem.value);
  return evaluator.value->evaluate(*nest.mapping).score.energy_pj;
}

SolvedNest SolvedNests::solve(const NestQuestion& question) const {
  SolvedNest solved;
  solved.pj = solved.bound_pj = std::numeric_limits<double>::infinity();
  const Checked<Problem> problem = problem_of(question);
  if (!problem.ok()) return solved;
  MapOptions options;
  options.objective = Objective::Energy;
  options.settle_ties = false;
  options.evenness = evenness_;
  if (question.rough) options.limits.gap = 0.5;
  if (seconds_) options.limits.seconds = std::max(0.001, *seconds_ - deadline_.seconds());
  const MapOutcome outcome =
      map_workload(problem.value->workload(), problem.value->arch(), options);
  deadline_.check();
  if (!outcome.found()) return solved;
  solved.mapping = outcome.search.best;
  if (has_points(*outcome.problem)) solved.points = points_of(*outcome.problem);
  solved.pj = outcome.search.score.energy_pj;
  const bool proven = outcome.proof && outcome.proof->status == Proof::Status::Proven;
  solved.bound_pj = proven ? solved.pj : outcome.proof ? outcome.proof->bound : 0;
  return solved;
}

double SolvedNests::least_pj_per_mac(int einsum, const std::vector<std::int64_t>& multiples) {
  NestQuestion question{einsum, multiples, may_reside(einsum), capacity_};
  question.unconstrained = true;
  if (!reached_.contains(question)) {
    if (is_reached(question)) {
      reached_.insert(question);
    } else {
      find(question);
    }
  }
  return known_pj_per_mac(einsum, multiples);
}

double SolvedNests::rough_pj_per_mac(int einsum, const std::vector<std::int64_t>& multiples) {
  NestQuestion question{einsum, multiples, may_reside(einsum), capacity_};
  question.unconstrained = question.rough = true;
  find(question);
  return known_pj_per_mac(einsum, multiples);
}

}  // namespace tilewright::fusion
