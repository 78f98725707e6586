// What groups of a cascade take at least, and what follows for all plans of flat groups.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certificate/flat_cover.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

// What groups take at least, by their first einsum and the number of their einsums.
class FlatGroupBounds {
 public:
  FlatGroupBounds(const FlatSpace& space, const FlatNestBounds& nests);

  Int128 floor(const EinsumRun& group) const { return floors_[at(group.first)][number(group)]; }
  Int128 known(const EinsumRun& group) const { return known_[at(group.first)][number(group)]; }
  void set(const EinsumRun& group, Int128 bound) { known_[at(group.first)][number(group)] = bound; }
  // By their first einsum, the shortest ones first.
  std::vector<EinsumRun> all() const;

  // The least sum over all cuts of some einsums, and the groups of these cuts.
  struct Cuts {
    Int128 energy = 0;
    std::vector<EinsumRun> groups;
  };
  Cuts least(int first, int end) const;
  Cuts least() const { return least(0, static_cast<int>(known_.size())); }

 private:
  static std::size_t number(const EinsumRun& group) { return at(group.length() - 1); }

  std::vector<std::vector<Int128>> floors_, known_;
};

// A group of one einsum: its nest with everything streamed.
FlatQuestion alone_question(const FlatSpace& space, int einsum);
Int128 alone_least(const FlatSpace& space, const FlatNestBounds& nests, int einsum);

// The claim that a question is answered by, and what the answer is.
Certificate with_inputs(const FlatSpace& space, const FlatQuestion& question, Certificate proof);
FlatNest nest_of(const FlatSpace& space, const FlatQuestion& question, Certificate proof);
// Refuses nests that are no questions about the space.
FlatQuestion question_in(const FlatSpace& space, const FlatNest& nest);
BigUint flat_units(const std::string& text, int decimals);

}  // namespace tilewright::certificate
