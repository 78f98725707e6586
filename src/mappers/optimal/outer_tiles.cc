#include "mappers/optimal/outer_tiles.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "mappers/optimal/open_links.h"
#include "mappers/optimal/rectangle_minima.h"

namespace tilewright::optimal {
namespace {

constexpr std::size_t kMostExtents = 1U << 12U;  // of a dimension

// The places of extents in their lists, from the first to the last of each dimension.
struct TileBox {
  Units least = 0;
  std::array<std::uint16_t, kMaxDims> first{}, last{};
};

// Words of one window, by the place of its loop that moves it: none, the first or the second one.
struct WindowTables {
  int row_dim = 0, column_dim = 0;
  std::vector<RectangleMinima> by_mover;
};

// A link from the outermost memory.
struct OuterLink {
  const Link* link;
  Int128 fixed = 1;  // factor of its words
  Units once = 0;    // its energy if each element comes once
  std::vector<WindowTables> windows;
};

// Tensors that go past the memory and may stay where they are until a loop outside it moves them:
// the tiles of their memories are theirs of the whole tile then.
struct StayingTensors {
  std::uint32_t tensors = 0;
  std::vector<Fitting> rooms;
};

// A loop that may come next, of one of these dimensions, and what it moves.
struct NextOuterLoop {
  std::uint32_t dims = 0, moved = 0;
  int window_dim = -1;  // if it moves windows
};

class OuterTiles {
 public:
  OuterTiles(const Subproblem& sub, ExtentLists extents)
      : sub_(sub), solver_(sub.solver()), fitting_(sub, 1), extents_(std::move(extents)) {
    for (const Link& link : sub.placement().links) {
      if (link.parent == 0) tensors_ |= 1U << link.tensor;
      if (link.parent == 0 && link.child > 1) past_ |= 1U << link.tensor;
    }
    for (int d = 0; d < solver_.dim_count; ++d) {
      const bool moves = moved_by(solver_, tensors_, d) != 0;
      if (moves) dims_ |= 1U << d;
      if (!moves && !fitting_.depends_on(d)) extents_[at(d)] = {solver_.size(d)};
      add_next_loop(d);
    }
    for (const Link& link : sub.placement().links) {
      if (link.parent == 0) add_link(link);
    }
    for (std::uint32_t some = past_; some != 0; some = (some - 1) & past_) add_staying(some);
  }

  Filling find(std::size_t most_boxes, Units limit, const Deadline& deadline) {
    constexpr std::uint64_t kStepsOfBox = 64;
    push_all();
    for (std::size_t boxes = 0; !boxes_.empty(); ++boxes) {
      if (boxes % 1024 == 0) deadline.check();
      const TileBox box = pop();
      const int d = widest(box);
      if (d < 0 || boxes >= most_boxes || box.least >= limit) {
        return {box.least, boxes * kStepsOfBox};
      }
      push_halves(box, d);
    }
    return {kNever, 0};
  }

  // The lowest boxes are taken apart first.
  std::vector<TileSet> below(Units limit, std::size_t most_sets, const Deadline& deadline) {
    std::vector<TileSet> found;
    push_all();
    for (std::size_t looks = 0; !boxes_.empty(); ++looks) {
      if (looks % 1024 == 0) deadline.check();
      const TileBox box = pop();
      if (box.least >= limit) break;
      const int d = widest(box);
      if (d < 0 || looks >= most_sets) {
        found.push_back(set_of(box));
      } else {
        push_halves(box, d);
      }
    }
    return found;
  }

 private:
  static bool comes_later(const TileBox& a, const TileBox& b) { return a.least > b.least; }
  std::int64_t first(const TileBox& box, int d) const { return extents_[at(d)][box.first[at(d)]]; }
  std::int64_t last(const TileBox& box, int d) const { return extents_[at(d)][box.last[at(d)]]; }

  void add_next_loop(int d) {
    const std::uint32_t moved = moved_by(solver_, tensors_, d);
    if (moved == 0) return;
    const int window_dim = moves_window(solver_, moved, d) ? d : -1;
    for (NextOuterLoop& next : next_) {
      if (window_dim >= 0 || next.window_dim >= 0 || next.moved != moved) continue;
      next.dims |= 1U << d;
      return;
    }
    next_.push_back({1U << d, moved, window_dim});
  }

  void add_staying(std::uint32_t tensors) {
    StayingTensors staying{tensors, {}};
    for (int m = 2; m < solver_.memory_count; ++m) {
      std::uint32_t kept = 0;
      for (const Link& link : sub_.placement().links) {
        const bool stays = link.parent == 0 && contains(tensors, link.tensor);
        if (stays && link.child == m) kept |= 1U << link.tensor;
      }
      if (kept != 0) staying.rooms.emplace_back(solver_, m, kept);
    }
    staying_.push_back(std::move(staying));
  }

  // Of what goes past the memory, windows count as loads of every element.
  void add_link(const Link& link) {
    const TensorShape& tensor = solver_.tensor(link.tensor);
    OuterLink outer{&link, 1, sub_.least_energy(link), {}};
    for (const int d : members(tensor.alone)) outer.fixed = times(outer.fixed, solver_.size(d));
    for (std::size_t w = 0; w < tensor.windows.size(); ++w) {
      const Window& window = tensor.windows[w];
      constexpr std::size_t kMostPlaces = 1U << 16U;
      if (link.child == 1 && window.dim_count() == 2 && places(window) <= kMostPlaces) {
        outer.windows.push_back(tables_of(link, window));
      } else {
        outer.fixed = times(outer.fixed, tensor.window_elements[w]);
      }
    }
    links_.push_back(std::move(outer));
  }

  std::size_t places(const Window& window) const {
    return extents_[at(window.dim(0))].size() * extents_[at(window.dim(1))].size();
  }

  // The loop that moves a window takes all that is left of its dimension.
  WindowTables tables_of(const Link& link, const Window& window) const {
    WindowTables tables{window.dim(0), window.dim(1), {}};
    for (const int moving : {-1, window.dim(0), window.dim(1)}) {
      std::vector<std::int64_t> words;
      for (const std::int64_t row : extents_[at(window.dim(0))]) {
        for (const std::int64_t column : extents_[at(window.dim(1))]) {
          Mover mover{moving, 1};
          if (moving >= 0) {
            const std::int64_t extent = moving == window.dim(0) ? row : column;
            mover.bound = ceil_div(solver_.size(moving), extent);
          }
          words.push_back(
              sub_.window_words(link, window, 0, link.end_fanout, {row, column}, mover));
        }
      }
      tables.by_mover.emplace_back(extents_[at(window.dim(0))].size(),
                                   extents_[at(window.dim(1))].size(), std::move(words));
    }
    return tables;
  }

  bool fits(const PerDim& tile) const { return fitting_.check(tile).fits(); }

  // Leaves out what does not fit beside the least of the other dimensions.
  bool narrow(TileBox& box) const {
    PerDim tile{};
    for (int d = 0; d < solver_.dim_count; ++d) tile[at(d)] = first(box, d);
    if (!fits(tile)) return false;
    for (int d = 0; d < solver_.dim_count; ++d) {
      std::uint16_t good = box.first[at(d)];
      for (auto bad = static_cast<std::uint16_t>(box.last[at(d)] + 1); good + 1 < bad;) {
        // What fitted before mostly fits once more.
        const bool is_first = bad == box.last[at(d)] + 1;
        const auto middle = static_cast<std::uint16_t>(is_first ? bad - 1 : (good + bad) / 2);
        tile[at(d)] = extents_[at(d)][middle];
        (fits(tile) ? good : bad) = middle;
      }
      box.last[at(d)] = good;
      tile[at(d)] = first(box, d);
    }
    return true;
  }

  void push_all() {
    TileBox all;
    for (int d = 0; d < solver_.dim_count; ++d) {
      all.last[at(d)] = static_cast<std::uint16_t>(extents_[at(d)].size() - 1);
    }
    push(all);
  }

  void push_halves(const TileBox& box, int d) {
    const std::uint16_t middle = middle_of(box, d);
    TileBox half = box;
    half.last[at(d)] = static_cast<std::uint16_t>(middle - 1);
    push(half);
    half = box;
    half.first[at(d)] = middle;
    push(half);
  }

  TileBox pop() {
    std::pop_heap(boxes_.begin(), boxes_.end(), comes_later);
    const TileBox box = boxes_.back();
    boxes_.pop_back();
    return box;
  }

  TileSet set_of(const TileBox& box) const {
    TileSet set{{}, {}, box.least, least_of(box, 0)};
    for (int d = 0; d < solver_.dim_count; ++d) {
      set.least_left[at(d)] = ceil_div(solver_.size(d), last(box, d));
      const bool is_any = extents_[at(d)].front() >= solver_.size(d);
      set.most_left[at(d)] = is_any ? solver_.size(d) : ceil_div(solver_.size(d), first(box, d));
    }
    return set;
  }

  void push(TileBox box) {
    if (!narrow(box)) return;
    box.least = std::max(box.least, least_of(box, past_));
    boxes_.push_back(box);
    std::push_heap(boxes_.begin(), boxes_.end(), comes_later);
  }

  // Over all tiles of a box: the next loop moves some links at their extents, the others bring
  // each element once at best. What goes past the memory is moved by loops inside its tile, at no
  // larger extents, unless its own memory has room for all of it that belongs to the tile. Of these
  // tensors only some may count.
  Units least_of(const TileBox& box, std::uint32_t past) const {
    std::uint32_t left = 0;  // dimensions of which a loop may be left
    bool must_loop = false;
    for (const int d : members(dims_)) {
      if (first(box, d) < solver_.size(d)) left |= 1U << d;
      must_loop = must_loop || last(box, d) < solver_.size(d);
    }
    Units once = 0;
    for (const OuterLink& link : links_) {
      if (link.link->child == 1 || contains(past, link.link->tensor)) once = sum(once, link.once);
    }
    if (!must_loop) return once;
    const PastLoads loads = loads_of(box, past);
    Units least = kNever;
    for (const NextOuterLoop& next : next_) {
      if ((next.dims & left) == 0) continue;
      Units energy = 0;
      for (const OuterLink& link : links_) {
        if (link.link->child > 1) continue;
        const bool moves = contains(next.moved, link.link->tensor);
        energy = sum(energy, moves ? moved(link, box, next.window_dim) : link.once);
      }
      least = std::min(least, sum(energy, loads.least(next.moved)));
    }
    return least;
  }

  // What tensors that go past the memory take, and which of them may stay where they are.
  struct PastLoads {
    std::uint32_t tensors = 0;
    std::array<Units, kMaxTensors> once{}, moved{};
    std::vector<std::uint32_t> may_stay;

    // If the next loop moves these tensors.
    Units least(std::uint32_t next) const {
      if (tensors == 0) return 0;
      Units least = kNever;
      for (const std::uint32_t staying : may_stay) {
        Units energy = 0;
        for (const int t : members(tensors)) {
          energy = sum(energy, contains(staying & ~next, t) ? once[at(t)] : moved[at(t)]);
        }
        least = std::min(least, energy);
      }
      return least;
    }
  };

  PastLoads loads_of(const TileBox& box, std::uint32_t past) const {
    PastLoads loads;
    loads.tensors = past;
    if (past == 0) return loads;
    for (const OuterLink& link : links_) {
      if (link.link->child == 1) continue;
      loads.once[at(link.link->tensor)] = link.once;
      loads.moved[at(link.link->tensor)] = moved(link, box, -1);
    }
    loads.may_stay = that_may_stay(box);
    return loads;
  }

  // In some tile of the box.
  std::vector<std::uint32_t> that_may_stay(const TileBox& box) const {
    std::vector<std::uint32_t> all = {0};
    PerDim tile{};
    for (int d = 0; d < solver_.dim_count; ++d) tile[at(d)] = first(box, d);
    for (const StayingTensors& some : staying_) {
      const bool fit = std::all_of(some.rooms.begin(), some.rooms.end(),
                                   [&](const Fitting& room) { return room.check(tile).fits(); });
      if (fit) all.push_back(some.tensors);
    }
    return all;
  }

  // Loops that move nothing stand inside those that do.
  Units moved(const OuterLink& link, const TileBox& box, int window_dim) const {
    const TensorShape& tensor = solver_.tensor(link.link->tensor);
    Int128 words = link.fixed;
    for (const int d : members(dims_ & ~tensor.relevant)) {
      words = times(words, Int128{ceil_div(solver_.size(d), last(box, d))});
    }
    for (const WindowTables& window : link.windows) {
      const auto row = at(window.row_dim);
      const auto column = at(window.column_dim);
      const std::size_t mover = window_dim == window.row_dim      ? 1
                                : window_dim == window.column_dim ? 2
                                                                  : 0;
      words =
          times(words, Int128{window.by_mover[mover].least(box.first[row], box.last[row],
                                                           box.first[column], box.last[column])});
    }
    LinkCounts counts{};
    counts[kEntering] = counts[kServed] = words;
    return std::max(link.once, sub_.energy(*link.link, counts));
  }

  // The dimension whose largest extent is the largest multiple of its least; -1 if there is one
  // tile alone.
  int widest(const TileBox& box) const {
    int found = -1;
    double widest = 0;
    for (int d = 0; d < solver_.dim_count; ++d) {
      if (box.first[at(d)] == box.last[at(d)]) continue;
      const double width = static_cast<double>(last(box, d)) / static_cast<double>(first(box, d));
      if (width <= widest) continue;
      widest = width;
      found = d;
    }
    return found;
  }

  // Where the second half begins: at the geometric mean.
  std::uint16_t middle_of(const TileBox& box, int d) const {
    const Int128 product = static_cast<Int128>(first(box, d)) * last(box, d);
    std::uint16_t middle = box.first[at(d)];
    const auto extent = [&] { return static_cast<Int128>(extents_[at(d)][middle]); };
    do {
      ++middle;
    } while (middle < box.last[at(d)] && extent() * extent() < product);
    return middle;
  }

  const Subproblem& sub_;
  const SolverTables& solver_;
  Fitting fitting_;
  ExtentLists extents_;
  std::uint32_t tensors_ = 0;  // that come from the outermost memory
  std::uint32_t past_ = 0;     // those that go past the next one
  std::uint32_t dims_ = 0;     // that move some of them
  std::vector<StayingTensors> staying_;
  std::vector<OuterLink> links_;
  std::vector<NextOuterLoop> next_;
  std::vector<TileBox> boxes_;  // a heap
};

// Of extents that leave the same number of iterations the least has the smallest tiles.
void keep_least_of_equals(std::int64_t size, std::vector<std::int64_t>& extents) {
  const auto is_alike = [&](std::int64_t a, std::int64_t b) {
    return ceil_div(size, a) == ceil_div(size, b);
  };
  extents.erase(std::unique(extents.begin(), extents.end(), is_alike), extents.end());
}

// Adds each extent times each bound that a slot can have outside it.
class ExtentSteps {
 public:
  ExtentSteps(const SolverTables& solver, int dim) : solver_(solver), dim_(dim) {}

  // False if there are too many.
  bool cross(int slot, std::int64_t most) {
    const BoundLimits& limits = solver_.limits(slot, dim_);
    const bool any = solver_.may_leave_remainder(slot);
    const std::int64_t size = solver_.size(dim_);
    std::set<std::int64_t> outside;
    for (const std::int64_t extent : extents_) {
      const std::int64_t left = ceil_div(size, extent);
      const std::int64_t last = std::min({limits.most, most, left});
      if (last > static_cast<std::int64_t>(kMostExtents)) return false;
      for (std::int64_t bound = std::max<std::int64_t>(1, limits.least); bound <= last; ++bound) {
        if (any || left % bound == 0) outside.insert(std::min(extent * bound, size));
      }
    }
    extents_ = std::move(outside);
    return extents_.size() <= kMostExtents;
  }

  const std::set<std::int64_t>& extents() const { return extents_; }

 private:
  const SolverTables& solver_;
  int dim_;
  std::set<std::int64_t> extents_ = {1};
};

}  // namespace

std::optional<std::vector<std::int64_t>> reachable_extents(const SolverTables& solver, int memory,
                                                           int dim, Instances instances) {
  ExtentSteps steps(solver, dim);
  const auto cross_fanouts = [&](int first, int end) {
    for (int f = end; f-- > first;) {
      const FanoutShape& fanout = solver.fanout(f);
      if (!steps.cross(fanout.slot + 1, fanout.size_x)) return false;
      if (!steps.cross(fanout.slot, fanout.size_y)) return false;
    }
    return true;
  };
  int end = solver.fanout_count;
  for (int m = solver.memory_count; m-- > memory;) {
    const int first = solver.memory(m).fanouts_outside;
    if (!cross_fanouts(first, end)) return std::nullopt;
    if (!steps.cross(solver.memory(m).slot, kCountLimit)) return std::nullopt;
    end = first;
  }
  if (instances == Instances::Together && !cross_fanouts(0, end)) return std::nullopt;
  return std::vector<std::int64_t>(steps.extents().begin(), steps.extents().end());
}

std::optional<ExtentLists> outer_extents(const SolverTables& solver, const Subproblem& sub) {
  ExtentLists all;
  for (int d = 0; d < solver.dim_count; ++d) {
    std::optional<std::vector<std::int64_t>> extents =
        reachable_extents(solver, 1, d, Instances::Together);
    if (!extents || extents->empty()) return std::nullopt;
    if (!needs_all_extents(sub, d)) keep_least_of_equals(solver.size(d), *extents);
    all.push_back(std::move(*extents));
  }
  return all;
}

Filling least_over_tiles(const Subproblem& sub, ExtentLists extents, std::size_t most_boxes,
                         const Deadline& deadline, Units limit) {
  return OuterTiles(sub, std::move(extents)).find(most_boxes, limit, deadline);
}

std::vector<TileSet> tiles_below(const Subproblem& sub, ExtentLists extents, Units limit,
                                 std::size_t most_sets, const Deadline& deadline) {
  return OuterTiles(sub, std::move(extents)).below(limit, most_sets, deadline);
}

}  // namespace tilewright::optimal
