// Networks as cascades: contractions that hand on what they write, together.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cascade/graph_returns.h"
#include "cascade/graph_splits.h"
#include "cascade/graph_unrolled.h"
#include "cascade/same_work.h"

namespace tilewright {
namespace {

// A part does not go on behind what also leaves, where it would have more contractions than this:
// the cuts of a long part take long to search, and groups are shorter anyway.
constexpr std::size_t kLongestBehindLeaving = 12;

using Split = SplitNetwork (*)(const Network&, std::vector<GraphLink>);

class PartMaker {
 public:
  PartMaker(const UnrolledNetwork& unrolled, Split split)
      : origin_(unrolled.origin),
        whole_(unrolled.network),
        order_(execution_order(unrolled.network.graph).operators),
        raw_(links_of(unrolled.network.graph, order_)),
        split_(split),
        cut_(split(unrolled.network, raw_)),
        of_(cut_.network),
        part_order_(of_, cut_.links, links_),
        group_(unrolled.network.graph.operators.size()) {
    for (std::size_t op = 0; op < group_.size(); ++op) group_[op] = op;
  }

  NetworkParts make() {
    for (const GraphLink& link : cut_.links) try_link(link);
    add_parts();
    std::sort(made_.cuts.begin(), made_.cuts.end(),
              [](const NetworkCut& one, const NetworkCut& other) { return one.op < other.op; });
    return std::move(made_);
  }

 private:
  // Only what links of parts need is cut.
  void add_parts() {
    std::vector<GraphLink> used;
    for (const GraphLink& link : links_) {
      used.push_back(*std::find_if(raw_.begin(), raw_.end(), [&](const GraphLink& raw) {
        return raw.writer == link.writer;
      }));
      used.back().readers = link.readers;
      used.back().leaves = link.leaves;
    }
    const SplitNetwork made = split_(whole_.network(), std::move(used));
    for (const std::size_t op : order_) {
      if (whole_.is_contraction(op) && group_[op] == op) add_part(op, made);
    }
  }

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

  void add_part(std::size_t first, const SplitNetwork& split) {
    const GraphContractions of(split.network);
    const std::vector<std::size_t> ops = members(first);
    NetworkPart part{{}, ops, of.layer(first).count, {}};
    part.cascade.name = fmt::format("{}/{}", whole_.network().name, whole_.name(first));
    if (ops.size() > 1) {
      add_einsums(of, split.links, ops, part.cascade);
      const std::vector<CascadeProblem> problems = problems_of(part.cascade);
      if (problems.empty()) {
        if (std::any_of(ops.begin(), ops.end(), [&](auto op) { return split.changed[op]; })) {
          add_layers(part);
        }
        add(std::move(part));
        return;
      }
      for (const std::size_t op : ops) cut(op, problems.front().message);
    }
    for (const std::size_t op : ops) {
      const Layer& layer = whole_.layer(op);
      Cascade alone{
          fmt::format("{}/{}", whole_.network().name, whole_.name(op)), "", {{layer.workload, {}}}};
      alone.einsums.front().workload.name = whole_.name(op);
      add({std::move(alone), {op}, layer.count, {}});
    }
  }

  void add_layers(NetworkPart& part) const {
    for (const std::size_t op : part.operators) {
      Layer layer = whole_.layer(op);
      layer.count /= part.count;
      part.layers.push_back(std::move(layer));
    }
  }

  const std::vector<std::size_t>& origin_;  // of operators, in the network that was asked about
  const GraphContractions whole_;           // as the network has them
  std::vector<std::size_t> order_;
  std::vector<GraphLink> raw_;  // of each contraction
  Split split_;
  SplitNetwork cut_;              // with the dimensions that all links need
  const GraphContractions of_;    // of that
  std::vector<GraphLink> links_;  // inside parts
  PartOrder part_order_;
  std::vector<std::size_t> group_;  // by operator, of contractions: the first of its part
  NetworkParts made_;
};

}  // namespace

namespace {

NetworkParts parts_of(const Network& network, Split split) {
  if (!network.graph.operators.empty()) return PartMaker(unrolled(network), split).make();
  NetworkParts made;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    Cascade alone{fmt::format("{}/{}", network.name, layer.name), "", {{layer.workload, {}}}};
    alone.einsums.front().workload.name = layer.name;
    made.parts.push_back({std::move(alone), {i}, layer.count, {}});
  }
  return made;
}

// Whether the parts of a dimension may do all that the whole one may, and no more, and whether
// dimensions that are no longer taken one by one find a place.
bool takes_split_dims(const Architecture& arch) {
  const auto* outermost = std::get_if<Memory>(&arch.levels.front());
  return outermost != nullptr && !outermost->dims &&
         std::none_of(arch.constraints.begin(), arch.constraints.end(), [](const Constraint& one) {
           return !std::holds_alternative<ResidenceRule>(one.rule) &&
                  !std::holds_alternative<UseRule>(one.rule);
         });
}

}  // namespace

NetworkParts parts_of(const Network& network) { return parts_of(network, split_dims); }

NetworkParts parts_of(const Network& network, const Architecture& arch) {
  return parts_of(network, takes_split_dims(arch) ? split_dims : whole_dims);
}

}  // namespace tilewright
