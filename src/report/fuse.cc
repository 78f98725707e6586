// The outcome of fused mapping.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/plan_parts.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

using Searched = FuseOutcome::Searched;

std::string to_string(Searched searched) {
  switch (searched) {
    case Searched::Trees:
      return "trees";
    case Searched::Flat:
      return "flat";
    case Searched::TreesAndFlat:
      break;
  }
  return "trees and flat";
}

// "L2 or L1"
std::string choice_of(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " or "));
}

// What other plans were searched than those of all trees.
std::string kind_of(const FuseOutcome& outcome) {
  if (outcome.remainders) {
    return "; loops that leave a remainder were looked for, one dimension at a time";
  }
  if (outcome.searched == Searched::Flat) {
    return "; groups have all loops around all their einsums, one per dimension";
  }
  if (outcome.searched == Searched::Trees) return "";
  return "; or of groups that make tiles again, with all loops around all their einsums, one per "
         "dimension";
}

// What is proven where groups chose among memories, and what was done with the best plan then.
std::string memories_text(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  const double before = outcome.one_memory_pj.value_or(outcome.energy_pj);
  std::string text = fmt::format("  {} where each group has everything in one memory, {}\n",
                                 energy(before), choice_of(outcome.shared));
  text += outcome.proven ? fmt::format(
                               "  proven: no such plan of even nests with perfect factors has less "
                               "energy ({:.2f} s)",
                               outcome.seconds)
                         : fmt::format("  not proven: no such plan has less than {}",
                                       energy(outcome.bound_pj));
  std::vector<std::string> flat = outcome.shared;
  if (outcome.searched == Searched::TreesAndFlat && !outcome.recomputes && !outcome.remainders) {
    std::erase(flat, default_shared_memory(report.arch));
  }
  text += fmt::format("; groups in {} have all loops around all their einsums, one per dimension\n",
                      choice_of(flat));
  if (outcome.remainders) {
    text += "  loops that leave a remainder were looked for, one dimension at a time\n";
  }
  const bool moved = before > outcome.energy_pj;
  return text +
         fmt::format("  tensors were then moved between memories, one at a time{}\n\n",
                     moved ? ", of which nothing is proven" : "; no move that was tried gained");
}

// Without and with fusion, and what is proven of the latter.
std::string totals_text(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  const std::size_t groups = outcome.plan.groups.size();
  const bool timed = outcome.unfused_cycles.has_value();
  const std::string gain = timed ? times_less(outcome.unfused_value, outcome.value)
                                 : times_less(outcome.unfused_pj, outcome.energy_pj);
  std::string text = energies_text(report.arch);
  text += fmt::format("  unfused  {}{}\n", energy(outcome.unfused_pj),
                      timed ? "; " + grouped(*outcome.unfused_cycles) + " cycles" : "");
  if (report.uneven && report.uneven->pj) {
    text += fmt::format("  unfused  {} with uneven nests{}\n", energy(*report.uneven->pj),
                        report.uneven->proven ? "" : ", not proven");
  }
  text += fmt::format("  fused    {} in {} group{}, {} times less{}; {} cycles\n",
                      energy(outcome.energy_pj), groups, groups == 1 ? "" : "s", gain,
                      timed ? " " + to_string(outcome.objective) : "",
                      grouped(report.evaluation.cycles));
  if (outcome.shared.size() > 1) return text + memories_text(report);
  const std::string what = to_string(outcome.objective);
  const char* nests = outcome.uneven_nests ? "even and uneven" : "even";
  if (outcome.proven) {
    return text + fmt::format(
                      "  proven: no plan of {} nests with perfect factors has less {} "
                      "({:.2f} s){}\n\n",
                      nests, what, outcome.seconds, kind_of(outcome));
  }
  const std::string bound =
      timed ? fmt::format("{:.1f} % of its {}", 100 * outcome.bound / outcome.value, what)
            : energy(outcome.bound_pj);
  return text + "  not proven: no plan has less than " + bound + kind_of(outcome) + "\n\n";
}

// What stands against keeping an intermediate on the chip.
std::string reason_of(const FuseReport& report, const NotFused& one) {
  const std::string& shared = report.outcome.plan.shared;
  switch (one.reason) {
    case NotFused::Reason::NotKept:
      return fmt::format("{} does not keep it for {}", shared, one.detail);
    case NotFused::Reason::OtherForm:
      return "it is read in another form than it is written in: " + one.detail;
    case NotFused::Reason::LongGroup:
      return "the group would be longer than is allowed";
    case NotFused::Reason::NoRoom:
      return fmt::format("no plan of one group fits into {}; {}", shared,
                         one.room_factor
                             ? fmt::format("one does with {} times its room", *one.room_factor)
                             : "none was found in a larger one");
    case NotFused::Reason::NoGain:
      return one.more_pj > 0 ? fmt::format("in one group they take {} more", energy(one.more_pj))
                             : "in one group they take as much";
    case NotFused::Reason::NoGainFound:
      break;
  }
  return "no better plan was found with them in one group";
}

std::string not_fused_text(const FuseReport& report) {
  if (report.not_fused.empty()) return "";
  std::string text = "\nWhat leaves the chip between groups\n";
  for (const NotFused& one : report.not_fused) {
    text += fmt::format("  {}, from {} to {}: {}\n", one.tensor,
                        report.cascade.workload(one.writer).name,
                        report.cascade.workload(one.reader).name, reason_of(report, one));
  }
  return text;
}

Json not_fused_json(const FuseReport& report) {
  Json list = Json::array();
  for (const NotFused& one : report.not_fused) {
    list.push_back({{"tensor", one.tensor},
                    {"writer", report.cascade.workload(one.writer).name},
                    {"reader", report.cascade.workload(one.reader).name},
                    {"reason", reason_of(report, one)}});
  }
  return list;
}

}  // namespace

std::string fuse_text(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  const PlanView view{report.cascade, outcome.plan, report.evaluation};
  return fmt::format("{} on {}, intermediates in {}\n\n", report.cascade.name, report.arch.name,
                     shared_text(view)) +
         totals_text(report) + groups_text(view) + "\n" + einsum_table(view).text() + "\n" +
         tensor_table(view).text() + not_fused_text(report);
}

std::string fuse_json(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  Json json = origin_value(report.command, &report.arch);
  json["cascade"] = report.cascade.name;
  json["shared"] = outcome.plan.shared;
  json["objective"] = to_string(outcome.objective);
  json["unfused_pj"] = outcome.unfused_pj;
  json["unfused_cycles"] = outcome.unfused_cycles ? Json(*outcome.unfused_cycles) : Json(nullptr);
  const bool uneven = report.uneven && report.uneven->pj;
  json["unfused_uneven_pj"] = uneven ? Json(*report.uneven->pj) : Json(nullptr);
  json["energy_pj"] = outcome.energy_pj;
  json["cycles"] = report.evaluation.cycles;
  json["proven"] = outcome.proven;
  json["searched"] = to_string(outcome.searched);
  json["remainders"] = outcome.remainders;
  json["uneven_nests"] = outcome.uneven_nests;
  json["bound_pj"] = outcome.bound_pj;
  json["value"] = outcome.value;
  json["bound"] = outcome.bound;
  json["seconds"] = outcome.seconds;
  if (outcome.shared.size() > 1) json["shared_memories"] = outcome.shared;
  if (outcome.one_memory_pj) json["one_memory_pj"] = *outcome.one_memory_pj;
  json["group_pj"] = outcome.group_pj;
  json["not_fused"] = not_fused_json(report);
  json["einsums"] = einsums_json({report.cascade, outcome.plan, report.evaluation});
  return document("tilewright.fusion.v1", json);
}

}  // namespace tilewright::report
