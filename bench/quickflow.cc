// How good and how fast the local search is, over QuickFlow's 60 map-spaces:
//   tilewright_quickflow [-v] [--threads N] [--objective edp|energy|latency]
// With -v every map-space is listed. Times are of this machine and its load; all else
// repeats.

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

#include "reproduce/quickflow_runs.h"
#include "tilewright/report.h"

namespace {

using namespace tilewright;

struct Arguments {
  bool verbose = false;
  int threads = 1;
  Objective objective = Objective::Edp;
};

bool read_objective(std::string_view text, Objective& objective) {
  for (const Objective one : {Objective::Edp, Objective::Energy, Objective::Latency}) {
    if (text != to_string(one)) continue;
    objective = one;
    return true;
  }
  return false;
}

bool read_threads(std::string_view text, int& threads) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  return error == std::errc() && end == text.data() + text.size() && threads > 0;
}

std::optional<Arguments> read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "-v") {
      arguments.verbose = true;
      continue;
    }
    const std::string_view value = ++i < argc ? argv[i] : "";
    const bool good = name == "--threads"     ? read_threads(value, arguments.threads)
                      : name == "--objective" ? read_objective(value, arguments.objective)
                                              : false;
    if (!good) return std::nullopt;
  }
  return arguments;
}

void print(const reproduce::Figure& figure) {
  fmt::print("{}", report::table_text(figure.headings, figure.rows));
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = read_arguments(argc, argv);
  if (!arguments) {
    fmt::print(stderr,
               "tilewright_quickflow [-v] [--threads N] [--objective edp|energy|latency]\n");
    return 2;
  }
  reproduce::Options options;
  options.threads = arguments->threads;
  const reproduce::QuickflowRun run = reproduce::run_quickflow(
      reproduce::quickflow_spaces(), arguments->objective, options, reproduce::QuickflowEffort{});
  if (arguments->verbose) print(reproduce::space_by_space(run));
  print(reproduce::averages_of(run));
  for (const std::string& missing : run.missing) fmt::print("{}: nothing found\n", missing);
  return run.missing.empty() ? 0 : 1;
}
