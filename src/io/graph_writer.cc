// Networks as text that the reader turns back into an equal value.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "einsum.h"
#include "graph_fields.h"
#include "tilewright/io.h"
#include "values.h"

namespace tilewright::io {

namespace {

using Lines = std::vector<std::string>;

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

bool is_name(const std::string& text) {
  return !text.empty() && leading_identifier(text).size() == text.size();
}

class GraphWriter {
 public:
  explicit GraphWriter(const Graph& graph) : graph_(graph) {
    std::set<EdgeId> seen;
    for (const Operator& op : graph.operators) {
      for (const EdgeId edge : op.reads) add_edge(edge, seen);
      add_edge(op.writes, seen);
    }
  }

  // Tensors and operators of a block, as values of its keys.
  std::string block(int id, int indent) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    std::string text;
    for (const EdgeId edge : edges_) {
      if (graph_.edge(edge).block != id) continue;
      if (text.empty()) text = margin + "tensors:\n";
      text += fmt::format("{}  {}: {}\n", margin, quoted_if_needed(graph_.edge(edge).name),
                          edge_text(graph_.edge(edge)));
    }
    text += margin + "operators:\n";
    while (next_ < graph_.operators.size()) {
      const int inner = child_of(id, graph_.operators[next_].block);
      if (inner == id) {
        text += entry(operator_lines(graph_.operators[next_++]), indent + 2);
      } else if (inner > 0) {
        text += entry(block_lines(graph_.blocks[at(inner)]), indent + 2);
        text += block(inner, indent + 4);
      } else {
        break;
      }
    }
    return text;
  }

 private:
  void add_edge(EdgeId edge, std::set<EdgeId>& seen) {
    if (seen.insert(edge).second) edges_.push_back(edge);
  }

  // The block itself, the one right inside it that has the other, or -1 if the other is outside.
  int child_of(int block, int other) const {
    int child = block;
    while (other != block) {
      if (other == 0) return -1;
      child = other;
      other = graph_.blocks[at(other)].parent;
    }
    return child;
  }

  static std::string entry(const Lines& lines, int indent) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    return fmt::format("{}- {}\n", margin, join(lines, "\n" + margin + "  "));
  }

  static std::string edge_text(const Edge& edge) {
    if (edge.bits == kDefaultBits) return numbers_text(edge.shape);
    return fmt::format("{{shape: {}, bits: {}}}", numbers_text(edge.shape), edge.bits);
  }

  Lines block_lines(const RepeatedBlock& block) const {
    Lines lines = {fmt::format("{}: {}", kBlockKey, quoted_if_needed(block.name))};
    if (block.repeat != 1) add_text(lines, "repeat: {}", block.repeat);
    Lines carries;
    for (const RepeatedBlock::Carry& carry : block.carries) {
      add_text(carries, "{}: {}", name(carry.to), name(carry.from));
    }
    if (!carries.empty()) add_text(lines, "carry: {{{}}}", join(carries, ", "));
    return lines;
  }

  std::string name(EdgeId edge) const { return quoted_if_needed(graph_.edge(edge).name); }

  Lines operator_lines(const Operator& op) const {
    Lines lines = {fmt::format("{}: {}", kOperatorKey, quoted_if_needed(op.name))};
    if (const auto* contraction = std::get_if<Contraction>(&op.what)) {
      append(lines, contraction_lines(op, *contraction));
    } else {
      append(lines, unmapped_lines(op, std::get<Unmapped>(op.what)));
    }
    if (op.count != 1) add_text(lines, "count: {}", op.count);
    if (!op.source.empty()) add_text(lines, "source: {}", quoted_if_needed(op.source));
    if (!op.note.empty()) add_text(lines, "note: {}", quoted_if_needed(op.note));
    return lines;
  }

  // The einsum names the network's tensors where their names can stand in one.
  Lines contraction_lines(const Operator& op, const Contraction& contraction) const {
    std::vector<EdgeId> edges = op.reads;
    edges.push_back(op.writes);
    const std::set<EdgeId> distinct(edges.begin(), edges.end());
    const bool by_name = distinct.size() == edges.size() &&
                         std::all_of(edges.begin(), edges.end(),
                                     [&](EdgeId id) { return is_name(graph_.edge(id).name); });
    Workload shown = contraction.workload;
    Lines uses;
    for (std::size_t t = 0; t < edges.size(); ++t) {
      if (by_name) shown.tensors[t].name = graph_.edge(edges[t]).name;
      add_text(uses, "{}: {}", shown.tensors[t].name, name(edges[t]));
    }
    Lines factors;
    for (std::size_t t = 0; t + 1 < shown.tensors.size(); ++t) {
      factors.push_back(tensor_text(shown, shown.tensors[t], shown.tensors[t].role));
    }
    Lines sizes;
    for (const Dimension& dim : shown.dims) add_text(sizes, "{}: {}", dim.name, dim.size);
    Lines each;
    for (const DimId dim : contraction.each) each.push_back(shown.dim(dim).name);
    Lines lines;
    add_text(lines, "einsum: \"{} += {}\"", tensor_text(shown, shown.tensors.back()),
             join(factors, " * "));
    add_text(lines, "sizes: {{{}}}", join(sizes, ", "));
    if (!each.empty()) add_text(lines, "each: [{}]", join(each, ", "));
    if (!by_name) add_text(lines, "uses: {{{}}}", join(uses, ", "));
    return lines;
  }

  Lines unmapped_lines(const Operator& op, const Unmapped& what) const {
    using Kind = Unmapped::Kind;
    const std::string shape = numbers_text(graph_.edge(op.writes).shape);
    const std::string axes = fmt::format("[{}]", fmt::join(what.axes, ", "));
    const std::string value = what.kind == Kind::Reshape     ? shape
                              : what.kind == Kind::Transpose ? axes
                                                             : quoted_if_needed(what.function);
    Lines lines = {fmt::format("{}: {}", to_string(what.kind), value)};
    if (what.kind == Kind::Normalize) add_text(lines, "axes: {}", axes);
    if (what.kind == Kind::Other) add_text(lines, "shape: {}", shape);
    Lines reads;
    for (const EdgeId edge : op.reads) reads.push_back(name(edge));
    add_text(lines, "reads: [{}]", join(reads, ", "));
    if (graph_.edge(op.writes).name != op.name) add_text(lines, "writes: {}", name(op.writes));
    return lines;
  }

  const Graph& graph_;
  std::vector<EdgeId> edges_;  // in the order in which operators use them
  std::size_t next_ = 0;       // the operator to be written next
};

}  // namespace

std::string write_network(const Network& network) {
  std::string text = fmt::format("network: {}\n", quoted_if_needed(network.name));
  if (!network.description.empty()) {
    text += fmt::format("description: {}\n", quoted_if_needed(network.description));
  }
  if (!network.source.empty()) {
    text += fmt::format("source: {}\n", quoted_if_needed(network.source));
  }
  const bool has_graph = !network.graph.operators.empty();
  const Graph graph = has_graph ? network.graph : unconnected(network.layers);
  return text + GraphWriter(graph).block(0, 0);
}

}  // namespace tilewright::io
