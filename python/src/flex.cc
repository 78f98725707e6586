// What the freedom of an accelerator is, and what it is worth.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "attend.h"
#include "bindings.h"
#include "cli/study_task.h"
#include "options.h"
#include "tilewright/report.h"

namespace tilewright::python {
namespace {

using nb::literals::operator""_a;

std::string text_or(const Texts& texts, const char* name, const std::string& otherwise) {
  const auto found = texts.find(name);
  return found == texts.end() ? otherwise : found->second;
}

// The inputs of a flexible architecture, or a complaint.
cli::Inputs flexible_inputs(const Asked& asked) {
  cli::Inputs inputs = inputs_of(asked);
  if (!inputs.arch.flexibility) throw Refused{{cli::not_flexible(asked.arch.name)}};
  return inputs;
}

// --- classes ------------------------------------------------------------------------

std::vector<Architecture> flexible(const std::vector<HeldArchitecture>& archs, const Texts& texts) {
  const std::vector<std::string> no_lines;
  const Constraints no_constraints;
  std::vector<Architecture> result;
  for (const HeldArchitecture& arch : archs) {
    result.push_back(
        flexible_inputs({arch.value, nullptr, nullptr, texts, no_lines, no_constraints}).arch);
  }
  return result;
}

std::string classify(const std::vector<HeldArchitecture>& archs, const Texts& texts, bool json,
                     int width) {
  return report::class_text(flexible(archs, texts), json, width);
}

// --- shares -------------------------------------------------------------------------

using HeldFlexion = Held<report::FlexionReport>;

HeldFlexion measure(const HeldArchitecture& arch, const HeldNetwork& network, const Texts& texts,
                    const nb::object& progress) {
  const std::vector<std::string> no_lines;
  const Constraints no_constraints;
  cli::Inputs inputs =
      flexible_inputs({arch.value, nullptr, &network.value, texts, no_lines, no_constraints});
  if (inputs.workload) {  // a layer was picked
    inputs.network.emplace().name = inputs.workload->name;
    inputs.network->layers.push_back({inputs.workload->name, *inputs.workload, 1, "", ""});
  }
  std::vector<Diagnostic> problems;
  FlexionOptions how;
  how.samples = whole_number("--samples", text_or(texts, "samples", "100000"), 1,
                             std::int64_t{1} << 40U, problems);
  how.seed = static_cast<std::uint64_t>(
      whole_number("--seed", text_or(texts, "seed", "1"), 0, std::int64_t{1} << 60U, problems));
  refuse_if_any(std::move(problems));
  Attendant attendant(progress);
  how.cancelled = attendant.cancelled();
  Checked<NetworkFlexion> flexion;
  attendant.run([&] {
    flexion = flexion_of(*inputs.network, inputs.arch, how, [&](std::size_t done, std::size_t all) {
      if (!attendant.wants_news()) return;
      attendant.tell({{}, {}, "layers", static_cast<double>(done) / static_cast<double>(all)});
    });
  });
  if (!flexion.value && flexion.problems.empty()) {
    throw Failed{{"interrupted before the last layer was counted"}, cli::kInterrupted};
  }
  return HeldFlexion(
      {inputs.network->name, std::move(inputs.arch), value_or_refuse(std::move(flexion))});
}

// --- studies -------------------------------------------------------------------------

using HeldStudy = Held<report::StudyReport>;

struct AskedStudy {
  cli::FlexStudyOptions options;
  cli::Study study;
};

AskedStudy asked_study(const HeldArchitecture& arch, const std::vector<HeldNetwork>& networks,
                       const Texts& texts, bool needs_baseline) {
  std::vector<Diagnostic> problems;
  AskedStudy asked;
  cli::FlexStudyOptions& options = asked.options;
  options.arch = arch.value.name;
  options.baseline = text_or(texts, "baseline", "");
  options.layer = text_or(texts, "layer", "");
  options.objective = text_or(texts, "objective", options.objective);
  options.mapper = text_or(texts, "mapper", options.mapper);
  options.time = text_or(texts, "time", "");
  options.seed =
      whole_number("--seed", text_or(texts, "seed", "1"), 0, std::int64_t{1} << 60U, problems);
  if (texts.count("threads") > 0) {
    options.threads =
        static_cast<int>(whole_number("--threads", texts.at("threads"), 1, 1024, problems));
  }
  std::vector<std::string> names;
  for (const Mapper* mapper : mappers()) names.emplace_back(mapper->name);
  check_choice("--mapper", options.mapper, names, problems);
  check_objective(options.objective, problems);
  if (networks.empty()) problems.push_back({{"models"}, "there is no network", "name one"});
  refuse_if_any(std::move(problems));
  for (const HeldNetwork& network : networks) asked.study.networks.push_back(network.value);
  cli::complete_study(arch.value, options, needs_baseline, asked.study, problems);
  refuse_if_any(std::move(problems));
  return asked;
}

StudyOptions attended(const AskedStudy& asked, Attendant& attendant) {
  StudyOptions how = cli::study_options(asked.options, asked.study.seconds);
  how.cancelled = attendant.cancelled();
  if (attendant.wants_news()) {
    how.on_progress = [&attendant](const std::string& what, double fraction) {
      attendant.tell({{}, {}, what, fraction});
    };
  }
  return how;
}

HeldStudy studied(report::StudyReport report) {
  if (report.comparison.cancelled) {
    throw Failed{{"interrupted: not everything was mapped, so there is nothing to compare"},
                 cli::kInterrupted};
  }
  return HeldStudy(std::move(report));
}

HeldStudy isolate(const HeldArchitecture& arch, const HeldNetwork& network, const Texts& texts,
                  const nb::object& progress) {
  const AskedStudy asked = asked_study(arch, {network}, texts, /*needs_baseline=*/true);
  Attendant attendant(progress);
  const StudyOptions how = attended(asked, attendant);
  report::StudyReport report;
  std::vector<Diagnostic> problems;
  attendant.run([&] {
    report = cli::isolate(
        asked.study, how, asked.options.seed,
        [&](const std::string& what) { attendant.tell({{}, {}, what, {}}); }, problems);
  });
  report.options.limits = {};
  refuse_if_any(std::move(problems));
  return studied(std::move(report));
}

HeldStudy futureproof(const HeldArchitecture& arch, const std::vector<HeldNetwork>& networks,
                      const Texts& texts, const nb::object& progress) {
  const AskedStudy asked = asked_study(arch, networks, texts, /*needs_baseline=*/false);
  Attendant attendant(progress);
  const StudyOptions how = attended(asked, attendant);
  cli::Futureproof outcome;
  attendant.run([&] {
    outcome = cli::futureproof(
        asked.study, how, [&](const std::string& what) { attendant.tell({{}, {}, what, {}}); });
  });
  if (!outcome.report) {
    throw Failed{{outcome.problem}, outcome.interrupted ? cli::kInterrupted : cli::kInfeasible};
  }
  outcome.report->options.limits = {};
  return studied(std::move(*outcome.report));
}

// --- designs -------------------------------------------------------------------------

using HeldDesign = Held<report::DesignReport>;

HeldDesign design(const HeldArchitecture& arch, const HeldNetwork& network, const Texts& texts,
                  const nb::object& progress) {
  AskedStudy asked = asked_study(arch, {network}, texts, /*needs_baseline=*/false);
  std::vector<Diagnostic> problems;
  cli::FlexDesignOptions options{asked.options, text_or(texts, "flex", "")};
  options.nodes = whole_number("--nodes", text_or(texts, "nodes", "250000"), 1,
                               std::int64_t{1} << 40U, problems);
  cli::restrict_design(options.flex, asked.study, problems);
  refuse_if_any(std::move(problems));
  Attendant attendant(progress);
  const DesignLimits limits = cli::design_limits(options, asked.study);
  asked.study.seconds = 0;  // the time is that of the whole search
  const StudyOptions how = attended(asked, attendant);
  const Network& designed_for = asked.study.networks.front();
  Design best;
  attendant.run([&] { best = design_fixed(designed_for, asked.study.arch, how, limits); });
  if (!best.found) {
    const bool interrupted = attendant.is_interrupted();
    throw Failed{{interrupted ? "interrupted before there was a design" : best.problem},
                 interrupted ? cli::kInterrupted : cli::kInfeasible};
  }
  report::DesignReport report{asked.study.arch, designed_for, std::move(best), how.map};
  report.options.limits = {};
  return HeldDesign(std::move(report));
}

// --- spaces --------------------------------------------------------------------------

using HeldFlexibleSpace = Held<report::FlexibleSpaceReport>;

HeldFlexibleSpace flexible_space(const HeldArchitecture& arch, const HeldWorkload& workload,
                                 const Texts& texts, const std::vector<std::string>& constrain,
                                 const HeldConstraints& constraints) {
  const cli::Inputs inputs =
      flexible_inputs({arch.value, &workload.value, nullptr, texts, constrain, constraints.value});
  std::vector<Diagnostic> problems;
  const std::string name = text_or(texts, "mapspace", "ruby");
  check_choice("--mapspace", name, {"pfm", "ruby-s", "ruby-t", "ruby"}, problems);
  refuse_if_any(std::move(problems));
  MapOptions how;
  how.space = *space_kind(name);
  how.constraints = inputs.constraints;
  how.evenness = evenness_for(inputs.arch, uneven_of(texts));
  Attendant attendant{nb::none()};
  how.limits.cancelled = attendant.cancelled();
  Checked<FlexibleSpace> counted;
  attendant.run([&] { counted = count_flexible_space(*inputs.workload, inputs.arch, how); });
  FlexibleSpace space = value_or_refuse(std::move(counted));
  if (space.too_large) throw Refused{std::move(space.problems)};
  if (!space.complete) {
    throw Failed{{"interrupted before the mappings of the last setting were counted"},
                 cli::kInterrupted};
  }
  if (space.sum.is_zero()) {
    std::vector<std::string> lines;
    for (const Diagnostic& one : space.problems) lines.push_back(to_string(one));
    throw Failed{std::move(lines), cli::kInfeasible};
  }
  return HeldFlexibleSpace({*inputs.workload, inputs.arch, how.space, std::move(space),
                            remarks_on(*inputs.workload, inputs.arch, inputs.constraints),
                            how.evenness});
}

void bind_flexible_space(nb::module_& m) {
  nb::class_<HeldFlexibleSpace>(m, "FlexibleSpace")
      .def("json", [](const HeldFlexibleSpace& h) { return report::flexible_space_json(h.value); })
      .def("text", [](const HeldFlexibleSpace& h) { return report::flexible_space_text(h.value); });
  m.def("flexible_space", flexible_space, "arch"_a, "workload"_a, "texts"_a, "constrain"_a,
        "constraints"_a);
}

}  // namespace

void bind_flex(nb::module_& m) {
  m.def("classify", classify, "archs"_a, "texts"_a, "json"_a, "width"_a);
  nb::class_<HeldFlexion>(m, "Flexion")
      .def("json", [](const HeldFlexion& h) { return report::flexion_json(h.value); })
      .def(
          "text",
          [](const HeldFlexion& h, int width) { return report::flexion_text(h.value, width); },
          "width"_a)
      .def("csv", [](const HeldFlexion& h) { return report::flexion_csv(h.value); })
      .def("venn", [](const HeldFlexion& h) { return report::venn_svg(h.value); });
  m.def("measure", measure, "arch"_a, "network"_a, "texts"_a, "progress"_a.none());
  nb::class_<HeldStudy>(m, "Study")
      .def_prop_ro("gaps", [](const HeldStudy& h) { return cli::gaps_of(h.value); })
      .def("json", [](const HeldStudy& h) { return report::study_json(h.value); })
      .def(
          "isolation_text",
          [](const HeldStudy& h, int width) { return report::isolation_text(h.value, width); },
          "width"_a)
      .def(
          "futureproof_text",
          [](const HeldStudy& h, int width) { return report::futureproof_text(h.value, width); },
          "width"_a)
      .def("csv", [](const HeldStudy& h) { return report::study_csv(h.value); });
  m.def("isolate", isolate, "arch"_a, "network"_a, "texts"_a, "progress"_a.none());
  nb::class_<HeldDesign>(m, "FixedDesign")
      .def_prop_ro("flexibility",
                   [](const HeldDesign& h) { return to_string(h.value.design.flexibility); })
      .def_prop_ro("proven", [](const HeldDesign& h) { return h.value.design.proven; })
      .def("json", [](const HeldDesign& h) { return report::design_json(h.value); })
      .def(
          "text",
          [](const HeldDesign& h, int width) { return report::design_text(h.value, width); },
          "width"_a)
      .def("csv", [](const HeldDesign& h) { return report::design_csv(h.value); });
  m.def("design", design, "arch"_a, "network"_a, "texts"_a, "progress"_a.none());
  bind_flexible_space(m);
  m.def("futureproof", futureproof, "arch"_a, "networks"_a, "texts"_a, "progress"_a.none());
}

}  // namespace tilewright::python
