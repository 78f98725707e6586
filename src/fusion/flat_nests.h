// The best private nests for given extents, residents and room, each found by the optimal mapper
// when it is first asked for. Where the tables of nests_table.h end, such as at windows, this is
// the way.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "cascade/geometry.h"
#include "tilewright/cascade.h"
#include "tilewright/map.h"
#include "tilewright/mapping.h"

namespace tilewright::fusion {

// A memory beside the one that the group shares: its residents, and what streamed tiles may take
// of it.
struct OtherRoom {
  Home home;
  std::int64_t room = 0;

  auto operator<=>(const OtherRoom&) const = default;
};

// What sets the cycles of an einsum.
struct Limit {
  enum class Kind {
    Multipliers,
    Nest,   // what takes longest of one execution alone: multipliers or ports
    Port,   // of a memory of which there is one
    After,  // what is done afterwards; nests do not change it
  };
  Kind kind = Kind::Multipliers;
  LevelId memory{};
  bool reads = false, writes = false;  // pass the port

  auto operator<=>(const Limit&) const = default;
};

struct NestQuestion {
  int einsum = 0;
  std::vector<std::int64_t> extents;
  std::uint32_t residents = 0;
  // What streamed tiles may take of the shared memory, in the unit of its capacity.
  std::int64_t room = 0;
  bool later_sums = false;     // old sums are read, since the outputs are not new
  bool unconstrained = false;  // whatever the constraints of the architecture say
  bool rough = false;          // a bound will do
  Limit limit = {};            // where cycles have a price: those that count
  std::vector<OtherRoom> others = {};

  auto operator<=>(const NestQuestion&) const = default;
};

// The nest of least energy of one execution.
struct SolvedNest {
  // On leaf_problem(), with these storage points if there are any; nothing: none fits.
  std::optional<Mapping> mapping;
  std::vector<StoragePoints> points = {};
  double pj = 0;
  double bound_pj = 0;  // none has less; below `pj` where time ran out
};

// One nest for executions some of whose outputs are new and some are not.
struct SolvedExecutions {
  const SolvedNest* nest = nullptr;  // null: none fits
  double pj = 0;                     // of all executions
  double bound_pj = 0;               // no nest takes less
};

// The nest of an execution in a plan.
struct PlannedNest {
  PrivateNest nest;
  double bound_pj = 0;  // of all executions: no nest takes less
};

// The architecture on which a cycle takes so much, whatever the mapping: it leaks from the
// outermost memory, of which there is one.
Architecture priced(const Architecture& arch, double cycle_pj);

// What a word that passes a port takes then, in time; at most, within rounding.
double pj_per_word(const Memory& memory, const Limit& limit, double cycle_pj);

// What a memory has room for, in the unit of its capacity; without a limit for all.
std::int64_t capacity_of(const Memory& memory);

// Why the nests of an einsum cannot be found so.
std::vector<Diagnostic> problems_with_nests(const Workload& workload, const Architecture& arch,
                                            const std::string& shared);

class SolvedNests {
 public:
  SolvedNests(const Cascade& cascade, const Architecture& arch, std::string shared,
              const Deadline& deadline, std::optional<double> seconds,
              Evenness evenness = Evenness::Even);

  // Throws Expired when the deadline has passed.
  const SolvedNest& find(NestQuestion question);
  // The better one of the nests that are best for new outputs and for old ones.
  SolvedExecutions find_for(NestQuestion question, const Execution& execution);
  // The nest of an execution beside what the plan of the geometry has in the shared memory; nothing
  // if none fits. The geometry's einsums begin at `first` of the cascade.
  std::optional<PlannedNest> find_in(const Geometry& geometry, int einsum,
                                     const Execution& execution, int first = 0,
                                     const Limit& limit = {});
  // No nest whose extents divide these takes less for a multiply-accumulate: loops around a nest
  // never make it dearer. All tensors that can be are resident.
  double least_pj_per_mac(int einsum, const std::vector<std::int64_t>& multiples);
  // The same within half of it, much sooner.
  double rough_pj_per_mac(int einsum, const std::vector<std::int64_t>& multiples);
  // The same by the nests that were found for multiples of these; nothing is looked for.
  double known_pj_per_mac(int einsum, const std::vector<std::int64_t>& multiples) const;
  // Tensors that the shared memory may keep.
  std::uint32_t may_reside(int einsum) const { return may_reside_[at(einsum)]; }
  // Those of them that may pass by it.
  std::uint32_t may_pass(int einsum) const { return may_pass_[at(einsum)]; }
  // The room of the shared memory; without a capacity it has room for all.
  std::int64_t capacity() const { return capacity_; }
  const std::string& shared() const { return shared_; }
  // What a cycle takes; see priced().
  double cycle_pj() const { return std::get<Memory>(arch_.levels.front()).leakage_pj_per_cycle; }

 private:
  // What a multiply-accumulate takes at least, if everything is resident that can be and nothing is
  // constrained.
  struct Floor {
    std::vector<std::int64_t> extents;
    double pj_per_mac = 0;
    const SolvedNest* nest = nullptr;
  };
  const Floor* highest_floor(int einsum, const std::vector<std::int64_t>& multiples) const;
  // Whether the nest of the highest floor, with its loops cut down to the extents, takes no more
  // than that floor: no nest has to be looked for then to know what the best one takes.
  bool is_reached(const NestQuestion& question) const;
  bool is_floor(const NestQuestion& question) const;
  SolvedNest solve(const NestQuestion& question) const;
  Checked<Problem> problem_of(const NestQuestion& question) const;
  std::optional<NestQuestion> question_in(const Geometry& geometry, int einsum,
                                          const Execution& execution, int first) const;
  double energy_of(const NestQuestion& question, const SolvedNest& nest) const;

  const Cascade& cascade_;
  const Architecture& arch_;
  std::string shared_;
  const Deadline& deadline_;
  std::optional<double> seconds_;
  Evenness evenness_;
  std::int64_t capacity_ = kCountLimit;
  std::vector<std::uint32_t> may_reside_, may_pass_;
  std::vector<int> same_as_;  // by einsum: the first one with the same work
  std::map<NestQuestion, SolvedNest> known_;
  std::set<NestQuestion> reached_;          // floors of larger extents
  std::vector<std::vector<Floor>> floors_;  // by einsum
};

}  // namespace tilewright::fusion
