// Dimensions of contractions cut into factors where reshapes split or join axes, so that what is
// written and what is read have the same indices: heads of an attention.
#pragma once

#include <vector>

#include "cascade/graph_contractions.h"

namespace tilewright {

// A network whose contractions have the dimensions that links need, and these links. Pieces of
// axes are whole axes here: of the writer's output, and in `axes` one for each of the reader's.
// What the network takes one by one is an ordinary dimension, where it is tied to one.
struct SplitNetwork {
  Network network;
  std::vector<GraphLink> links;
  std::vector<bool> changed;  // by operator: whether its contraction has other dimensions
};

// Links whose readers cannot have a tensor in pieces say so in `misfits`.
SplitNetwork split_dims(const Network& network, std::vector<GraphLink> links);
// The same with no dimension cut.
SplitNetwork whole_dims(const Network& network, std::vector<GraphLink> links);

}  // namespace tilewright
