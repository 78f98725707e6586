// What one einsum of a plan costs, over all its executions.
#pragma once

#include "cascade/geometry.h"
#include "tilewright/fusion.h"

namespace tilewright::fusion {

// Counts, energy and cycles, all but what is live. Problems are nests that are missing or wrong;
// misfits go to the list.
Checked<LeafReport> count_leaf(const Geometry& geometry, const Architecture& arch, int einsum,
                               std::vector<std::string>& misfit);

// What is in the shared memories while an einsum runs, at the execution that needs most of each.
void count_live(const Geometry& geometry, const Architecture& arch, int einsum, LeafReport& report,
                std::vector<std::string>& misfit);

// What a nest of these extents leaves to others in a memory: the room, in the unit of its capacity,
// of all that is live there while the einsum runs and is not streamed. Without a name it is the
// memory that the group shares.
std::int64_t room_taken(const Geometry& geometry, const Architecture& arch, int einsum,
                        const std::vector<std::int64_t>& extents, const std::string& memory);
std::int64_t room_taken(const Geometry& geometry, const Architecture& arch, int einsum,
                        const std::vector<std::int64_t>& extents);

// The memory that a tensor is at home in which is not streamed.
const Memory& home_of(const Geometry& geometry, const Architecture& arch, int einsum,
                      TensorId tensor);

// The room that a resident takes in its memory, in the unit of its capacity, and the einsums while
// which it does; of the largest execution.
struct Occupancy {
  EinsumRange life;
  std::int64_t room = 0;
};
Occupancy occupancy_of(const Geometry& geometry, const Architecture& arch, int einsum,
                       TensorId tensor);

// The nest of a leaf for these extents; null if there is none.
const PrivateNest* nest_for(const PlanLeaf& leaf, const std::vector<std::int64_t>& extents);

// The energy of loading a resident that comes from outside, or of storing it.
double load_pj(const Geometry& geometry, const Architecture& arch, int einsum, TensorId tensor);
// What the same words take more in the outermost memory than in the shared one.
double passing_pj(const Geometry& geometry, const Architecture& arch, int einsum, TensorId tensor);
// The energy of writing an intermediate out that also leaves; 0 if it does not.
double departure_pj(const Geometry& geometry, const Architecture& arch, int einsum);

// Elements that are normalised or the like, rescaled ones included.
std::int64_t afterwards_elements(const Geometry& geometry, int einsum);

}  // namespace tilewright::fusion
