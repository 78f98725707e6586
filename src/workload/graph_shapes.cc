// Shapes of the tensors that operators of a network share.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "tilewright/workload.h"

namespace tilewright {

namespace {

using Shape = std::vector<std::int64_t>;

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

// Nothing beyond kCountLimit.
std::optional<std::int64_t> elements_of(const Shape& shape) { return checked_product(shape); }

// --- contractions -------------------------------------------------------------

// Whether a dimension is one of a filter rather than one along which the filter moves.
bool is_of_filter(const Workload& workload, DimId dim) {
  if (!is_relevant(workload.tensors.back(), dim)) return true;
  return std::any_of(workload.tensors.begin(), workload.tensors.end(), [&](const Tensor& tensor) {
    return tensor.role == Role::Weight && is_relevant(tensor, dim);
  });
}

// The extents that an index of a contraction can do with.
struct RankExtents {
  std::int64_t least = 1, box = 1, most = 1;

  bool hold(std::int64_t extent) const { return extent >= least && extent <= most; }
};

// A filter may reach beyond either end of the tensor by all but one of its points; what the
// last step of a stride leaves of the tensor is not read.
RankExtents extents_of(const Workload& workload, const Rank& rank) {
  Shape sizes;
  for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
  const std::int64_t box = box_extent(rank, sizes);
  if (rank.size() == 1 && rank.front().coefficient == 1) return {box, box, box};
  std::int64_t reach = 0;
  std::int64_t step = 1;
  for (const Term& term : rank) {
    const std::int64_t length = std::abs(term.coefficient);
    if (is_of_filter(workload, term.dim)) {
      reach += length * (workload.dim(term.dim).size - 1);
    } else {
      step = std::max(step, length);
    }
  }
  return {std::max<std::int64_t>(1, box - 2 * reach), box, box + step - 1};
}

Shape box_of(const Workload& workload, const Tensor& tensor) {
  Shape box;
  for (const Rank& rank : tensor.ranks) box.push_back(extents_of(workload, rank).box);
  return box;
}

// What is wrong with a shape for one of the tensors; nothing if it fits.
std::string misfit(const Workload& workload, const Tensor& tensor, const Edge& edge) {
  const std::string what = tensor_text(workload, tensor);
  if (edge.shape.size() != tensor.ranks.size()) {
    return fmt::format("{} has {} axes, {}, but {} has {} indices", edge.name, edge.shape.size(),
                       shape_text(edge.shape), what, tensor.ranks.size());
  }
  for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
    const RankExtents extents = extents_of(workload, tensor.ranks[r]);
    if (extents.hold(edge.shape[r])) continue;
    const std::string needed = extents.least == extents.most
                                   ? fmt::format("{}", extents.box)
                                   : fmt::format("{} to {}", extents.least, extents.most);
    return fmt::format("axis {} of {} has {} elements, but {} of {} needs {}", r, edge.name,
                       edge.shape[r], rank_text(workload, tensor.ranks[r]), what, needed);
  }
  return "";
}

// --- what is not mapped -------------------------------------------------------

// A shape, or why there is none.
struct Derived {
  std::optional<Shape> shape;
  std::string message;
};

// From the last axis on, sizes are equal or one of them is 1.
Derived spread(const std::vector<const Edge*>& reads) {
  Shape shape;
  for (const Edge* edge : reads) {
    const std::size_t axes = std::max(shape.size(), edge->shape.size());
    shape.insert(shape.begin(), axes - shape.size(), 1);
    for (std::size_t i = 0; i < edge->shape.size(); ++i) {
      std::int64_t& size = shape[axes - edge->shape.size() + i];
      const std::int64_t other = edge->shape[i];
      if (size != other && size != 1 && other != 1) {
        return {std::nullopt,
                fmt::format("{} {} does not go with {} of {}", edge->name, shape_text(edge->shape),
                            shape_text(shape), reads.front()->name)};
      }
      size = std::max(size, other);
    }
  }
  return {shape, ""};
}

Derived transposed(const Edge& edge, const std::vector<int>& axes) {
  std::vector<int> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  bool all = sorted.size() == edge.shape.size();
  for (std::size_t i = 0; all && i < sorted.size(); ++i) all = at(sorted[i]) == i;
  if (!all) {
    return {std::nullopt, fmt::format("an order of the {} axes of {} {} names each of 0 to {} once",
                                      edge.shape.size(), edge.name, shape_text(edge.shape),
                                      static_cast<int>(edge.shape.size()) - 1)};
  }
  Shape shape;
  for (const int axis : axes) shape.push_back(edge.shape[at(axis)]);
  return {shape, ""};
}

Derived normalized(const Edge& edge, const std::vector<int>& axes) {
  for (const int axis : axes) {
    if (axis >= 0 && at(axis) < edge.shape.size()) continue;
    return {std::nullopt, fmt::format("{} {} has no axis {}; axes count from 0", edge.name,
                                      shape_text(edge.shape), axis)};
  }
  return {edge.shape, ""};
}

// --- all of them --------------------------------------------------------------

class Shapes {
 public:
  explicit Shapes(Graph& graph) : graph_(graph) {}

  void settle(std::size_t op) {
    op_ = op;
    const Operator& now = graph_.operators[op];
    if (const auto* contraction = std::get_if<Contraction>(&now.what)) {
      const std::vector<Tensor>& tensors = contraction->workload.tensors;
      for (std::size_t t = 0; t < now.reads.size(); ++t) {
        settle(contraction->workload, tensors[t], now.reads[t]);
      }
      settle(contraction->workload, tensors.back(), now.writes);
      return;
    }
    settle(std::get<Unmapped>(now.what), now);
  }

  void check_carries(int block, std::size_t op) {
    op_ = op;
    for (const RepeatedBlock::Carry& carry : graph_.blocks[at(block)].carries) {
      const Edge& from = graph_.edge(carry.from);
      const Edge& to = graph_.edge(carry.to);
      if (from.shape != to.shape || from.bits != to.bits) {
        complain(
            fmt::format("{} {} of {} bits cannot be carried into {} {} of {} bits", from.name,
                        shape_text(from.shape), from.bits, to.name, shape_text(to.shape), to.bits),
            "the next repetition needs the same shape and width");
      }
    }
  }

  std::vector<GraphProblem> take_problems() { return std::move(problems_); }

 private:
  // An edge without a shape takes that of the contraction.
  void settle(const Workload& workload, const Tensor& tensor, EdgeId id) {
    Edge& edge = graph_.edges[at(id)];
    if (edge.shape.empty() && !tensor.ranks.empty()) edge.shape = box_of(workload, tensor);
    const std::string wrong = misfit(workload, tensor, edge);
    if (!wrong.empty()) complain(wrong, "");
  }

  void settle(const Unmapped& what, const Operator& op) {
    std::vector<const Edge*> reads;
    for (const EdgeId id : op.reads) reads.push_back(&graph_.edge(id));
    Edge& written = graph_.edges[at(op.writes)];
    Derived derived;
    switch (what.kind) {
      case Unmapped::Kind::Elementwise:
        derived = spread(reads);
        break;
      case Unmapped::Kind::Normalize:
        derived = normalized(*reads.front(), what.axes);
        break;
      case Unmapped::Kind::Transpose:
        derived = transposed(*reads.front(), what.axes);
        break;
      case Unmapped::Kind::Reshape:
        check_elements(*reads.front(), written);
        return;
      case Unmapped::Kind::Other:
        return;
    }
    if (!derived.shape) return complain(derived.message, "");
    if (written.shape.empty()) written.shape = *derived.shape;
    if (written.shape == *derived.shape) return;
    complain(fmt::format("{} has the shape {}, but {} gives {}", written.name,
                         shape_text(written.shape), op.name, shape_text(*derived.shape)),
             "");
  }

  void check_elements(const Edge& read, const Edge& written) {
    const auto before = elements_of(read.shape);
    const auto after = elements_of(written.shape);
    if (before && after && *before == *after) return;
    complain(fmt::format("{} {} and {} {} have different numbers of elements", read.name,
                         shape_text(read.shape), written.name, shape_text(written.shape)),
             "");
  }

  void complain(std::string message, std::string hint) {
    problems_.push_back({op_, std::move(message), std::move(hint)});
  }

  Graph& graph_;
  std::size_t op_ = 0;
  std::vector<GraphProblem> problems_;
};

}  // namespace

std::vector<GraphProblem> settle_shapes(Graph& graph, const ExecutionOrder& order) {
  Shapes shapes(graph);
  std::vector<std::size_t> last_of(graph.blocks.size());
  for (const std::size_t op : order.operators) {
    shapes.settle(op);
    last_of[at(graph.operators[op].block)] = op;
  }
  for (int block = 1; block < std::ssize(graph.blocks); ++block) {
    shapes.check_carries(block, last_of[at(block)]);
  }
  return shapes.take_problems();
}

}  // namespace tilewright
