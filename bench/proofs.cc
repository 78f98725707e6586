// How long it takes to prove mappings optimal, over whole sets of problems:
//   tilewright_proofs [-v] [quickflow] [ruby] [goma] ...
// Times are of this machine and its load; proofs and frames repeat.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tilewright/io.h"
#include "tilewright/optimal.h"

namespace {

using namespace tilewright;

struct Task {
  std::string name;
  Workload workload;
  Architecture arch;
  std::vector<Constraint> constraints;
  SpaceKind kind = SpaceKind::Perfect;
  Objective objective = Objective::Edp;
};

struct Set {
  std::string name;
  std::vector<Task> tasks;
};

template <typename T>
T must(Parsed<T> parsed) {
  if (!parsed.ok()) throw std::runtime_error(to_string(parsed.problems.front()));
  return std::move(*parsed.value);
}

Set quickflow(const char* arch, Objective objective) {
  Set set{fmt::format("quickflow on {}, {}", arch, to_string(objective)), {}};
  for (const Layer& layer : must(io::load_network("quickflow")).layers) {
    set.tasks.push_back({layer.name,
                         layer.workload,
                         must(io::load_architecture(arch)),
                         {},
                         SpaceKind::Perfect,
                         objective});
  }
  return set;
}

Set resnet(SpaceKind kind) {
  Set set{fmt::format("resnet50 on ruby_eyeriss_14x12, {}", to_string(kind)), {}};
  for (const Layer& layer : must(io::load_network("resnet50")).layers) {
    set.tasks.push_back({layer.name,
                         layer.workload,
                         must(io::load_architecture("ruby_eyeriss_14x12")),
                         {},
                         kind,
                         Objective::Edp});
  }
  return set;
}

OptimalResult solve(const Task& task) {
  const Problem problem = must(Problem::create(task.workload, task.arch));
  const Evaluator evaluator = must(Evaluator::compile(problem));
  const Restrictions restrictions = must(Restrictions::create(problem, task.constraints));
  OptimalOptions options;
  options.objective = task.objective;
  options.threads = static_cast<int>(std::thread::hardware_concurrency());
  options.seconds = 120;
  return find_optimum(evaluator, task.kind, restrictions, options);
}

void run(const Set& set, bool verbose) {
  std::vector<double> seconds;
  double logarithms = 0;
  int proven = 0;
  for (const Task& task : set.tasks) {
    const OptimalResult result = solve(task);
    seconds.push_back(result.seconds);
    logarithms += std::log(result.seconds);
    proven += result.status == OptimalResult::Status::Proven ? 1 : 0;
    if (!verbose) continue;
    fmt::print("  {:<24} {:>10.4g} {:>8} of {} frames, {} evaluated, {:.1f} ms\n", task.name,
               value_of(task.objective, result.score), result.frames_expanded, result.frames,
               result.mappings_evaluated, 1e3 * result.seconds);
  }
  std::sort(seconds.begin(), seconds.end());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{:<46} {:>3} of {:>3} proven; ms: mean {:>8.1f} (geometric), median {:>8.1f}, worst "
      "{:>8.1f}; peak {} MiB\n",
      set.name, proven, seconds.size(),
      1e3 * std::exp(logarithms / static_cast<double>(seconds.size())),
      1e3 * seconds[seconds.size() / 2], 1e3 * seconds.back(), usage.ru_maxrss / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  bool verbose = false;
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "-v") == 0) {
      verbose = true;
    } else {
      wanted.emplace_back(argv[i]);
    }
  }
  const auto wants = [&](const char* name) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  if (wants("quickflow")) {
    for (const Objective objective : {Objective::Energy, Objective::Edp}) {
      for (const char* arch : {"eyeriss", "simba", "tpu_v1"})
        run(quickflow(arch, objective), verbose);
    }
  }
  if (wants("ruby")) {
    for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) run(resnet(kind), verbose);
  }
  return 0;
}
