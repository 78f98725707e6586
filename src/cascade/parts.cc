// Networks as cascades: contractions that hand on what they write, together.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cascade/graph_returns.h"
#include "cascade/graph_unrolled.h"
#include "cascade/same_work.h"

namespace tilewright {
namespace {

// A part does not go on behind what also leaves, where it would have more contractions than this:
// the cuts of a long part take long to search, and groups are shorter anyway.
constexpr std::size_t kLongestBehindLeaving = 12;

class PartMaker {
 public:
  explicit PartMaker(const UnrolledNetwork& unrolled)
      : origin_(unrolled.origin),
        of_(unrolled.network),
        graph_(unrolled.network.graph),
        order_(execution_order(graph_).operators),
        all_(links_of(graph_, order_)),
        part_order_(of_, all_, links_),
        group_(graph_.operators.size()) {
    for (std::size_t op = 0; op < group_.size(); ++op) group_[op] = op;
  }

  NetworkParts make() {
    for (const GraphLink& link : all_) try_link(link);
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
      if (of_.is_contraction(op) && group_[op] == group) all.push_back(op);
    }
    return all;
  }

  // What repetitions have in common is told once.
  void cut(std::size_t op, const std::string& reason, bool handed_on = false) {
    const NetworkCut one{origin_[op], reason, handed_on};
    const bool known =
        std::any_of(made_.cuts.begin(), made_.cuts.end(), [&](const NetworkCut& other) {
          return other.op == one.op && other.handed_on == handed_on;
        });
    if (!known) made_.cuts.push_back(one);
  }

  // Readers that need it in another way get it from the outermost memory.
  void leave_misfits(GraphLink& link) const {
    std::erase_if(link.readers, [&](std::size_t reader) {
      const std::string misfit = of_.misfit_of(link, reader);
      if (!misfit.empty() && link.leaves.empty()) link.leaves = misfit;
      return !misfit.empty();
    });
  }

  void try_link(GraphLink link) {
    leave_misfits(link);
    if (link.readers.empty()) {
      if (!link.leaves.empty()) cut(link.writer, link.leaves);
      return;
    }
    std::set<std::size_t> groups = {group_[link.writer]};
    for (const std::size_t reader : link.readers) groups.insert(group_[reader]);
    std::vector<std::size_t> ops;
    for (const std::size_t group : groups) append(ops, members(group));
    links_.push_back(link);
    std::string reason =
        of_.kept_norms(link).size() > 1 ? "it is normalised along several dimensions" : "";
    if (reason.empty() && !link.leaves.empty() && ops.size() > kLongestBehindLeaving) {
      reason = link.leaves;
    }
    if (reason.empty() && !part_order_.may_be_part(ops, group_)) {
      reason = "operators in between need its readers or what is beside them";
    }
    if (reason.empty() && !same_dims(of_, links_, ops)) {
      reason = "two dimensions of one contraction would have to be the same";
    }
    if (!reason.empty()) {
      links_.pop_back();
      cut(link.writer, reason);
      return;
    }
    if (!link.leaves.empty()) cut(link.writer, link.leaves, true);
    const std::size_t first = *std::find_if(order_.begin(), order_.end(),
                                            [&](std::size_t op) { return contains(ops, op); });
    for (const std::size_t op : ops) group_[op] = first;
  }

  // Parts of several repetitions may be the same.
  void add(NetworkPart part) {
    for (std::size_t& op : part.operators) op = origin_[op];
    for (NetworkPart& other : made_.parts) {
      if (other.operators != part.operators) continue;
      if (without_names(other.cascade) != without_names(part.cascade)) continue;
      other.count += part.count;
      return;
    }
    made_.parts.push_back(std::move(part));
  }

  void add_part(std::size_t first) {
    const std::vector<std::size_t> ops = members(first);
    NetworkPart part{{}, ops, of_.layer(first).count};
    part.cascade.name = fmt::format("{}/{}", of_.network().name, of_.name(first));
    if (ops.size() > 1) {
      add_einsums(of_, links_, ops, part.cascade);
      const std::vector<CascadeProblem> problems = problems_of(part.cascade);
      if (problems.empty()) {
        add(std::move(part));
        return;
      }
      for (const std::size_t op : ops) cut(op, problems.front().message);
    }
    for (const std::size_t op : ops) {
      Cascade alone{fmt::format("{}/{}", of_.network().name, of_.name(op)),
                    "",
                    {{of_.layer(op).workload, {}}}};
      alone.einsums.front().workload.name = of_.name(op);
      add({std::move(alone), {op}, of_.layer(op).count});
    }
  }

  const std::vector<std::size_t>& origin_;  // of operators, in the network that was asked about
  const GraphContractions of_;
  const Graph& graph_;
  std::vector<std::size_t> order_;
  std::vector<GraphLink> all_;    // of each contraction
  std::vector<GraphLink> links_;  // inside parts
  PartOrder part_order_;
  std::vector<std::size_t> group_;  // by operator, of contractions: the first of its part
  NetworkParts made_;
};

}  // namespace

NetworkParts parts_of(const Network& network) {
  if (!network.graph.operators.empty()) return PartMaker(unrolled(network)).make();
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
