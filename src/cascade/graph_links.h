// Which contractions of a graph can hand on what they write without other operators seeing it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tilewright/cascade.h"
#include "tilewright/workload.h"

namespace tilewright {

// By axis of what is written: the axis of what is read; nothing for an axis of one element that is
// dropped on the way.
using GraphAxes = std::vector<std::optional<int>>;

// What a contraction writes, as operators on the way pass it on.
struct GraphForm {
  EdgeId edge{};
  GraphAxes axes;
  bool normalized = false;
};

// What a contraction writes, and how other contractions read it.
struct GraphLink {
  std::size_t writer = 0;            // an operator, as all of these
  std::vector<std::size_t> readers;  // contractions, in the order of the graph's execution
  EdgeId read{};                     // the edge that they read
  GraphAxes axes;                    // of that edge
  std::vector<GraphForm> forms;      // the first is what is written
  std::vector<std::size_t> passed;   // operators on the way
  std::vector<int> normalized;       // axes of what is written
  std::string function;              // what is done on the way, "add, softmax"
  std::string leaves;                // why it also leaves; empty if it does not
};

// One of each contraction, in the order of execution.
std::vector<GraphLink> links_of(const Graph& graph, const std::vector<std::size_t>& order);

}  // namespace tilewright
