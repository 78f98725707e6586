#include "fusion/count_leaf.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "fusion/count_loads.h"
#include "mapping/prices.h"

namespace tilewright::fusion {
namespace {

void add(Traffic& sum, const Traffic& words, std::int64_t times) {
  sum.reads += times * words.reads;
  sum.fills += times * words.fills;
  sum.updates += times * words.updates;
}

// Each instance rounds up to whole blocks, as in one evaluation.
double accesses_pj(const Memory& memory, std::int64_t words, std::int64_t instances, double each) {
  if (memory.block_words == 1) return static_cast<double>(words) * each;
  const Int128 at_once = static_cast<Int128>(instances) * memory.block_words;
  const Int128 rounds = (words + at_once - 1) / at_once;
  return static_cast<double>(static_cast<std::int64_t>(rounds) * instances) * each;
}

double accesses_pj(const Memory& memory, const Tensor& tensor, const Traffic& words,
                   std::int64_t instances) {
  const AccessPrices price = prices_of(memory, tensor);
  return accesses_pj(memory, narrowed(words.reads), instances, price.read_pj) +
         accesses_pj(memory, narrowed(words.fills), instances, price.write_pj) +
         accesses_pj(memory, narrowed(words.updates), instances, price.update_pj);
}

class LeafCounter {
 public:
  LeafCounter(const Geometry& geometry, const Architecture& arch, int einsum,
              std::vector<std::string>& misfit)
      : geometry_(geometry),
        arch_(arch),
        einsum_(einsum),
        workload_(geometry.cascade().workload(einsum)),
        misfit_(misfit) {}

  Checked<LeafReport> count() {
    report_.executions = executions_of(geometry_, einsum_);
    const std::size_t tensors = workload_.tensors.size();
    for (const Level& level : arch_.levels) {
      if (const auto* memory = std::get_if<Memory>(&level)) {
        report_.memories.push_back({memory->name,
                                    0,
                                    std::vector<Traffic>(tensors),
                                    std::vector<Traffic>(tensors),
                                    std::vector<double>(tensors),
                                    0,
                                    {},
                                    {},
                                    {}});
        memories_.push_back(memory);
      }
    }
    for (const Execution& execution : report_.executions) {
      std::string problem = add_execution(execution);
      if (!problem.empty()) return {std::nullopt, {{{}, std::move(problem), ""}}};
    }
    add_loads();
    add_afterwards();
    add_cycles();
    add_energy();
    return {std::move(report_), {}};
  }

 private:
  std::string add_execution(const Execution& execution) {
    const PrivateNest* nest = nest_for(geometry_.plan().leaves[at(einsum_)], execution.extents);
    if (nest == nullptr) {
      Workload reduced = workload_;
      for (std::size_t d = 0; d < execution.extents.size(); ++d) {
        reduced.dims[d].size = execution.extents[d];
      }
      return fmt::format("{} has no nest of {}", workload_.name, sizes_text(reduced));
    }
    const Checked<Evaluator> evaluator = Evaluator::compile(nest->problem);
    if (!evaluator.ok()) return evaluator.problems.front().message;
    for (const std::string& problem : hardware_problems(nest->problem, nest->mapping)) {
      misfit_.push_back(fmt::format("{}: {}", workload_.name, problem));
    }
    for (const Verdict& verdict : evaluator.value->violations(nest->mapping)) {
      if (verdict.kind == Verdict::Kind::FanoutExceeded) continue;
      misfit_.push_back(fmt::format("{}: {}", workload_.name, to_string(verdict, nest->problem)));
    }
    const Evaluation evaluation = evaluator.value->evaluate(nest->mapping);
    for (const MemoryReport& memory : evaluation.memories) {
      add_memory(nest->problem, memory, execution);
    }
    report_.macs += execution.count * narrowed(evaluation.macs);
    report_.compute_cycles += execution.count * narrowed(evaluation.array_cycles());
    report_.compute_pj += static_cast<double>(execution.count) * evaluation.compute_pj;
    for (const FanoutReport& fanout : evaluation.fanouts) {
      report_.network_pj += static_cast<double>(execution.count) * fanout.network_pj;
    }
    return "";
  }

  // Executions whose output is not new read and fill what first visits spare.
  void add_memory(const Problem& problem, const MemoryReport& counted, const Execution& execution) {
    const std::string& name = memory_name(std::get<Memory>(problem.arch().level(counted.level)));
    const std::size_t m = index_of_memory(name);
    LeafMemory& memory = report_.memories[m];
    memory.instances = std::max(memory.instances, counted.instances);
    for (std::size_t t = 0; t < workload_.tensors.size(); ++t) {
      const Holding& holding = counted.tensors[t];
      if (!holding.kept) continue;
      const std::int64_t again = execution.count - execution.first_touches;
      Traffic total, busiest;
      add(total, holding.total, execution.count);
      add(total, holding.spared_total, again);
      add(busiest, holding.busiest, execution.count);
      add(busiest, holding.spared_busiest, again);
      add(memory.total[t], total, 1);
      add(memory.busiest[t], busiest, 1);
      memory.energy_pj[t] +=
          accesses_pj(*memories_[m], workload_.tensors[t], total, counted.instances);
    }
  }

  std::size_t index_of_memory(const std::string& name) const {
    std::size_t m = 0;
    while (report_.memories[m].name != name) ++m;
    return m;
  }

  void add_loads() {
    for (const TensorLoad& one : loads_of(geometry_, *memories_.front(), einsum_)) {
      add_load(one.tensor, one.words);
    }
  }

  // Residents come from the outermost memory.
  void add_load(TensorId tensor, const Load& load) {
    const std::size_t home = index_of_memory(geometry_.home(einsum_, tensor));
    for (const std::size_t m : {std::size_t{0}, home}) {
      const Traffic& words = m == 0 ? load.outside : load.inside;
      LeafMemory& memory = report_.memories[m];
      memory.instances = std::max<std::int64_t>(memory.instances, 1);
      add(memory.total[at(tensor)], words, 1);
      add(memory.busiest[at(tensor)], words, 1);
      memory.energy_pj[at(tensor)] +=
          accesses_pj(*memories_[m], workload_.tensor(tensor), words, 1);
    }
  }

  void add_afterwards() {
    const auto& then = geometry_.cascade().einsums[at(einsum_)].then;
    if (!then) return;
    report_.afterwards_elements = afterwards_elements(geometry_, einsum_);
    report_.afterwards_pj = then->energy_pj * static_cast<double>(report_.afterwards_elements);
    if (!then->elements_per_cycle) return;
    report_.afterwards_cycles = cycles_for(report_.afterwards_elements, *then->elements_per_cycle);
  }

  void limit_by(const std::optional<std::int64_t>& cycles, const std::string& name) {
    if (!cycles || *cycles <= report_.cycles) return;
    report_.cycles = *cycles;
    report_.limit = name;
  }

  void add_cycles() {
    report_.cycles = report_.compute_cycles;
    report_.limit = arch_.compute().name;
    for (std::size_t m = 0; m < memories_.size(); ++m) {
      LeafMemory& memory = report_.memories[m];
      Traffic all;
      for (const Traffic& words : memory.busiest) add(all, words, 1);
      const std::int64_t reads = narrowed(all.reads);
      const std::int64_t writes = narrowed(all.fills + all.updates);
      const auto cycles = [](const std::optional<Rational>& rate, std::int64_t words) {
        return rate ? std::optional(cycles_for(words, *rate)) : std::nullopt;
      };
      memory.read_cycles = cycles(memories_[m]->read_bandwidth, reads);
      memory.write_cycles = cycles(memories_[m]->write_bandwidth, writes);
      memory.shared_cycles = cycles(memories_[m]->shared_bandwidth, reads + writes);
      limit_by(memory.read_cycles, memory.name + " (reads)");
      limit_by(memory.write_cycles, memory.name + " (writes)");
      limit_by(memory.shared_cycles, memory.name + " (reads and writes)");
    }
    if (report_.afterwards_cycles > 0) {
      limit_by(report_.afterwards_cycles, geometry_.cascade().einsums[at(einsum_)].then->function);
    }
  }

  void add_energy() {
    report_.energy_pj = report_.compute_pj + report_.network_pj + report_.afterwards_pj;
    for (std::size_t m = 0; m < memories_.size(); ++m) {
      LeafMemory& memory = report_.memories[m];
      const LevelId level = *arch_.find_level(memory.name);
      const std::int64_t leaking = arch_.leaking == LeakingInstances::All
                                       ? physical_instances(arch_, level)
                                       : memory.instances;
      memory.leakage_pj = memories_[m]->leakage_pj_per_cycle * static_cast<double>(report_.cycles) *
                          static_cast<double>(leaking);
      report_.energy_pj += memory.leakage_pj;
      for (const double energy : memory.energy_pj) report_.energy_pj += energy;
    }
  }

  const Geometry& geometry_;
  const Architecture& arch_;
  int einsum_;
  const Workload& workload_;
  std::vector<std::string>& misfit_;
  std::vector<const Memory*> memories_;
  LeafReport report_;
};

}  // namespace

const PrivateNest* nest_for(const PlanLeaf& leaf, const std::vector<std::int64_t>& extents) {
  for (const PrivateNest& nest : leaf.nests) {
    const std::vector<Dimension>& dims = nest.problem.workload().dims;
    const bool same =
        std::equal(dims.begin(), dims.end(), extents.begin(), extents.end(),
                   [](const Dimension& dim, std::int64_t extent) { return dim.size == extent; });
    if (same) return &nest;
  }
  return nullptr;
}

const Memory& home_of(const Geometry& geometry, const Architecture& arch, int einsum,
                      TensorId tensor) {
  return std::get<Memory>(arch.level(*arch.find_level(geometry.home(einsum, tensor))));
}

double load_pj(const Geometry& geometry, const Architecture& arch, int einsum, TensorId tensor) {
  const auto& outermost = std::get<Memory>(arch.levels.front());
  const Memory& home = home_of(geometry, arch, einsum, tensor);
  const Tensor& loaded = geometry.cascade().workload(einsum).tensor(tensor);
  const Load load = load_of(geometry, outermost, einsum, tensor);
  return accesses_pj(outermost, loaded, load.outside, 1) +
         accesses_pj(home, loaded, load.inside, 1);
}

double passing_pj(const Geometry& geometry, const Architecture& arch, int einsum, TensorId tensor) {
  const auto& outermost = std::get<Memory>(arch.levels.front());
  const Memory& home = home_of(geometry, arch, einsum, tensor);
  const Tensor& passing = geometry.cascade().workload(einsum).tensor(tensor);
  const Traffic words = load_of(geometry, outermost, einsum, tensor).outside;
  return accesses_pj(outermost, passing, words, 1) - accesses_pj(home, passing, words, 1);
}

double departure_pj(const Geometry& geometry, const Architecture& arch, int einsum) {
  if (!geometry.leaves(einsum)) return 0;
  const auto& outermost = std::get<Memory>(arch.levels.front());
  const Tensor& output = geometry.cascade().workload(einsum).tensors.back();
  return accesses_pj(outermost, output, departure_of(geometry, einsum).outside, 1);
}

Checked<LeafReport> count_leaf(const Geometry& geometry, const Architecture& arch, int einsum,
                               std::vector<std::string>& misfit) {
  return LeafCounter(geometry, arch, einsum, misfit).count();
}

// Each element once when its sum is complete; and, online, once more for each further step of
// the loops over the dimension that is reduced: those rescale what the reader has summed up.
std::int64_t afterwards_elements(const Geometry& geometry, int einsum) {
  const Cascade& cascade = geometry.cascade();
  const Workload& workload = cascade.workload(einsum);
  std::int64_t elements = 0;
  for (const Execution& execution : executions_of(geometry, einsum)) {
    elements +=
        execution.first_touches * tile_words(workload, workload.output(), execution.extents);
  }
  if (!geometry.online_loop(einsum)) return elements;
  const DimId reduced = *workload.find_dim(*cascade.einsums[at(einsum)].then->reduces);
  const auto rank = output_rank(workload, reduced);
  for (const IntermediateReader& reader : geometry.readers(einsum)) {
    const Workload& reading = cascade.workload(reader.einsum);
    const DimId seen = reading.tensor(reader.tensor).ranks[*rank].front().dim;
    std::int64_t steps = 1, rescaled = 1;
    for (int k = 0; k < static_cast<int>(geometry.path(reader.einsum).size()); ++k) {
      const std::int64_t count = geometry.path(reader.einsum)[at(k)].loop.count;
      const bool over = k < geometry.common(einsum) && geometry.moves(einsum, reduced, k);
      if (over) steps *= count;
      // The reader's own loops take a part that is there as a whole bit by bit.
      const bool within = k >= geometry.common(einsum) && geometry.moves(reader.einsum, seen, k);
      if (over || within || geometry.moves(reader.einsum, reading.output(), k)) continue;
      if (geometry.moves_any(reader.einsum, k) || geometry.runs_again(reader.einsum, k)) {
        rescaled *= count;
      }
    }
    std::vector<std::int64_t> sizes;
    for (const Dimension& dim : reading.dims) sizes.push_back(dim.size);
    elements += (steps - 1) * rescaled * tile_words(reading, reading.output(), sizes);
  }
  return elements;
}

}  // namespace tilewright::fusion
