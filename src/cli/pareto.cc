#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/mapping_file.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "tilewright/map.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

Checked<Limits> front_limits(const ParetoOptions& options) {
  Limits result;
  result.threads = thread_count(options.threads);
  const Checked<std::int64_t> memory = read_bytes(options.memory, "--memory");
  if (!memory.ok()) return {std::nullopt, memory.problems};
  result.memory_bytes = *memory.value;
  if (!options.time.empty()) {
    const Checked<double> seconds = read_duration(options.time, "--time");
    if (!seconds.ok()) return {std::nullopt, seconds.problems};
    result.seconds = *seconds.value;
  }
  result.cancelled = &catch_interrupts();
  return {std::move(result), {}};
}

bool save_points(const ParetoOptions& options, const Problem& problem, const ParetoFront& front) {
  if (!make_folder(options.out)) return false;
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    const fs::path path = fs::path(options.out) / fmt::format("{:02}.yaml", i + 1);
    const ParetoFront::Point& point = front.points[i];
    const Problem& mapped = point.apart ? *point.apart : problem;
    if (!write_file(path, mapping_file_text({mapped, point.mapping, point.score, options.command,
                                             problem.workload()}))) {
      return false;
    }
  }
  return true;
}

int present_front(const ParetoOptions& options, const report::ParetoReport& report) {
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
    return front.stop == Proof::Stop::Cancelled ? kInterrupted : kBadInput;
  }
  const bool rows = present(options.output, report,
                            {report::pareto_json, report::pareto_text, report::pareto_csv});
  const bool saved = options.out.empty() || save_points(options, problem, front);
  return saved && rows ? kGood : kBadInput;
}

void show_points(ProgressLine& line, Limits& limits) {
  if (!line.is_shown()) return;
  limits.on_progress = [&line](const SearchProgress& progress) {
    line.show(fmt::format("{} {} points so far, {}", bar(progress.fraction.value_or(0)),
                          progress.points, duration_text(progress.seconds)));
  };
}

// Every point has a setting, and a problem of its own.
int run_flexible_pareto(const ParetoOptions& options, const Inputs& inputs, Limits limits) {
  const bool folder = try_optional_folder(options.out);
  if (!try_csv(options.output) || !folder) return kBadInput;
  ProgressLine line(options.output.quiet);
  show_points(line, limits);
  MapOptions how;
  how.space = space_kind(options.mapspace).value_or(SpaceKind::Ruby);
  how.constraints = inputs.constraints;
  how.evenness = evenness_for(inputs.arch, options.uneven);
  how.limits = std::move(limits);
  const Checked<ParetoFront> front = find_flexible_front(*inputs.workload, inputs.arch, how);
  line.clear();
  if (refused(front)) return kBadInput;
  const Checked<Problem> problem = Problem::create(*inputs.workload, inputs.arch);
  if (refused(problem)) return kBadInput;
  return present_front(options, {*problem.value, how.space, *front.value,
                                 remarks_on(*inputs.workload, inputs.arch, inputs.constraints),
                                 how.evenness, options.command});
}

}  // namespace

int run_pareto(const ParetoOptions& options) {
  const Checked<Inputs> inputs = load_inputs(options.input);
  if (refused(inputs)) return kBadInput;
  Checked<Limits> limits = front_limits(options);
  if (refused(limits)) return kBadInput;
  if (inputs.value->arch.flexibility) {
    return run_flexible_pareto(options, *inputs.value, std::move(*limits.value));
  }
  const Checked<Evaluator> evaluator =
      Evaluator::compile(*inputs.value->workload, inputs.value->arch);
  if (refused(evaluator)) return kBadInput;
  const Problem& problem = evaluator.value->problem();
  const Checked<Restrictions> restrictions =
      Restrictions::create(problem, inputs.value->constraints);
  if (refused(restrictions)) return kBadInput;
  const bool folder = try_optional_folder(options.out);
  if (!try_csv(options.output) || !folder) return kBadInput;
  const SpaceKind space = space_kind(options.mapspace).value_or(SpaceKind::Perfect);
  MappingTask task{*evaluator.value, space, *restrictions.value};
  const Evenness evenness = evenness_for(problem.arch(), options.uneven);
  task.uneven = uneven_memories(problem, evenness);
  if (task.uneven != 0) {
    const std::vector<Diagnostic> reasons = reasons_against_uneven(task);
    complain(reasons);
    if (!reasons.empty()) return kBadInput;
  }
  ProgressLine line(options.output.quiet);
  show_points(line, *limits.value);
  const ParetoFront front = find_front(task, *limits.value);
  line.clear();
  return present_front(
      options, {problem, space, front,
                remarks_on(problem.workload(), inputs.value->arch, inputs.value->constraints),
                evenness, options.command});
}

}  // namespace tilewright::cli
