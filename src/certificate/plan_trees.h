// The least that a group of einsums takes over all trees of shared loops, all places of tensors and
// all private nests. Trees grow from the leaves out. At each vector of extents that loops further
// out may leave a run of einsums, and each set of tensors that stay in the shared memory but get
// their place further out, there is a front of room against energy. Energies are of all
// iterations together, so that loops further out do not change them.
//
// Where time counts, points also have the cycles of their einsums. An einsum is open, its time
// not known, while one of its tensors has no place, or while its output, which is normalised
// online, was not handed on: how often it is rescaled follows from where that is.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "certificate/plan_floors.h"
#include "certificate/plan_limits.h"

namespace tilewright::certificate {

template <class Kind>
class GroupTrees {
 public:
  GroupTrees(const PlanSpace& space, const PlanTimes& times,
             const std::vector<NestFronts<Kind>>& nests, const PlanFloors& floors,
             const EinsumRun& group, const GroupLimit& limit, const Deadline& deadline);

  // The totals of the group below the limit that no other beats. Throws Expired.
  std::vector<PlanTotal> least();
  std::int64_t points() const { return points_; }  // that were looked at

 private:
  using Point = typename Kind::Point;
  using Front = typename Kind::Front;
  using Fronts = std::map<std::uint32_t, Front>;  // by what is open
  using Extents = std::vector<std::int64_t>;
  struct Run {
    EinsumRun einsums;
    ExtentVectors vectors;
    std::vector<Fronts> at;  // with a loop around the run just inside
  };
  // What is open has a bit each: tensors without a place that come from outside the group, and
  // einsums whose output is yet to be handed on.
  struct OpenBit {
    int einsum = 0;
    int tensor = -1;  // none: the output
  };

  // A tensor that gets its place.
  struct Loaded {
    std::int64_t room = 0;
    Int128 words = 0, energy = 0;
  };

  void add_bits(int einsum);
  Loaded loaded(int bit, const Extents& extents) const;
  void add_alone(std::vector<PlanTotal>& totals) const;
  bool is_tensor(int bit) const { return open_bits_[at(bit)].tensor >= 0; }
  const PlanTensor& tensor(int bit) const;
  const HandedOn& output_of(int einsum) const;
  std::uint32_t bits_of(int einsum) const { return bits_[at(einsum - group_.first)]; }
  void take(Fronts& fronts, std::uint32_t open, const Point& point, const EinsumRun& done);
  void make_run(const EinsumRun& einsums);
  void add_loops(Run& run, std::size_t number);
  // Einsums and runs side by side at these extents, inside a loop over a dimension (-1: none).
  Fronts join(const EinsumRun& run, const Extents& extents, int dim);
  void join_child(const EinsumRun& run, const Extents& extents, const EinsumRun& child,
                  const Fronts& fronts, const Fronts& before, Fronts& joined);
  Fronts child(const EinsumRun& einsums, const Extents& extents, int dim);
  Fronts leaf(int einsum, const Extents& extents);
  void add_leaf(Fronts& fronts, int einsum, const Extents& extents, std::uint32_t resident,
                std::uint32_t local);
  // With tensors at their place here: those that a loop over the dimension moves, or any.
  Fronts placed(const EinsumRun& run, const Extents& extents, int dim, const Fronts& fronts);
  // The outputs of a part that is put beside the others of the run are handed on here.
  Fronts handed_on(const EinsumRun& run, const Extents& extents, const EinsumRun& child,
                   Fronts fronts);
  std::int64_t room_beside(const EinsumRun& run, const Extents& extents,
                           const EinsumRun& child) const;
  Int128 rescaling(const EinsumRun& run, const Extents& extents, const EinsumRun& child) const;
  std::int64_t states(const EinsumRun& run, const Extents& extents, int dim) const;

  // The time of points; nothing where it does not count.
  std::size_t entry_of(std::uint32_t open, int einsum) const;
  void load(Point& point, std::uint32_t open, int bit, const Loaded& here) const;
  // Closes what an einsum had open before, now that these are open.
  void close(Point& point, std::uint32_t before, std::uint32_t open, int einsum) const;
  // Forgets words at ports that never or always limit the einsum, whatever places its tensors
  // get outside these extents.
  void tighten(Point& point, std::uint32_t open, const Extents& extents) const;
  static PlanTotal total_of(const Point& point);

  const PlanSpace& space_;
  const PlanTimes& times_;
  const std::vector<NestFronts<Kind>>& nests_;
  EinsumRun group_;
  std::vector<HandedOn> intermediates_;  // of the group
  const GroupLimit& limit_;
  const Deadline& deadline_;
  std::vector<OpenBit> open_bits_;
  std::vector<std::uint32_t> bits_;  // of each einsum
  std::vector<PlanTotal> floors_before_;
  std::map<EinsumRun, Run> runs_;
  std::int64_t points_ = 0;
};

extern template class GroupTrees<EnergyAlone>;
extern template class GroupTrees<EnergyAndTime>;

}  // namespace tilewright::certificate
