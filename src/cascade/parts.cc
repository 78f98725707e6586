// Networks as cascades: contractions that hand on what they write, together.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "cascade/graph_links.h"

namespace tilewright {
namespace {

// A dimension of a contraction of the graph.
struct GraphDim {
  std::size_t op = 0;
  int dim = 0;

  auto operator<=>(const GraphDim&) const = default;
};

// Dimensions that are one and the same, because a link hands one on as the other.
class SameDims {
 public:
  void join(GraphDim one, GraphDim other) { parent_[root(other)] = root(one); }
  GraphDim root(GraphDim dim) const {
    for (auto next = parent_.find(dim); next != parent_.end() && next->second != dim;
         next = parent_.find(dim)) {
      dim = next->second;
    }
    return dim;
  }

 private:
  std::map<GraphDim, GraphDim> parent_;
};

class PartMaker {
 public:
  explicit PartMaker(const Network& network)
      : network_(network), graph_(network.graph), order_(execution_order(graph_).operators) {
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
      if (is_contraction(op)) group_[op] = op;
    }
    for (const GraphLink& link : found.links) try_link(link);
    for (const std::size_t op : order_) {
      if (is_contraction(op) && group_[op] == op) add_part(op);
    }
    std::sort(made_.cuts.begin(), made_.cuts.end(),
              [](const NetworkCut& one, const NetworkCut& other) { return one.op < other.op; });
    return std::move(made_);
  }

 private:
  bool is_contraction(std::size_t op) const {
    return std::holds_alternative<Contraction>(graph_.operators[op].what);
  }
  const Contraction& contraction(std::size_t op) const {
    return std::get<Contraction>(graph_.operators[op].what);
  }
  const Layer& layer(std::size_t op) const { return network_.layers[at(contraction(op).layer)]; }
  const std::string& name(std::size_t op) const { return graph_.operators[op].name; }
  // Taken one by one, or of one value.
  bool is_dropped(std::size_t op, DimId dim) const {
    return contains(contraction(op).each, dim) || contraction(op).workload.dim(dim).size == 1;
  }
  Rank kept_terms(std::size_t op, const Rank& rank) const {
    Rank kept;
    for (const Term& term : rank) {
      if (!is_dropped(op, term.dim)) kept.push_back(term);
    }
    return kept;
  }
  std::vector<std::size_t> members(std::size_t group) const {
    std::vector<std::size_t> all;
    for (const std::size_t op : order_) {
      if (is_contraction(op) && group_.at(op) == group) all.push_back(op);
    }
    return all;
  }

  void try_link(const GraphLink& link) {
    std::string reason =
        kept_norms(link).size() > 1 ? "it is normalised along several dimensions" : "";
    for (const std::size_t reader : link.readers) {
      if (reason.empty()) reason = misfit_of(link, reader);
    }
    std::set<std::size_t> groups = {group_[link.writer]};
    for (const std::size_t reader : link.readers) groups.insert(group_[reader]);
    std::vector<std::size_t> ops;
    for (const std::size_t group : groups) append(ops, members(group));
    links_.push_back(link);
    if (reason.empty() && leads_back(ops)) {
      reason = "operators in between need its readers or what is beside them";
    }
    if (reason.empty() && !find_dims(ops)) {
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

  // The dimensions along which it is normalised on the way.
  std::vector<DimId> kept_norms(const GraphLink& link) const {
    std::vector<DimId> dims;
    for (const int axis : link.normalized) {
      const Rank& rank = contraction(link.writer).workload.tensors.back().ranks[at(axis)];
      append(dims, dims_of(kept_terms(link.writer, rank)));
    }
    return dims;
  }
  static std::vector<DimId> dims_of(const Rank& rank) {
    std::vector<DimId> dims;
    for (const Term& term : rank) dims.push_back(term.dim);
    return dims;
  }

  // The input of a contraction that is an edge; nothing if several are.
  std::optional<std::size_t> input_of(std::size_t op, EdgeId edge) const {
    const std::vector<EdgeId>& reads = graph_.operators[op].reads;
    if (std::count(reads.begin(), reads.end(), edge) != 1) return std::nullopt;
    return static_cast<std::size_t>(std::find(reads.begin(), reads.end(), edge) - reads.begin());
  }

  // Why a reader cannot take what a link hands on; empty if it can.
  std::string misfit_of(const GraphLink& link, std::size_t reader) const {
    const auto input = input_of(reader, link.read);
    if (!input) return fmt::format("{} reads it twice", name(reader));
    if (layer(link.writer).count != layer(reader).count) {
      return fmt::format("{} counts {} times and {} {} times", name(link.writer),
                         layer(link.writer).count, name(reader), layer(reader).count);
    }
    const Tensor& made = contraction(link.writer).workload.tensors.back();
    const Tensor& seen = contraction(reader).workload.tensors[*input];
    if (made.bits != seen.bits) return fmt::format("{} reads it in another width", name(reader));
    std::vector<bool> met(seen.ranks.size(), false);
    for (std::size_t a = 0; a < made.ranks.size(); ++a) {
      if (link.axes[a]) met[at(*link.axes[a])] = true;
      const std::string misfit = misfit_of_axis(link, reader, a, seen);
      if (!misfit.empty()) return misfit;
    }
    for (std::size_t r = 0; r < met.size(); ++r) {
      if (!met[r] && !kept_terms(reader, seen.ranks[r]).empty()) {
        return fmt::format("{} reads more than is written", name(reader));
      }
    }
    return "";
  }

  std::string misfit_of_axis(const GraphLink& link, std::size_t reader, std::size_t axis,
                             const Tensor& seen) const {
    const Workload& workload = contraction(link.writer).workload;
    const Rank& written = workload.tensors.back().ranks[axis];
    if (written.size() != 1 || written[0].coefficient != 1) {
      return "its indices are windows";
    }
    const bool dropped = is_dropped(link.writer, written[0].dim);
    const Rank read =
        link.axes[axis] ? kept_terms(reader, seen.ranks[at(*link.axes[axis])]) : Rank{};
    if (dropped != read.empty()) {
      return fmt::format("{} takes other dimensions one by one", name(reader));
    }
    std::int64_t reach = 1;
    for (const Term& term : read) {
      if (term.coefficient < 1) return fmt::format("{} reads it backwards", name(reader));
      reach += term.coefficient * (contraction(reader).workload.dim(term.dim).size - 1);
    }
    const std::int64_t size = workload.dim(written[0].dim).size;
    if (dropped || reach == size) return "";
    return fmt::format(
        "the window of {} reaches {} values of {} (padding, or a stride with a rest)", name(reader),
        reach, size);
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

  // The dimensions that the links between these make one; nothing if that joins two of one
  // contraction.
  std::optional<SameDims> find_dims(const std::vector<std::size_t>& ops) const {
    SameDims same;
    for (const GraphLink& link : links_) {
      if (!contains(ops, link.writer)) continue;
      const Tensor& made = contraction(link.writer).workload.tensors.back();
      for (const std::size_t reader : link.readers) {
        const Tensor& seen = contraction(reader).workload.tensors[*input_of(reader, link.read)];
        for (std::size_t a = 0; a < made.ranks.size(); ++a) {
          if (is_dropped(link.writer, made.ranks[a][0].dim)) continue;
          const Rank read = kept_terms(reader, seen.ranks[at(*link.axes[a])]);
          if (read.size() != 1) continue;  // seen through a window
          const GraphDim one{link.writer, index_of(made.ranks[a][0].dim)};
          const GraphDim other{reader, index_of(read[0].dim)};
          if (same.root(one) != same.root(other)) same.join(one, other);
        }
      }
    }
    for (const std::size_t op : ops) {
      std::set<GraphDim> roots;
      for (int d = 0; d < contraction(op).workload.dim_count(); ++d) {
        if (!roots.insert(same.root({op, d})).second) return std::nullopt;
      }
    }
    return same;
  }

  void add_part(std::size_t first) {
    const std::vector<std::size_t> ops = members(first);
    NetworkPart part{{}, ops, layer(first).count};
    part.cascade.name = fmt::format("{}/{}", network_.name, name(first));
    if (ops.size() > 1) {
      fill(ops, part.cascade);
      const std::vector<CascadeProblem> problems = problems_of(part.cascade);
      if (problems.empty()) {
        made_.parts.push_back(std::move(part));
        return;
      }
      for (const std::size_t op : ops) made_.cuts.push_back({op, problems.front().message});
    }
    for (const std::size_t op : ops) {
      Cascade alone{fmt::format("{}/{}", network_.name, name(op)), "", {{layer(op).workload, {}}}};
      alone.einsums.front().workload.name = name(op);
      made_.parts.push_back({std::move(alone), {op}, layer(op).count});
    }
  }

  void fill(const std::vector<std::size_t>& ops, Cascade& cascade) const;
  CascadeEinsum einsum_of(std::size_t op, const std::vector<std::string>& dims,
                          const std::map<EdgeId, std::string>& names) const;
  Afterwards afterwards_of(const GraphLink& link, const std::vector<std::string>& dims) const;
  void sort_indices(const GraphLink& link, std::size_t reader, Workload& workload) const;

  const Network& network_;
  const Graph& graph_;
  std::vector<std::size_t> order_;
  std::map<std::size_t, std::size_t> position_, group_;  // by operator
  std::vector<std::vector<std::size_t>> readers_;        // by edge
  std::vector<GraphLink> links_;
  NetworkParts made_;
};

// A name that an einsum can have, unlike those that are taken.
std::string plain_name(const std::string& wanted, const std::set<std::string>& taken) {
  std::string plain;
  for (const char c : wanted) {
    plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (plain.empty() || std::isdigit(static_cast<unsigned char>(plain[0])) != 0) plain = "t" + plain;
  std::string name = plain;
  for (int number = 2; taken.contains(name); ++number) name = fmt::format("{}{}", plain, number);
  return name;
}

void PartMaker::fill(const std::vector<std::size_t>& ops, Cascade& cascade) const {
  const SameDims same = *find_dims(ops);
  std::map<GraphDim, std::string> dim_names;
  std::map<EdgeId, std::string> edge_names;
  std::set<std::string> dims_taken, edges_taken;
  const auto name_edge = [&](EdgeId edge) {
    if (edge_names.contains(edge)) return;
    edge_names[edge] = plain_name(graph_.edge(edge).name, edges_taken);
    edges_taken.insert(edge_names[edge]);
  };
  for (const std::size_t op : ops) {
    name_edge(graph_.operators[op].writes);
    for (const EdgeId edge : graph_.operators[op].reads) name_edge(edge);
  }
  for (const GraphLink& link : links_) {
    if (contains(ops, link.writer)) {
      edge_names[link.read] = edge_names[graph_.operators[link.writer].writes];
    }
  }
  for (const std::size_t op : ops) {
    const Workload& workload = contraction(op).workload;
    std::vector<std::string> dims;
    for (int d = 0; d < workload.dim_count(); ++d) {
      std::string& named = dim_names[same.root({op, d})];
      if (named.empty() && !is_dropped(op, DimId{d})) {
        named = plain_name(workload.dim(DimId{d}).name, dims_taken);
        dims_taken.insert(named);
      }
      dims.push_back(named);
    }
    cascade.einsums.push_back(einsum_of(op, dims, edge_names));
  }
}

Afterwards PartMaker::afterwards_of(const GraphLink& link,
                                    const std::vector<std::string>& dims) const {
  Afterwards then;
  then.function = link.function;
  for (const DimId dim : kept_norms(link)) {
    const bool softmax = link.function.find("softmax") != std::string::npos;
    then.reduces = dims[at(dim)];
    then.function = softmax ? "softmax" : "norm";
    if (softmax) then.online_words = 2;  // the largest and the sum so far
  }
  return then;
}

// Indices of a reader stand in the order in which they are written.
void PartMaker::sort_indices(const GraphLink& link, std::size_t reader, Workload& workload) const {
  std::vector<Rank>& ranks = workload.tensors[*input_of(reader, link.read)].ranks;
  std::vector<Rank> sorted;
  for (const auto& axis : link.axes) {
    if (axis) sorted.push_back(ranks[at(*axis)]);
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!contains(link.axes, std::optional(static_cast<int>(r)))) sorted.push_back(ranks[r]);
  }
  ranks = std::move(sorted);
}

CascadeEinsum PartMaker::einsum_of(std::size_t op, const std::vector<std::string>& dims,
                                   const std::map<EdgeId, std::string>& names) const {
  Contraction whole = contraction(op);
  CascadeEinsum einsum;
  for (int d = 0; d < whole.workload.dim_count(); ++d) {
    Dimension& dim = whole.workload.dims[at(d)];
    if (is_dropped(op, DimId{d})) {
      if (!contains(whole.each, DimId{d})) whole.each.push_back(DimId{d});
    } else if (dim.name != dims[at(d)]) {
      dim.known_as = dim.name;
      dim.name = dims[at(d)];
    }
  }
  for (const GraphLink& link : links_) {
    if (link.writer == op && !link.function.empty()) einsum.then = afterwards_of(link, dims);
    if (contains(link.readers, op)) sort_indices(link, op, whole.workload);
  }
  const Operator& of = graph_.operators[op];
  for (std::size_t t = 0; t + 1 < whole.workload.tensors.size(); ++t) {
    whole.workload.tensors[t].name = names.at(of.reads[t]);
  }
  whole.workload.tensors.back().name = names.at(of.writes);
  einsum.workload = mapped_part(whole);
  einsum.workload.name = name(op);
  return einsum;
}

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
