#include "cascade/graph_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tilewright {
namespace {

using Axes = std::vector<std::optional<int>>;

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
    forms_.emplace_back(written, std::move(axes));
  }

  // Nothing if nobody reads it, or with a reason why it cannot be handed on.
  std::optional<GraphLink> follow() {
    for (std::size_t i = 0; i < forms_.size() && reason_.empty(); ++i) visit(forms_[i].first);
    if (!reason_.empty() || !read_) return std::nullopt;
    link_.read = *read_;
    link_.axes = *axes_of(*read_);
    for (const std::size_t op : uses_.readers(*read_)) link_.readers.push_back(op);
    return std::move(link_);
  }
  const std::string& reason() const { return reason_; }

 private:
  const Operator& writer() const { return graph_.operators[link_.writer]; }
  const std::string& name(std::size_t op) const { return graph_.operators[op].name; }
  const Axes* axes_of(EdgeId edge) const {
    for (const auto& [known, axes] : forms_) {
      if (known == edge) return &axes;
    }
    return nullptr;
  }

  void visit(EdgeId edge) {
    const std::vector<std::size_t>& readers = uses_.readers(edge);
    const bool passes_on = edge != writer().writes;
    if (uses_.is_carried(edge)) {
      reason_ = fmt::format("{} goes to the next repetition", graph_.edge(edge).name);
    } else if (readers.empty() && passes_on) {
      reason_ = fmt::format("{} leaves the network", graph_.edge(edge).name);
    }
    for (const std::size_t op : readers) {
      if (!reason_.empty() || contains(link_.passed, op)) continue;
      const Operator& reader = graph_.operators[op];
      if (reader.block != writer().block || reader.count != writer().count) {
        reason_ = fmt::format("{} reads it elsewhere or more often", name(op));
      } else if (const auto* what = std::get_if<Unmapped>(&reader.what)) {
        pass(op, *what, edge);
      } else if (read_ && *read_ != edge) {
        reason_ = fmt::format("it is read in two forms, {} and {}", graph_.edge(*read_).name,
                              graph_.edge(edge).name);
      } else {
        read_ = edge;
      }
    }
  }

  // Goes through an operator that is not mapped.
  void pass(std::size_t op, const Unmapped& what, EdgeId from) {
    const Operator& by = graph_.operators[op];
    const Axes axes = *axes_of(from);
    std::optional<Axes> after;
    switch (what.kind) {
      case Unmapped::Kind::Elementwise:
        if (meets_another(op)) return;
        if (graph_.edge(by.writes).shape == graph_.edge(from).shape) after = axes;
        break;
      case Unmapped::Kind::Normalize:
        after = axes;
        note_normalized(axes, what.axes);
        break;
      case Unmapped::Kind::Reshape:
        after = reshaped(axes, graph_.edge(from).shape, graph_.edge(by.writes).shape);
        break;
      case Unmapped::Kind::Transpose:
        after = transposed(axes, what.axes);
        break;
      case Unmapped::Kind::Other:
        break;
    }
    if (!after) {
      reason_ = fmt::format("{} ({}) changes its form", by.name, to_string(what.kind));
      return;
    }
    if (!what.function.empty()) {
      link_.function += (link_.function.empty() ? "" : ", ") + what.function;
    }
    link_.passed.push_back(op);
    forms_.emplace_back(by.writes, std::move(*after));
  }

  // What comes together with the output of a later contraction is that one's.
  bool meets_another(std::size_t op) {
    for (const EdgeId edge : graph_.operators[op].reads) {
      const auto source = uses_.source(edge);
      if (!source || uses_.position(*source) <= uses_.position(link_.writer)) continue;
      reason_ = fmt::format("{} reads it together with what {} writes", name(op), name(*source));
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
  std::vector<std::pair<EdgeId, Axes>> forms_;  // of the output, as operators pass it on
  std::optional<EdgeId> read_;
  std::string reason_;
};

}  // namespace

GraphLinks links_of(const Graph& graph, const std::vector<std::size_t>& order) {
  GraphLinks found;
  const Uses uses(graph, order);
  for (const std::size_t op : order) {
    if (!std::holds_alternative<Contraction>(graph.operators[op].what)) continue;
    Follower follower(graph, uses, op);
    if (auto link = follower.follow()) {
      found.links.push_back(std::move(*link));
    } else if (!follower.reason().empty()) {
      found.cuts.push_back({op, follower.reason()});
    }
  }
  return found;
}

}  // namespace tilewright
