// The nests of one einsum of a flat group, for given loops and places.
#include <algorithm>

#include "fusion/count_leaf.h"
#include "fusion/count_loads.h"
#include "fusion/flat_group.h"

namespace tilewright::fusion {

namespace {

// Where cycles have a price, nests are looked for as if one thing alone set them, which bounds what
// they take whatever sets them in truth. Where it is the same, these nests are the best.
class NestsOfLeaf {
 public:
  // The geometry is that of the plan.
  NestsOfLeaf(const FlatTask& task, Plan& plan, const Geometry& geometry, int einsum)
      : task_(task),
        geometry_(geometry),
        einsum_(einsum),
        cycle_pj_(task.nests.cycle_pj()),
        nests_(plan.leaves[at(einsum)].nests),
        executions_(executions_of(geometry, einsum)) {}

  std::optional<double> put() {
    if (!find({})) return std::nullopt;
    if (cycle_pj_ == 0 || !count()) return bound_pj_;
    std::vector<Limit> tried = {{}};
    for (;;) {
      const std::optional<Limit> limit = limit_of(*report_);
      if (!limit || std::find(tried.begin(), tried.end(), *limit) != tried.end()) break;
      tried.push_back(*limit);
      if (!find(*limit) || !count()) break;
    }
    if (tried.size() > 1 && find({Limit::Kind::Nest})) count();
    nests_ = std::move(best_);
    return bound_pj_;
  }

 private:
  // Gives the plan these nests; false if none fit.
  bool find(const Limit& limit) {
    nests_.clear();
    double pj = fixed_pj(limit);
    for (const Execution& execution : executions_) {
      auto one = task_.nests.find_in(geometry_, einsum_, execution, task_.first, limit);
      if (!one) return false;
      pj += one->bound_pj;
      nests_.push_back(std::move(one->nest));
    }
    // What limits one of several executions need not limit all of them.
    const bool alone = executions_.size() == 1 && executions_.front().count == 1;
    if (limit.kind != Limit::Kind::Nest || alone) bound_pj_ = std::max(bound_pj_, pj);
    return true;
  }

  // Notes what the einsum takes with the nests that the plan has.
  bool count() {
    std::vector<std::string> misfit;
    Checked<LeafReport> report = count_leaf(geometry_, task_.arch, einsum_, misfit);
    if (!report.ok()) return false;
    report_ = std::move(report.value);
    if (best_.empty() || report_->energy_pj < least_pj_) {
      best_ = nests_;
      least_pj_ = report_->energy_pj;
    }
    return true;
  }

  // Nothing where no price of words tells it.
  std::optional<Limit> limit_of(const LeafReport& report) const {
    const std::int64_t cycles = report.cycles;
    if (cycles == report.compute_cycles) return Limit{};
    if (cycles == report.afterwards_cycles) return Limit{Limit::Kind::After};
    for (const LeafMemory& memory : report.memories) {
      const LevelId level = *task_.arch.find_level(memory.name);
      const auto& of = std::get<Memory>(task_.arch.level(level));
      if (of.energy_of_bits || physical_instances(task_.arch, level) > 1) continue;
      if (memory.read_cycles == cycles) return Limit{Limit::Kind::Port, level, true, false};
      if (memory.write_cycles == cycles) return Limit{Limit::Kind::Port, level, false, true};
      if (memory.shared_cycles == cycles) return Limit{Limit::Kind::Port, level, true, true};
    }
    return std::nullopt;
  }

  // What the cycles of the limit take whatever the nests are.
  double fixed_pj(const Limit& limit) const {
    if (limit.kind == Limit::Kind::After) {
      return static_cast<double>(report_->afterwards_cycles) * cycle_pj_;
    }
    if (limit.kind != Limit::Kind::Port) return 0;
    const auto& memory = std::get<Memory>(task_.arch.level(limit.memory));
    const auto& outermost = std::get<Memory>(task_.arch.levels.front());
    Int128 words = 0;
    for (const TensorLoad& load : loads_of(geometry_, outermost, einsum_)) {
      const bool outside = limit.memory == LevelId{0};
      if (!outside && geometry_.home(einsum_, load.tensor) != memory.name) continue;
      const Traffic& moved = outside ? load.words.outside : load.words.inside;
      words += (limit.reads ? moved.reads : 0) + (limit.writes ? moved.fills + moved.updates : 0);
    }
    return static_cast<double>(words) * pj_per_word(memory, limit, cycle_pj_);
  }

  const FlatTask& task_;
  const Geometry& geometry_;
  int einsum_;
  double cycle_pj_;
  std::vector<PrivateNest>& nests_;
  std::vector<Execution> executions_;
  std::optional<LeafReport> report_;
  std::vector<PrivateNest> best_;
  double least_pj_ = 0;
  double bound_pj_ = 0;
};

}  // namespace

std::optional<double> put_nests(const FlatTask& task, Plan& plan, const Geometry& geometry,
                                int einsum) {
  return NestsOfLeaf(task, plan, geometry, einsum).put();
}

}  // namespace tilewright::fusion
