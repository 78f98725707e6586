// Whether contractions of a graph can be one part of it: nothing outside has to come in between,
// and what leaves and comes back is there in time.
#pragma once

#include <vector>

#include "cascade/graph_contractions.h"

namespace tilewright {

class PartOrder {
 public:
  // `all` has the link of every contraction, `links` those that are used.
  PartOrder(const GraphContractions& of, const std::vector<GraphLink>& all,
            const std::vector<GraphLink>& links);

  // Whether these contractions can be one part beside those that there are; `group` has a number
  // for each operator that is a contraction.
  bool may_be_part(const std::vector<std::size_t>& ops, const std::vector<std::size_t>& group);

 private:
  bool has_cycle() const;
  bool returns_in_time(const std::vector<std::size_t>& ops) const;
  bool returns_in_time(const GraphLink& from, const GraphForm& form, std::size_t by) const;
  bool is_aligned(const GraphLink& from, const GraphForm& form, const GraphLink& to,
                  const GraphForm& met) const;
  // The dimension of an axis of what a contraction writes; a negative one if there is none.
  GraphDim written_dim(std::size_t op, const AxisPiece& piece) const;
  bool may_meet(GraphDim one, GraphDim other, bool is_behind) const;
  // Whether no link of the part joins the dimension with others.
  bool is_alone(GraphDim dim) const;
  bool is_behind(std::size_t op, std::size_t writer) const;
  void tie_dims(const std::vector<std::size_t>& ops);
  // The dimensions of a contraction that hang together with one of its part; its output's alone.
  std::vector<int> tied(GraphDim dim, std::size_t op, bool of_output) const;
  const GraphLink& link_of(std::size_t op) const;

  const GraphContractions& of_;
  const Graph& graph_;
  const std::vector<GraphLink>& all_;
  const std::vector<GraphLink>& links_;
  std::vector<std::vector<std::size_t>> readers_;  // by edge
  std::vector<std::optional<std::size_t>> writer_;
  std::vector<std::size_t> node_;  // by operator: operators that are done together have one
  std::size_t part_ = 0;           // the node of the part that is asked about
  SameDims ties_;                  // dimensions that loops move together
};

}  // namespace tilewright
