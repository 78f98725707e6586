// Networks as cascades: contractions that hand on what they write, together.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cascade/graph_contractions.h"

namespace tilewright {
namespace {

class PartMaker {
 public:
  explicit PartMaker(const Network& network)
      : of_(network), graph_(network.graph), order_(execution_order(graph_).operators) {
    readers_.resize(graph_.edges.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      position_[order_[i]] = i;
      for (const EdgeId edge : graph_.operators[order_[i]].reads) {
        readers_[at(edge)].push_back(order_[i]);
      }
    }
  }

  NetworkParts make() {
    GraphLinks found = links_of(graph_, order_);
    made_.cuts = std::move(found.cuts);
    for (const std::size_t op : order_) {
      if (of_.is_contraction(op)) group_[op] = op;
    }
    for (const GraphLink& link : found.links) try_link(link);
    for (const std::size_t op : order_) {
      if (of_.is_contraction(op) && group_[op] == op) add_part(op);
    }
    std::sort(made_.cuts.begin(), made_.cuts.end(),
              [](const NetworkCut& one, const NetworkCut& other) { return one.op < other.op; });
    return std::move(made_);
  }

 private:
  std::vector<std::size_t> members(std::size_t group) const {
    std::vector<std::size_t> all;
    for (const std::size_t op : order_) {
      if (of_.is_contraction(op) && group_.at(op) == group) all.push_back(op);
    }
    return all;
  }

  void try_link(const GraphLink& link) {
    std::string reason =
        of_.kept_norms(link).size() > 1 ? "it is normalised along several dimensions" : "";
    for (const std::size_t reader : link.readers) {
      if (reason.empty()) reason = of_.misfit_of(link, reader);
    }
    std::set<std::size_t> groups = {group_[link.writer]};
    for (const std::size_t reader : link.readers) groups.insert(group_[reader]);
    std::vector<std::size_t> ops;
    for (const std::size_t group : groups) append(ops, members(group));
    links_.push_back(link);
    if (reason.empty() && leads_back(ops)) {
      reason = "operators in between need its readers or what is beside them";
    }
    if (reason.empty() && !same_dims(of_, links_, ops)) {
      reason = "two dimensions of one contraction would have to be the same";
    }
    if (!reason.empty()) {
      links_.pop_back();
      made_.cuts.push_back({link.writer, reason});
      return;
    }
    const std::size_t first = *std::min_element(
        ops.begin(), ops.end(),
        [&](std::size_t a, std::size_t b) { return position_.at(a) < position_.at(b); });
    for (const std::size_t op : ops) group_[op] = first;
  }

  // Whether something outside comes behind one of the contractions and before another.
  bool leads_back(const std::vector<std::size_t>& ops) const {
    std::set<std::size_t> inside(ops.begin(), ops.end());
    std::set<EdgeId> handed_on;
    for (const GraphLink& link : links_) {
      if (!inside.contains(link.writer)) continue;
      inside.insert(link.passed.begin(), link.passed.end());
      handed_on.insert(graph_.operators[link.writer].writes);
    }
    std::vector<EdgeId> leaving;
    for (const std::size_t op : ops) {
      const EdgeId edge = graph_.operators[op].writes;
      if (!handed_on.contains(edge)) leaving.push_back(edge);
    }
    std::set<EdgeId> seen(leaving.begin(), leaving.end());
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      for (const std::size_t reader : readers_[at(leaving[i])]) {
        if (inside.contains(reader)) return true;
        const EdgeId edge = graph_.operators[reader].writes;
        if (seen.insert(edge).second) leaving.push_back(edge);
      }
    }
    return false;
  }

  void add_part(std::size_t first) {
    const std::vector<std::size_t> ops = members(first);
    NetworkPart part{{}, ops, of_.layer(first).count};
    part.cascade.name = fmt::format("{}/{}", of_.network().name, of_.name(first));
    if (ops.size() > 1) {
      add_einsums(of_, links_, ops, part.cascade);
      const std::vector<CascadeProblem> problems = problems_of(part.cascade);
      if (problems.empty()) {
        made_.parts.push_back(std::move(part));
        return;
      }
      for (const std::size_t op : ops) made_.cuts.push_back({op, problems.front().message});
    }
    for (const std::size_t op : ops) {
      Cascade alone{fmt::format("{}/{}", of_.network().name, of_.name(op)),
                    "",
                    {{of_.layer(op).workload, {}}}};
      alone.einsums.front().workload.name = of_.name(op);
      made_.parts.push_back({std::move(alone), {op}, of_.layer(op).count});
    }
  }

  const GraphContractions of_;
  const Graph& graph_;
  std::vector<std::size_t> order_;
  std::map<std::size_t, std::size_t> position_, group_;  // by operator
  std::vector<std::vector<std::size_t>> readers_;        // by edge
  std::vector<GraphLink> links_;
  NetworkParts made_;
};

}  // namespace

NetworkParts parts_of(const Network& network) {
  if (!network.graph.operators.empty()) return PartMaker(network).make();
  NetworkParts made;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    Cascade alone{fmt::format("{}/{}", network.name, layer.name), "", {{layer.workload, {}}}};
    alone.einsums.front().workload.name = layer.name;
    made.parts.push_back({std::move(alone), {i}, layer.count});
  }
  return made;
}

}  // namespace tilewright
