// How long it takes to prove mappings optimal, over whole sets of problems:
//   tilewright_proofs [-v] [-c] [-u] [-1] [--only TEXT] [quickflow] [ruby] [goma]
//                     [sample] [--seed N] [--draw N]
// With -c every proof is written as a certificate and checked; -u asks for all mappings, even and
// uneven, of perfect factors; -v lists the problems; -1 takes one thread, and times are those of
// the processor. Solving and checking both begin with the texts of their inputs. Times are of this
// machine and its load; proofs and frames repeat. `sample`, which has to be asked for, draws
// problems of each map-space among all architectures that ship without flexibility, six networks,
// energy, EDP and latency, and leaves out what is not proven within 2 s. --only takes the problems
// whose set and name have this text in them, as in --only "ruby-s: a100_like".

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/deadline.h"
#include "reproduce/goma_cases.h"
#include "support/asked.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"

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

struct Wishes {
  bool verbose = false, check = false, uneven = false;
  int threads = static_cast<int>(std::thread::hardware_concurrency());
  std::uint64_t seed = 1;  // of the sample
  std::size_t draw = 100;  // problems of each map-space there
  std::string only = {};   // problems with this in their set and name
  std::vector<std::string> sets = {};
};

struct Set {
  std::string name;
  std::vector<Task> tasks;
  double seconds = 120;  // for each to be solved
  bool all = true;       // or those alone that are proven by then
};

template <typename T>
T must(Checked<T> parsed) {
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

Set goma(Objective objective, bool fixed) {
  Set set{fmt::format("goma's 24 cases, {}, bypass {}", to_string(objective),
                      fixed ? "fixed" : "searched"),
          {}};
  for (const reproduce::GomaCase& one : reproduce::goma_cases()) {
    const Architecture arch = must(io::load_architecture(one.accelerator));
    for (const Layer& layer : reproduce::goma_network(one.workload).layers) {
      std::vector<Constraint> constraints = reproduce::full_array(arch);
      if (fixed) {
        for (Constraint& more : reproduce::fixed_bypass(arch)) constraints.push_back(more);
      }
      set.tasks.push_back({fmt::format("{} {} {}", one.accelerator, one.workload, layer.name),
                           layer.workload, arch, constraints, SpaceKind::Perfect, objective});
    }
  }
  return set;
}

Set sample(SpaceKind kind, const Wishes& wishes) {
  std::vector<Task> all;
  for (const io::BuiltinFile& file : io::builtin_architectures()) {
    const Architecture arch = must(io::load_architecture(file.name));
    if (arch.flexibility) continue;
    for (const char* network :
         {"quickflow", "resnet50", "mobilenet_v3", "vgg16", "bert_large", "dlrm"}) {
      for (const Layer& layer : must(io::load_network(network)).layers) {
        for (const Objective objective : {Objective::Energy, Objective::Edp, Objective::Latency}) {
          all.push_back(
              {fmt::format("{} {} {} {}", file.name, network, layer.name, to_string(objective)),
               layer.workload,
               arch,
               {},
               kind,
               objective});
        }
      }
    }
  }
  Set set{fmt::format("a sample of {}", to_string(kind)), {}, 2, false};
  std::mt19937_64 random(wishes.seed);
  for (std::size_t i = 0; i < wishes.draw; ++i) set.tasks.push_back(all[random() % all.size()]);
  return set;
}

struct Solved {
  OptimalResult result;
  double solve_seconds = 0, check_seconds = 0;
  bool checked = false;
  certificate::Statistics statistics = {};  // of checking
};

class Timer {
 public:
  explicit Timer(bool of_processor) : of_processor_(of_processor) {}
  double seconds() const {
    if (!of_processor_) return wall_.seconds();
    return static_cast<double>(std::clock() - start_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  bool of_processor_;
  Stopwatch wall_;
  std::clock_t start_ = std::clock();
};

Problem read_problem(const std::string& workload, const std::string& arch) {
  return must(Problem::create(must(io::read_workload(workload, "workload")),
                              must(io::read_architecture(arch, "architecture"))));
}

std::vector<Constraint> read_constraints(const std::string& text, const Problem& problem) {
  if (text.empty()) return {};
  return must(io::read_constraints(text, "constraints", problem.arch()));
}

Solved solve(const Task& task, const Set& set, const Wishes& wishes) {
  const std::string workload = io::write_workload(task.workload);
  const std::string arch = io::write_architecture(task.arch);
  const std::string constraints =
      task.constraints.empty() ? "" : io::write_constraints(task.constraints);
  Asked options;
  options.objective = task.objective;
  options.threads = wishes.threads;
  options.seconds = set.seconds;
  options.uneven = wishes.uneven;
  Solved solved;
  const Timer solving(wishes.threads == 1);
  const Problem problem = read_problem(workload, arch);
  const Evaluator evaluator = must(Evaluator::compile(problem));
  const Restrictions restrictions =
      must(Restrictions::create(problem, read_constraints(constraints, problem)));
  solved.result = find_optimum(evaluator, task.kind, restrictions, options);
  solved.solve_seconds = solving.seconds();
  if (!wishes.check || !solved.result.best) return solved;
  if (!set.all && solved.result.status != OptimalResult::Status::Proven) return solved;
  certificate::Claim claim{problem,        task.kind,           task.constraints,
                           task.objective, *solved.result.best, std::nullopt,
                           options.threads};
  if (!set.all) claim.seconds = 60;
  if (wishes.uneven) claim.among = certificate::Among::All;
  claim.apart = solved.result.apart;
  const certificate::Proven proven = certificate::prove(claim);
  if (!proven.certificate) return solved;
  const Timer checking(wishes.threads == 1);
  const certificate::Outcome outcome = certificate::check(*proven.certificate, options.threads);
  solved.checked = outcome.problems.empty();
  solved.statistics = outcome.statistics;
  solved.check_seconds = checking.seconds();
  return solved;
}

struct Times {
  std::vector<double> all;

  std::string text() {
    std::sort(all.begin(), all.end());
    double logarithms = 0;
    for (const double seconds : all) logarithms += std::log(seconds);
    return fmt::format("{:>7.1f} {:>7.1f} {:>8.1f}",
                       1e3 * std::exp(logarithms / static_cast<double>(all.size())),
                       1e3 * all[all.size() / 2], 1e3 * all.back());
  }
};

void print_line(const Task& task, const Solved& solved) {
  const OptimalResult& result = solved.result;
  fmt::print("  {:<44} {:>10.4g} {:>6} of {} frames, {} evaluated, {:.1f} ms", task.name,
             value_of(task.objective, result.score), result.frames_expanded, result.frames,
             result.mappings_evaluated, 1e3 * solved.solve_seconds);
  if (solved.checked) {
    const certificate::Statistics& closed = solved.statistics;
    fmt::print(", check {:.1f} ms: {} cells by floors, {} by lattices, {} by trees of {} nodes",
               1e3 * solved.check_seconds, closed.by_floor, closed.by_lattice, closed.by_tree,
               closed.nodes);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void run(const Set& set, const Wishes& wishes) {
  Times solving;
  Times checking;
  int proven = 0;
  int checked = 0;
  int faster = 0;
  int within_twice = 0;
  for (const Task& task : set.tasks) {
    if ((set.name + ": " + task.name).find(wishes.only) == std::string::npos) continue;
    const Solved solved = solve(task, set, wishes);
    const OptimalResult& result = solved.result;
    if (!set.all && result.status != OptimalResult::Status::Proven) continue;
    solving.all.push_back(solved.solve_seconds);
    checking.all.push_back(std::max(solved.check_seconds, 1e-6));
    proven += result.status == OptimalResult::Status::Proven ? 1 : 0;
    checked += solved.checked ? 1 : 0;
    faster += solved.checked && solved.check_seconds < solved.solve_seconds ? 1 : 0;
    within_twice += solved.checked && solved.check_seconds < 2 * solved.solve_seconds ? 1 : 0;
    if (!wishes.verbose) continue;
    print_line(task, solved);
  }
  if (solving.all.empty()) return;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:<42} {:>3} of {:>3} | {} |", set.name, proven, solving.all.size(), solving.text());
  if (wishes.check) {
    fmt::print(" {:>3} verified | {} | {:>3} faster, {:>3} within twice |", checked,
               checking.text(), faster, within_twice);
  }
  fmt::print(" {} MiB\n", usage.ru_maxrss / 1024);
  std::fflush(stdout);
}

Wishes parse(int argc, char** argv) {
  Wishes wishes;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "-v") {
      wishes.verbose = true;
    } else if (word == "-c") {
      wishes.check = true;
    } else if (word == "-u") {
      wishes.uneven = true;
    } else if (word == "-1") {
      wishes.threads = 1;
    } else if (word == "--seed" && has_value) {
      wishes.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--only" && has_value) {
      wishes.only = argv[++i];
    } else if (word == "--draw" && has_value) {
      wishes.draw = std::strtoull(argv[++i], nullptr, 10);
    } else {
      wishes.sets.push_back(word);
    }
  }
  return wishes;
}

}  // namespace

int main(int argc, char** argv) {
  const Wishes wishes = parse(argc, argv);
  const auto names = [&](const char* set) {
    return std::find(wishes.sets.begin(), wishes.sets.end(), set) != wishes.sets.end();
  };
  const auto wants = [&](const char* set) { return wishes.sets.empty() || names(set); };
  fmt::print("set, proven | ms to solve: geometric mean, median, worst | ... | peak memory\n");
  if (wants("quickflow")) {
    for (const Objective objective : {Objective::Energy, Objective::Edp}) {
      for (const char* arch : {"eyeriss", "simba", "tpu_v1"})
        run(quickflow(arch, objective), wishes);
    }
  }
  if (wants("ruby") && !wishes.uneven) {
    for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) run(resnet(kind), wishes);
  }
  if (wants("goma")) {
    for (const Objective objective : {Objective::Energy, Objective::Edp}) {
      for (const bool fixed : {true, false}) run(goma(objective, fixed), wishes);
    }
  }
  if (names("sample")) {
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
      run(sample(kind, wishes), wishes);
    }
  }
  return 0;
}
