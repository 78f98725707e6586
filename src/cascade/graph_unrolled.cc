#include "cascade/graph_unrolled.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tilewright {
namespace {

class Unroller {
 public:
  explicit Unroller(const Network& network) : made_{network, {}} {
    for (std::size_t op = 0; op < network.graph.operators.size(); ++op) {
      made_.origin.push_back(op);
      names_.insert(network.graph.operators[op].name);
    }
  }

  UnrolledNetwork unroll() {
    // Each block comes behind its parent.
    for (int block = static_cast<int>(graph().blocks.size()) - 1; block > 0; --block) {
      if (may_be_unrolled(block)) unroll(block);
    }
    return std::move(made_);
  }

 private:
  using Edges = std::map<EdgeId, EdgeId>;

  Graph& graph() { return made_.network.graph; }

  bool may_be_unrolled(int block) {
    const RepeatedBlock& of = graph().blocks[at(block)];
    if (of.repeat > kMostUnrolled) return false;
    bool is_read = false;
    for (const Operator& op : graph().operators) {
      if (op.block != block && is_inside(op.block, block)) return false;
      if (op.block != block || !std::holds_alternative<Contraction>(op.what)) continue;
      is_read =
          is_read || std::any_of(of.carries.begin(), of.carries.end(),
                                 [&](const auto& carry) { return contains(op.reads, carry.to); });
    }
    return is_read;
  }
  bool is_inside(int block, int outer) {
    while (block > outer) block = graph().blocks[at(block)].parent;
    return block == outer;
  }

  void unroll(int block) {
    const RepeatedBlock of = graph().blocks[at(block)];
    // Operators of a block stand together.
    std::vector<Operator> all = std::exchange(graph().operators, {});
    const std::vector<std::size_t> origin = std::exchange(made_.origin, {});
    std::vector<std::size_t> inside, behind;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].block == block) {
        share_layer(all[i], of);
        inside.push_back(i);
      } else if (!inside.empty()) {
        behind.push_back(i);
      } else {
        add(all[i], origin[i]);
      }
    }
    Edges own;
    for (std::int64_t i = 0; i < of.repeat; ++i) {
      const Edges before_it = own;
      if (i > 0) own = copies_of(block);
      Edges edges = own;
      for (const RepeatedBlock::Carry& carry : of.carries) {
        if (i > 0) edges[carry.to] = renamed(carry.from, before_it);
      }
      for (const std::size_t op : inside) add(copied(all[op], of, i, edges), origin[op]);
    }
    for (const std::size_t op : behind) {
      rename_reads(all[op], own);
      add(all[op], origin[op]);
    }
    for (Edge& edge : graph().edges) edge.block = edge.block == block ? of.parent : edge.block;
    for (RepeatedBlock& other : graph().blocks) {
      for (RepeatedBlock::Carry& carry : other.carries) carry.from = renamed(carry.from, own);
    }
    graph().blocks[at(block)].repeat = 1;
    graph().blocks[at(block)].carries.clear();
  }

  void add(Operator op, std::size_t origin) {
    graph().operators.push_back(std::move(op));
    made_.origin.push_back(origin);
  }

  // Each repetition counts for itself.
  void share_layer(Operator& op, const RepeatedBlock& of) {
    auto* contraction = std::get_if<Contraction>(&op.what);
    if (contraction == nullptr || of.repeat == 1) return;
    Layer layer = made_.network.layers[at(contraction->layer)];
    layer.count /= of.repeat;
    contraction->layer = static_cast<int>(made_.network.layers.size());
    made_.network.layers.push_back(std::move(layer));
  }

  // Edges of the block for one repetition more.
  Edges copies_of(int block) {
    Edges edges;
    const std::size_t count = graph().edges.size();
    for (std::size_t e = 0; e < count; ++e) {
      const EdgeId edge{static_cast<int>(e)};
      if (graph().edges[e].block != block || copies_.contains(edge)) continue;
      const EdgeId copy{static_cast<int>(graph().edges.size())};
      graph().edges.push_back(Edge(graph().edges[e]));
      copies_.insert(copy);
      edges[edge] = copy;
    }
    return edges;
  }

  static EdgeId renamed(EdgeId edge, const Edges& edges) {
    const auto known = edges.find(edge);
    return known == edges.end() ? edge : known->second;
  }
  static void rename_reads(Operator& op, const Edges& edges) {
    for (EdgeId& edge : op.reads) edge = renamed(edge, edges);
  }

  Operator copied(const Operator& op, const RepeatedBlock& of, std::int64_t repetition,
                  const Edges& edges) {
    Operator copy = op;
    copy.block = of.parent;
    if (repetition == 0) return copy;
    rename_reads(copy, edges);
    copy.writes = renamed(copy.writes, edges);
    std::int64_t number = repetition + 1;
    do {
      copy.name = fmt::format("{}_{}", op.name, number++);
    } while (!names_.insert(copy.name).second);
    return copy;
  }

  UnrolledNetwork made_;
  std::set<std::string> names_;
  std::set<EdgeId> copies_;  // edges of repetitions behind the first
};

}  // namespace

UnrolledNetwork unrolled(const Network& network) { return Unroller(network).unroll(); }

}  // namespace tilewright
