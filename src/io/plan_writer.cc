// Plans as files.
#include <fmt/format.h>

#include <algorithm>

#include "context.h"
#include "tilewright/io.h"
#include "values.h"

namespace tilewright::io {

namespace {

// The memory of a group, where that is its own.
std::string shared_text(const PlanNode& node, const std::string& margin) {
  if (node.shared.empty()) return "";
  return fmt::format("{}  shared: {}\n", margin, quoted_if_needed(node.shared));
}

std::string node_text(const Cascade& cascade, const Plan& plan, const PlanNode& node, int indent) {
  const std::string margin(at(indent), ' ');
  std::vector<std::string> loops, keep, local, homes;
  for (const SharedLoop& loop : node.loops) {
    loops.push_back(to_string(loop));
  }
  if (!node.is_leaf()) {
    std::string text = fmt::format("{0}- for: [{1}]\n{2}{0}  do:\n", margin, join(loops, ", "),
                                   shared_text(node, margin));
    for (const PlanNode& child : node.children) {
      text += node_text(cascade, plan, child, indent + 4);
    }
    return text;
  }
  const Workload& workload = cascade.workload(node.einsum);
  for (std::size_t t = 0; t < workload.tensors.size(); ++t) {
    const Placement& one = plan.leaves[at(node.einsum)].tensors[t];
    const std::string name = quoted_if_needed(workload.tensors[t].name);
    if (one.kind == Placement::Kind::Local) local.push_back(name);
    if (one.kind == Placement::Kind::Kept) keep.push_back(fmt::format("{}: {}", name, one.depth));
    if (one.home.empty()) continue;
    homes.push_back(fmt::format("{}: {}", name, quoted_if_needed(one.home)));
  }
  const std::string elsewhere =
      homes.empty() ? "" : fmt::format("{}  homes: {{{}}}\n", margin, join(homes, ", "));
  return fmt::format(
      "{0}- for: [{1}]\n{2}{0}  keep: {{{3}}}\n{0}  local: [{4}]\n{5}{0}  do: [{6}]\n", margin,
      join(loops, ", "), shared_text(node, margin), join(keep, ", "), join(local, ", "), elsewhere,
      quoted_if_needed(workload.name));
}

std::string shifted(const std::string& text, const std::string& first, const std::string& rest) {
  std::string out;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1);
    out += (start == 0 ? first : rest) + text.substr(start, end - start + 1);
    start = end + 1;
  }
  return out;
}

}  // namespace

std::string write_plan(const Cascade& cascade, const Plan& plan) {
  std::string text = fmt::format("shared: {}\nplan:\n", quoted_if_needed(plan.shared));
  for (const PlanNode& group : plan.groups) text += node_text(cascade, plan, group, 2);
  std::string nests_text;
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    const std::vector<PrivateNest>& nests = plan.leaves[at(e)].nests;
    if (nests.empty()) continue;
    nests_text += fmt::format("  {}:\n", quoted_if_needed(cascade.workload(e).name));
    for (const PrivateNest& nest : nests) {
      const bool list = nests.size() > 1;
      nests_text += shifted(write_mapping(nest.problem, nest.mapping), list ? "    - " : "    ",
                            list ? "      " : "    ");
    }
  }
  return nests_text.empty() ? text : text + "nests:\n" + nests_text;
}

}  // namespace tilewright::io
