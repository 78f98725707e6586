// What lies inside the shared memory, as an einsum of a fused group sees it, from the
// multipliers out: whose words pass which fan-outs, and what they cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mapping/flat_problem.h"
#include "tilewright/mapspace.h"

namespace tilewright::fusion {

// Bounds of one fan-out, by dimension, of both axes together; and one way to split them.
struct Unrolling {
  PerDim bounds{};
  PerDim along_y{};
};

// The words of a tensor that pass from a memory to what is inside it.
struct LinkPrices {
  double outside_pj = 0;  // at the memory they come from, or go to
  double inside_pj = 0;   // where they arrive; nothing at multipliers
};

// What is beyond plans of fused groups, whichever way their nests are found.
std::vector<std::string> refusals_of_plans(const Problem& problem, const Restrictions& restrictions,
                                           int shared);

class NestStack {
 public:
  struct Stage {
    enum class Kind { Fanout, Loops, Edge };
    Kind kind = Kind::Loops;
    int number = 0;  // of the fan-out or the memory
  };

  // The problem has the whole einsum. Fails where something of the architecture is beyond
  // these tables, and says what.
  static Checked<NestStack> create(const Problem& problem, const Restrictions& restrictions,
                                   const std::string& shared);

  const Problem& problem() const { return problem_; }
  const FlatProblem& flat() const { return flat_; }
  std::vector<std::int64_t> sizes() const {
    return {flat_.size.begin(), flat_.size.begin() + flat_.dims};
  }
  int shared() const { return shared_; }
  int output() const { return flat_.tensors - 1; }
  std::uint32_t kept(int memory) const { return kept_[at(memory)]; }
  std::uint32_t irrelevant(int tensor) const;
  // From the multipliers to the loops of the shared memory.
  const std::vector<Stage>& stages() const { return stages_; }
  const std::vector<Unrolling>& unrollings(int fanout) const { return unrollings_[at(fanout)]; }
  std::uint32_t loop_dims(int memory) const { return loop_dims_[at(memory)]; }

  // The next memory outside that keeps a tensor; from the multipliers if there are as many
  // memories as `memory` says. -1 outside the outermost.
  int keeper_outside(int memory, int tensor) const;
  // True if a fan-out of several instances lies between a place and a memory further out.
  bool fanouts_left(std::size_t stage, int memory) const;
  LinkPrices prices(int outside, int inside, int tensor) const;
  // True if the branches of a fan-out share what they have in common of a tensor.
  bool shares(int fanout, int tensor) const;

  // What an element of a tensor takes of the shared memory, and what that offers.
  std::int64_t element_room(int tensor) const { return element_room_[at(tensor)]; }
  std::int64_t capacity() const { return capacity_; }
  bool fits(int memory, const PerDim& extents) const;
  const Room& room(int memory) const { return rooms_[at(memory)]; }

 private:
  NestStack(const Problem& problem, const Restrictions& restrictions, int shared);
  void lay_out();
  void unroll(const Restrictions& restrictions);
  std::vector<std::string> refusals(const Restrictions& restrictions) const;
  void refuse_constraints(const Restrictions& restrictions, std::vector<std::string>& no) const;
  void refuse_bypass(std::vector<std::string>& no) const;

  Problem problem_;
  FlatProblem flat_;
  int shared_;
  std::vector<std::uint32_t> kept_, loop_dims_;
  std::vector<Room> rooms_;
  std::vector<Stage> stages_;
  std::vector<std::vector<Unrolling>> unrollings_;
  std::vector<std::int64_t> element_room_;
  std::int64_t capacity_ = kCountLimit;
};

}  // namespace tilewright::fusion
