#include "mappers/optimal/solver_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "mapping/prices.h"

namespace tilewright::optimal {
namespace {

// The decimal that the user wrote: digits * 10^-decimals.
struct Decimal {
  Int128 digits = 0;
  int decimals = 0;
};

// The shortest decimal that reads back to the same number.
Decimal decimal_of(double value) {
  const std::string shortest = fmt::format("{}", value);
  Decimal result;
  bool fraction = false;
  int exponent = 0;
  for (std::size_t i = 0; i < shortest.size(); ++i) {
    const char c = shortest[i];
    if (c == '.') {
      fraction = true;
    } else if (c == 'e') {
      exponent = std::stoi(shortest.substr(i + 1));
      break;
    } else if (c >= '0' && c <= '9') {
      result.digits = result.digits * 10 + (c - '0');
      result.decimals += fraction ? 1 : 0;
    }
  }
  result.decimals -= exponent;
  while (result.decimals > 0 && result.digits % 10 == 0) {
    result.digits /= 10;
    --result.decimals;
  }
  return result;
}

std::vector<double> energies_of(const Problem& problem) {
  std::vector<double> all = {problem.arch().compute().mac_pj};
  for (const Level& level : problem.arch().levels) {
    if (const auto* memory = std::get_if<Memory>(&level)) {
      for (const Tensor& tensor : problem.workload().tensors) {
        const AccessPrices price = prices_of(*memory, tensor);
        all.insert(all.end(), {price.read_pj, price.write_pj, price.update_pj});
        if (!memory->energy_of_bits) break;  // the same for all
      }
      all.push_back(memory->leakage_pj_per_cycle);
    } else if (const auto* fanout = std::get_if<Fanout>(&level)) {
      all.push_back(fanout->word_pj);
    }
  }
  return all;
}

// An upper limit of the energy of all mappings for each multiply-accumulate: every link moves at
// most a word, at both ends, and rounding up to blocks at most doubles that. A step takes at most
// the slowest port's cycles, in which everything leaks.
double most_per_mac(const Problem& problem, const FlatProblem& flat) {
  double each = flat.mac_pj;
  double slowest = static_cast<double>(flat.compute_cycles);
  double leaking = 0;
  const auto slow_down = [&](const std::optional<Rational>& bandwidth) {
    if (bandwidth) slowest = std::max(slowest, 24 * (1 / bandwidth->value() + 1));
  };
  for (int m = 0; m < flat.memories; ++m) {
    const FlatPrices& price = flat.prices[at(m)];
    for (std::size_t t = 0; t < flat.tensor.size(); ++t) {
      each += 4 * (price.read_pj[t] + price.write_pj[t] + price.update_pj[t]);
    }
    leaking +=
        flat.memory[at(m)].leakage_pj * static_cast<double>(flat.memory[at(m)].physical_instances);
    const Memory& memory = problem.memory(MemoryId{m});
    slow_down(memory.read_bandwidth);
    slow_down(memory.write_bandwidth);
    slow_down(memory.shared_bandwidth);
  }
  for (const FlatFanout& fanout : flat.fanout) {
    each += static_cast<double>(flat.tensors) * fanout.word_pj;
  }
  if (flat.systolic) slowest += static_cast<double>(flat.systolic->cycles_per_change());
  return each + leaking * slowest;
}

// As fine as the energies are given, if the largest allows it.
Scale scale_of(const Problem& problem, const FlatProblem& flat) {
  Scale scale;
  double largest = 0;
  for (const double pj : energies_of(problem)) {
    scale.decimals = std::max(scale.decimals, decimal_of(pj).decimals);
    largest = std::max(largest, pj);
  }
  constexpr std::int64_t kMostBlocks = std::int64_t{1} << 30;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const std::int64_t block = problem.memory(MemoryId{m}).block_words;
    const Int128 common = static_cast<Int128>(scale.blocks) / std::gcd(scale.blocks, block) * block;
    scale.exact = scale.exact && common <= kMostBlocks;
    if (common <= kMostBlocks) scale.blocks = static_cast<std::int64_t>(common);
  }
  const auto units = [&] {
    return std::pow(10.0, scale.decimals) * static_cast<double>(scale.blocks);
  };
  constexpr double kLargest = 1e17;  // so that counts times units stay below 2^127
  while (scale.decimals > 0 && largest * units() > kLargest) {
    --scale.decimals;
    scale.exact = false;
  }
  scale.exact = scale.exact && largest * units() <= kLargest;
  const double most = most_per_mac(problem, flat) * static_cast<double>(flat.macs);
  while (most * units() > std::ldexp(1, 125)) {
    --scale.decimals;
    scale.exact = false;
  }
  scale.per_pj = units();
  return scale;
}

void add_dims(SolverTables& solver) {
  const Workload& workload = solver.problem().workload();
  for (int d = 0; d < workload.dim_count(); ++d) {
    if (workload.dim(DimId{d}).size > 1) solver.originals.push_back(DimId{d});
  }
  std::stable_sort(solver.originals.begin(), solver.originals.end(),
                   [&](DimId a, DimId b) { return workload.dim(a).size < workload.dim(b).size; });
  solver.dim_count = static_cast<int>(solver.originals.size());
  for (std::size_t d = 0; d < solver.originals.size(); ++d) {
    solver.sizes[d] = workload.dim(solver.originals[d]).size;
  }
}

// The workload with the solver's dimensions.
Workload renumbered(const SolverTables& solver) {
  const Workload& workload = solver.problem().workload();
  std::vector<int> number(workload.dims.size(), -1);
  Workload result;
  for (std::size_t d = 0; d < solver.originals.size(); ++d) {
    number[at(solver.originals[d])] = static_cast<int>(d);
    result.dims.push_back(workload.dim(solver.originals[d]));
  }
  for (const Tensor& tensor : workload.tensors) {
    Tensor renamed = tensor;
    for (Rank& rank : renamed.ranks) {
      std::erase_if(rank, [&](const Term& term) { return number[at(term.dim)] < 0; });
      for (Term& term : rank) {
        term.dim = DimId{number[at(term.dim)]};
      }
    }
    std::erase_if(renamed.ranks, [](const Rank& rank) { return rank.empty(); });
    result.tensors.push_back(std::move(renamed));
  }
  return result;
}

// Elements that a window has for sure. Its bounding box may have holes, and the
// boxes of its parts fewer; but each index of one dimension has an element of its own.
std::int64_t least_elements(const SolverTables& solver, const Window& window) {
  Extents sizes{};
  std::int64_t most = 1;
  for (int i = 0; i < window.dim_count(); ++i) {
    sizes[at(i)] = solver.size(window.dim(i));
    most = std::max(most, solver.size(window.dim(i)));
  }
  return solver.boxes ? most : window.size(sizes);
}

// Gives the tables their energies in units, and what windows move at least.
void add_tables(const FlatProblem& flat, SolverTables& solver) {
  const Scale& scale = solver.scale;
  solver.wide = flat.wide;
  for (int m = 0; m < flat.memories; ++m) {
    const FlatMemory& memory = flat.memory[at(m)];
    solver.memories.push_back({memory, {}, scale.of(memory.leakage_pj), {}});
    const FlatPrices& price = flat.prices[at(m)];
    auto& access = solver.memories.back().access;
    for (std::size_t t = 0; t < flat.tensor.size(); ++t) {
      const bool same = t > 0 && price.read_pj[t] == price.read_pj[t - 1] &&
                        price.write_pj[t] == price.write_pj[t - 1] &&
                        price.update_pj[t] == price.update_pj[t - 1];
      access[t] = same ? access[t - 1]
                       : AccessUnits{scale.of(price.read_pj[t]), scale.of(price.write_pj[t]),
                                     scale.of(price.update_pj[t])};
    }
  }
  for (const FlatFanout& fanout : flat.fanout) {
    solver.fanouts.push_back({fanout, scale.of(fanout.word_pj)});
  }
  for (const FlatTensor& tensor : flat.tensor) {
    solver.tensors.push_back({tensor, {}});
    for (const Window& window : tensor.windows) {
      solver.tensors.back().window_elements.push_back(least_elements(solver, window));
    }
  }
}

// What memories share counts as the first one's where ports are looked at. Each alone has all of
// the room at most.
void add_shared(const FlatProblem& flat, SolverTables& solver) {
  for (int m = 0; m <= flat.memories; ++m) solver.first_of[at(m)] = m;
  for (const SharedMemory& shared : flat.shared) {
    for (int m = shared.first; m < shared.end; ++m) {
      solver.first_of[at(m)] = shared.first;
      solver.memories[at(m)].room = shared.whole.room;
    }
    MemoryShape& first = solver.memories[at(shared.first)];
    first.read_bandwidth = shared.whole.read_bandwidth;
    first.write_bandwidth = shared.whole.write_bandwidth;
    first.shared_bandwidth = shared.whole.shared_bandwidth;
  }
}

// At most as much as its memory holds of it, or as there is.
std::int64_t most_words_of_tile(const FlatProblem& flat, int tensor, int memory) {
  const Room& room = flat.memory[at(memory)].room;
  const Capacity& capacity = room.partitions[at(tensor)].value_or(room.capacity);
  if (capacity.unit == Capacity::Unit::Unlimited) return kCountLimit;
  const std::int64_t each =
      capacity.unit == Capacity::Unit::Bits ? room.element_bits[at(tensor)] : 1;
  return std::max<std::int64_t>(1, capacity.amount / each);
}

// Blocks of words moved by all instances, each rounding up.
Int128 accesses(Int128 words, std::int64_t instances, std::int64_t block) {
  if (block == 1) return words;
  const Int128 at_once = static_cast<Int128>(instances) * block;
  return (words + at_once - 1) / at_once * instances;
}

}  // namespace

// Every link moves at most a word per multiply-accumulate, at both ends, and
// rounding up to blocks at most doubles that.
int shift_for(const SolverTables& solver) {
  double each = static_cast<double>(solver.mac) + (solver.only_stationary ? 1 : 0);
  for (const MemoryShape& memory : solver.memories) {
    for (const AccessUnits& access : memory.access) {
      each += 4.0 * static_cast<double>(access.read + access.write + access.update);
    }
  }
  for (const FanoutShape& fanout : solver.fanouts) {
    each += static_cast<double>(solver.tensor_count) * static_cast<double>(fanout.word);
  }
  int shift = 0;
  while (std::ldexp(each * static_cast<double>(solver.macs), -shift) >=
         static_cast<double>(kTooMuch)) {
    ++shift;
  }
  return shift;
}

bool has_remainders_in_time(const SolverTables& solver) {
  return std::any_of(
      solver.memories.begin(), solver.memories.end(),
      [&](const MemoryShape& memory) { return solver.may_leave_remainder(memory.slot); });
}

std::int64_t Scale::of(double pj) const {
  Decimal decimal = decimal_of(pj);
  for (; decimal.decimals > decimals; --decimal.decimals) decimal.digits /= 10;
  for (; decimal.decimals < decimals && decimal.digits < kCountLimit; ++decimal.decimals) {
    decimal.digits *= 10;
  }
  return static_cast<std::int64_t>(std::min<Int128>(decimal.digits * blocks, kCountLimit));
}

SolverTables make_solver_tables(const Evaluator& evaluator, SpaceKind kind,
                                const Restrictions& restrictions) {
  SolverTables solver(evaluator, kind, restrictions);
  const Problem& problem = solver.problem();
  add_dims(solver);
  const FlatProblem flat(problem, renumbered(solver));
  solver.scale = scale_of(problem, flat);
  solver.boxes = flat.bounding_boxes;
  solver.reads_first_sums = flat.reads_first_sums;
  solver.leak_all = flat.leak_all;
  solver.tensor_count = flat.tensors;
  solver.memory_count = flat.memories;
  solver.fanout_count = flat.fanouts;
  add_tables(flat, solver);
  add_shared(flat, solver);
  if (flat.systolic) {
    const int tensor = index_of(flat.systolic->tensor);
    const int memory = index_of(flat.systolic->memory);
    solver.stationary = {*flat.systolic, tensor, memory, most_words_of_tile(flat, tensor, memory)};
  }
  solver.macs = flat.macs;
  solver.compute_macs = flat.compute_macs;
  solver.compute_cycles = flat.compute_cycles;
  solver.mac = solver.scale.of(flat.mac_pj);
  solver.scale.shift = shift_for(solver);
  return solver;
}

Energy exact_energy(const SolverTables& solver, const Evaluation& evaluation) {
  Energy energy = solver.macs * solver.mac;
  for (int m = 0; m < solver.memory_count; ++m) {
    const MemoryShape& memory = solver.memory(m);
    const MemoryReport& report = evaluation.memories[at(m)];
    for (std::size_t t = 0; t < report.tensors.size(); ++t) {
      const Holding& holding = report.tensors[t];
      if (!holding.kept) continue;
      const AccessUnits& access = memory.access[t];
      const auto cost = [&](Int128 words, std::int64_t each) {
        return accesses(words, report.instances, memory.block) * each;
      };
      energy += cost(holding.total.reads, access.read) + cost(holding.total.fills, access.write) +
                cost(holding.total.updates, access.update);
    }
    const std::int64_t leaking = solver.leak_all ? memory.physical_instances : report.instances;
    energy += evaluation.score.cycles * memory.leakage * leaking;
  }
  for (int f = 0; f < solver.fanout_count; ++f) {
    for (const Int128 words : evaluation.fanouts[at(f)].words) {
      energy += solver.fanout(f).word * words;
    }
  }
  return energy;
}

}  // namespace tilewright::optimal
