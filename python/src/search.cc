// Searches: the best mapping of a workload or a network, fronts, certificates.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "attend.h"
#include "base/search_objective.h"
#include "bindings.h"
#include "cli/map_task.h"
#include "options.h"
#include "proofs/certified.h"
#include "results.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"
#include "tilewright/report.h"
#include "wide.h"

namespace tilewright::python {
namespace {

using nb::literals::operator""_a;

// --- a workload ---------------------------------------------------------------------

struct HeldMap : Counted {
  report::MapReport report;
  Workload given;
  bool interrupted = false;
  std::string certificate;               // as a file; empty if nobody asked
  std::vector<std::string> uncertified;  // why there is no certificate
};

// Outlives neither the options nor the call.
void forget_callers(MapOptions& options) {
  options.limits.cancelled = nullptr;
  options.limits.on_progress = nullptr;
}

std::optional<double> best_value(const SearchProgress& progress, Objective objective) {
  if (!progress.best) return std::nullopt;
  return value_of(objective, *progress.best);
}

void certify(const cli::Inputs& inputs, const MapOptions& options, HeldMap& held) {
  const certificate::Proven proven = cli::certified(inputs, options, held.report.outcome);
  if (proven.certificate) held.certificate = certificate::write_certificate(*proven.certificate);
  held.uncertified = cli::complaints_of(proven);
}

HeldMap map_workload_for_python(const HeldArchitecture& arch, const HeldWorkload& workload,
                                const Texts& texts, const std::vector<std::string>& constrain,
                                const HeldConstraints& constraints, const nb::object& progress,
                                HeldStop* stop) {
  const cli::Inputs inputs =
      inputs_of({arch.value, &workload.value, nullptr, texts, constrain, constraints.value});
  const cli::MapCommandOptions command = map_command(texts);
  MapOptions options = value_or_refuse(cli::map_options(command, inputs));
  Attendant attendant(progress, stop);
  options.limits.cancelled = attendant.cancelled();
  if (attendant.wants_news()) {
    options.limits.on_progress = [&](const SearchProgress& now) {
      attendant.tell({now, best_value(now, options.objective), inputs.workload->name, {}});
    };
  }
  HeldMap held;
  const bool with_certificate = !command.certificate.empty();
  attendant.run([&] {
    held.report.outcome = cli::map_one(inputs, options, with_certificate);
    if (with_certificate && held.report.outcome.found()) certify(inputs, options, held);
  });
  if (held.report.outcome.status == MapOutcome::Status::BadInput) {
    throw Refused{std::move(held.report.outcome.problems)};
  }
  held.given = *inputs.workload;
  held.interrupted = attendant.is_interrupted();
  forget_callers(options);
  held.report.options = std::move(options);
  return held;
}

// Lines of complaints and the exit code, for an outcome without a mapping.
std::tuple<std::vector<std::string>, int> failure_parts(const MapOptions& options,
                                                        const MapOutcome& outcome) {
  cli::MapFailure failure = cli::failure_of(options, outcome);
  return {std::move(failure.lines), failure.code};
}

// The mapping of an outcome that found one.
HeldResult result_of(const MapOutcome& outcome, const Workload& given) {
  return HeldResult(report::result_of(outcome), given);
}

// No mapping has a lower value, 0 if nobody knows; whether the mapping is the best.
std::tuple<double, bool> proof_parts(const HeldMap& held) {
  const auto& proof = held.report.outcome.proof;
  if (!proof) return {0, false};
  return {proof->bound, proof->status == Proof::Status::Proven};
}

double objective_value(const std::string& objective, double energy_pj, Int128 cycles) {
  std::vector<Diagnostic> problems;
  check_objective(objective, problems, true);
  refuse_if_any(std::move(problems));
  Score score;
  score.energy_pj = energy_pj;
  score.cycles = cycles;
  return value_of(*search_objective_named(objective), score);
}

std::string explanation(const HeldMap& held) {
  return report::explanation_text(report::result_of(held.report.outcome));
}

void bind_map(nb::module_& m) {
  nb::class_<HeldMap>(m, "MapResult")
      .def_prop_ro("found", [](const HeldMap& h) { return h.report.outcome.found(); })
      .def_prop_ro("interrupted", [](const HeldMap& h) { return h.interrupted; })
      .def_prop_ro("cancelled", [](const HeldMap& h) { return h.report.outcome.cancelled; })
      .def_prop_ro("certificate", [](const HeldMap& h) { return h.certificate; })
      .def_prop_ro("uncertified", [](const HeldMap& h) { return h.uncertified; })
      .def("failure",
           [](const HeldMap& h) { return failure_parts(h.report.options, h.report.outcome); })
      .def("result", [](const HeldMap& h) { return result_of(h.report.outcome, h.given); })
      .def("value",
           [](const HeldMap& h) {
             return value_of(h.report.options.objective, h.report.outcome.search.score);
           })
      .def("proof", proof_parts)
      .def("json", [](const HeldMap& h) { return report::map_json(h.report); })
      .def(
          "text", [](const HeldMap& h, int width) { return report::map_text(h.report, width); },
          "width"_a)
      .def("csv", [](const HeldMap& h) { return report::map_csv(h.report); })
      .def("explanation", explanation);
  m.def("map_workload", map_workload_for_python, "arch"_a, "workload"_a, "texts"_a, "constrain"_a,
        "constraints"_a, "progress"_a.none(), "stop"_a.none() = nb::none());
}

// --- a network ---------------------------------------------------------------------

struct HeldNetworkMap : Counted {
  report::NetworkReport report;
  bool interrupted = false;
};

HeldNetworkMap map_network_for_python(const HeldArchitecture& arch, const HeldNetwork& network,
                                      const Texts& texts, const std::vector<std::string>& constrain,
                                      const HeldConstraints& constraints,
                                      const nb::object& progress, HeldStop* stop) {
  cli::Inputs inputs =
      inputs_of({arch.value, nullptr, &network.value, texts, constrain, constraints.value});
  MapOptions options = value_or_refuse(cli::map_options(map_command(texts), inputs));
  Attendant attendant(progress, stop);
  options.limits.cancelled = attendant.cancelled();
  std::function<void(const NetworkProgress&)> on_progress;
  if (attendant.wants_news()) {
    on_progress = [&](const NetworkProgress& now) {
      attendant.tell({now.search, best_value(now.search, options.objective),
                      inputs.network->layers[now.layer].name,
                      static_cast<double>(now.done) / static_cast<double>(now.distinct)});
    };
  }
  NetworkOutcome outcome;
  attendant.run([&] { outcome = map_network(*inputs.network, inputs.arch, options, on_progress); });
  forget_callers(options);
  HeldNetworkMap held;
  held.interrupted = attendant.is_interrupted();
  held.report = {std::move(*inputs.network), std::move(inputs.arch), std::move(options),
                 std::move(outcome)};
  return held;
}

// No choice of mappings has a lower value for the network; 0 if nobody knows.
double network_bound(const HeldNetworkMap& held) {
  const NetworkOutcome& outcome = held.report.outcome;
  if (outcome.whole) return outcome.whole->bound;
  const Objective objective = held.report.options.objective;
  if (objective != Objective::Energy && objective != Objective::Latency) return 0;
  double bound = 0;
  for (std::size_t layer = 0; layer < outcome.layers.size(); ++layer) {
    const auto& proof = outcome.of(layer).proof;
    if (!proof) return 0;
    bound += static_cast<double>(outcome.layers[layer].count) * proof->bound;
  }
  return bound;
}

// Whether no choice of mappings is better; where each layer is on its own, of each layer.
bool network_proven(const HeldNetworkMap& held) {
  const NetworkOutcome& outcome = held.report.outcome;
  if (outcome.whole) return outcome.whole->proven;
  for (std::size_t layer = 0; layer < outcome.layers.size(); ++layer) {
    const auto& proof = outcome.of(layer).proof;
    if (!proof || proof->status != Proof::Status::Proven) return false;
  }
  return true;
}

// Why layers have no mapping, one after the other, and the exit code of the first.
std::tuple<std::vector<std::string>, int> network_failure(const HeldNetworkMap& held) {
  std::vector<std::string> all;
  int first_code = 0;
  for (std::size_t layer = 0; layer < held.report.outcome.layers.size(); ++layer) {
    const MapOutcome& outcome = held.report.outcome.of(layer);
    if (outcome.found() || held.report.outcome.layers[layer].first != layer) continue;
    const auto [lines, code] = failure_parts(held.report.options, outcome);
    append(all, lines);
    if (first_code == 0) first_code = code;
  }
  return {std::move(all), first_code};
}

HeldResult layer_result(const HeldNetworkMap& held, std::size_t layer) {
  if (layer >= held.report.outcome.layers.size()) throw nb::index_error();
  const MapOutcome& outcome = held.report.outcome.of(layer);
  if (!outcome.found()) {
    auto [lines, code] = failure_parts(held.report.options, outcome);
    throw Failed{std::move(lines), code};
  }
  return result_of(outcome, held.report.network.layers[layer].workload);
}

void bind_map_network(nb::module_& m) {
  nb::class_<HeldNetworkMap>(m, "NetworkResult")
      .def_prop_ro("interrupted", [](const HeldNetworkMap& h) { return h.interrupted; })
      .def_prop_ro("missing", [](const HeldNetworkMap& h) { return h.report.outcome.missing(); })
      .def_prop_ro("energy_pj",
                   [](const HeldNetworkMap& h) { return total_of(h.report.outcome).energy_pj; })
      .def_prop_ro("cycles",
                   [](const HeldNetworkMap& h) { return total_of(h.report.outcome).cycles; })
      .def_prop_ro("edp", [](const HeldNetworkMap& h) { return total_of(h.report.outcome).edp(); })
      .def_prop_ro("value",
                   [](const HeldNetworkMap& h) {
                     return value_of(h.report.options.objective, total_of(h.report.outcome));
                   })
      .def_prop_ro("bound", network_bound)
      .def_prop_ro("proven", network_proven)
      .def_prop_ro("cancelled", [](const HeldNetworkMap& h) { return h.report.outcome.cancelled; })
      .def("failure", network_failure)
      .def("layer", layer_result, "layer"_a)
      .def("json", [](const HeldNetworkMap& h) { return report::mapped_network_json(h.report); })
      .def(
          "text",
          [](const HeldNetworkMap& h, int width) {
            return report::mapped_network_text(h.report, width);
          },
          "width"_a)
      .def("csv", [](const HeldNetworkMap& h) { return report::mapped_network_csv(h.report); })
      .def("explanation",
           [](const HeldNetworkMap& h) { return report::network_explanation(h.report); });
  m.def("map_network", map_network_for_python, "arch"_a, "network"_a, "texts"_a, "constrain"_a,
        "constraints"_a, "progress"_a.none(), "stop"_a.none() = nb::none());
}

// --- fronts -------------------------------------------------------------------------

struct HeldFront : Counted {
  HeldFront(report::ParetoReport of, Workload as_given)
      : report(std::move(of)), given(std::move(as_given)) {}
  report::ParetoReport report;
  Workload given;
  bool interrupted = false;
};

Limits front_limits(const Texts& texts) {
  std::vector<Diagnostic> problems;
  Limits limits;
  const auto text = [&](const char* name) -> const std::string* {
    const auto found = texts.find(name);
    return found == texts.end() ? nullptr : &found->second;
  };
  if (const std::string* memory = text("memory")) {
    limits.memory_bytes = cli::taken(cli::read_bytes(*memory, "--memory"), problems).value_or(1);
  }
  if (const std::string* time = text("time")) {
    limits.seconds = cli::taken(cli::read_duration(*time, "--time"), problems);
  }
  std::int64_t threads = 0;
  if (const std::string* asked = text("threads")) {
    threads = whole_number("--threads", *asked, 1, 1024, problems);
  }
  limits.threads = cli::thread_count(static_cast<int>(threads));
  refuse_if_any(std::move(problems));
  return limits;
}

SpaceKind front_space(const Texts& texts, SpaceKind otherwise) {
  const auto found = texts.find("mapspace");
  if (found == texts.end()) return otherwise;
  std::vector<Diagnostic> problems;
  check_choice("--mapspace", found->second, {"pfm", "ruby-s", "ruby-t", "ruby"}, problems);
  refuse_if_any(std::move(problems));
  return *space_kind(found->second);
}

void attend_front(Attendant& attendant, const std::string& workload, Limits& limits) {
  limits.cancelled = attendant.cancelled();
  if (!attendant.wants_news()) return;
  limits.on_progress = [&attendant, workload](const SearchProgress& now) {
    attendant.tell({now, {}, workload, {}});
  };
}

// Every point has a setting, and a problem of its own.
HeldFront flexible_pareto(const cli::Inputs& inputs, const Texts& texts,
                          const nb::object& progress) {
  MapOptions how;
  how.limits = front_limits(texts);
  how.space = front_space(texts, SpaceKind::Ruby);
  how.constraints = inputs.constraints;
  how.evenness = evenness_for(inputs.arch, uneven_of(texts));
  const Problem problem = value_or_refuse(Problem::create(*inputs.workload, inputs.arch));
  Attendant attendant(progress);
  attend_front(attendant, inputs.workload->name, how.limits);
  Checked<ParetoFront> front;
  attendant.run([&] { front = find_flexible_front(*inputs.workload, inputs.arch, how); });
  HeldFront held({problem, how.space, value_or_refuse(std::move(front)),
                  remarks_on(problem.workload(), inputs.arch, inputs.constraints), how.evenness},
                 *inputs.workload);
  held.interrupted = attendant.is_interrupted();
  return held;
}

HeldFront pareto(const HeldArchitecture& arch, const HeldWorkload& workload, const Texts& texts,
                 const std::vector<std::string>& constrain, const HeldConstraints& constraints,
                 const nb::object& progress) {
  const cli::Inputs inputs =
      inputs_of({arch.value, &workload.value, nullptr, texts, constrain, constraints.value});
  if (inputs.arch.flexibility) return flexible_pareto(inputs, texts, progress);
  Limits limits = front_limits(texts);
  const SpaceKind space = front_space(texts, SpaceKind::Perfect);
  const Evaluator evaluator = value_or_refuse(Evaluator::compile(*inputs.workload, inputs.arch));
  const Problem& problem = evaluator.problem();
  const Restrictions rules = value_or_refuse(Restrictions::create(problem, inputs.constraints));
  MappingTask task{evaluator, space, rules};
  const Evenness evenness = evenness_for(inputs.arch, uneven_of(texts));
  task.uneven = uneven_memories(problem, evenness);
  if (task.uneven != 0) refuse_if_any(reasons_against_uneven(task));
  Attendant attendant(progress);
  attend_front(attendant, inputs.workload->name, limits);
  ParetoFront front;
  attendant.run([&] { front = find_front(task, limits); });
  HeldFront held({problem, space, std::move(front),
                  remarks_on(problem.workload(), inputs.arch, inputs.constraints), evenness},
                 *inputs.workload);
  held.interrupted = attendant.is_interrupted();
  return held;
}

// Lines of complaints and the exit code, for a front without a point.
std::tuple<std::vector<std::string>, int> front_failure(const HeldFront& held) {
  const ParetoFront& front = held.report.front;
  if (!front.complete) {
    const bool cancelled = front.stop == Proof::Stop::Cancelled;
    return {{"no mapping found: " + to_string(front.stop)},
            cancelled ? cli::kInterrupted : cli::kBadInput};
  }
  std::vector<std::string> lines;
  for (const Diagnostic& reason : front.reasons) lines.push_back(to_string(reason));
  if (lines.empty()) {
    lines.push_back("no mapping of " + held.given.name + " on " + held.report.problem.arch().name +
                    " fits");
  }
  return {std::move(lines), cli::kInfeasible};
}

PlacedMapping front_mapping(const HeldFront& held, std::size_t point) {
  if (point >= held.report.front.points.size()) throw nb::index_error();
  const ParetoFront::Point& one = held.report.front.points[point];
  const Problem& problem = one.apart ? *one.apart : held.report.problem;
  return {std::make_shared<const Place>(Place{problem, held.given}), one.mapping};
}

void bind_pareto(nb::module_& m) {
  nb::class_<HeldFront>(m, "Front")
      .def_prop_ro("interrupted", [](const HeldFront& h) { return h.interrupted; })
      .def_prop_ro("complete", [](const HeldFront& h) { return h.report.front.complete; })
      .def("__len__", [](const HeldFront& h) { return h.report.front.points.size(); })
      .def("mapping", front_mapping, "point"_a)
      .def("failure", front_failure)
      .def("json", [](const HeldFront& h) { return report::pareto_json(h.report); })
      .def(
          "text",
          [](const HeldFront& h, int width) { return report::pareto_text(h.report, width); },
          "width"_a)
      .def("csv", [](const HeldFront& h) { return report::pareto_csv(h.report); });
  m.def("pareto", pareto, "arch"_a, "workload"_a, "texts"_a, "constrain"_a, "constraints"_a,
        "progress"_a.none());
}

// --- certificates -----------------------------------------------------------------------

struct HeldCertificate : Counted {
  certificate::Certificate certificate;
  certificate::Statistics statistics;
  std::vector<Diagnostic> problems;
};

HeldCertificate check(std::string_view text, const std::string& file, const Texts& texts) {
  const int threads = checker_threads(texts);
  HeldCertificate held;
  held.certificate = value_or_refuse(certificate::read_certificate(text, file));
  certificate::Outcome outcome;
  Attendant attendant{nb::none()};
  attendant.run(
      [&] { outcome = certificate::check(held.certificate, threads, attendant.cancelled()); });
  if (attendant.is_interrupted() && !outcome.problems.empty()) {
    throw Failed{{"interrupted before all was checked"}, cli::kInterrupted};
  }
  held.statistics = outcome.statistics;
  held.problems = std::move(outcome.problems);
  return held;
}

// As texts: the numbers are exact decimals.
std::map<std::string, std::string> certificate_parts(const HeldCertificate& held) {
  const certificate::Certificate& c = held.certificate;
  return {{"mapspace", to_string(c.mapspace)},
          {"among", certificate::to_string(c.among)},
          {"objective", to_string(c.objective)},
          {"energy_pj", c.energy_pj},
          {"cycles", fmt::format("{}", c.cycles)},
          {"instances", std::to_string(c.instances)},
          {"value", c.value},
          {"bound", c.bound},
          {"cells", std::to_string(held.statistics.cells())}};
}

std::vector<std::string> refusals(const HeldCertificate& held) {
  std::vector<std::string> lines;
  for (const Diagnostic& problem : held.problems) lines.push_back(to_string(problem));
  return lines;
}

void bind_check(nb::module_& m) {
  nb::class_<HeldCertificate>(m, "CheckResult")
      .def_prop_ro("verified", [](const HeldCertificate& h) { return h.problems.empty(); })
      .def_prop_ro("refusals", refusals)
      .def("parts", certificate_parts);
  m.def("check", check, "text"_a, "file"_a, "texts"_a);
}

// Name, default and help.
using OptionRow = std::tuple<std::string, std::string, std::string>;
using MapperRow = std::tuple<std::string, std::string, std::vector<OptionRow>>;

std::vector<MapperRow> mapper_table() {
  std::vector<MapperRow> table;
  for (const Mapper* mapper : mappers()) {
    std::vector<OptionRow> options;
    for (const MapperOption& option : mapper->options) {
      options.emplace_back(option.name, option.fallback, option.help);
    }
    table.emplace_back(mapper->name, mapper->summary, std::move(options));
  }
  return table;
}

}  // namespace

void bind_search(nb::module_& m) {
  bind_attendants(m);
  bind_map(m);
  bind_map_network(m);
  bind_pareto(m);
  bind_check(m);
  m.def("mapper_table", mapper_table);
  m.def("objective_value", objective_value, "objective"_a, "energy_pj"_a, "cycles"_a);
}

}  // namespace tilewright::python
