#include "graph_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "graph_operator.h"
#include "network_sizes.h"
#include "values.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

// Deeper blocks are nobody's network; the limit keeps recursion harmless.
constexpr int kMostNesting = 8;

// What the file says of a tensor apart from the operators.
struct Declaration {
  const Node* where = nullptr;  // its name
  int block = 0;
  std::vector<std::int64_t> shape;
  std::int64_t bits = 0;
};

// What a repetition hands to the next one, by names.
struct NamedCarry {
  const Node* to = nullptr;    // what is read
  const Node* from = nullptr;  // what is written
  int block = 0;
};

// Everything that stands in the file, with names in place of edges.
struct NamedGraph {
  std::vector<NamedOperator> operators;
  std::vector<RepeatedBlock> blocks = {{}};
  std::map<std::string, Declaration> tensors;
  std::vector<NamedCarry> carries;
};

// --- reading ------------------------------------------------------------------

class ItemReader {
 public:
  explicit ItemReader(Context& context) : context_(context) {}

  NamedGraph take() { return std::move(graph_); }

  void read_items(const Node& list, int block, int depth) {
    if (!context_.expect_list(list, "a list of operators, each starting with \"-\"")) return;
    if (list.children.empty()) context_.complain(list, "there is no operator", "add one");
    for (const Node& item : list.children) {
      if (item.find(kBlockKey) != nullptr) {
        read_block(item, block, depth);
      } else {
        add_operator(item, block);
      }
    }
  }

  void read_tensors(const Node& map, int block) {
    if (!context_.expect_map(map, "a map such as \"{x: [hidden, tokens]}\"")) return;
    for (const std::size_t entry : context_.usable_entries(map)) {
      const Node& name = map.key(entry);
      Declaration declared = read_tensor(name, map.value(entry));
      declared.block = block;
      if (graph_.tensors.emplace(name.text, std::move(declared)).second) continue;
      context_.complain(name, fmt::format("tensor {} is declared twice", name.text),
                        "leave one out");
    }
  }

 private:
  void read_block(const Node& node, int parent, int depth) {
    if (depth >= kMostNesting) {
      return context_.complain(node, "blocks are nested too deeply", "");
    }
    BlockFile file;
    const Node* name = node.find(kBlockKey);
    read_fields(context_, node, block_fields(), file,
                name->is_scalar() ? "block " + name->text : "a block");
    if (!blocks_.insert(file.name).second && !file.name.empty()) {
      context_.complain(*name, fmt::format("two blocks are named {}", file.name),
                        "rename one of them");
    }
    const int block = static_cast<int>(graph_.blocks.size());
    graph_.blocks.push_back({file.name, file.repeat, parent, {}});
    if (file.tensors != nullptr) read_tensors(*file.tensors, block);
    if (file.operators != nullptr) read_items(*file.operators, block, depth + 1);
    if (file.carry == nullptr || !context_.expect_map(*file.carry, "a map such as \"{x: y}\"")) {
      return;
    }
    for (const std::size_t entry : context_.usable_entries(*file.carry)) {
      const Node& from = file.carry->value(entry);
      if (!read_text(context_, from, kNameForm)) continue;
      graph_.carries.push_back({&file.carry->key(entry), &from, block});
    }
  }

  void add_operator(const Node& node, int block) {
    auto named = read_operator(context_, node);
    if (!named) return;
    named->op.block = block;
    if (!names_.insert(named->op.name).second) {
      context_.complain(*node.find(kOperatorKey),
                        fmt::format("two operators are named {}", named->op.name),
                        "rename one of them");
    }
    graph_.operators.push_back(std::move(*named));
  }

  // A list is the shape alone.
  Declaration read_tensor(const Node& name, const Node& node) {
    Declaration declared;
    declared.where = &name;
    TensorFile file;
    if (node.is_list()) {
      file.shape = &node;
    } else {
      read_fields(context_, node, tensor_fields(), file, "tensor " + name.text);
    }
    if (file.shape != nullptr) {
      declared.shape = read_tensor_shape(context_, *file.shape).value_or(declared.shape);
    }
    declared.bits = file.bits;
    return declared;
  }

  Context& context_;
  NamedGraph graph_;
  std::set<std::string> names_;   // of operators
  std::set<std::string> blocks_;  // of blocks
};

// --- from names to edges ------------------------------------------------------

class Linker {
 public:
  Linker(Context& context, NamedGraph& named, std::int64_t bits)
      : context_(context), named_(named), bits_(bits) {}

  // Nothing after complaints.
  std::optional<Graph> link() {
    graph_.blocks = named_.blocks;
    for (NamedOperator& named : named_.operators) add(named);
    for (const Operator& op : graph_.operators) graph_.edges[at(op.writes)].block = op.block;
    check_sources();
    check_declarations();
    for (const NamedCarry& carry : named_.carries) add(carry);
    if (!context_.clean()) return std::nullopt;
    const ExecutionOrder order = execution_order(graph_);
    if (!order.cycle.empty()) {
      complain_about(order.cycle);
      return std::nullopt;
    }
    for (const GraphProblem& problem : settle_shapes(graph_, order)) {
      context_.complain(*named_.operators[problem.op].where, problem.message, problem.hint);
    }
    if (!context_.clean()) return std::nullopt;
    return std::move(graph_);
  }

 private:
  // Edges are numbered in the order in which operators use them.
  void add(NamedOperator& named) {
    Operator op = std::move(named.op);
    for (const TensorUse& use : named.reads) op.reads.push_back(edge_of(use, op.block));
    op.writes = edge_of(named.writes, op.block);
    const auto [known, inserted] = writers_.emplace(op.writes, graph_.operators.size());
    if (!inserted) {
      complain(named.writes,
               fmt::format("{} writes {} already", graph_.operators[known->second].name,
                           named.writes.name),
               "give each tensor a name of its own");
    }
    if (!named.shape.empty()) give_shape(named, graph_.edges[at(op.writes)]);
    set_widths(op);
    graph_.operators.push_back(std::move(op));
  }

  void give_shape(const NamedOperator& named, Edge& written) {
    if (written.shape.empty()) written.shape = named.shape;
    if (written.shape == named.shape) return;
    context_.complain(*named.where,
                      fmt::format("tensor {} was declared with another shape", written.name),
                      "leave one of the two out, or make them equal");
  }

  EdgeId edge_of(const TensorUse& use, int block) {
    const auto [found, inserted] =
        ids_.emplace(use.name, EdgeId{static_cast<int>(graph_.edges.size())});
    if (!inserted) {
      Edge& edge = graph_.edges[at(found->second)];
      if (!named_.tensors.contains(use.name)) edge.block = common_block(edge.block, block);
      return found->second;
    }
    Edge edge{use.name, {}, bits_, block};
    if (const auto known = named_.tensors.find(use.name); known != named_.tensors.end()) {
      const Declaration& declared = known->second;
      edge.shape = declared.shape;
      edge.block = declared.block;
      if (declared.bits != 0) edge.bits = declared.bits;
    }
    graph_.edges.push_back(std::move(edge));
    return found->second;
  }

  int common_block(int a, int b) const {
    while (a != b) {
      int& inner = a > b ? a : b;  // a block comes behind its parent
      inner = graph_.blocks[at(inner)].parent;
    }
    return a;
  }

  void set_widths(Operator& op) {
    auto* contraction = std::get_if<Contraction>(&op.what);
    if (contraction == nullptr) return;
    std::vector<Tensor>& tensors = contraction->workload.tensors;
    for (std::size_t t = 0; t < op.reads.size(); ++t)
      tensors[t].bits = graph_.edge(op.reads[t]).bits;
    tensors.back().bits = graph_.edge(op.writes).bits;
  }

  // What nobody writes is declared, or can be nothing but weights.
  void check_sources() {
    for (const NamedOperator& named : named_.operators) {
      for (const TensorUse& use : named.reads) {
        const bool known = named_.tensors.contains(use.name) ||
                           writers_.contains(ids_.at(use.name)) || use.may_be_new;
        if (known) continue;
        complain(
            use, fmt::format("no operator writes a tensor \"{}\"", abbreviated(use.name)),
            fmt::format("{}declare what the network is given under \"tensors\"", likely(use.name)));
      }
    }
  }

  std::string likely(const std::string& name) const {
    std::vector<std::string> known;
    for (const Edge& edge : graph_.edges) {
      if (edge.name != name) known.push_back(edge.name);
    }
    for (const auto& [declared, where] : named_.tensors) known.push_back(declared);
    const auto match = closest_match(name, known);
    return match ? fmt::format("did you mean {}? ", *match) : "";
  }

  void check_declarations() {
    for (const auto& [name, declared] : named_.tensors) {
      if (ids_.contains(name)) continue;
      context_.complain(*declared.where, fmt::format("no operator uses tensor {}", name),
                        "leave it out");
    }
  }

  bool is_inside(int block, int outer) const {
    while (block > outer) block = graph_.blocks[at(block)].parent;
    return block == outer;
  }

  void add(const NamedCarry& carry) {
    const auto from = ids_.find(carry.from->text);
    const auto to = ids_.find(carry.to->text);
    const auto writer = from == ids_.end() ? writers_.end() : writers_.find(from->second);
    const std::string& block = graph_.blocks[at(carry.block)].name;
    if (writer == writers_.end() ||
        !is_inside(graph_.operators[writer->second].block, carry.block)) {
      return context_.complain(*carry.from,
                               fmt::format("block {} writes no tensor {}", block, carry.from->text),
                               "write \"carry: {x: y}\" for what a repetition reads as x and the "
                               "one before writes as y");
    }
    const auto reads = [&](const Operator& op) {
      return is_inside(op.block, carry.block) && contains(op.reads, to->second);
    };
    const bool is_read =
        to != ids_.end() && std::any_of(graph_.operators.begin(), graph_.operators.end(), reads);
    if (!is_read) {
      return context_.complain(
          *carry.to, fmt::format("block {} reads no tensor {}", block, carry.to->text), "");
    }
    graph_.blocks[at(carry.block)].carries.push_back({from->second, to->second});
  }

  void complain_about(const std::vector<std::size_t>& cycle) {
    std::vector<std::string> names;
    for (const std::size_t op : cycle) names.push_back(graph_.operators[op].name);
    context_.complain(*named_.operators[cycle.front()].where,
                      fmt::format("these operators wait for each other: {}", join(names, ", ")),
                      "what the next repetition of a block reads stands under its key \"carry\"");
  }

  void complain(const TensorUse& use, const std::string& message, const std::string& hint) {
    context_.complain_inside(*use.where, use.offset, message, hint);
  }

  Context& context_;
  NamedGraph& named_;
  std::int64_t bits_;
  Graph graph_;
  std::map<std::string, EdgeId> ids_;
  std::map<EdgeId, std::size_t> writers_;
};

// --- layers -------------------------------------------------------------------

// The layers that a graph has to be mapped; complains about too many of them.
class LayerMaker {
 public:
  LayerMaker(Context& context, const NamedGraph& named, Network& network)
      : context_(context), named_(named), network_(network) {}

  void make() {
    for (std::size_t i = 0; i < network_.graph.operators.size(); ++i) {
      Operator& op = network_.graph.operators[i];
      if (auto* contraction = std::get_if<Contraction>(&op.what)) {
        add(op, *contraction, *named_.operators[i].where);
      }
    }
  }

 private:
  void add(const Operator& op, Contraction& contraction, const Node& where) {
    std::vector<std::int64_t> factors = {op.count};
    factors.push_back(repetitions(network_.graph, op.block).value_or(kCountLimit));
    for (const DimId dim : contraction.each) {
      factors.push_back(contraction.workload.dim(dim).size);
    }
    const auto count = checked_product(factors);
    contraction.workload.name = network_.name + "/" + op.name;
    Layer layer{op.name, mapped_part(contraction), count.value_or(1),
                op.source.empty() ? network_.source : op.source, op.note};
    for (const std::string& message : problems_of(layer.workload)) {
      context_.complain(where, fmt::format("without the dimensions of \"each\": {}", message));
    }
    macs_ += wide_product(multiply_accumulates(layer.workload), layer.count);
    if (!count || macs_ > kMostMacs) {
      context_.complain(where,
                        "with this operator the network has more than 2^100 multiply-accumulates",
                        "write smaller counts or sizes");
      macs_ = 0;  // the same is not said of every operator that follows
      return;
    }
    contraction.layer = static_cast<int>(network_.layers.size());
    network_.layers.push_back(std::move(layer));
  }

  Context& context_;
  const NamedGraph& named_;
  Network& network_;
  Int128 macs_ = 0;
};

std::vector<NetworkSize> sizes_in(const Node& root, const Variables& variables) {
  std::vector<NetworkSize> sizes;
  const Node* map = root.find(kSizesKey);
  for (std::size_t i = 0; map != nullptr && i < map->entry_count(); ++i) {
    const auto found = variables.find(map->key(i).text);
    if (found == variables.end() || !found->second) continue;
    sizes.push_back({found->first, static_cast<std::int64_t>(found->second->above)});
  }
  return sizes;
}

std::optional<Network> network_from(Context& context, const Node& root) {
  const Variables variables = read_sizes(context, root);
  Surroundings around;
  around.variables = &variables;
  context.set_around(around);
  GraphFile file;
  read_fields(context, root, graph_fields(), file, "the network");
  ItemReader items(context);
  if (file.tensors != nullptr) items.read_tensors(*file.tensors, 0);
  if (file.operators != nullptr) items.read_items(*file.operators, 0, 0);
  if (!context.clean()) return std::nullopt;
  Network network{file.name, file.description, file.source, {}, {}, sizes_in(root, variables)};
  NamedGraph named = items.take();
  auto graph = Linker(context, named, file.bits).link();
  if (!graph) return std::nullopt;
  network.graph = std::move(*graph);
  LayerMaker(context, named, network).make();
  if (context.clean() && network.layers.empty()) {
    context.complain(*file.operators,
                     "no operator is a contraction, so that there is nothing to map",
                     "add one with the key einsum, conv2d, gemm or matmul");
  }
  if (!context.clean()) return std::nullopt;
  return network;
}

}  // namespace

Checked<Network> read_graph(std::string_view text, const std::string& file,
                            const std::vector<std::string>& sizes) {
  Checked<Node> document = parse_document(text, file, "\"network:\" and a name", kNetworkLimits);
  if (!document.value) return {std::nullopt, std::move(document.problems)};
  Context context(file);
  check_sizes_are_used(context, *document.value);
  set_sizes(context, *document.value, sizes);
  auto network = network_from(context, *document.value);
  context.set_around({});
  return {std::move(network), context.take_problems()};
}

bool is_graph_text(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    const std::size_t first = line.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || line[first] == '#') continue;
    const std::size_t sign = line.find_first_of(":,");
    return line.starts_with("---") || line[first] == '{' ||
           (sign != std::string_view::npos && line[sign] == ':');
  }
  return false;
}

}  // namespace tilewright::io
