// Better designs near one that is known.
#pragma once

#include <functional>

#include "design_bounds.h"

namespace tilewright::study {

// Goes from a design to better ones, one or two choices at a time, with bounds
// as what they take: where these are in closed form they are close to it.
class DesignPolish {
 public:
  // All of these have to live longer.
  DesignPolish(const Network& network, DesignSpace& space, DesignBounds& bounds,
               std::function<bool()> is_over)
      : network_(network), space_(space), bounds_(bounds), is_over_(std::move(is_over)) {}

  // Good designs for single layers, of those that have most to do.
  std::vector<Flexibility> starts();

  // A design than which none of its neighbours is better.
  Flexibility improved(const Flexibility& design);

 private:
  std::optional<Flexibility> start_for(std::size_t layer);
  bool take(const DesignPart& candidate);
  bool try_tiles(ConvDim loop);
  bool try_with_less(DesignPart candidate, ConvDim grown);
  bool try_arrays();
  bool try_orders();

  const Network& network_;
  DesignSpace& space_;
  DesignBounds& bounds_;
  std::function<bool()> is_over_;
  DesignPart at_;
  double value_ = 0;
};

}  // namespace tilewright::study
