// Networks as graphs: who writes and reads what, and in which order.
#include <algorithm>
#include <map>
#include <set>

#include "tilewright/workload.h"

namespace tilewright {

std::optional<std::size_t> writer_of(const Graph& graph, EdgeId edge) {
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    if (graph.operators[i].writes == edge) return i;
  }
  return std::nullopt;
}

std::vector<std::size_t> readers_of(const Graph& graph, EdgeId edge) {
  std::vector<std::size_t> readers;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    if (contains(graph.operators[i].reads, edge)) readers.push_back(i);
  }
  return readers;
}

std::optional<std::int64_t> repetitions(const Graph& graph, int block) {
  std::vector<std::int64_t> repeats;
  for (; block != 0; block = graph.blocks[at(block)].parent) {
    repeats.push_back(graph.blocks[at(block)].repeat);
  }
  return checked_product(repeats);
}

Workload mapped_part(const Contraction& contraction) {
  const Workload& whole = contraction.workload;
  Workload part = whole;
  part.dims.clear();
  std::map<DimId, DimId> kept;
  for (int d = 0; d < whole.dim_count(); ++d) {
    if (contains(contraction.each, DimId{d})) continue;
    kept.emplace(DimId{d}, DimId{part.dim_count()});
    part.dims.push_back(whole.dim(DimId{d}));
  }
  for (Tensor& tensor : part.tensors) {
    std::vector<Rank> ranks;
    for (const Rank& rank : tensor.ranks) {
      Rank of_part;
      for (const Term& term : rank) {
        const auto dim = kept.find(term.dim);
        if (dim != kept.end()) of_part.push_back({dim->second, term.coefficient});
      }
      if (!of_part.empty()) ranks.push_back(std::move(of_part));
    }
    tensor.ranks = std::move(ranks);
  }
  return part;
}

namespace {

// An operator, or a block as a whole, beside others inside one block.
struct Item {
  bool is_block = false;
  std::size_t index = 0;

  auto operator<=>(const Item&) const = default;
};

// Blocks as wholes must have an order, too: what is outside of one comes before all of its
// repetitions or after them.
class Sorter {
 public:
  explicit Sorter(const Graph& graph) : graph_(graph) {
    std::map<EdgeId, std::size_t> writers;
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
      writers.emplace(graph.operators[i].writes, i);
      add_items(i);
    }
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
      for (const EdgeId edge : graph.operators[i].reads) {
        if (const auto found = writers.find(edge); found != writers.end()) {
          add_dependence(found->second, i);
        }
      }
    }
  }

  ExecutionOrder order() {
    ExecutionOrder order;
    visit(0, order);
    return order;
  }

 private:
  int parent(int block) const { return graph_.blocks[at(block)].parent; }

  void add_items(std::size_t op) {
    Item item{false, op};
    for (int block = graph_.operators[op].block;; block = parent(block)) {
      const bool known = item.is_block && !known_blocks_.insert(item.index).second;
      if (known) return;
      items_[block].push_back(item);
      item = {true, at(block)};
      if (block == 0) return;
    }
  }

  // From the outermost block to that of the operator, and the operator.
  std::vector<Item> path_to(std::size_t op) const {
    std::vector<Item> path = {{false, op}};
    for (int block = graph_.operators[op].block; block != 0; block = parent(block)) {
      path.push_back({true, at(block)});
    }
    return {path.rbegin(), path.rend()};
  }

  void add_dependence(std::size_t writer, std::size_t reader) {
    const std::vector<Item> first = path_to(writer);
    const std::vector<Item> second = path_to(reader);
    std::size_t depth = 0;
    while (first[depth] == second[depth] && first[depth].is_block) ++depth;
    if (before_[second[depth]].insert(first[depth]).second) {
      after_[first[depth]].push_back(second[depth]);
    }
  }

  // The first of the file that is ready comes first. False if there is no order.
  bool visit(int block, ExecutionOrder& order) {
    const std::vector<Item>& items = items_[block];
    std::map<Item, std::size_t> place;
    std::map<Item, std::size_t> waits;
    std::set<std::size_t> ready;
    for (std::size_t i = 0; i < items.size(); ++i) {
      place.emplace(items[i], i);
      waits[items[i]] = before_[items[i]].size();
      if (waits[items[i]] == 0) ready.insert(i);
    }
    while (!ready.empty()) {
      const Item item = items[*ready.begin()];
      ready.erase(ready.begin());
      waits.erase(item);
      if (!item.is_block) {
        order.operators.push_back(item.index);
      } else if (!visit(static_cast<int>(item.index), order)) {
        return false;
      }
      for (const Item& next : after_[item]) {
        if (--waits[next] == 0) ready.insert(place.at(next));
      }
    }
    if (waits.empty()) return true;
    order.cycle = cycle_among(waits);
    return false;
  }

  // Walks back from something that waits to what it waits for, until it comes round.
  std::vector<std::size_t> cycle_among(const std::map<Item, std::size_t>& waits) {
    std::vector<Item> path;
    std::set<Item> seen;
    Item item = waits.begin()->first;
    while (seen.insert(item).second) {
      path.push_back(item);
      const std::set<Item>& before = before_[item];
      item = *std::find_if(before.begin(), before.end(),
                           [&](const Item& one) { return waits.contains(one); });
    }
    std::vector<std::size_t> cycle;
    for (auto one = std::find(path.begin(), path.end(), item); one != path.end(); ++one) {
      cycle.push_back(one->is_block ? first_of(static_cast<int>(one->index)) : one->index);
    }
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  // The first operator of a block, to speak of the block.
  std::size_t first_of(int block) {
    const Item item = items_[block].front();
    return item.is_block ? first_of(static_cast<int>(item.index)) : item.index;
  }

  const Graph& graph_;
  std::map<int, std::vector<Item>> items_;  // of each block, in the order of the file
  std::set<std::size_t> known_blocks_;
  std::map<Item, std::set<Item>> before_;    // what an item has to wait for
  std::map<Item, std::vector<Item>> after_;  // what waits for it
};

}  // namespace

ExecutionOrder execution_order(const Graph& graph) { return Sorter(graph).order(); }

Graph unconnected(const std::vector<Layer>& layers) {
  Graph graph;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    Operator op;
    op.name = layer.name;
    op.what = Contraction{layer.workload, {}, static_cast<int>(i)};
    op.count = layer.count;
    op.source = layer.source;
    op.note = layer.note;
    std::vector<std::int64_t> sizes;
    for (const Dimension& dim : layer.workload.dims) sizes.push_back(dim.size);
    for (const Tensor& tensor : layer.workload.tensors) {
      Edge edge{layer.name + "." + tensor.name, {}, tensor.bits, 0};
      for (const Rank& rank : tensor.ranks) edge.shape.push_back(box_extent(rank, sizes));
      op.reads.push_back(EdgeId{static_cast<int>(graph.edges.size())});
      graph.edges.push_back(std::move(edge));
    }
    op.writes = op.reads.back();
    op.reads.pop_back();
    graph.operators.push_back(std::move(op));
  }
  return graph;
}

void keep_only(Network& network, Layer layer) {
  network.layers = {std::move(layer)};
  network.graph = unconnected(network.layers);
}

void take_widths_from_contractions(Graph& graph) {
  std::map<EdgeId, std::int64_t> read, written;
  for (const Operator& op : graph.operators) {
    const auto* contraction = std::get_if<Contraction>(&op.what);
    if (contraction == nullptr) continue;
    const std::vector<Tensor>& tensors = contraction->workload.tensors;
    for (std::size_t t = 0; t < op.reads.size(); ++t) read.emplace(op.reads[t], tensors[t].bits);
    written.emplace(op.writes, tensors.back().bits);
  }
  for (const auto& widths : {read, written}) {
    for (const auto& [edge, bits] : widths) graph.edges[at(edge)].bits = bits;
  }
}

}  // namespace tilewright
