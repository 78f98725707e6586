#include "support/compare_with_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracle/oracle.h"
#include "tilewright/model.h"

namespace tilewright::testing {
namespace {

// The levels that belong to one memory: a storage point goes on with the memory of the point
// outside it.
std::vector<std::pair<std::size_t, std::size_t>> memories_of(const Problem& problem) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  std::string before;
  for (std::size_t m = 0; m < problem.memories().size(); ++m) {
    const std::string& name = problem.memory(MemoryId{static_cast<int>(m)}).point_of;
    if (name.empty() || name != before) {
      all.emplace_back(m, m + 1);
    } else {
      all.back().second = m + 1;
    }
    before = name;
  }
  return all;
}

class Comparison {
 public:
  Comparison(const RandomCase& random, const Evaluation& model, const oracle::Counts& truth)
      : random_(random), model_(model), truth_(truth) {}

  std::vector<std::string> run() {
    equal("MACs", truth_.macs, model_.macs);
    equal("compute instances", truth_.compute_instances, model_.compute_instances);
    equal("compute cycles", compute_cycles(), model_.compute_cycles);
    equal("changes of the stationary tile", truth_.stationary_changes, model_.stationary_changes);
    for (std::size_t m = 0; m < truth_.memories.size(); ++m) memory(m);
    for (std::size_t f = 0; f < truth_.fanout_words.size(); ++f) {
      for (std::size_t t = 0; t < truth_.fanout_words[f].size(); ++t) {
        equal(fmt::format("fan-out {} tensor {} words", f, t), truth_.fanout_words[f][t],
              model_.fanouts[f].words[t]);
      }
    }
    equal("cycles", true_cycles(), model_.score.cycles);
    // Equal counts are added up in another order.
    const double energy = true_energy();
    if (std::abs(energy - model_.score.energy_pj) > 1e-12 * energy) {
      found_.push_back(fmt::format("energy: oracle {}, model {}", energy, model_.score.energy_pj));
    }
    return std::move(found_);
  }

 private:
  void equal(const std::string& what, std::int64_t truth, Int128 model) {
    if (truth != model) {
      found_.push_back(fmt::format("{}: oracle {}, model {}", what, truth, model));
    }
  }

  void memory(std::size_t m) {
    const oracle::MemoryCounts& truth = truth_.memories[m];
    const MemoryReport& model = model_.memories[m];
    equal(fmt::format("m{} instances", m), truth.instances, model.instances);
    for (std::size_t t = 0; t < truth.tensors.size(); ++t) {
      const oracle::TensorCounts& a = truth.tensors[t];
      const Holding& b = model.tensors[t];
      const std::string at = fmt::format(
          "m{} {} ", m, random_.problem.workload().tensor(TensorId{static_cast<int>(t)}).name);
      equal(at + "kept", a.kept ? 1 : 0, b.kept ? 1 : 0);
      if (!a.kept) continue;
      equal(at + "tile", a.tile_words, b.tile_words);
      equal(at + "reads", a.total.reads, b.total.reads);
      equal(at + "fills", a.total.fills, b.total.fills);
      equal(at + "updates", a.total.updates, b.total.updates);
      equal(at + "reductions", a.reductions, b.reductions);
      equal(at + "busiest reads", a.first.reads, b.busiest.reads);
      equal(at + "busiest fills", a.first.fills, b.busiest.fills);
      equal(at + "busiest updates", a.first.updates, b.busiest.updates);
      compare_largest(at, TensorId{static_cast<int>(t)}, a, b);
    }
  }

  // The first instance has the most to do. Two exceptions: in a window of three
  // dimensions a larger tile can have more in common with the one before it;
  // and where windows of neighbours coincide, an instance with a shorter last
  // pass can share less.
  void compare_largest(const std::string& at, TensorId t, const oracle::TensorCounts& a,
                       const Holding& b) {
    std::size_t widest = 0;
    for (const Rank& rank : random_.problem.workload().tensor(t).ranks) {
      widest = std::max(widest, rank.size());
    }
    if (widest <= 2) equal(at + "largest fills", a.largest.fills, b.busiest.fills);
    if (widest <= 1) equal(at + "largest reads", a.largest.reads, b.busiest.reads);
    if (widest <= 1) equal(at + "largest updates", a.largest.updates, b.busiest.updates);
  }

  std::int64_t compute_cycles() const {
    const Compute& compute = random_.problem.arch().compute();
    return (truth_.compute_steps + compute.macs - 1) / compute.macs * compute.cycles;
  }

  // Fan-outs that take cycles at each change of the tile that stands still.
  std::int64_t cycles_per_change() const {
    std::int64_t cycles = 0;
    for (const Level& level : random_.problem.arch().levels) {
      const auto* fanout = std::get_if<Fanout>(&level);
      if (fanout == nullptr) continue;
      if (fanout->fills_diagonally) cycles += fanout->x.size + fanout->y.size - 2;
      if (fanout->preload == Axis::X) cycles += fanout->x.size;
      if (fanout->preload == Axis::Y) cycles += fanout->y.size;
    }
    return cycles;
  }

  std::int64_t true_cycles() const {
    std::int64_t cycles = compute_cycles() + truth_.stationary_changes * cycles_per_change();
    for (const auto& [first, end] : memories_of(random_.problem)) {
      const Memory& memory = random_.problem.memory(MemoryId{static_cast<int>(first)});
      oracle::Words words;
      for (std::size_t m = first; m < end; ++m) {
        words.reads += truth_.memories[m].first.reads;
        words.fills += truth_.memories[m].first.fills;
        words.updates += truth_.memories[m].first.updates;
      }
      const auto port = [&](const std::optional<Rational>& bandwidth, std::int64_t count) {
        if (!bandwidth) return;
        const std::int64_t scaled = count * bandwidth->denominator;
        cycles = std::max(cycles, (scaled + bandwidth->numerator - 1) / bandwidth->numerator);
      };
      port(memory.read_bandwidth, words.reads);
      port(memory.write_bandwidth, words.fills + words.updates);
      port(memory.shared_bandwidth, words.reads + words.fills + words.updates);
    }
    return cycles;
  }

  // Counts times energies, by the rules of docs/semantics.md.
  double true_energy() const {
    const Architecture& arch = random_.problem.arch();
    const auto cycles = static_cast<double>(true_cycles());
    double pj = static_cast<double>(truth_.macs) * arch.compute().mac_pj;
    for (std::size_t m = 0; m < truth_.memories.size(); ++m) {
      const oracle::MemoryCounts& counts = truth_.memories[m];
      const MemoryId id{static_cast<int>(m)};
      const Memory& memory = random_.problem.memory(id);
      const auto accesses = [&](std::int64_t words) {
        const std::int64_t at_once = counts.instances * memory.block_words;
        return static_cast<double>((words + at_once - 1) / at_once * counts.instances);
      };
      const auto exact = [&](std::int64_t words) {
        return memory.block_words == 1 ? static_cast<double>(words) : accesses(words);
      };
      for (std::size_t t = 0; t < counts.tensors.size(); ++t) {
        const oracle::TensorCounts& tensor = counts.tensors[t];
        const auto bits = static_cast<double>(random_.problem.workload().tensors[t].bits);
        const double share =
            memory.energy_of_bits ? bits / static_cast<double>(memory.word_bits) : 1;
        pj += share * (exact(tensor.total.reads) * memory.read_pj +
                       exact(tensor.total.fills) * memory.write_pj +
                       exact(tensor.total.updates) * memory.update_pj);
      }
      const std::int64_t leaking = arch.leaking == LeakingInstances::All
                                       ? physical_instances(arch, random_.problem.use(id).level)
                                       : counts.instances;
      pj += memory.leakage_pj_per_cycle * cycles * static_cast<double>(leaking);
    }
    std::size_t f = 0;
    for (const Level& level : arch.levels) {
      const auto* fanout = std::get_if<Fanout>(&level);
      if (fanout == nullptr) continue;
      for (const std::int64_t words : truth_.fanout_words[f]) {
        pj += fanout->word_pj * static_cast<double>(words);
      }
      ++f;
    }
    return pj;
  }

  const RandomCase& random_;
  const Evaluation& model_;
  const oracle::Counts& truth_;
  std::vector<std::string> found_;
};

std::vector<std::string> differences(const RandomCase& random, const oracle::Counts& truth) {
  const Checked<Evaluator> evaluator = Evaluator::compile(random.problem);
  if (!evaluator.ok()) return {to_string(evaluator.problems.front())};
  const Evaluation full = evaluator.value->evaluate(random.mapping);
  std::vector<std::string> found = Comparison(random, full, truth).run();
  if (full.score != evaluator.value->score(random.mapping)) {
    found.push_back("the score-only path differs from the full one");
  }
  return found;
}

// The least capacity that the oracle saw in use at a memory must be what the
// model asks for: it fits exactly, and not in one word less.
void compare_capacity(const RandomCase& random, const oracle::Counts& truth,
                      std::vector<std::string>& found) {
  for (const auto& [first, end] : memories_of(random.problem)) {
    const std::size_t m = first;
    std::int64_t words = 0;
    for (std::size_t point = first; point < end; ++point) {
      for (const oracle::TensorCounts& tensor : truth.memories[point].tensors) {
        if (tensor.kept) words += std::max(tensor.tile_words, tensor.home_words);
      }
    }
    for (const std::int64_t capacity : {words, words - 1}) {
      Architecture arch = random.problem.arch();
      for (std::size_t point = first; point < end; ++point) {
        const LevelId level = random.problem.memories()[point].level;
        std::get<Memory>(arch.levels[static_cast<std::size_t>(index_of(level))]).capacity = {
            Capacity::Unit::Words, std::max<std::int64_t>(0, capacity)};
      }
      const Checked<Problem> problem = Problem::create(random.problem.workload(), arch);
      if (!problem.ok()) continue;  // no such memory: a capacity of zero
      const Checked<Evaluator> evaluator = Evaluator::compile(*problem.value);
      const bool fits = evaluator.value->score(random.mapping).verdict.fits();
      if (fits != (capacity >= words)) {
        found.push_back(fmt::format("m{} with {} words: oracle needs {}, model says it {}", m,
                                    capacity, words, fits ? "fits" : "does not fit"));
      }
    }
  }
}

}  // namespace

std::vector<std::string> compare_counts_with_oracle(const RandomCase& random) {
  const oracle::Counts truth = oracle::execute(random.problem, random.mapping);
  return differences(random, truth);
}

std::vector<std::string> compare_with_oracle(const RandomCase& random) {
  const oracle::Counts truth = oracle::execute(random.problem, random.mapping);
  std::vector<std::string> found = differences(random, truth);
  if (random.problem.arch().accounting == Accounting::Exact) {
    compare_capacity(random, truth, found);
  }
  return found;
}

}  // namespace tilewright::testing
