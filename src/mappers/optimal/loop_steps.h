// The edges of a loop, by the extents that they come from.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mappers/optimal/lattice.h"

namespace tilewright::optimal {

// On the way from the inside out or back, with all bounds or with bounds of 1 alone.
class LoopSteps {
 public:
  struct Step {
    std::size_t edge = 0, to = 0;
  };
  struct Way {
    bool outwards = true, idle = false;
  };

  LoopSteps(const LatticeAxis& loop, const Way& way)
      : first_((way.outwards ? loop.inner.size() : loop.outer.size()) + 1, 0),
        steps_(loop.edges.size()) {
    const auto from = [&](const Edge& edge) { return at(way.outwards ? edge.from : edge.to); };
    const auto follows = [&](const Edge& edge) { return !way.idle || edge.bound == 1; };
    for (const Edge& edge : loop.edges) first_[from(edge)] += follows(edge) ? 1 : 0;
    for (std::size_t i = 0; i + 1 < first_.size(); ++i) first_[i + 1] += first_[i];  // their ends
    for (std::size_t e = loop.edges.size(); e-- > 0;) {
      const Edge& edge = loop.edges[e];
      if (follows(edge)) {
        steps_[--first_[from(edge)]] = {e, at(way.outwards ? edge.to : edge.from)};
      }
    }
  }

  std::span<const Step> operator[](std::size_t extent) const {
    return {steps_.data() + first_[extent], first_[extent + 1] - first_[extent]};
  }

 private:
  std::vector<std::size_t> first_;  // of each extent, and the end
  std::vector<Step> steps_;
};

}  // namespace tilewright::optimal
