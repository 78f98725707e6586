// The outcome of fused mapping.
#include <fmt/format.h>

#include "report/json_values.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

std::string placement_text(const Placement& placement) {
  switch (placement.kind) {
    case Placement::Kind::Streamed:
      return "streamed";
    case Placement::Kind::Local:
      return "local";
    case Placement::Kind::Kept:
      break;
  }
  if (placement.depth == 0) return "kept throughout";
  return placement.depth == 1 ? "kept below the first loop"
                              : fmt::format("kept below the first {} loops", placement.depth);
}

const Placement& placement_of(const FuseReport& report, int einsum, int tensor) {
  return report.outcome.plan.leaves[at(einsum)].tensors[at(tensor)];
}

std::int64_t outer_words(const LeafReport& leaf, int tensor) {
  const Traffic& outside = leaf.memories.front().total[at(tensor)];
  return outside.reads + outside.updates;
}

void add_node(const PlanNode& node, const Cascade& cascade, int indent, std::string& text) {
  const std::string margin(at(2 * indent), ' ');
  for (const SharedLoop& loop : node.loops) {
    text += fmt::format("{}for {} in {}\n", margin, loop.dim, loop.count);
  }
  const int inside = indent + (node.loops.empty() ? 0 : 1);
  for (const PlanNode& child : node.children) add_node(child, cascade, inside, text);
  if (!node.is_leaf()) return;
  text +=
      fmt::format("{}{}\n", std::string(at(2 * inside), ' '), cascade.workload(node.einsum).name);
}

Table einsum_table(const FuseReport& report) {
  Table table({{"einsum", Align::Left},
               {"energy"},
               {"cycles"},
               {"limited by", Align::Left},
               {fmt::format("words live in {}", report.outcome.plan.shared)}});
  for (int e = 0; e < report.cascade.einsum_count(); ++e) {
    const LeafReport& leaf = report.evaluation.leaves[at(e)];
    table.add({report.cascade.workload(e).name, energy(leaf.energy_pj), grouped(leaf.cycles),
               leaf.limit, grouped(leaf.live_words)});
  }
  return table;
}

Table tensor_table(const FuseReport& report) {
  const std::string& outermost = report.evaluation.leaves.front().memories.front().name;
  Table table({{"einsum", Align::Left},
               {"tensor", Align::Left},
               {fmt::format("in {}", report.outcome.plan.shared), Align::Left},
               {fmt::format("words to and from {}", outermost)}});
  for (int e = 0; e < report.cascade.einsum_count(); ++e) {
    const Workload& workload = report.cascade.workload(e);
    for (int t = 0; t < workload.tensor_count(); ++t) {
      table.add({workload.name, workload.tensors[at(t)].name,
                 placement_text(placement_of(report, e, t)),
                 grouped(outer_words(report.evaluation.leaves[at(e)], t))});
    }
  }
  return table;
}

const char* kind_text(Placement::Kind kind) {
  if (kind == Placement::Kind::Streamed) return "streamed";
  return kind == Placement::Kind::Local ? "local" : "kept";
}

Json tensors_json(const FuseReport& report, int einsum) {
  const Workload& workload = report.cascade.workload(einsum);
  Json tensors = Json::array();
  for (int t = 0; t < workload.tensor_count(); ++t) {
    const Placement& placement = placement_of(report, einsum, t);
    const bool kept = placement.kind == Placement::Kind::Kept;
    tensors.push_back({{"name", workload.tensors[at(t)].name},
                       {"placement", kind_text(placement.kind)},
                       {"below_loops", kept ? Json(placement.depth) : Json(nullptr)},
                       {"outer_words", outer_words(report.evaluation.leaves[at(einsum)], t)}});
  }
  return tensors;
}

Json einsum_json(const FuseReport& report, int einsum) {
  const LeafReport& leaf = report.evaluation.leaves[at(einsum)];
  const Cascade& cascade = report.cascade;
  return {{"name", cascade.workload(einsum).name},
          {"group_first", cascade.workload(group_of(report.outcome.plan, einsum).first).name},
          {"energy_pj", leaf.energy_pj},
          {"cycles", leaf.cycles},
          {"limited_by", leaf.limit},
          {"live_words", leaf.live_words},
          {"shared_loops", array_of(path_of(report.outcome.plan, einsum),
                                    [&](const PathLoop& one) {
                                      return Json{{"dim", one.loop.dim},
                                                  {"count", one.loop.count},
                                                  {"first", cascade.workload(one.first).name},
                                                  {"last", cascade.workload(one.last).name}};
                                    })},
          {"tensors", tensors_json(report, einsum)}};
}

// Without and with fusion, and what is proven of the latter.
std::string totals_text(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  const std::size_t groups = outcome.plan.groups.size();
  const bool timed = outcome.unfused_cycles.has_value();
  const double gain =
      timed ? outcome.unfused_value / outcome.value : outcome.unfused_pj / outcome.energy_pj;
  std::string text = fmt::format("  unfused  {}{}\n", energy(outcome.unfused_pj),
                                 timed ? "; " + grouped(*outcome.unfused_cycles) + " cycles" : "");
  if (report.uneven && report.uneven->pj) {
    text += fmt::format("  unfused  {} with uneven nests{}\n", energy(*report.uneven->pj),
                        report.uneven->proven ? "" : ", not proven");
  }
  text += fmt::format("  fused    {} in {} group{}, {:.2f} times less{}; {} cycles\n",
                      energy(outcome.energy_pj), groups, groups == 1 ? "" : "s", gain,
                      timed ? " " + to_string(outcome.objective) : "",
                      grouped(report.evaluation.cycles));
  const std::string what = to_string(outcome.objective);
  if (outcome.proven) {
    return text + fmt::format(
                      "  proven: no plan of even nests with perfect factors has less {} "
                      "({:.2f} s)\n\n",
                      what, outcome.seconds);
  }
  const std::string bound =
      timed ? fmt::format("{:.1f} % of its {}", 100 * outcome.bound / outcome.value, what)
            : energy(outcome.bound_pj);
  return text + "  not proven: the search was stopped; no plan has less than " + bound + "\n\n";
}

}  // namespace

std::string fuse_text(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  const std::size_t groups = outcome.plan.groups.size();
  std::string text = fmt::format("{} on {}, intermediates in {}\n\n", report.cascade.name,
                                 report.arch.name, outcome.plan.shared) +
                     totals_text(report);
  for (std::size_t g = 0; g < groups; ++g) {
    text += fmt::format("Group {}: {}\n", g + 1, energy(outcome.group_pj[g]));
    add_node(outcome.plan.groups[g], report.cascade, 1, text);
  }
  return text + "\n" + einsum_table(report).text() + "\n" + tensor_table(report).text();
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
  json["bound_pj"] = outcome.bound_pj;
  json["value"] = outcome.value;
  json["bound"] = outcome.bound;
  json["seconds"] = outcome.seconds;
  json["group_pj"] = outcome.group_pj;
  json["einsums"] = Json::array();
  for (int e = 0; e < report.cascade.einsum_count(); ++e) {
    json["einsums"].push_back(einsum_json(report, e));
  }
  return document("tilewright.fusion.v1", json);
}

}  // namespace tilewright::report
