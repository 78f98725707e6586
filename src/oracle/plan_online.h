// What is done online to intermediates, such as a softmax part by part: its state, and the outputs
// of readers that are rescaled when a further part comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "oracle/plan_regions.h"

namespace tilewright::oracle {

class OnlineWalk {
 public:
  OnlineWalk(const Cascade& cascade, const PlanState& state);

  // An einsum runs on this region, as the step with this number.
  void execute(int einsum, const Region& region, const Digits& digits, std::size_t now);
  // Elements of readers' outputs that were rescaled for what is done to the output of an einsum.
  std::int64_t rescaled(int writer) const { return rescaled_[at(writer)]; }
  // Adds the words of state for the output of an einsum to those that are live at each step.
  void add_live(int writer, std::vector<std::int64_t>& live) const;

 private:
  // State of the rows that were at work under the same digits outside the loop over the parts.
  struct State {
    Elements rows;
    std::size_t first = 0, last = 0;
  };
  // Sums of a reader, and the part that each was scaled for.
  struct Sums {
    Digits begun;
    std::map<Element, Interval> parts;
  };

  // The outermost loop around an einsum and its readers that cuts the reduced dimension.
  std::optional<int> first_loop(int writer) const;
  std::size_t reduced_rank(int writer) const;
  void note_state(int writer, const Elements& elements, const Digits& digits, std::size_t now);
  void note_part(int writer, const IntermediateReader& reader, const Region& region,
                 const Digits& digits);

  const Cascade& cascade_;
  const PlanState& state_;
  std::vector<std::optional<int>> loops_;  // first_loop(), by writer
  std::vector<std::int64_t> rescaled_;
  std::map<std::pair<int, Digits>, State> states_;
  std::map<std::pair<int, int>, Sums> sums_;  // by writer and reader
};

}  // namespace tilewright::oracle
