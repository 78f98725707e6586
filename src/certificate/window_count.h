// What a window contributes to the words of a link: the sum over its tiles.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "certificate/link.h"

namespace tilewright::certificate {

class WindowCount {
 public:
  WindowCount(const LinkCount& link, const Window& window, Instances instances,
              std::size_t first_sharing);

  Int128 words();

 private:
  // How often an index is reached with `left` indices from it to the end of its
  // dimension, at a start of the moving loop and at its further steps. More
  // than the branches can reach counts as just as much.
  struct Steps {
    Count starts = 0;
    Count further = 0;
  };
  using Reached = std::map<std::int64_t, Steps>;

  Reached steps_of(int dim) const;
  static void take_digit(Reached& reached, std::int64_t stride, std::int64_t bound,
                         std::int64_t limit, bool moving);
  // Words of the branches of the fan-outs from one on.
  std::int64_t serve(std::size_t fanout, const Extents& left, bool further);
  std::int64_t branches(std::size_t fanout, const Extents& left, bool further);
  // Different words of all tiles inside a fan-out that shares halos.
  std::int64_t together(std::size_t fanout, const Extents& left, bool further) const;
  std::vector<std::int64_t> starts_of(std::size_t fanout, int dim, std::int64_t left) const;
  std::int64_t tile_words(const Extents& left, bool further) const;
  // What the slots from one on reach over, where no digit is left out.
  std::int64_t reach(std::size_t fanout, int dim) const;
  Int128 sum(const std::vector<Reached>& reached, std::size_t from, Extents& left, int moved,
             Count times);

  const LinkCount& link_;
  const Nest& nest_;
  const Window& window_;
  Instances instances_;
  std::size_t first_sharing_;
  int moving_ = -1;  // position in the window of the dimension that moves
  std::map<std::pair<std::size_t, std::pair<bool, Extents>>, std::int64_t> served_;
};

}  // namespace tilewright::certificate
