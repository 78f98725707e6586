// The energy that the array and its buffer take at least for a layer, in closed
// form.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "design_space.h"
#include "order_sets.h"
#include "tilewright/map.h"

namespace tilewright::study {

// All energy but that of what crosses into the buffer. PEs have one word of
// each tensor, or none: a word stays in a PE while the innermost loops do not
// move its tensor, and one read of the buffer serves all PEs that ask for the
// same word. Whatever is not decided is taken at its best, tensor by tensor.
class ArrayFloor {
 public:
  // Nothing unless all that is inside the array is a multiplier, and maybe a
  // memory without loops that keeps everything.
  static std::optional<ArrayFloor> create(const Workload& workload, const ConvView& view,
                                          const Architecture& arch);

  // With the best tile of a box and the best way to unroll it, with the loops
  // that are innermost in all orders.
  double least_pj(const ConvPair& pair, const ArrayLimits& array, const TileBox& box,
                  const InnerLoops& inner) const;

 private:
  struct Range {
    std::int64_t low = 1, high = 1;

    bool operator==(const Range&) const = default;
  };
  using Unrolled = std::array<Range, kConvDims>;  // how often, by loop
  struct Part {                                   // a tensor
    LoopSet relevant = 0;
    double words = 1;              // the product of the relevant loops
    std::vector<LoopSet> windows;  // loops that meet in an index
    bool output = false;
    double serve_pj = 0;    // for a word that the buffer serves, or takes
    double deliver_pj = 0;  // for a word that a PE gets, or gives
    double held_pj = 0;     // spared for an element that the PEs hold, in each of them
    double whole_pj = 0;    // whatever the mapping
    double floor_pj = 0;    // for a word that a PE gets beyond those that it holds at first
  };
  // Loops, of the buffer and outside it, that do not move a tensor in the PEs.
  struct Run {
    LoopSet buffer = 0, outside = 0;
  };
  // Ways to unroll, and the innermost loop with more than one step; -1 if there
  // is none.
  struct Candidate {
    double bound = 0;
    int innermost = -1;
    Unrolled unrolled{};
  };

  ArrayFloor() = default;
  void add_tensor(const Workload& workload, const Architecture& arch, const Tensor& tensor,
                  const std::array<int, kMaxDims>& loop_of);
  void price(Part& part, const Architecture& arch, const Tensor& tensor) const;
  bool fit(Range& range, int loop, const TileBox& box) const;
  // Up to as many as there are steps, and loops to begin with.
  static constexpr int kMostSteps = 24, kUsualSteps = 8;
  struct Candidates {
    std::array<Candidate, kMostSteps + kConvDims + 1> all;
    std::size_t count = 0;

    void push(const Candidate& candidate);
    Candidate pop();
  };
  bool split(const Candidate& candidate, const TileBox& box, const InnerLoops& inner,
             Candidates& open) const;
  Run run_of(const Part& part, const Unrolled& unrolled, const TileBox& box,
             const InnerLoops& inner) const;
  double energy_of(const Part& part, const Candidate& candidate, const TileBox& box,
                   const InnerLoops& inner) const;
  bool bound(Candidate& candidate, const TileBox& box, const InnerLoops& inner) const;
  LoopSet innermost_loops(const Unrolled& unrolled, const TileBox& box,
                          const InnerLoops& inner) const;
  bool is_one_step(const Unrolled& unrolled) const;
  Unrolled most_unrolled(const ConvPair& pair, const ArrayLimits& array) const;

  ConvSizes sizes_{1, 1, 1, 1, 1, 1};
  LoopSet loops_ = 0;  // of more than one step
  std::array<int, kConvDims>
      unrolled_with_{};  // by loop of a pair: the loop that it unrolls, or -1
  double macs_ = 0;
  double fixed_pj_ = 0;  // of the multipliers
  bool registers_ = false;
  std::vector<Part> parts_;
};

}  // namespace tilewright::study
