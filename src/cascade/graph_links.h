// Which contractions of a graph can hand on what they write without other operators seeing it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tilewright/cascade.h"
#include "tilewright/workload.h"

namespace tilewright {

// Some digits of an index of what is written: of i along the axis those of i / inner % size.
struct AxisPiece {
  int axis = 0;  // negative: not an axis of its own
  std::int64_t inner = 1, size = 1;

  bool operator==(const AxisPiece&) const = default;
};

// By axis of an edge: what of the writer's axes its index is made of, outermost first; nothing for
// an axis of one element.
using GraphAxes = std::vector<std::vector<AxisPiece>>;

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
  // Readers that cannot have it in these pieces, and why.
  std::map<std::size_t, std::string> misfits;
  std::vector<GraphForm> forms;     // the first is what is written
  std::vector<std::size_t> passed;  // operators on the way
  std::vector<AxisPiece> normalized;
  std::string function;  // what is done on the way, "add, softmax"
  std::string leaves;    // why it also leaves; empty if it does not
};

// The axis of what is read that has an axis of what is written, where no reshape cuts either.
std::optional<int> read_axis(const GraphLink& link, std::size_t written);

// One of each contraction, in the order of execution.
std::vector<GraphLink> links_of(const Graph& graph, const std::vector<std::size_t>& order);

}  // namespace tilewright
