#include "certificate/point_block.h"

#include <algorithm>

namespace tilewright::certificate {

namespace {

int open_count(const Open& open) {
  return static_cast<int>(std::count_if(open.begin(), open.end(), [](int m) { return m >= 0; }));
}

}  // namespace

PointBlock::PointBlock(const Lattice& lattice, Closings& closings, int memory, std::int64_t limit,
                       const Deadline& deadline)
    : PointBlockBase(lattice, closings, memory, limit, deadline), primes_(steps_) {
  for (std::vector<std::vector<Step>>& classes : primes_) {
    for (std::vector<Step>& steps : classes) {
      std::erase_if(steps, [](const Step& step) { return !step.has_prime_bound(); });
    }
  }
}

PointBlock::Key PointBlock::key_of(std::uint32_t placed, const Open& open) const {
  return {__builtin_popcount(placed) - open_count(open), placed, open};
}

void PointBlock::add(const Open& open, const Values& values) {
  const Key key = key_of(0, open);
  Spots& spots = waiting_[key];
  for (const std::uint32_t place : values.places()) lower(key, spots, place, {0, values[place]});
}

std::map<Open, Values> PointBlock::run(const Values& nothing) {
  std::map<Open, Values> outside;
  while (!waiting_.empty()) {
    deadline_.check();
    const Key key = waiting_.begin()->first;
    Spots spots = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    // What moves no open tensor goes innermost.
    const std::uint32_t moving = lattice_.open_dims(key.open);
    for (int d = 0; d < context_.dims(); ++d) {
      if (!contains(moving, d)) loop(key, d, spots);
    }
    const std::size_t made = spots.size();
    std::erase_if(spots, [](const auto& spot) { return spot.second.taken.empty(); });
    end(key, spots, nothing, outside);
    close_plainly(key, spots);
    place_plainly(key, spots);
    for (int d = 0; d < context_.dims(); ++d) move_windows(key, spots, d);
    room_.forget(made);
  }
  return outside;
}

// A loop is the same as loops of its prime factors, one in another, with remainders as well.
void PointBlock::loop(const Key& key, int dim, Spots& spots) {
  if (!lattice_.has_loop(memory_, dim)) return;
  std::map<std::int64_t, std::vector<std::uint32_t>> by_extent;
  const Grid& grid = lattice_.grid();
  const auto extent = [&](int number) { return context_.chain(dim).classes[at(number)].least; };
  for (const auto& [place, spot] : spots) {
    by_extent[extent(grid.class_of(place, dim))].push_back(place);
  }
  for (auto& [size, places] : by_extent) {
    for (const std::uint32_t place : places) {
      const int from = grid.class_of(place, dim);
      const std::vector<Taken> all = spots.at(place).taken;
      if (all.empty()) continue;
      for (const Step& step : primes_[at(dim)][at(from)]) {
        const auto next = static_cast<std::uint32_t>(place + grid.stride(dim) * at(step.to) -
                                                     grid.stride(dim) * at(from));
        if (spots.find(next) == spots.end()) by_extent[extent(step.to)].push_back(next);
        for (const Taken& taken : all) lower(key, spots, next, taken);
      }
    }
  }
}

void PointBlock::end(const Key& key, const Spots& spots, const Values& nothing,
                     std::map<Open, Values>& outside) const {
  if (spots.empty()) return;
  Open open = key.open;
  for (const int t : members(unplaced(key.placed) & movable_)) {
    if (open[at(t)] < 0) open[at(t)] = static_cast<std::int8_t>(memory_);
  }
  Values& values = outside.try_emplace(open, nothing).first->second;
  for (const auto& [place, spot] : spots) {
    for (const Taken& taken : spot.taken) values.lower(place, taken.cost);
  }
}

template <typename Visit>
void PointBlock::pay(const Key& key, const Spots& spots, std::uint32_t moved, std::uint32_t points,
                     Visit visit) {
  std::array<int, kMaxDims> extents{};
  for (const auto& [place, spot] : spots) {
    lattice_.grid().decode(place, extents.data());
    const std::int64_t room = room_.amount(points, extents.data());
    const auto cost = [&](const Move& move) {
      std::int64_t sum = 0;
      for (const int t : members(moved & ~points)) {
        sum +=
            lattice_.own_cost(closings_.get(t, key.open[at(t)], memory_), t, extents.data(), move);
        sum = std::min(sum, kNever);
      }
      for (const int t : members(points)) {
        Closing& closing = closings_.get_at_point(t, key.open[at(t)], memory_);
        sum = std::min(kNever, sum + lattice_.own_cost(closing, t, extents.data(), move));
      }
      return sum;
    };
    visit(place, spot, extents.data(), room, cost);
  }
}

void PointBlock::close_plainly(const Key& key, const Spots& spots) {
  TensorSets done;
  for (int d = 0; d < context_.dims(); ++d) {
    if (!lattice_.has_loop(memory_, d)) continue;
    const std::uint32_t tensors = lattice_.moved_by(key.open, d);
    if (tensors == 0 || lattice_.in_window(tensors, d) || done.test(tensors)) continue;
    done.set(tensors);
    const Key next = key_of(key.placed, Lattice::closed(key.open, tensors));
    Spots& after = waiting_[next];
    pay(key, spots, tensors, 0, [&](auto place, const Spot& spot, const int*, auto, auto cost) {
      const std::int64_t paid = cost(Move{});
      for (const Taken& taken : spot.taken) {
        lower(next, after, place, {taken.room, taken.cost + paid});
      }
    });
  }
}

void PointBlock::place_plainly(const Key& key, const Spots& spots) {
  if (__builtin_popcount(unplaced(key.placed)) < 2) return;
  for (const int t : members(unplaced(key.placed) & movable_)) {
    const std::vector<int>& alone = context_.terms().parts[at(t)].alone;
    if (std::none_of(alone.begin(), alone.end(),
                     [&](int d) { return lattice_.has_loop(memory_, d); })) {
      continue;
    }
    const Key next = key_of(key.placed | 1U << t, Lattice::closed(key.open, 1U << t));
    Spots& after = waiting_[next];
    pay(key, spots, 0, 1U << t,
        [&](auto place, const Spot& spot, const int*, auto room, auto cost) {
          const std::int64_t paid = cost(Move{});
          for (const Taken& taken : spot.taken) {
            lower(next, after, place, {taken.room + room, taken.cost + paid});
          }
        });
  }
}

void PointBlock::move_windows(const Key& key, const Spots& spots, int dim) {
  if (!lattice_.has_loop(memory_, dim)) return;
  std::uint32_t may_have = 0;
  for (const int t : members(unplaced(key.placed) & movable_)) {
    if (lattice_.in_window(1U << t, dim)) may_have |= 1U << t;
  }
  // All sets of these tensors, the empty one last.
  for (std::uint32_t points = may_have;; points = (points - 1) & may_have) {
    if (__builtin_popcount(unplaced(key.placed)) > __builtin_popcount(points) || points == 0) {
      move_windows(key, spots, dim, points);
    }
    if (points == 0) return;
  }
}

void PointBlock::move_windows(const Key& key, const Spots& spots, int dim, std::uint32_t points) {
  const std::uint32_t moved = lattice_.moved_by(key.open, dim);
  if (points == 0 && !lattice_.in_window(moved, dim)) return;
  Open open = Lattice::closed(key.open, moved);
  const Key next = key_of(key.placed | points, open);
  Spots& after = waiting_[next];
  const std::vector<std::vector<Step>>& steps = steps_[at(dim)];
  const std::size_t stride = lattice_.grid().stride(dim);
  pay(key, spots, moved, points,
      [&](auto place, const Spot& spot, const int* extents, auto room, auto cost) {
        for (const Step& step : steps[at(extents[dim])]) {
          const std::int64_t paid = cost(Move{dim, step.to});
          const auto there =
              static_cast<std::uint32_t>(place + stride * at(step.to) - stride * at(extents[dim]));
          for (const Taken& taken : spot.taken) {
            lower(next, after, there, {taken.room + room, taken.cost + paid});
          }
        }
      });
}

}  // namespace tilewright::certificate
