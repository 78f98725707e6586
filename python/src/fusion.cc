// Several contractions as one: cascades, plans, what they cost and which is best.
#include "tilewright/fusion.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <tuple>
#include <utility>

#include "attend.h"
#include "bindings.h"
#include "cli/inputs.h"
#include "options.h"
#include "proofs/network_task.h"
#include "proofs/plan_task.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::python {
namespace {

using nb::literals::operator""_a;

using HeldCascade = Held<Cascade>;
using HeldPlanResult = Held<report::PlanReport>;

// What was found, with the text of its certificate if there is one.
template <typename Report>
struct HeldWithCertificate : Held<Report> {
  HeldWithCertificate(Report report, std::string text)
      : Held<Report>(std::move(report)), certificate(std::move(text)) {}
  std::string certificate;
};
using HeldFusion = HeldWithCertificate<report::FuseReport>;
using HeldFusedNetwork = HeldWithCertificate<report::FusedNetworkReport>;

// A plan that knows what it is of.
struct HeldPlan : Counted {
  HeldPlan(Architecture on, Cascade of, Plan is)
      : arch(std::move(on)), cascade(std::move(of)), plan(std::move(is)) {}
  std::string yaml() const { return io::write_plan(cascade, plan); }
  bool equals(const HeldPlan& other) const {
    return yaml() == other.yaml() && cascade == other.cascade && arch == other.arch;
  }

  Architecture arch;
  Cascade cascade;
  Plan plan;
};

std::vector<std::pair<std::string, std::string>> einsums_of(const HeldCascade& cascade) {
  std::vector<std::pair<std::string, std::string>> einsums;
  for (const CascadeEinsum& einsum : cascade.value.einsums) {
    einsums.emplace_back(einsum.workload.name, einsum_text(einsum.workload));
  }
  return einsums;
}

// The cascades of a network that have several einsums, and how often each occurs.
std::vector<std::pair<HeldCascade, std::int64_t>> cascades_of(const HeldNetwork& network) {
  std::vector<std::pair<HeldCascade, std::int64_t>> cascades;
  for (NetworkPart& part : parts_of(network.value).parts) {
    if (part.cascade.einsum_count() < 2) continue;
    cascades.emplace_back(HeldCascade(std::move(part.cascade)), part.count);
  }
  return cascades;
}

void bind_cascade(nb::module_& m) {
  nb::class_<HeldCascade>(m, "Cascade")
      .def_static(
          "read",
          [](std::string_view text, const std::string& file,
             const std::vector<std::string>& sizes) {
            return HeldCascade(value_or_refuse(io::read_cascade(text, file, sizes)));
          },
          "text"_a, "file"_a, "sizes"_a)
      .def_static(
          "load",
          [](const std::string& name_or_path, const std::vector<std::string>& sizes) {
            return HeldCascade(value_or_refuse(io::load_cascade(name_or_path, sizes)));
          },
          "name_or_path"_a, "sizes"_a)
      .def_prop_ro("name", [](const HeldCascade& c) { return c.value.name; })
      .def_prop_ro("einsums", einsums_of)
      .def("yaml", [](const HeldCascade& c) { return io::write_cascade(c.value); })
      .def(
          "equals", [](const HeldCascade& a, const HeldCascade& b) { return a.value == b.value; },
          "other"_a);
  m.def("cascades_of", cascades_of, "network"_a);
  m.def("builtin_cascades", [] {
    std::vector<std::string> names;
    for (const io::BuiltinFile& file : io::builtin_cascades()) names.push_back(file.name);
    return names;
  });
}

void bind_plan(nb::module_& m) {
  nb::class_<HeldPlan>(m, "Plan")
      .def_static(
          "read",
          [](std::string_view text, const std::string& file, const HeldArchitecture& arch,
             const HeldCascade& cascade) {
            Plan plan = value_or_refuse(io::read_plan(text, file, cascade.value, arch.value));
            return HeldPlan(arch.value, cascade.value, std::move(plan));
          },
          "text"_a, "file"_a, "arch"_a, "cascade"_a)
      .def_prop_ro("architecture", [](const HeldPlan& p) { return HeldArchitecture(p.arch); })
      .def_prop_ro("cascade", [](const HeldPlan& p) { return HeldCascade(p.cascade); })
      .def("yaml", &HeldPlan::yaml)
      .def("equals", &HeldPlan::equals, "other"_a);
}

// What a search was asked for, in words of the command line.
struct FuseWords {
  std::vector<std::string> shared;  // none: the second memory
  std::int64_t longest_group;
  std::optional<std::string> time;
  std::string objective = "energy";
  bool recompute = false, remainders = false;
  std::int64_t threads = 1;
  bool uneven = false;
};

FuseOptions options_of(const FuseWords& asked) {
  FuseOptions options;
  if (!asked.shared.empty()) {
    options.shared = asked.shared.front();
    options.also_shared.assign(asked.shared.begin() + 1, asked.shared.end());
  }
  if (asked.longest_group < 1 || asked.longest_group > 12) {
    throw Refused{{{{"--longest-group"}, "it is not from 1 to 12", "write a number from 1 to 12"}}};
  }
  options.longest_group = static_cast<int>(asked.longest_group);
  if (asked.threads < 1 || asked.threads > 1024) {
    throw Refused{{{{"--threads"}, "it is not from 1 to 1024", "write a number from 1 to 1024"}}};
  }
  std::vector<Diagnostic> problems;
  check_objective(asked.objective, problems);
  if (!problems.empty()) throw Refused{std::move(problems)};
  options.objective = *objective_named(asked.objective);
  options.recompute = asked.recompute;
  options.remainders = asked.remainders;
  options.uneven_nests = asked.uneven;
  if (asked.time) options.seconds = value_or_refuse(cli::read_duration(*asked.time, "--time"));
  return options;
}

void refuse_flexible(const Architecture& arch) {
  if (!arch.flexibility) return;
  throw Refused{{{{arch.name},
                  "it can be set up in many ways, and plans take an architecture as it is written",
                  "take the key \"flexibility\" out"}}};
}

std::vector<std::string> problem_lines(const std::vector<Diagnostic>& problems) {
  std::vector<std::string> lines;
  for (const Diagnostic& one : problems) lines.push_back(to_string(one));
  return lines;
}

// Lines of complaints about a search without an answer.
Failed failure_of(const FuseOutcome& outcome) {
  return {problem_lines(outcome.problems), cli::kInfeasible};
}

// Runs a search that an interrupt ends.
template <typename Search>
auto attended(const Architecture& arch, const FuseWords& asked, Search search) {
  refuse_flexible(arch);
  FuseOptions options = options_of(asked);
  std::vector<Diagnostic> unknown = unknown_memories(arch, options);
  if (!unknown.empty()) throw Refused{std::move(unknown)};
  Attendant attendant{nb::none()};
  options.cancelled = attendant.cancelled();
  decltype(search(options)) found;
  attendant.run([&] { found = search(options); });
  return found;
}

// The text of a certificate, if one was asked for.
std::string certificate_of(cli::FusedPlan& fused) {
  std::optional<certificate::PlanProven>& proven = fused.proven;
  if (!proven) return "";
  if (fused.flat) return certificate::write_certificate(*fused.flat);
  if (proven->certificate) return certificate::write_certificate(*proven->certificate);
  if (proven->is_beyond) throw Refused{std::move(proven->problems)};
  throw Failed{{to_string(proven->problems.front())}, cli::kDiffers};
}

HeldFusion fuse_cascade(const HeldArchitecture& arch, const HeldCascade& cascade,
                        const std::vector<std::string>& shared, std::int64_t longest_group,
                        const std::optional<std::string>& time, const std::string& objective,
                        bool recompute, bool remainders, bool uneven, bool certificate) {
  cli::FusedPlan fused = attended(
      arch.value, {shared, longest_group, time, objective, recompute, remainders, 1, uneven},
      [&](const FuseOptions& options) {
        return cli::fuse_in_time(cascade.value, arch.value, options, certificate);
      });
  FuseOutcome& outcome = fused.outcome;
  if (outcome.status == FuseOutcome::Status::BadInput) throw Refused{std::move(outcome.problems)};
  if (!outcome.found()) throw failure_of(outcome);
  std::string text = certificate_of(fused);
  PlanEvaluation evaluation =
      value_or_refuse(evaluate_plan(cascade.value, arch.value, outcome.plan));
  return {{cascade.value,
           arch.value,
           std::move(outcome),
           std::move(evaluation),
           {},
           {},
           std::move(fused.not_fused)},
          std::move(text)};
}

// The parts of a network, with what the checker makes of them if a certificate was asked for.
struct CertifiedFusion {
  FusedNetwork fused;
  cli::CertifiedNetwork made;
};

CertifiedFusion fuse_and_certify(const Architecture& arch, const Network& network,
                                 const FuseOptions& options, int threads, bool certificate) {
  if (!certificate) return {fuse_network(network, arch, options, threads), {}};
  CertifiedFusion both{fuse_network(network, arch, cli::search_to_certify(options), threads), {}};
  if (both.fused.missing() == 0) {
    both.made = cli::certified_network(network, arch, both.fused, options, threads);
  } else {
    both.made.complaints = {"some parts have no mapping: there is no certificate"};
  }
  return both;
}

HeldFusedNetwork fuse_whole(const HeldArchitecture& arch, const HeldNetwork& network,
                            const std::vector<std::string>& shared, std::int64_t longest_group,
                            const std::optional<std::string>& time, const std::string& objective,
                            bool recompute, bool remainders, bool uneven, std::int64_t threads,
                            bool certificate) {
  CertifiedFusion found = attended(
      arch.value, {shared, longest_group, time, objective, recompute, remainders, threads, uneven},
      [&](const FuseOptions& options) {
        return fuse_and_certify(arch.value, network.value, options, static_cast<int>(threads),
                                certificate);
      });
  if (!found.made.complaints.empty()) {
    throw Failed{std::move(found.made.complaints),
                 found.fused.missing() > 0 ? cli::kInfeasible : cli::kDiffers};
  }
  const auto memory =
      shared.empty() ? default_shared_memory(arch.value) : std::optional(shared.front());
  std::string text = found.made.certificate
                         ? certificate::write_certificate(*found.made.certificate)
                         : std::string();
  return {{network.value, arch.value, memory.value_or(""), std::move(found.fused)},
          std::move(text)};
}

// Runs a check that an interrupt ends.
template <typename Check>
auto attended_check(Check check) {
  Attendant attendant{nb::none()};
  decltype(check(attendant.cancelled())) outcome;
  attendant.run([&] { outcome = check(attendant.cancelled()); });
  if (attendant.is_interrupted() && !outcome.problems.empty()) {
    throw Failed{{"interrupted before all was checked"}, cli::kInterrupted};
  }
  return outcome;
}

// What the checker says of a plan, of trees or of flat groups.
struct HeldPlanCheck : Counted {
  std::vector<Diagnostic> problems;
  std::string energy_pj, objective, value, bound;
  std::int64_t groups = 0;
};

HeldPlanCheck check_flat_plan(std::string_view text, const std::string& file) {
  const auto read = value_or_refuse(certificate::read_flat_certificate(text, file));
  certificate::FlatOutcome outcome = attended_check(
      [&](const std::atomic<bool>* cancelled) { return certificate::check(read, 1, cancelled); });
  HeldPlanCheck held;
  held.problems = std::move(outcome.problems);
  held.energy_pj = held.value = read.energy_pj;
  held.objective = to_string(Objective::Energy);
  held.bound = read.bound;
  held.groups = outcome.statistics.groups();
  return held;
}

HeldPlanCheck check_plan(std::string_view text, const std::string& file) {
  if (certificate::is_flat_certificate(text)) return check_flat_plan(text, file);
  const auto read = value_or_refuse(certificate::read_plan_certificate(text, file));
  certificate::PlanOutcome outcome = attended_check(
      [&](const std::atomic<bool>* cancelled) { return certificate::check(read, cancelled); });
  HeldPlanCheck held;
  held.problems = std::move(outcome.problems);
  held.energy_pj = read.energy_pj;
  held.objective = to_string(read.objective);
  held.value = read.value;
  held.bound = read.bound;
  held.groups = outcome.statistics.groups();
  return held;
}

struct HeldNetworkCheck : Counted {
  certificate::NetworkCertificate certificate;
  certificate::NetworkOutcome outcome;
};

HeldNetworkCheck check_network(std::string_view text, const std::string& file, const Texts& texts) {
  const int threads = checker_threads(texts);
  HeldNetworkCheck held;
  held.certificate = value_or_refuse(certificate::read_network_certificate(text, file));
  held.outcome = attended_check([&](const std::atomic<bool>* cancelled) {
    return certificate::check(held.certificate, threads, cancelled);
  });
  return held;
}

std::string known_text(certificate::PartOutcome::Known known) {
  using Known = certificate::PartOutcome::Known;
  if (known == Known::Optimal) return "optimal";
  if (known == Known::Bounded) return "bounded";
  if (known == Known::Unchecked) return "bounded, plan unchecked";
  return known == Known::Counted ? "mapped one by one" : "unproven";
}

// What is known of each part, its contractions, how often it is there and what all of it takes.
auto checked_parts(const HeldNetworkCheck& held) {
  std::vector<std::tuple<std::string, std::vector<std::string>, std::int64_t, std::string>> parts;
  for (const certificate::PartOutcome& part : held.outcome.parts) {
    parts.emplace_back(known_text(part.known), part.contractions, part.count, part.energy_pj);
  }
  return parts;
}

void bind_network_check(nb::module_& m) {
  nb::class_<HeldNetworkCheck>(m, "NetworkCheck")
      .def_prop_ro("refusals",
                   [](const HeldNetworkCheck& h) { return problem_lines(h.outcome.problems); })
      .def_prop_ro("network", [](const HeldNetworkCheck& h) { return h.outcome.name; })
      .def_prop_ro("energy_pj", [](const HeldNetworkCheck& h) { return h.certificate.energy_pj; })
      .def_prop_ro("bound", [](const HeldNetworkCheck& h) { return h.certificate.bound; })
      .def_prop_ro("parts", checked_parts);
  m.def("check_network", check_network, "text"_a, "file"_a, "texts"_a);
}

void bind_plan_check(nb::module_& m) {
  nb::class_<HeldPlanCheck>(m, "PlanCheck")
      .def_prop_ro("refusals", [](const HeldPlanCheck& h) { return problem_lines(h.problems); })
      .def_ro("energy_pj", &HeldPlanCheck::energy_pj)
      .def_ro("objective", &HeldPlanCheck::objective)
      .def_ro("value", &HeldPlanCheck::value)
      .def_ro("bound", &HeldPlanCheck::bound)
      .def_ro("groups", &HeldPlanCheck::groups);
  m.def("check_plan", check_plan, "text"_a, "file"_a);
}

void bind_fuse(nb::module_& m) {
  nb::class_<HeldFusion>(m, "Fusion")
      .def_prop_ro("plan",
                   [](const HeldFusion& f) {
                     return HeldPlan(f.value.arch, f.value.cascade, f.value.outcome.plan);
                   })
      .def_prop_ro("certificate", [](const HeldFusion& f) { return f.certificate; })
      .def("json", [](const HeldFusion& f) { return report::fuse_json(f.value); })
      .def("text", [](const HeldFusion& f) { return report::fuse_text(f.value); });
  nb::class_<HeldFusedNetwork>(m, "FusedNetwork")
      .def_prop_ro("certificate", [](const HeldFusedNetwork& f) { return f.certificate; })
      .def("json", [](const HeldFusedNetwork& f) { return report::fused_network_json(f.value); })
      .def("text", [](const HeldFusedNetwork& f) { return report::fused_network_text(f.value); });
  m.def("fuse", fuse_cascade, "arch"_a, "cascade"_a, "shared"_a, "longest_group"_a, "time"_a.none(),
        "objective"_a, "recompute"_a, "remainders"_a, "uneven"_a, "certificate"_a);
  m.def("fuse_network", fuse_whole, "arch"_a, "network"_a, "shared"_a, "longest_group"_a,
        "time"_a.none(), "objective"_a, "recompute"_a, "remainders"_a, "uneven"_a, "threads"_a,
        "certificate"_a);
}

// --- one plan --------------------------------------------------------------------

HeldPlanResult evaluate_held(const HeldPlan& plan, bool optimum) {
  refuse_flexible(plan.arch);
  cli::EvaluatedPlan found;
  Attendant attendant{nb::none()};
  attendant.run([&] {
    found = cli::evaluate_given_plan(plan.cascade, plan.arch, plan.plan, optimum,
                                     attendant.cancelled());
  });
  refuse_if_any(std::move(found.problems));
  if (!found.report) throw Failed{std::move(found.misfit), cli::kInfeasible};
  return HeldPlanResult(std::move(*found.report));
}

void bind_plan_results(nb::module_& m) {
  nb::class_<HeldPlanResult>(m, "PlanResult")
      .def_prop_ro("plan",
                   [](const HeldPlanResult& r) {
                     return HeldPlan(r.value.arch, r.value.cascade, r.value.plan);
                   })
      .def("json", [](const HeldPlanResult& r) { return report::plan_json(r.value); })
      .def("text", [](const HeldPlanResult& r) { return report::plan_text(r.value); });
  m.def("evaluate_plan", evaluate_held, "plan"_a, "optimum"_a);
}

}  // namespace

void bind_fusion(nb::module_& m) {
  bind_cascade(m);
  bind_plan(m);
  bind_fuse(m);
  bind_plan_check(m);
  bind_network_check(m);
  bind_plan_results(m);
}

}  // namespace tilewright::python
