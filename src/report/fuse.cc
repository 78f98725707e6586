// The outcome of fused mapping.
#include <fmt/format.h>

#include "report/plan_parts.h"
#include "tilewright/report.h"

namespace tilewright::report {

std::string fuse_text(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  const std::size_t groups = outcome.plan.groups.size();
  std::string text = fmt::format("{} on {}, intermediates in {}\n\n", report.cascade.name,
                                 report.arch.name, outcome.plan.shared);
  text += fmt::format("  unfused  {}\n", energy(outcome.unfused_pj));
  text += fmt::format("  fused    {} in {} group{}, {:.2f} times less; {} cycles\n",
                      energy(outcome.energy_pj), groups, groups == 1 ? "" : "s",
                      outcome.unfused_pj / outcome.energy_pj, grouped(report.evaluation.cycles));
  text += outcome.proven
              ? fmt::format(
                    "  proven: no plan of even nests with perfect factors has less energy "
                    "({:.2f} s)\n\n",
                    outcome.seconds)
              : fmt::format("  not proven: the search was stopped; no plan has less than {}\n\n",
                            energy(outcome.bound_pj));
  const PlanView view{report.cascade, outcome.plan, report.evaluation};
  return text + groups_text(view) + "\n" + einsum_table(view).text() + "\n" +
         tensor_table(view).text();
}

std::string fuse_json(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  Json json = origin_value(report.command, &report.arch);
  json["cascade"] = report.cascade.name;
  json["shared"] = outcome.plan.shared;
  json["unfused_pj"] = outcome.unfused_pj;
  json["energy_pj"] = outcome.energy_pj;
  json["cycles"] = report.evaluation.cycles;
  json["proven"] = outcome.proven;
  json["bound_pj"] = outcome.bound_pj;
  json["seconds"] = outcome.seconds;
  json["group_pj"] = outcome.group_pj;
  json["einsums"] = einsums_json({report.cascade, outcome.plan, report.evaluation});
  return document("tilewright.fusion.v1", json);
}

}  // namespace tilewright::report
