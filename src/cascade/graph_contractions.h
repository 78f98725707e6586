// The contractions of a network's graph, as links between them see them.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cascade/graph_links.h"

namespace tilewright {

class GraphContractions {
 public:
  explicit GraphContractions(const Network& network) : network_(network) {}

  const Network& network() const { return network_; }
  const Operator& operator_at(std::size_t op) const { return network_.graph.operators[op]; }
  const std::string& name(std::size_t op) const { return operator_at(op).name; }
  bool is_contraction(std::size_t op) const {
    return std::holds_alternative<Contraction>(operator_at(op).what);
  }
  const Contraction& contraction(std::size_t op) const {
    return std::get<Contraction>(operator_at(op).what);
  }
  const Workload& workload(std::size_t op) const { return contraction(op).workload; }
  const Layer& layer(std::size_t op) const { return network_.layers[at(contraction(op).layer)]; }

  // Whether a dimension is taken one by one, or has one value.
  bool is_dropped(std::size_t op, DimId dim) const;
  Rank kept_terms(std::size_t op, const Rank& rank) const;
  // The dimensions along which it is normalised on the way.
  std::vector<DimId> kept_norms(const GraphLink& link) const;
  // The input of a contraction that is an edge; nothing if several are.
  std::optional<std::size_t> input_of(std::size_t op, EdgeId edge) const;
  // Why a reader cannot take what a link hands on; empty if it can.
  std::string misfit_of(const GraphLink& link, std::size_t reader) const;

 private:
  std::string misfit_of_axis(const GraphLink& link, std::size_t reader, std::size_t axis,
                             const Tensor& seen) const;

  const Network& network_;
};

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

// The dimensions that the links between these contractions make one; nothing if that joins two of
// one contraction.
std::optional<SameDims> same_dims(const GraphContractions& of, const std::vector<GraphLink>& links,
                                  const std::vector<std::size_t>& ops);

// Contractions that hand on what they write, as einsums of a cascade. The links join no two
// dimensions of one contraction.
void add_einsums(const GraphContractions& of, const std::vector<GraphLink>& links,
                 const std::vector<std::size_t>& ops, Cascade& cascade);

}  // namespace tilewright
