#include "cascade/graph_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tilewright {
namespace {

using Axes = GraphAxes;

// Who reads and writes what, and when.
class Uses {
 public:
  Uses(const Graph& graph, const std::vector<std::size_t>& order) : graph_(graph) {
    readers_.resize(graph.edges.size());
    writer_.resize(graph.edges.size());
    position_.resize(graph.operators.size());
    for (std::size_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    for (const std::size_t op : order) {
      writer_[at(graph.operators[op].writes)] = op;
      for (const EdgeId edge : graph.operators[op].reads) {
        std::vector<std::size_t>& readers = readers_[at(edge)];
        if (!contains(readers, op)) readers.push_back(op);
      }
    }
    for (const RepeatedBlock& block : graph.blocks) {
      for (const RepeatedBlock::Carry& carry : block.carries) carried_.insert(carry.from);
    }
    find_sources(order);
  }

  const std::vector<std::size_t>& readers(EdgeId edge) const { return readers_[at(edge)]; }
  std::size_t position(std::size_t op) const { return position_[op]; }
  bool is_carried(EdgeId edge) const { return carried_.contains(edge); }
  // The last contraction that an edge comes from by way of other operators.
  std::optional<std::size_t> source(EdgeId edge) const { return source_[at(edge)]; }

 private:
  void find_sources(const std::vector<std::size_t>& order) {
    source_.resize(graph_.edges.size());
    for (const std::size_t op : order) {
      const Operator& of = graph_.operators[op];
      std::optional<std::size_t>& latest = source_[at(of.writes)];
      if (std::holds_alternative<Contraction>(of.what)) {
        latest = op;
        continue;
      }
      for (const EdgeId edge : of.reads) {
        const auto from = source_[at(edge)];
        if (from && (!latest || position(*from) > position(*latest))) latest = from;
      }
    }
  }

  const Graph& graph_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<std::optional<std::size_t>> writer_, source_;
  std::vector<std::size_t> position_;
  std::set<EdgeId> carried_;
};

// Axes of more than one element, in order.
std::vector<int> long_axes(const std::vector<std::int64_t>& shape) {
  std::vector<int> axes;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (shape[a] > 1) axes.push_back(static_cast<int>(a));
  }
  return axes;
}

// Follows what one contraction writes to the contractions that read it.
class Follower {
 public:
  Follower(const Graph& graph, const Uses& uses, std::size_t writer) : graph_(graph), uses_(uses) {
    link_.writer = writer;
    const EdgeId written = graph.operators[writer].writes;
    Axes axes;
    for (std::size_t a = 0; a < graph.edge(written).shape.size(); ++a) {
      axes.emplace_back(static_cast<int>(a));
    }
    link_.forms.push_back({written, std::move(axes), false});
  }

  GraphLink follow() {
    for (std::size_t i = 0; i < link_.forms.size(); ++i) visit(GraphForm(link_.forms[i]));
    return std::move(link_);
  }

 private:
  const Operator& writer() const { return graph_.operators[link_.writer]; }
  const std::string& name(std::size_t op) const { return graph_.operators[op].name; }

  // The first reason is told.
  template <typename... Args>
  void leave(fmt::format_string<Args...> why, Args&&... args) {
    if (link_.leaves.empty()) link_.leaves = fmt::format(why, std::forward<Args>(args)...);
  }

  void visit(const GraphForm& form) {
    const std::vector<std::size_t>& readers = uses_.readers(form.edge);
    const std::string& edge = graph_.edge(form.edge).name;
    if (uses_.is_carried(form.edge)) leave("{} goes to the next repetition", edge);
    if (readers.empty() && form.edge != writer().writes) leave("{} leaves the network", edge);
    for (const std::size_t op : readers) {
      if (contains(link_.passed, op)) continue;
      const Operator& reader = graph_.operators[op];
      if (reader.block != writer().block || reader.count != writer().count) {
        leave("{} reads it elsewhere or more often", name(op));
      } else if (const auto* what = std::get_if<Unmapped>(&reader.what)) {
        pass(op, *what, form);
      } else if (!link_.readers.empty() && link_.read != form.edge) {
        leave("it is read in two forms, {} and {}", graph_.edge(link_.read).name, edge);
      } else {
        link_.read = form.edge;
        link_.axes = form.axes;
        link_.readers.push_back(op);
      }
    }
  }

  // Goes through an operator that is not mapped.
  void pass(std::size_t op, const Unmapped& what, const GraphForm& from) {
    const Operator& by = graph_.operators[op];
    const std::vector<std::int64_t>& shape = graph_.edge(from.edge).shape;
    std::optional<Axes> after;
    switch (what.kind) {
      case Unmapped::Kind::Elementwise:
        if (meets_another(op)) return;
        if (graph_.edge(by.writes).shape == shape) after = from.axes;
        break;
      case Unmapped::Kind::Normalize:
        after = from.axes;
        note_normalized(from.axes, what.axes);
        break;
      case Unmapped::Kind::Reshape:
        after = reshaped(from.axes, shape, graph_.edge(by.writes).shape);
        break;
      case Unmapped::Kind::Transpose:
        after = transposed(from.axes, what.axes);
        break;
      case Unmapped::Kind::Other:
        break;
    }
    if (!after) {
      leave("{} ({}) changes its form", by.name, to_string(what.kind));
      return;
    }
    if (!what.function.empty()) {
      link_.function += (link_.function.empty() ? "" : ", ") + what.function;
    }
    link_.passed.push_back(op);
    const bool normalized = from.normalized || what.kind == Unmapped::Kind::Normalize;
    link_.forms.push_back({by.writes, std::move(*after), normalized});
  }

  // What comes together with the output of a later contraction is that one's.
  bool meets_another(std::size_t op) {
    for (const EdgeId edge : graph_.operators[op].reads) {
      const auto source = uses_.source(edge);
      if (!source || uses_.position(*source) <= uses_.position(link_.writer)) continue;
      leave("{} reads it together with what {} writes", name(op), name(*source));
      return true;
    }
    return false;
  }

  void note_normalized(const Axes& axes, const std::vector<int>& along) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (axes[a] && contains(along, *axes[a]) &&
          !contains(link_.normalized, static_cast<int>(a))) {
        link_.normalized.push_back(static_cast<int>(a));
      }
    }
  }

  // Only axes of one element may come and go.
  static std::optional<Axes> reshaped(const Axes& axes, const std::vector<std::int64_t>& before,
                                      const std::vector<std::int64_t>& after) {
    const std::vector<int> from = long_axes(before), to = long_axes(after);
    if (from.size() != to.size()) return std::nullopt;
    Axes moved(axes.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (before[at(from[i])] != after[at(to[i])]) return std::nullopt;
      for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a] == from[i]) moved[a] = to[i];
      }
    }
    return moved;
  }

  static Axes transposed(const Axes& axes, const std::vector<int>& order) {
    Axes moved(axes.size());
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const auto place = axes[a] ? std::find(order.begin(), order.end(), *axes[a]) : order.end();
      if (place != order.end()) moved[a] = static_cast<int>(place - order.begin());
    }
    return moved;
  }

  const Graph& graph_;
  const Uses& uses_;
  GraphLink link_;
};

}  // namespace

std::vector<GraphLink> links_of(const Graph& graph, const std::vector<std::size_t>& order) {
  std::vector<GraphLink> links;
  const Uses uses(graph, order);
  for (const std::size_t op : order) {
    if (!std::holds_alternative<Contraction>(graph.operators[op].what)) continue;
    links.push_back(Follower(graph, uses, op).follow());
  }
  return links;
}

}  // namespace tilewright
