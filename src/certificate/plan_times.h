// How long the einsums of a plan take: per einsum the largest of what its multipliers take, the
// ports of the outermost memory, and what is done to its output afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "certificate/plan_fronts.h"
#include "certificate/plan_space.h"

namespace tilewright::certificate {

class PlanTimes {
 public:
  // Where the objective knows no time, all of it is nothing. Throws Unverifiable where times are
  // beyond the checker.
  PlanTimes(const PlanSpace& space, Objective objective);

  bool count() const { return counts_; }
  // The multipliers, so many of them at work, and what is done to an output that is new.
  std::int64_t least_cycles(int einsum, Int128 instances) const;
  // What is done to an output that is normalised in so many steps.
  std::int64_t afterwards(const HandedOn& output, std::int64_t steps) const {
    return afterwards(output.writer, Count(output.rescaled) * (steps - 1));
  }
  // So many words of a tensor pass between the outermost memory and the shared one, in all.
  void add_words(OpenTime& open, const PlanTensor& tensor, Int128 loaded) const;
  void add_words(OpenTime& open, const PortWords& words) const;
  void add_least(OpenTime& open, const PlanTensor& tensor) const {
    add_words(open, tensor, space_.elements(tensor));
  }
  std::int64_t cycles(const OpenTime& open) const;

 private:
  // Elements are rescaled beside those of the output.
  std::int64_t afterwards(int einsum, Count rescaled) const;
  struct Port {
    Rational rate;
    bool reads = false, writes = false;
  };
  void take_ports(const Problem& problem);
  void refuse_times() const;

  const PlanSpace& space_;
  bool counts_;
  std::vector<Port> ports_;  // of the outermost memory
};

}  // namespace tilewright::certificate
