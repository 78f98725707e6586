#include "cascade/graph_splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tilewright {
namespace {

constexpr AxisPiece kNoAxis{-1, 1, 1};

bool is_plain(const Rank& rank) { return rank.size() == 1 && rank[0].coefficient == 1; }

// Factors of dimensions. Dimensions that links tie have the same ones.
class Factors {
 public:
  explicit Factors(const GraphContractions& of) : of_(&of) {
    for (std::size_t op = 0; op < of.network().graph.operators.size(); ++op) {
      if (of.is_contraction(op)) add(op);
    }
  }

  // By dimension, outermost first; none of a dimension of one value.
  const std::vector<int>& operator[](GraphDim dim) const { return factors_.at(dim); }
  std::int64_t size(int factor) const { return all_[at(factor)].size; }
  // Whether all dimensions that have it are taken one by one.
  bool is_each(int factor) const { return all_[at(factor)].each; }

  // Ties the dimensions that a reader has of a link. Says why it cannot; some of them may be tied
  // then.
  std::string tie(const GraphLink& link, std::size_t reader) {
    const auto input = of_->input_of(reader, link.read);
    if (!input) return fmt::format("{} reads it twice", of_->name(reader));
    const Tensor& seen = of_->workload(reader).tensors[*input];
    for (std::size_t r = 0; r < link.axes.size(); ++r) {
      if (!tie(link, link.axes[r], reader, seen.ranks[r])) {
        return fmt::format("{} reads it in other pieces than it is written in", of_->name(reader));
      }
    }
    return "";
  }

  // The places of the factors that a piece of a dimension has; nothing if it cuts one.
  std::optional<std::pair<std::size_t, std::size_t>> range(GraphDim dim,
                                                           const AxisPiece& piece) const {
    const std::vector<int>& factors = factors_.at(dim);
    std::int64_t inner = 1;
    std::size_t last = factors.size();
    while (last > 0 && inner < piece.inner) inner *= size(factors[--last]);
    std::size_t first = last;
    std::int64_t outer = inner;
    while (first > 0 && outer < inner * piece.size) outer *= size(factors[--first]);
    if (inner != piece.inner || outer != inner * piece.size) return std::nullopt;
    return std::pair(first, last);
  }

 private:
  struct Factor {
    std::int64_t size = 1;
    bool each = true;
    bool whole = false;  // seen through a window
  };

  void add(std::size_t op) {
    const Workload& workload = of_->workload(op);
    for (int d = 0; d < workload.dim_count(); ++d) {
      std::vector<int>& factors = factors_[{op, d}];
      const std::int64_t dim_size = workload.dim(DimId{d}).size;
      if (dim_size == 1) continue;
      factors.push_back(static_cast<int>(all_.size()));
      all_.push_back({dim_size, contains(of_->contraction(op).each, DimId{d}), false});
    }
    for (const Tensor& tensor : workload.tensors) {
      for (const Rank& rank : tensor.ranks) {
        if (!is_plain(rank)) keep_whole(op, rank);
      }
    }
  }

  void keep_whole(std::size_t op, const Rank& rank) {
    for (const Term& term : rank) {
      for (const int factor : factors_.at({op, index_of(term.dim)})) all_[at(factor)].whole = true;
    }
  }

  bool tie(const GraphLink& link, const std::vector<AxisPiece>& pieces, std::size_t reader,
           const Rank& read) {
    if (pieces.empty()) return true;
    const Workload& writer = of_->workload(link.writer);
    std::int64_t product = 1;
    for (const AxisPiece& piece : pieces) {
      product *= piece.size;
      if (!is_plain(writer.tensors.back().ranks[at(piece.axis)])) return is_whole(link, piece);
    }
    const GraphDim dim{reader, index_of(read[0].dim)};
    if (is_plain(read) && of_->workload(reader).dim(read[0].dim).size == product) {
      return cut_pieces(link, pieces) && tie(link, pieces, dim);
    }
    if (pieces.size() > 1 || !is_whole(link, pieces[0])) return false;
    const GraphDim written = written_dim(link, pieces[0]);
    if (factors_.at(written).size() > 1) return false;
    for (const int factor : factors_.at(written)) all_[at(factor)].whole = true;
    return true;
  }

  GraphDim written_dim(const GraphLink& link, const AxisPiece& piece) const {
    const Rank& rank = of_->workload(link.writer).tensors.back().ranks[at(piece.axis)];
    return {link.writer, index_of(rank[0].dim)};
  }
  bool is_whole(const GraphLink& link, const AxisPiece& piece) const {
    const EdgeId written = of_->operator_at(link.writer).writes;
    return piece.size == of_->network().graph.edge(written).shape[at(piece.axis)];
  }

  bool cut_pieces(const GraphLink& link, const std::vector<AxisPiece>& pieces) {
    return std::all_of(pieces.begin(), pieces.end(), [&](const AxisPiece& piece) {
      const GraphDim dim = written_dim(link, piece);
      return cut(dim, piece.inner) && cut(dim, piece.inner * piece.size);
    });
  }

  bool tie(const GraphLink& link, const std::vector<AxisPiece>& pieces, GraphDim read) {
    for (;;) {
      std::vector<int> written;
      for (const AxisPiece& piece : pieces) {
        const GraphDim dim = written_dim(link, piece);
        const auto [first, last] = *range(dim, piece);
        const std::vector<int>& factors = factors_.at(dim);
        written.insert(written.end(), factors.begin() + static_cast<std::ptrdiff_t>(first),
                       factors.begin() + static_cast<std::ptrdiff_t>(last));
      }
      // Both have the same product, so the innermost that differ are there or none is left.
      const std::vector<int>& other = factors_.at(read);
      const auto [one, two] =
          std::mismatch(written.rbegin(), written.rend(), other.rbegin(), other.rend());
      if (one == written.rend() || two == other.rend()) return true;
      if (size(*one) == size(*two)) {
        join(*one, *two);
      } else {
        const int larger = size(*one) > size(*two) ? *one : *two;
        if (!split(larger, std::min(size(*one), size(*two)))) return false;
      }
    }
  }

  // Makes the indices inside a number of values of a dimension factors of their own.
  bool cut(GraphDim dim, std::int64_t values) {
    const std::vector<int> factors = factors_.at(dim);
    for (std::size_t f = factors.size(); f-- > 0 && values > 1;) {
      const std::int64_t own = size(factors[f]);
      if (values < own) return split(factors[f], values);
      if (values % own != 0) return false;
      values /= own;
    }
    return true;
  }

  bool split(int factor, std::int64_t inner) {
    Factor& outer = all_[at(factor)];
    if (outer.whole || outer.size % inner != 0) return false;
    outer.size /= inner;
    const Factor made{inner, outer.each, false};
    const int number = static_cast<int>(all_.size());
    all_.push_back(made);
    for (auto& [dim, factors] : factors_) {
      for (std::size_t f = factors.size(); f-- > 0;) {
        if (factors[f] != factor) continue;
        factors.insert(factors.begin() + static_cast<std::ptrdiff_t>(f) + 1, number);
      }
    }
    return true;
  }

  void join(int one, int other) {
    all_[at(one)].each = all_[at(one)].each && all_[at(other)].each;
    all_[at(one)].whole = all_[at(one)].whole || all_[at(other)].whole;
    for (auto& [dim, factors] : factors_) std::replace(factors.begin(), factors.end(), other, one);
  }

  const GraphContractions* of_;
  std::map<GraphDim, std::vector<int>> factors_;
  std::vector<Factor> all_;
};

// Makes the network and the links that have factors as dimensions.
class Splitter {
 public:
  Splitter(const GraphContractions& of, const Factors& factors) : of_(of), factors_(factors) {}

  SplitNetwork split(std::vector<GraphLink> links) const {
    SplitNetwork made{of_.network(), {}, {}};
    for (std::size_t op = 0; op < made.network.graph.operators.size(); ++op) {
      made.changed.push_back(of_.is_contraction(op) && change(op, made.network));
    }
    for (GraphLink& link : links) change(link);
    made.links = std::move(links);
    return made;
  }

 private:
  // How many dimensions there are in place of one.
  std::size_t count(GraphDim dim) const { return std::max<std::size_t>(1, factors_[dim].size()); }

  bool change(std::size_t op, Network& network) const {
    const Contraction& from = of_.contraction(op);
    Contraction to = from;
    to.workload.dims.clear();
    to.each.clear();
    std::vector<int> firsts;
    std::int64_t together = 1;  // values that were taken one by one
    for (int d = 0; d < from.workload.dim_count(); ++d) {
      firsts.push_back(to.workload.dim_count());
      const bool each = contains(from.each, DimId{d});
      add_dims({op, d}, each, to);
      for (const int factor : factors_[{op, d}]) {
        if (each && !factors_.is_each(factor)) together *= factors_.size(factor);
      }
    }
    for (Tensor& tensor : to.workload.tensors) change_ranks(op, firsts, tensor);
    if (to.workload.dim_count() == from.workload.dim_count() && together == 1) return false;
    Layer layer = of_.layer(op);
    layer.count /= together;
    to.layer = static_cast<int>(network.layers.size());
    network.layers.push_back(std::move(layer));
    network.graph.operators[op].what = std::move(to);
    return true;
  }

  void add_dims(GraphDim of, bool each, Contraction& to) const {
    const Dimension& whole = of_.workload(of.op).dim(DimId{of.dim});
    const std::vector<int>& factors = factors_[of];
    for (std::size_t f = 0; f < count(of); ++f) {
      Dimension dim = whole;
      if (factors.size() > 1) {
        dim.name = fmt::format("{}_{}", whole.name, f + 1);
        dim.size = factors_.size(factors[f]);
        dim.known_as = whole.known_as.empty() ? whole.name : whole.known_as;
      }
      if (each && (factors.empty() || factors_.is_each(factors[f]))) {
        to.each.push_back(DimId{to.workload.dim_count()});
      }
      to.workload.dims.push_back(std::move(dim));
    }
  }

  void change_ranks(std::size_t op, const std::vector<int>& firsts, Tensor& tensor) const {
    std::vector<Rank> ranks;
    for (Rank& rank : tensor.ranks) {
      const std::size_t factors = is_plain(rank) ? count({op, index_of(rank[0].dim)}) : 1;
      for (Term& term : rank) term.dim = DimId{firsts[at(index_of(term.dim))]};
      for (std::size_t f = 0; f < factors; ++f) {
        ranks.push_back(rank);
        ranks.back()[0].dim = DimId{index_of(rank[0].dim) + static_cast<int>(f)};
      }
    }
    tensor.ranks = std::move(ranks);
  }

  // The axes of the writer that a piece is made of.
  std::vector<AxisPiece> axes_of(std::size_t writer, const AxisPiece& piece) const {
    const std::vector<Rank>& ranks = of_.workload(writer).tensors.back().ranks;
    int before = 0;
    for (int a = 0; a < piece.axis; ++a)
      before += static_cast<int>(count_axes(writer, ranks[at(a)]));
    const Rank& rank = ranks[at(piece.axis)];
    if (!is_plain(rank)) {
      const std::int64_t whole =
          of_.network().graph.edge(of_.operator_at(writer).writes).shape[at(piece.axis)];
      return {piece.size == whole ? AxisPiece{before, 1, whole} : kNoAxis};
    }
    const GraphDim dim{writer, index_of(rank[0].dim)};
    const auto places = factors_.range(dim, piece);
    if (!places) return {kNoAxis};
    std::vector<AxisPiece> axes;
    for (std::size_t f = places->first; f < places->second; ++f) {
      axes.push_back({before + static_cast<int>(f), 1, factors_.size(factors_[dim][f])});
    }
    return axes;
  }
  std::size_t count_axes(std::size_t op, const Rank& rank) const {
    return is_plain(rank) ? count({op, index_of(rank[0].dim)}) : 1;
  }

  std::vector<AxisPiece> axes_of(std::size_t writer, const std::vector<AxisPiece>& pieces) const {
    std::vector<AxisPiece> axes;
    for (const AxisPiece& piece : pieces) append(axes, axes_of(writer, piece));
    return axes;
  }

  void change(GraphLink& link) const {
    GraphAxes axes;
    for (const std::vector<AxisPiece>& pieces : link.axes) {
      const std::vector<AxisPiece> made = axes_of(link.writer, pieces);
      if (made.empty()) axes.emplace_back();
      for (const AxisPiece& piece : made) axes.push_back({piece});
    }
    link.axes = std::move(axes);
    for (GraphForm& form : link.forms) {
      for (auto& pieces : form.axes) pieces = axes_of(link.writer, pieces);
    }
    link.normalized = axes_of(link.writer, link.normalized);
  }

  const GraphContractions& of_;
  const Factors& factors_;
};

// Whether a reshape on the way splits or joins axes.
bool has_cut_axes(const GraphLink& link, const Graph& graph) {
  const std::vector<std::int64_t>& written = graph.edge(graph.operators[link.writer].writes).shape;
  return std::any_of(link.axes.begin(), link.axes.end(), [&](const auto& pieces) {
    return pieces.size() > 1 ||
           (pieces.size() == 1 && pieces[0].size != written[at(pieces[0].axis)]);
  });
}

}  // namespace

SplitNetwork split_dims(const Network& network, std::vector<GraphLink> links) {
  const GraphContractions of(network);
  Factors factors(of);
  for (GraphLink& link : links) {
    for (const std::size_t reader : link.readers) {
      Factors tried = factors;
      const std::string misfit = tried.tie(link, reader);
      if (misfit.empty()) {
        factors = std::move(tried);
      } else {
        link.misfits[reader] = misfit;
      }
    }
  }
  return Splitter(of, factors).split(std::move(links));
}

SplitNetwork whole_dims(const Network& network, std::vector<GraphLink> links) {
  const GraphContractions of(network);
  for (GraphLink& link : links) {
    if (!has_cut_axes(link, network.graph)) continue;
    for (const std::size_t reader : link.readers) {
      link.misfits[reader] = "a reshape splits or joins its axes, and dimensions are not cut here";
    }
  }
  return Splitter(of, Factors(of)).split(std::move(links));
}

}  // namespace tilewright
