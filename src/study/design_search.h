// The best fixed design, by branching over pairs, shapes, tiles and orders.
#pragma once

#include <queue>

#include "base/deadline.h"
#include "design_bounds.h"
#include "tilewright/study.h"

namespace tilewright::study {

// Takes a design that was mapped, if it is the better one.
void take_if_better(const Flexibility& flexibility, const Trial& trial, Objective objective,
                    Design& best);

// Looks for something better than a design that is known, if there is one, and
// says how far the best is from what no design can beat. Branches best first;
// what it does depends on the limits of nodes alone as long as no time ends it.
class DesignSearch {
 public:
  // All of these have to live longer. Floors are by layer.
  DesignSearch(const Network& network, const Architecture& arch, DesignSpace& space,
               std::vector<LayerFloor>& floors, DesignBounds& bounds, const StudyOptions& options,
               const DesignLimits& limits);

  // Looks for good designs by their bounds, which have to be close, and maps
  // these.
  void begin(Design& design);

  // Sets the design's flexibility, trial and value, and says whether one is
  // found.
  void run(Design& design);

 private:
  struct Node {
    double bound = 0;
    std::uint64_t number = 0;  // the later, the deeper
    DesignPart part;
  };
  struct Later {
    bool operator()(const Node& a, const Node& b) const {
      return a.bound != b.bound ? a.bound > b.bound : a.number < b.number;
    }
  };

  Objective objective() const { return options_.map.objective; }

  bool start();
  std::vector<Node> bounded(const Node& parent, std::vector<DesignPart> parts);
  void push(Node node);
  bool cannot_improve(double bound) const;
  bool is_good_enough(double bound) const;
  double to_beat() const;
  std::optional<Design::Stop> reason_to_stop() const;

  void handle(const Node& node);
  void refine(Node node);
  void limit_floors();
  void branch(const Node& node);
  double weight_of(const Node& parent, const std::vector<Node>& children) const;
  void evaluate(const Node& node);
  void conclude(Design::Stop stop);
  void tell();

  const Network& network_;
  const Architecture& arch_;
  DesignSpace& space_;
  std::vector<LayerFloor>& floors_;
  DesignBounds& bounds_;
  const StudyOptions& options_;
  const DesignLimits& limits_;
  Deadline deadline_;
  std::uint64_t weight_;  // of a node: bounds that are not in closed form take longer
  std::priority_queue<Node, std::vector<Node>, Later> open_;
  // The least bound of what is not looked into any more, and of designs whose
  // mappings are not proven to be the best.
  double left_out_;
  Design* best_ = nullptr;
};

}  // namespace tilewright::study
