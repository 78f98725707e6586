// The best fixed design, by branching over pairs, shapes, tiles and orders.
#pragma once

#include <map>
#include <queue>

#include "base/deadline.h"
#include "design_space.h"
#include "layer_floor.h"
#include "tilewright/study.h"

namespace tilewright::study {

// A design on a network without repetition.
Flexibility fixed_design(const Architecture& arch, const ConvPair& pair, const ArrayShape& shape,
                         const ConvOrder& order, const ConvSizes& tile);

// Takes a design that was mapped, if it is the better one.
void take_if_better(const Flexibility& flexibility, const Trial& trial, Objective objective,
                    Design& best);

// Looks for something better than a design that is known, if there is one, and says how far the
// best is from what no design can beat. Branches best first; what it does depends on the
// limits of nodes alone as long as no time ends it.
class DesignSearch {
 public:
  // All of these have to live longer. Floors are by layer.
  DesignSearch(const Network& network, const Architecture& arch, DesignSpace& space,
               std::vector<LayerFloor>& floors, const StudyOptions& options,
               const DesignLimits& limits);

  // Sets the design's flexibility, trial and value, and says whether one is found.
  void run(Design& design);

 private:
  // Designs of which some part is decided.
  struct Node {
    double bound = 0;
    std::uint64_t number = 0;  // the later, the deeper
    int pair = 0, shape = 0, order = -1;
    int strict = 0;  // what counts for the energy: 1 pair and shape, 2 the order as well
    std::array<std::int32_t, kConvDims> first{}, last{};  // of the extents
  };
  struct Later {
    bool operator()(const Node& a, const Node& b) const {
      return a.bound != b.bound ? a.bound > b.bound : a.number < b.number;
    }
  };

  // The extents that the tiles of a node can have, by loop.
  using Extents = std::array<const std::vector<std::int64_t>*, kConvDims>;

  Objective objective() const { return options_.map.objective; }
  const Extents& extents_of(const Node& node);
  TileBox box_of(const Node& node);
  Flexibility open_of(const Node& node) const;

  bool start();
  void push(Node node);
  bool tighten(Node& node);
  double bound_of(const Node& node);
  double energy_of(const Node& node, std::size_t layer, double outside);
  bool cannot_improve(double bound) const;
  bool is_good_enough(double bound) const;
  std::optional<Design::Stop> reason_to_stop() const;

  void handle(Node node);
  void refine(Node node);
  void limit_floors();
  void split(const Node& node);
  std::vector<Node> halves(const Node& node, ConvDim loop);
  void try_orders(const Node& node);
  void evaluate(const Node& node);
  void conclude(Design::Stop stop);
  void tell();

  const Network& network_;
  const Architecture& arch_;
  DesignSpace& space_;
  std::vector<LayerFloor>& floors_;
  const StudyOptions& options_;
  const DesignLimits& limits_;
  Deadline deadline_;
  std::map<std::pair<int, int>, Extents> extents_;  // by pair and shape
  std::priority_queue<Node, std::vector<Node>, Later> open_;
  // The least bound of what is not looked into any more, and of designs whose mappings are not
  // proven to be the best.
  double left_out_;
  Design* best_ = nullptr;
};

}  // namespace tilewright::study
