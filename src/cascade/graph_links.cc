#include "cascade/graph_links.h"

#include <fmt/format.h>

#include <algorithm>

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

// Pieces side by side that are one.
std::vector<AxisPiece> joined(const std::vector<AxisPiece>& pieces) {
  std::vector<AxisPiece> whole;
  for (const AxisPiece& piece : pieces) {
    AxisPiece* last = whole.empty() ? nullptr : &whole.back();
    if (last != nullptr && last->axis == piece.axis && last->inner == piece.inner * piece.size) {
      *last = {piece.axis, piece.inner, last->size * piece.size};
    } else {
      whole.push_back(piece);
    }
  }
  return whole;
}

// Takes as many elements as an axis has from the innermost pieces. Nothing if that would cut a
// piece unevenly.
std::optional<std::vector<AxisPiece>> taken(std::vector<AxisPiece>& left, std::int64_t size) {
  std::vector<AxisPiece> axis;
  while (size > 1) {
    if (left.empty()) return std::nullopt;
    AxisPiece& last = left.back();
    const std::int64_t part = std::min(size, last.size);
    if (size % part != 0 || last.size % part != 0) return std::nullopt;
    axis.insert(axis.begin(), {last.axis, last.inner, part});
    size /= part;
    last.inner *= part;
    last.size /= part;
    if (last.size == 1) left.pop_back();
  }
  return joined(axis);
}

// Follows what one contraction writes to the contractions that read it.
class Follower {
 public:
  Follower(const Graph& graph, const Uses& uses, std::size_t writer) : graph_(graph), uses_(uses) {
    link_.writer = writer;
    const EdgeId written = graph.operators[writer].writes;
    Axes axes;
    for (const std::int64_t size : graph.edge(written).shape) {
      const int axis = static_cast<int>(axes.size());
      axes.emplace_back();
      if (size > 1) axes.back().push_back({axis, 1, size});
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
        after = reshaped(from.axes, graph_.edge(by.writes).shape);
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
    for (const int axis : along) {
      for (const AxisPiece& piece : axes[at(axis)]) {
        if (!contains(link_.normalized, piece)) link_.normalized.push_back(piece);
      }
    }
  }

  static std::optional<Axes> reshaped(const Axes& axes, const std::vector<std::int64_t>& after) {
    std::vector<AxisPiece> left;
    for (const std::vector<AxisPiece>& axis : axes) append(left, axis);
    Axes moved(after.size());
    for (std::size_t a = after.size(); a-- > 0;) {
      auto axis = taken(left, after[a]);
      if (!axis) return std::nullopt;
      moved[a] = std::move(*axis);
    }
    return moved;
  }

  static Axes transposed(const Axes& axes, const std::vector<int>& order) {
    Axes moved;
    for (const int axis : order) moved.push_back(axes[at(axis)]);
    return moved;
  }

  const Graph& graph_;
  const Uses& uses_;
  GraphLink link_;
};

}  // namespace

std::optional<int> read_axis(const GraphLink& link, std::size_t written) {
  for (std::size_t r = 0; r < link.axes.size(); ++r) {
    const std::vector<AxisPiece>& pieces = link.axes[r];
    if (pieces.size() == 1 && pieces[0].axis == static_cast<int>(written)) {
      return static_cast<int>(r);
    }
  }
  return std::nullopt;
}

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
