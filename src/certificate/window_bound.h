// The words of a window on a link: at least so many, for every class of extents
// of its dimensions. Works each out once.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/branch_starts.h"
#include "certificate/context.h"

namespace tilewright::certificate {

class WindowBound {
 public:
  // Fan-outs of the list share if they can; `block` is that of the moving loop.
  WindowBound(const Context& context, const LinkPlace& link, const Window& window, int block,
              std::vector<int> sharing, std::vector<int> between);

  // `moved` is a dimension of the window that the moving loop takes to class
  // `to`, or -1.
  std::int64_t words(const int* extents, int moved, int to);
  // What holds whatever the extents are.
  std::int64_t least() const;

 private:
  struct WindowDim {
    int dim = 0;
    std::int64_t size = 1;
    std::int64_t inside = 1;    // unrolling between the child and the moving loop
    std::int64_t together = 1;  // and that of instances which share halos, of which `inside` is
                                // without: together they have one large tile
  };
  // One dimension's tiles: full ones and a last one, apart by starts and
  // further steps of the moving loop.
  struct Tiles {
    std::int64_t full_starts = 0, full_further = 0, last_starts = 0, last_further = 0;
    std::int64_t last = 0;
  };

  std::int64_t entering(const int* extents, int moved, int to) const;
  // The extents that the child can have where those inside the moving loop are
  // of a class.
  std::vector<std::int64_t> child_extents(const WindowDim& one, int extents) const;
  // `moved` is a position here.
  std::int64_t sum(const Extents& child, int moved, int to) const;
  Tiles tiles_of(const WindowDim& one, std::int64_t child) const;
  Tiles moved_tiles(const WindowDim& one, std::int64_t child, const ExtentClass& outer) const;
  std::int64_t whole() const;
  int between_end() const { return between_.empty() ? 0 : between_.back() + 1; }
  // Without extents this is the least there can be. `moved` is a position here.
  std::int64_t shared(std::int64_t words, const int* extents, int moved = -1) const;
  std::int64_t shared_at(int fanout, std::int64_t words, const int* extents, int moved) const;
  // The same for the fan-outs from the outermost on that shares halos.
  std::int64_t shared_halos(std::int64_t words) const;
  std::int64_t fresh_together(const Extents& child, int moved) const;
  BranchDims branches(int fanout) const;
  // What is known of the strides at these extents; all that there can be, or none.
  std::vector<Extents> strides_of(int fanout, const int* extents) const;
  std::vector<std::int64_t> strides_of(const WindowDim& one, int fanout, const int* extents) const;
  Starts fewest_starts(int fanout, const int* extents) const;
  bool is_unrolled_inside(int fanout) const;
  bool grows_evenly() const;

  const Context* context_;
  LinkPlace link_;
  const Window* window_;
  int block_;
  std::vector<int> sharing_, between_;
  // Fan-outs that share halos: the outermost, and the outermost inside the moving loop's block;
  // the end of those between if there is none.
  int halo_, near_halo_;
  std::vector<WindowDim> dims_;
  bool to_compute_;
  std::vector<std::vector<std::int64_t>> known_;  // per moved dimension, the first for none
};

}  // namespace tilewright::certificate
