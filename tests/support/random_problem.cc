#include "support/random_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "support/random_shape.h"

namespace tilewright::testing {

std::uint64_t TestRng::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::int64_t TestRng::between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
}

std::vector<DimId> random_order(TestRng& rng, int dim_count) {
  std::vector<DimId> order;
  for (int d = 0; d < dim_count; ++d) order.push_back(DimId{d});
  for (std::size_t i = order.size(); i > 1; --i) {
    const auto other = rng.between(0, static_cast<std::int64_t>(i) - 1);
    std::swap(order[i - 1], order[static_cast<std::size_t>(other)]);
  }
  return order;
}

std::int64_t room_of(const Problem& problem, int slot) {
  const Slot& at = problem.slots()[static_cast<std::size_t>(slot)];
  const auto* fanout = std::get_if<Fanout>(&problem.arch().level(at.level));
  if (fanout == nullptr) return std::int64_t{1} << 40;
  return at.kind == SlotKind::SpatialX ? fanout->x.size : fanout->y.size;
}

namespace {

Workload random_workload(TestRng& rng, const RandomOptions& options) {
  Workload workload = random_shape(rng);
  std::int64_t volume = options.largest_volume;
  // Any dimension may get the largest share of the volume.
  std::vector<std::size_t> turn(workload.dims.size());
  std::iota(turn.begin(), turn.end(), 0);
  for (std::size_t i = turn.size(); i > 1; --i) {
    std::swap(turn[i - 1],
              turn[static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  for (const std::size_t d : turn) {
    workload.dims[d].size =
        rng.between(1, std::min<std::int64_t>(13, std::max<std::int64_t>(1, volume)));
    volume /= workload.dims[d].size;
  }
  return workload;
}

Memory random_memory(TestRng& rng, int number, bool outermost) {
  Memory memory;
  memory.name = fmt::format("m{}", number);
  memory.read_pj = static_cast<double>(rng.between(1, 40)) / 4;
  memory.write_pj = static_cast<double>(rng.between(1, 40)) / 4;
  memory.update_pj = static_cast<double>(rng.between(1, 40)) / 4;
  memory.block_words = rng.pick<std::int64_t>({1, 1, 2, 4});
  if (rng.chance(40)) memory.read_bandwidth = Rational{rng.between(1, 5), rng.between(1, 3)};
  if (rng.chance(40)) memory.write_bandwidth = Rational{rng.between(1, 5), rng.between(1, 3)};
  if (rng.chance(20)) memory.shared_bandwidth = Rational{rng.between(1, 5), rng.between(1, 3)};
  memory.accumulates_in_place = rng.chance(15);
  if (rng.chance(30)) memory.leakage_pj_per_cycle = static_cast<double>(rng.between(1, 8)) / 8;
  if (!outermost || rng.chance(10)) memory.free = {"input", "weight", "output"};
  return memory;
}

Architecture random_arch(TestRng& rng, const RandomOptions& options) {
  Architecture arch;
  arch.name = "random";
  arch.accounting = options.accounting;
  arch.leaking = rng.chance(30) ? LeakingInstances::All : LeakingInstances::Used;
  const std::int64_t memories = options.largest_tables ? kMaxMemories : rng.between(1, 4);
  for (int m = 0; m < memories; ++m) {
    arch.levels.emplace_back(random_memory(rng, m, m == 0));
    const std::int64_t fanouts = options.largest_tables ? (m < kMaxFanouts ? 1 : 0)
                                 : rng.chance(55)       ? (rng.chance(25) ? 2 : 1)
                                                        : 0;
    for (int f = 0; f < fanouts; ++f) {
      Fanout fanout;
      fanout.name = fmt::format("f{}_{}", m, f);
      fanout.x.size = rng.between(1, 6);
      fanout.y.size = rng.between(1, 4);
      if (rng.chance(30)) fanout.word_pj = static_cast<double>(rng.between(1, 8)) / 8;
      fanout.multicast = rng.chance(80);
      fanout.reduction = rng.chance(80);
      arch.levels.emplace_back(fanout);
    }
  }
  Compute compute;
  compute.name = "mac";
  compute.mac_pj = 1.5;
  arch.levels.emplace_back(compute);
  TestRng aside = rng;  // what is drawn afterwards does not change
  arch.reads_first_sums = aside.chance(10);
  if (aside.chance(options.halos)) share_halos(aside, arch);
  return arch;
}

// A bound for what is left of a dimension, small enough for its slot.
std::int64_t random_bound(TestRng& rng, std::int64_t left, std::int64_t room, bool imperfect) {
  std::vector<std::int64_t> choices;
  for (std::int64_t b = 2; b <= std::min(left, room); ++b) {
    if (imperfect || left % b == 0) choices.push_back(b);
  }
  return choices.empty() || rng.chance(45) ? 1 : rng.pick(choices);
}

}  // namespace

void share_halos(TestRng& rng, Architecture& arch) {
  std::vector<Fanout*> fanouts;
  for (Level& level : arch.levels) {
    if (auto* fanout = std::get_if<Fanout>(&level)) fanouts.push_back(fanout);
  }
  if (fanouts.empty() || arch.accounting != Accounting::Exact) return;
  const auto first = rng.between(0, static_cast<std::int64_t>(fanouts.size()) - 1);
  for (auto f = static_cast<std::size_t>(first); f < fanouts.size(); ++f) {
    fanouts[f]->multicast = true;
    fanouts[f]->shares_halos = f == static_cast<std::size_t>(first) || rng.chance(30);
  }
}

Mapping random_mapping(TestRng& rng, const Problem& problem, bool imperfect) {
  Mapping mapping(problem);
  std::vector<std::int64_t> left;
  for (const Dimension& dim : problem.workload().dims) left.push_back(dim.size);
  for (int s = problem.slot_count(); s-- > 0;) {
    const Slot& slot = problem.slots()[static_cast<std::size_t>(s)];
    std::int64_t room = room_of(problem, s);
    std::vector<int> turn(left.size());
    std::iota(turn.begin(), turn.end(), 0);
    const auto first = rng.between(0, static_cast<std::int64_t>(left.size()) - 1);
    std::rotate(turn.begin(), turn.begin() + first, turn.end());
    for (const int d : turn) {
      std::int64_t& rest = left[static_cast<std::size_t>(d)];
      const std::int64_t bound = s == 0 ? rest : random_bound(rng, rest, room, imperfect);
      mapping.set_bound(s, DimId{d}, bound);
      rest = ceil_div(rest, bound);
      if (!slot.is_temporal()) room /= bound;
    }
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    mapping.set_order(MemoryId{m}, random_order(rng, problem.dim_count()));
    std::uint32_t kept = problem.use(MemoryId{m}).keep_always;
    for (int t = 0; t < problem.tensor_count(); ++t) {
      if (rng.chance(65)) kept |= problem.use(MemoryId{m}).keep_allowed & (1U << t);
    }
    mapping.set_kept(MemoryId{m}, kept);
  }
  // Each tensor needs a home.
  for (int t = 0; t < problem.tensor_count(); ++t) {
    bool kept = false;
    for (int m = 0; m < problem.memory_count(); ++m) {
      kept = kept || mapping.keeps(MemoryId{m}, TensorId{t});
    }
    if (!kept) mapping.set_kept(MemoryId{0}, mapping.kept(MemoryId{0}) | 1U << t);
  }
  return mapping;
}

RandomCase random_case(TestRng& rng, const RandomOptions& options) {
  // One after the other: compilers differ in which argument they draw first.
  Workload workload = random_workload(rng, options);
  Architecture arch = random_arch(rng, options);
  Checked<Problem> problem = Problem::create(std::move(workload), std::move(arch));
  if (!problem.ok()) throw std::logic_error(to_string(problem.problems.front()));
  const bool imperfect = options.imperfect && rng.chance(75);
  // Timeloop's shares of an output that is seen through windows are defined for
  // perfect factors alone.
  const bool defined = options.accounting == Accounting::Exact ||
                       !has_window(problem.value->workload().tensors.back());
  Mapping mapping = random_mapping(rng, *problem.value, imperfect && defined);
  const auto problems = structural_problems(*problem.value, mapping);
  if (!problems.empty()) throw std::logic_error(problems.front());
  return {std::move(*problem.value), std::move(mapping)};
}

std::string describe(const RandomCase& random) {
  const Problem& problem = random.problem;
  std::string text = einsum_text(problem.workload()) + " with";
  for (const Dimension& dim : problem.workload().dims) {
    text += fmt::format(" {}={}", dim.name, dim.size);
  }
  int memory = 0;
  for (int s = 0; s < problem.slot_count(); ++s) {
    text += fmt::format("\n  {}:", problem.slot_name(s));
    const bool temporal = problem.slots()[static_cast<std::size_t>(s)].is_temporal();
    for (int position = 0; position < problem.dim_count(); ++position) {
      const DimId dim{temporal ? random.mapping.order(MemoryId{memory})[position] : position};
      if (random.mapping.bound(s, dim) > 1) {
        text +=
            fmt::format(" {}{}", problem.workload().dim(dim).name, random.mapping.bound(s, dim));
      }
    }
    if (!temporal) {
      const auto& fanout = std::get<Fanout>(
          problem.arch().level(problem.slots()[static_cast<std::size_t>(s)].level));
      text += fmt::format(" (multicast {}, reduction {}, halos {})", fanout.multicast,
                          fanout.reduction, fanout.shares_halos);
      continue;
    }
    text += " keeps";
    for (int t = 0; t < problem.tensor_count(); ++t) {
      if (random.mapping.keeps(MemoryId{memory}, TensorId{t})) {
        text += " " + problem.workload().tensor(TensorId{t}).name;
      }
    }
    ++memory;
  }
  return text;
}

}  // namespace tilewright::testing
