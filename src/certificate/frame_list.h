// All frames of a map-space, in a fixed order: the first fan-out's unrolling
// changes slowest, each in lexicographic order. Unrollings that leave a
// dimension without a chain of bounds are no frames.
#pragma once

#include <map>
#include <vector>

#include "certificate/chain.h"

namespace tilewright::certificate {

class FrameList {
 public:
  FrameList(const Problem& problem, const Rules& rules);

  std::size_t size() const { return frames_.size(); }
  const Unrolling& unrolling(std::size_t frame) const { return frames_[frame].unrolling; }
  const std::vector<const Chain*>& chains(std::size_t frame) const { return frames_[frame].chains; }

 private:
  struct Frame {
    Unrolling unrolling;
    std::vector<const Chain*> chains;
  };

  void extend(int fanout, Unrolling& unrolling);
  bool may_continue(int fanout, const Unrolling& unrolling) const;
  void finish(const Unrolling& unrolling);
  const Chain& chain(int dim, const Unrolling& unrolling);

  const Problem& problem_;
  const Rules& rules_;
  std::vector<std::vector<std::vector<std::int64_t>>> choices_;    // [fan-out]
  std::vector<std::map<std::vector<std::int64_t>, Chain>> known_;  // [dim] by factors
  std::vector<Frame> frames_;
};

}  // namespace tilewright::certificate
