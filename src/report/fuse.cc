// The outcome of fused mapping.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/json_values.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

std::string microjoules(double pj) { return fmt::format("{:.4f} uJ", pj / 1e6); }

std::string placement_text(const Placement& placement) {
  switch (placement.kind) {
    case Placement::Kind::Streamed:
      return "streamed";
    case Placement::Kind::Local:
      return "local";
    case Placement::Kind::Kept:
      break;
  }
  return fmt::format("kept below {} loops", placement.depth);
}

void add_node(const FuseReport& report, const PlanNode& node, int indent, std::string& text) {
  const std::string margin(at(2 * indent), ' ');
  for (const SharedLoop& loop : node.loops) {
    text += fmt::format("{}for {} in {}\n", margin, loop.dim, loop.count);
  }
  for (const PlanNode& child : node.children) {
    add_node(report, child, indent + (node.loops.empty() ? 0 : 1), text);
  }
  if (!node.is_leaf()) return;
  const LeafReport& leaf = report.evaluation.leaves[at(node.einsum)];
  const Workload& workload = report.cascade.workload(node.einsum);
  text += fmt::format("{}{}: {}, {} words live, limited by {}\n", margin, workload.name,
                      microjoules(leaf.energy_pj), leaf.live_words, leaf.limit);
  for (int t = 0; t < workload.tensor_count(); ++t) {
    const Traffic& outside = leaf.memories.front().total[at(t)];
    text += fmt::format("{}  {}: {}, {} words with {}\n", margin, workload.tensors[at(t)].name,
                        placement_text(report.outcome.plan.leaves[at(node.einsum)].tensors[at(t)]),
                        outside.reads + outside.updates, leaf.memories.front().name);
  }
}

}  // namespace

std::string fuse_text(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  std::string text = fmt::format("{} on {}, shared memory {}\n", report.cascade.name,
                                 report.arch.name, outcome.plan.shared);
  text += fmt::format("  unfused  {}\n", microjoules(outcome.unfused_pj));
  text += fmt::format("  fused    {} in {} groups, {:.3f} times less, {} cycles\n",
                      microjoules(outcome.energy_pj), outcome.plan.groups.size(),
                      outcome.unfused_pj / outcome.energy_pj, report.evaluation.cycles);
  text += outcome.proven
              ? fmt::format("  proven: no plan has less energy ({:.2f} s)\n", outcome.seconds)
              : fmt::format("  not proven: the search was stopped; no plan has less than {}\n",
                            microjoules(outcome.bound_pj));
  for (std::size_t g = 0; g < outcome.plan.groups.size(); ++g) {
    text += fmt::format("group {}: {}\n", g + 1, microjoules(outcome.group_pj[g]));
    add_node(report, outcome.plan.groups[g], 1, text);
  }
  return text;
}

std::string fuse_json(const FuseReport& report) {
  const FuseOutcome& outcome = report.outcome;
  nlohmann::ordered_json json;
  json["cascade"] = report.cascade.name;
  json["architecture"] = report.arch.name;
  json["shared"] = outcome.plan.shared;
  json["unfused_pj"] = outcome.unfused_pj;
  json["energy_pj"] = outcome.energy_pj;
  json["cycles"] = report.evaluation.cycles;
  json["proven"] = outcome.proven;
  json["bound_pj"] = outcome.bound_pj;
  json["seconds"] = outcome.seconds;
  for (const double pj : outcome.group_pj) json["group_pj"].push_back(pj);
  for (const LeafReport& leaf : report.evaluation.leaves) {
    json["einsums"].push_back({{"energy_pj", leaf.energy_pj},
                               {"live_words", leaf.live_words},
                               {"cycles", leaf.cycles},
                               {"limit", leaf.limit}});
  }
  return json.dump(2) + "\n";
}

}  // namespace tilewright::report
