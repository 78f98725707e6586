// Keys of a mapping file that stand for storage points: "Buffer(W, O)".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "context.h"
#include "tilewright/mapping.h"

namespace tilewright::io {

struct PointKeys {
  std::vector<StoragePoints> of_memory;  // in the order of the file
  std::map<const Node*, std::string>
      level_of_key;  // names of levels in a problem with these points
};

// Finds the storage points among the levels of a mapping file. Complains about memories that
// stand both as a whole and as points.
PointKeys read_storage_points(Context& context, const Node& levels,
                              const std::vector<std::size_t>& entries, const Problem& problem);

// The tensor of that name, otherwise those of that role, a bit for each. Complains if there
// are none.
std::uint32_t tensors_named(Context& context, const Node& item, const Workload& workload,
                            const std::string& name);

}  // namespace tilewright::io
