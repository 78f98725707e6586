// A plan that somebody wrote, and what it costs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/plan_parts.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

std::string optimum_text(const PlanReport& report) {
  const FuseOutcome& best = *report.optimum;
  const double more = report.evaluation.energy_pj / best.energy_pj - 1;
  const std::string known = best.proven ? "(proven)" : "found in the time";
  const std::string takes =
      fmt::format("{}, {} unfused", energy(best.energy_pj), energy(best.unfused_pj));
  if (more > -1e-9) {
    return fmt::format("  The best plan {} takes {}: this one takes {} more.\n", known, takes,
                       percent(std::max(0.0, more)));
  }
  // It may have what no plan has that was searched, such as uneven nests.
  const PlanView view{report.cascade, report.plan, report.evaluation};
  const char* where = shared_text(view) == report.plan.shared ? "" : " in one shared memory";
  return fmt::format(
      "  The best plan of equal pieces and even nests{}, with no work done again, {} takes {}: "
      "this "
      "one{} takes {} less.\n",
      where, known, takes, best.proven ? " is none of these and" : "", percent(-more));
}

Json optimum_json(const FuseOutcome& best) {
  return {{"energy_pj", best.energy_pj},
          {"unfused_pj", best.unfused_pj},
          {"proven", best.proven},
          {"bound_pj", best.bound_pj}};
}

}  // namespace

std::string plan_text(const PlanReport& report) {
  const PlanView view{report.cascade, report.plan, report.evaluation};
  std::string text = fmt::format("{} on {}, intermediates in {}\n\n", report.cascade.name,
                                 report.arch.name, shared_text(view));
  text += fmt::format("  {}, {} cycles, EDP {}\n", energy(report.evaluation.energy_pj),
                      grouped(report.evaluation.cycles), edp(report.evaluation.edp()));
  if (!report.found_nests.empty()) {
    text += fmt::format("  The plan has no nests of {}: those of least energy were found.\n",
                        fmt::join(report.found_nests, ", "));
  }
  if (report.optimum) text += optimum_text(report);
  return text + "\n" + groups_text(view) + "\n" + einsum_table(view).text() + "\n" +
         tensor_table(view).text() + "\n" + memory_table(view).text();
}

std::string plan_json(const PlanReport& report) {
  const PlanView view{report.cascade, report.plan, report.evaluation};
  Json json = origin_value(report.command, &report.arch);
  json["cascade"] = report.cascade.name;
  json["shared"] = report.plan.shared;
  json["energy_pj"] = report.evaluation.energy_pj;
  json["cycles"] = report.evaluation.cycles;
  json["edp_pj_cycles"] = report.evaluation.edp();
  json["found_nests"] = report.found_nests;
  json["optimum"] = report.optimum ? optimum_json(*report.optimum) : Json(nullptr);
  json["group_pj"] = group_energies(view);
  json["einsums"] = einsums_json(view);
  return document("tilewright.plan.v1", json);
}

}  // namespace tilewright::report
