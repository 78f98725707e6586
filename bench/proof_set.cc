// How many layers are proven within a limit of time: every architecture that ships, seven
// networks, energy, EDP and latency in one map-space.
//   tilewright_proof_set FILE [--space pfm] [--seconds 10] [--most N]
// Each result is a line of FILE as soon as it is there, and what the file has is not solved
// again, so a run can be ended and taken up at any time. The order mixes architectures, networks
// and objectives: what is done so far is a sample of all. --most 0 only prints what is known.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tilewright/io.h"
#include "tilewright/map.h"

namespace {

using namespace tilewright;

struct Task {
  std::string key;  // architecture,network,layer,objective,space
  std::string arch;
  const Layer* layer = nullptr;
  Objective objective;
  SpaceKind space = SpaceKind::Perfect;
};

struct Result {
  std::string status;  // proven, stopped (with a mapping), empty (without), infeasible or refused
  double seconds = 0;  // of the processor
  double gap = 0;
};

struct Asked {
  std::string file;
  SpaceKind space = SpaceKind::Perfect;
  double seconds = 10;
  std::size_t most = static_cast<std::size_t>(-1);  // tasks to solve in this run
};

template <typename T>
T must(Checked<T> parsed) {
  if (!parsed.ok()) throw std::runtime_error(to_string(parsed.problems.front()));
  return std::move(*parsed.value);
}

constexpr const char* kNetworks[] = {"resnet50",          "mobilenet_v3", "vgg16",    "bert_large",
                                     "llama3.3_70b_128k", "dlrm",         "quickflow"};

// The networks are to outlive the tasks.
std::vector<Task> all_tasks(const std::map<std::string, Network>& networks, SpaceKind space) {
  std::vector<Task> tasks;
  for (const io::BuiltinFile& arch : io::builtin_architectures()) {
    for (const auto& [name, network] : networks) {
      for (const Layer& layer : network.layers) {
        for (const Objective objective : {Objective::Energy, Objective::Edp, Objective::Latency}) {
          tasks.push_back({fmt::format("{},{},{},{},{}", arch.name, name, layer.name,
                                       to_string(objective), to_string(space)),
                           arch.name, &layer, objective, space});
        }
      }
    }
  }
  // Steps that have no divisor in common with the number of tasks come to each of them once.
  std::size_t step = tasks.size() * 618 / 1000;
  while (std::gcd(step, tasks.size()) != 1) ++step;
  std::vector<Task> mixed;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    mixed.push_back(tasks[i * step % tasks.size()]);
  }
  return mixed;
}

// "key,status,seconds,gap" for each task that was solved before.
std::map<std::string, Result> read_results(const std::string& file) {
  std::map<std::string, Result> results;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    if (fields.size() != 8) continue;  // a run may have ended within a line
    const std::string key =
        fmt::format("{},{},{},{},{}", fields[0], fields[1], fields[2], fields[3], fields[4]);
    results[key] = {fields[5], std::strtod(fields[6].c_str(), nullptr),
                    std::strtod(fields[7].c_str(), nullptr)};
  }
  return results;
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

Result solve(const Task& task, double seconds) {
  MapOptions options;
  options.space = task.space;
  options.objective = task.objective;
  options.limits.seconds = seconds;
  const double before = processor_seconds();
  const MapOutcome outcome =
      map_workload(task.layer->workload, must(io::load_architecture(task.arch)), options);
  Result result{"refused", processor_seconds() - before, 0};
  if (outcome.status == MapOutcome::Status::Infeasible) result.status = "infeasible";
  if (!outcome.proof) return result;
  result.gap = outcome.proof->gap;
  if (outcome.proof->status == Proof::Status::Proven) result.status = "proven";
  if (outcome.proof->status == Proof::Status::Stopped) {
    result.status = outcome.found() ? "stopped" : "empty";
  }
  if (outcome.proof->status == Proof::Status::Infeasible) result.status = "infeasible";
  return result;
}

struct Summary {
  std::vector<double> seconds;  // of all that were tried
  std::vector<double> gaps;     // of those not proven
  std::size_t infeasible = 0, empty = 0, refused = 0, proven = 0;

  void add(const Result& result) {
    if (result.status == "infeasible") {
      ++infeasible;
      return;
    }
    seconds.push_back(std::max(result.seconds, 1e-6));
    if (result.status == "proven") ++proven;
    if (result.status == "refused") ++refused;
    if (result.status == "empty") ++empty;
    if (result.status == "stopped") gaps.push_back(result.gap);
  }

  std::string text() {
    if (seconds.empty()) return fmt::format("nothing to prove, {} infeasible", infeasible);
    std::sort(seconds.begin(), seconds.end());
    double logarithms = 0;
    for (const double each : seconds) logarithms += std::log(each);
    const auto small =
        std::count_if(gaps.begin(), gaps.end(), [](double gap) { return gap < 0.05; });
    return fmt::format(
        "{:>5} of {:>5} | {:>7.1f} {:>7.1f} {:>8.1f} | gap below 5 %: {}, larger: {}, no mapping: "
        "{}, refused: {} "
        "| {} infeasible",
        proven, seconds.size(), 1e3 * std::exp(logarithms / static_cast<double>(seconds.size())),
        1e3 * seconds[seconds.size() / 2], 1e3 * seconds.back(), small,
        static_cast<std::ptrdiff_t>(gaps.size()) - small, empty, refused, infeasible);
  }
};

void print_summaries(const std::vector<Task>& tasks, const std::map<std::string, Result>& results) {
  std::map<std::string, Summary> rows;
  std::size_t done = 0;
  for (const Task& task : tasks) {
    const auto known = results.find(task.key);
    if (known == results.end()) continue;
    ++done;
    rows[fmt::format("1 {}", to_string(task.objective))].add(known->second);
    rows[fmt::format("2 {}", task.arch)].add(known->second);
  }
  fmt::print(
      "{} of {} tasks in {}\nproven of tried | ms: geometric mean, median, worst | the rest\n",
      done, tasks.size(), to_string(tasks.front().space));
  for (auto& [name, summary] : rows) fmt::print("{:<20} {}\n", name.substr(2), summary.text());
}

Asked parse(int argc, char** argv) {
  Asked asked;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      asked.file = word;
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error(word + " needs a value");
    const std::string value = argv[++i];
    if (word == "--seconds") {
      asked.seconds = std::stod(value);
    } else if (word == "--most") {
      asked.most = std::stoul(value);
    } else if (word == "--space" && space_kind(value)) {
      asked.space = *space_kind(value);
    } else {
      throw std::runtime_error("cannot take " + word + " " + value);
    }
  }
  if (asked.file.empty()) throw std::runtime_error("name a file for the results");
  return asked;
}

void run(const Asked& asked) {
  std::map<std::string, Network> networks;
  for (const char* name : kNetworks) networks[name] = must(io::load_network(name));
  const std::vector<Task> tasks = all_tasks(networks, asked.space);
  std::map<std::string, Result> results = read_results(asked.file);
  std::ofstream out(asked.file, std::ios::app);
  std::size_t left = asked.most;
  for (const Task& task : tasks) {
    if (left == 0) break;
    if (results.count(task.key) != 0) continue;
    const Result result = solve(task, asked.seconds);
    out << fmt::format("{},{},{:.6f},{:.6g}\n", task.key, result.status, result.seconds, result.gap)
        << std::flush;
    results[task.key] = result;
    --left;
  }
  print_summaries(tasks, results);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilewright_proof_set: {}\n", error.what());
    return 2;
  }
}
