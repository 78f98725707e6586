#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "tilewright/io.h"
#include "tilewright/optimal.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

Parsed<OptimalOptions> front_options(const ParetoOptions& options) {
  OptimalOptions result;
  result.threads = thread_count(options.threads);
  const Parsed<std::int64_t> memory = read_bytes(options.memory, "--memory");
  if (!memory.ok()) return {std::nullopt, memory.problems};
  result.memory_bytes = *memory.value;
  if (!options.time.empty()) {
    const Parsed<double> seconds = read_duration(options.time, "--time");
    if (!seconds.ok()) return {std::nullopt, seconds.problems};
    result.seconds = *seconds.value;
  }
  result.cancelled = &catch_interrupts();
  return {std::move(result), {}};
}

bool save_points(const std::string& folder, const Problem& problem, const ParetoFront& front) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    complain(fmt::format("{}: the folder cannot be made", folder));
    return false;
  }
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    const fs::path path = fs::path(folder) / fmt::format("{:02}.yaml", i + 1);
    if (!write_file(path, io::write_mapping(problem, front.points[i].mapping))) return false;
  }
  return true;
}

int show(const ParetoOptions& options, const report::ParetoReport& report) {
  const Problem& problem = report.problem;
  const ParetoFront& front = report.front;
  if (front.points.empty()) {
    if (front.complete) {
      complain(front.reasons);
      if (front.reasons.empty()) {
        complain(fmt::format("no mapping of {} on {} fits", problem.workload().name,
                             problem.arch().name));
      }
      return kInfeasible;
    }
    complain(fmt::format("no mapping found: {}", to_string(front.stop)));
    return front.stop == OptimalResult::Stop::Cancelled ? kInterrupted : kBadInput;
  }
  if (!options.out.empty() && !save_points(options.out, problem, front)) return kBadInput;
  print(options.json ? report::pareto_json(report) : report::pareto_text(report));
  return kGood;
}

}  // namespace

int run_pareto(const ParetoOptions& options) {
  const Parsed<Inputs> inputs = load_inputs(options.input);
  if (!inputs.ok()) {
    complain(inputs.problems);
    return kBadInput;
  }
  if (refuse_flexible(inputs.value->arch, "pareto")) return kBadInput;
  Parsed<OptimalOptions> search = front_options(options);
  const Parsed<Problem> problem = Problem::create(*inputs.value->workload, inputs.value->arch);
  if (!search.ok() || !problem.ok()) {
    complain(search.ok() ? problem.problems : search.problems);
    return kBadInput;
  }
  const Parsed<Evaluator> evaluator = Evaluator::compile(*problem.value);
  const Parsed<Restrictions> restrictions =
      Restrictions::create(*problem.value, inputs.value->constraints);
  if (!evaluator.ok() || !restrictions.ok()) {
    complain(evaluator.ok() ? restrictions.problems : evaluator.problems);
    return kBadInput;
  }
  const SpaceKind space = space_kind(options.mapspace).value_or(SpaceKind::Perfect);
  ProgressLine line(options.quiet);
  if (line.is_shown()) {
    search.value->on_progress = [&](const OptimalProgress& progress) {
      const double share = static_cast<double>(progress.frames_done) /
                           static_cast<double>(std::max<std::uint64_t>(progress.frames, 1));
      line.show(fmt::format("{} {} points so far, {}", bar(share), progress.points,
                            duration_text(progress.seconds)));
    };
  }
  const ParetoFront front = find_front(*evaluator.value, space, *restrictions.value, *search.value);
  line.clear();
  return show(options, {*problem.value, space, front,
                        remarks_on(problem.value->workload(), inputs.value->arch,
                                   inputs.value->constraints)});
}

}  // namespace tilewright::cli
