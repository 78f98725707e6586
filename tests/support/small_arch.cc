#include "support/small_arch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/random_shape.h"

namespace tilewright::testing {
namespace {

using Names = std::vector<std::string>;

Names dim_names(const Workload& workload) {
  Names names;
  for (const Dimension& dim : workload.dims) names.push_back(dim.name);
  return names;
}

// A name in a list of an architecture or a constraint.
std::string tensor_name(TestRng& rng, const Workload& workload) {
  const Tensor& tensor = rng.pick(workload.tensors);
  return rng.chance(50) ? tensor.name : to_string(tensor.role);
}

// So many of the names, in any order.
Names some_of(TestRng& rng, Names names, std::int64_t least, std::int64_t most) {
  for (std::size_t i = names.size(); i > 1; --i) {
    std::swap(names[i - 1],
              names[static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  const auto all = static_cast<std::int64_t>(names.size());
  names.resize(static_cast<std::size_t>(rng.between(std::min(least, all), std::min(most, all))));
  return names;
}

// --- hardware ------------------------------------------------------------------

// Draws levels that have some traits in common.
class ArchDraw {
 public:
  ArchDraw(TestRng& rng, const Workload& workload) : rng_(rng), workload_(workload) {
    slow_ = rng_.chance(50);
    leaks_ = rng_.chance(25);
    odd_energies_ = rng_.chance(20);
  }

  Memory memory(int number) {
    Memory memory;
    memory.name = fmt::format("m{}", number);
    memory.read_pj = energy(number);
    memory.write_pj = energy(number);
    memory.update_pj = energy(number);
    memory.block_words = rng_.pick<std::int64_t>({1, 1, 1, 1, 2, 4});
    memory.accumulates_in_place = rng_.chance(20);
    if (leaks_ && rng_.chance(60)) memory.leakage_pj_per_cycle = hundredths(1, 200);
    if (slow_) draw_ports(memory);
    if (rng_.chance(number > 0 ? 75 : 10)) draw_capacity(memory);
    if (rng_.chance(number > 0 ? 25 : 3)) memory.dims = some_of(rng_, dim_names(workload_), 1, 3);
    if (number > 0) {
      draw_residence(memory);
    } else if (rng_.chance(10)) {
      memory.free = {rng_.pick(workload_.tensors).name};
    }
    return memory;
  }

  Fanout fanout(int number) {
    Fanout fanout;
    fanout.name = fmt::format("f{}", number);
    fanout.x.size = rng_.between(2, 6);
    if (rng_.chance(50)) fanout.y.size = rng_.between(2, 4);
    for (FanoutAxis* axis : {&fanout.x, &fanout.y}) {
      if (rng_.chance(40)) axis->dims = some_of(rng_, dim_names(workload_), 1, 2);
    }
    fanout.multicast = rng_.chance(75);
    fanout.reduction = rng_.chance(75);
    if (rng_.chance(30)) fanout.word_pj = hundredths(1, 100);
    return fanout;
  }

  Compute compute() {
    Compute compute;
    compute.name = "mac";
    compute.macs = rng_.pick<std::int64_t>({1, 1, 1, 2});
    compute.cycles = rng_.pick<std::int64_t>({1, 1, 1, 2});
    compute.mac_pj = hundredths(0, 100);
    return compute;
  }

 private:
  double hundredths(std::int64_t low, std::int64_t high) {
    return static_cast<double>(rng_.between(low, high)) / 100;
  }

  // Outer memories cost more, as a rule.
  double energy(int number) {
    if (odd_energies_) return hundredths(0, 500);
    const std::array<std::int64_t, 4> most = {6400, 1600, 400, 100};
    const std::int64_t high = most[static_cast<std::size_t>(number)];
    return hundredths(high / 8, high);
  }

  void draw_ports(Memory& memory) {
    const std::vector<Rational> rates = {{1, 4}, {1, 3}, {1, 2}, {1, 1}, {3, 2}, {2, 1}, {4, 1}};
    if (rng_.chance(40)) memory.read_bandwidth = rng_.pick(rates);
    if (rng_.chance(30)) memory.write_bandwidth = rng_.pick(rates);
    if (rng_.chance(20)) memory.shared_bandwidth = rng_.pick(rates);
  }

  void draw_capacity(Memory& memory) {
    using Unit = Capacity::Unit;
    memory.capacity = {rng_.pick<Unit>({Unit::Words, Unit::Words, Unit::Bits}), 2};
    if (rng_.chance(20)) memory.partitions[tensor_name(rng_, workload_)] = {Unit::Words, 2};
    if (rng_.chance(20)) memory.word_bits = 16;
    memory.double_buffered = rng_.chance(15);
  }

  void draw_residence(Memory& memory) {
    for (const Tensor& tensor : workload_.tensors) {
      const auto drawn = rng_.between(1, 100);
      if (drawn <= 20) memory.bypass.push_back(tensor.name);
      if (drawn > 75) memory.free.push_back(tensor.name);
    }
    // The same in other words.
    if (memory.bypass.empty() && rng_.chance(20)) memory.keep = some_of(rng_, {"output"}, 0, 1);
  }

  TestRng& rng_;
  const Workload& workload_;
  bool slow_ = false, leaks_ = false, odd_energies_ = false;
};

// --- rules ---------------------------------------------------------------------

class RuleDraw {
 public:
  RuleDraw(TestRng& rng, const Workload& workload)
      : rng_(rng), workload_(workload), dims_(dim_names(workload)) {}

  Constraint at(const Memory& memory) {
    Constraint constraint{memory.name, {}, {}, {}};
    switch (rng_.between(0, 4)) {
      case 0:
        constraint.rule = DimsRule{some_of(rng_, dims_, 1, 3)};
        break;
      case 1:
        constraint.rule = residence();
        break;
      case 2:
        constraint.rule = order();
        break;
      default:
        constraint.rule = factor();
    }
    return constraint;
  }

  Constraint at(const Fanout& fanout) {
    Constraint constraint{fanout.name, {}, {}, {}};
    switch (rng_.between(0, 3)) {
      case 0:
        constraint.rule = DimsRule{some_of(rng_, dims_, 1, 2)};
        break;
      case 1:
        constraint.rule = UseRule{{rng_.between(1, 4), 4}};
        break;
      default:
        constraint.rule = factor();
    }
    if (constraint.is_per_axis()) constraint.axis = rng_.chance(70) ? Axis::X : Axis::Y;
    return constraint;
  }

 private:
  FactorRule factor() {
    using Relation = FactorRule::Relation;
    FactorRule rule{rng_.pick(dims_),
                    rng_.pick<Relation>({Relation::Equal, Relation::AtMost, Relation::AtLeast}),
                    {}};
    if (rng_.chance(90)) rule.value = rng_.between(1, 4);
    return rule;
  }

  OrderRule order() {
    const Names names = some_of(rng_, dims_, 1, 4);
    const auto cut = rng_.between(0, static_cast<std::int64_t>(names.size()));
    return {{names.begin(), names.begin() + cut}, {names.begin() + cut, names.end()}};
  }

  ResidenceRule residence() {
    ResidenceRule rule;
    (rng_.chance(50) ? rule.keep : rule.bypass) = {tensor_name(rng_, workload_)};
    return rule;
  }

  TestRng& rng_;
  const Workload& workload_;
  Names dims_;
};

}  // namespace

Architecture small_arch(TestRng& rng, const Workload& workload) {
  Architecture arch;
  arch.name = "small";
  // Timeloop's shares of an output that is seen through windows are defined for
  // perfect factors alone.
  if (rng.chance(10) && !has_window(workload.tensors.back())) {
    arch.accounting = Accounting::Timeloop;
  }
  if (rng.chance(30)) arch.leaking = LeakingInstances::All;
  ArchDraw draw(rng, workload);
  const auto memories = rng.pick<std::int64_t>({2, 2, 3, 3, 3, 4});
  std::vector<std::int64_t> above;  // the memory outside each fan-out
  for (auto count = rng.between(0, 2); count > 0; --count) {
    above.push_back(rng.between(0, memories - 1));
  }
  for (int m = 0; m < memories; ++m) {
    arch.levels.emplace_back(draw.memory(m));
    for (std::size_t f = 0; f < above.size(); ++f) {
      if (above[f] == m) arch.levels.emplace_back(draw.fanout(static_cast<int>(f)));
    }
  }
  arch.levels.emplace_back(draw.compute());
  TestRng aside = rng;  // what is drawn afterwards does not change
  arch.reads_first_sums = aside.chance(10);
  return arch;
}

Constraint small_rule(TestRng& rng, const Problem& problem) {
  RuleDraw draw(rng, problem.workload());
  // The compute level, which is last, has no rules.
  const Level& level = problem.arch().level(
      LevelId{static_cast<int>(rng.between(0, problem.arch().level_count() - 2))});
  if (const auto* memory = std::get_if<Memory>(&level)) return draw.at(*memory);
  return draw.at(std::get<Fanout>(level));
}

}  // namespace tilewright::testing
