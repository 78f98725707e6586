#include "certificate/restricted_block.h"

#include <algorithm>

namespace tilewright::certificate {

RestrictedBlock::Key RestrictedBlock::key_of(std::uint32_t placed, std::size_t stage,
                                             std::uint32_t rest, const Open& open) const {
  return {__builtin_popcount(placed),
          stage,
          context_.dims() - __builtin_popcount(rest),
          placed,
          rest,
          open};
}

void RestrictedBlock::add(const Open& open, const Values& values) {
  Spots& spots = waiting_[key_of(0, 0, lattice_.stages(memory_).front(), open)];
  for (const std::uint32_t place : values.places()) {
    room_.lower(kept_, spots, place, {0, values[place]});
  }
}

void RestrictedBlock::add(const Open& open, const Spots& spots) {
  Spots& known = waiting_[key_of(0, 0, lattice_.stages(memory_).front(), open)];
  for (const auto& [place, spot] : spots) {
    for (const Taken& taken : spot.taken) room_.lower(kept_, known, place, taken);
  }
}

template <typename End>
void RestrictedBlock::go_through(End end) {
  while (!waiting_.empty()) {
    deadline_.check();
    Key key = waiting_.begin()->first;
    Spots spots = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    // What moves no open tensor goes innermost.
    const std::uint32_t moving = lattice_.open_dims(key.open);
    for (const int d : members(key.rest & ~moving)) spots = after_loop(key, d, spots);
    key.rest &= moving;
    const std::size_t made = spots.size();
    std::erase_if(spots, [](const auto& spot) { return spot.second.taken.empty(); });
    for (const int d : members(key.rest)) move(key, spots, d);
    if (!spots.empty() && lattice_.may_rest(memory_, key.rest)) {
      const bool is_last = key.stage + 1 == lattice_.stages(memory_).size();
      is_last ? end(key, spots) : next_stage(key, spots);
    }
    room_.forget(made);
  }
}

std::map<Open, Values> RestrictedBlock::run(const Values& nothing) {
  std::map<Open, Values> outside;
  go_through([&](const Key& key, const Spots& spots) {
    Values& values = outside.try_emplace(end_of(key), nothing).first->second;
    for (const auto& [place, spot] : spots) {
      for (const Taken& taken : spot.taken) values.lower(place, taken.cost);
    }
    put_all_points(key, spots);
  });
  return outside;
}

std::map<Open, Spots> RestrictedBlock::run_part() {
  std::map<Open, Spots> outside;
  std::array<int, kMaxDims> extents{};
  go_through([&](const Key& key, const Spots& spots) {
    Spots& known = outside[end_of(key)];
    for (const auto& [place, spot] : spots) {
      lattice_.grid().decode(place, extents.data());
      const std::int64_t room = room_.amount(kept_, extents.data());
      for (const Taken& taken : spot.taken) {
        room_.lower(0, known, place, {taken.room + room, taken.cost});
      }
    }
  });
  return outside;
}

Spots RestrictedBlock::after_loop(const Key& key, int dim, const Spots& spots) {
  Spots after;
  const Grid& grid = lattice_.grid();
  const bool may_rest = lattice_.may_rest(memory_, 1U << dim);
  for (const auto& [place, spot] : spots) {
    const auto lower = [&](std::size_t next) {
      for (const Taken& taken : spot.taken) {
        room_.lower(unplaced(key.placed), after, static_cast<std::uint32_t>(next), taken);
      }
    };
    if (may_rest) lower(place);
    const int from = grid.class_of(place, dim);
    for (const Step& step : steps_[at(dim)][at(from)]) {
      lower(place + grid.stride(dim) * at(step.to) - grid.stride(dim) * at(from));
    }
  }
  room_.forget(spots.size());
  return after;
}

void RestrictedBlock::move(const Key& key, const Spots& spots, int dim) {
  const std::uint32_t moved = lattice_.moved_by(key.open, dim);
  const Key next =
      key_of(key.placed, key.stage, key.rest & ~(1U << dim), Lattice::closed(key.open, moved));
  Spots& after = waiting_[next];
  const Grid& grid = lattice_.grid();
  std::array<int, kMaxDims> extents{};
  for (const auto& [place, spot] : spots) {
    grid.decode(place, extents.data());
    for (const Step& step : steps_[at(dim)][at(extents[at(dim)])]) {
      std::int64_t paid = 0;
      for (const int t : members(moved)) {
        Closing& closing =
            closing_at(closings_, memory_, contains(key.placed, t), t, key.open[at(t)]);
        paid = std::min(kNever,
                        paid + lattice_.own_cost(closing, t, extents.data(), Move{dim, step.to}));
      }
      const auto there = static_cast<std::uint32_t>(place + grid.stride(dim) * at(step.to) -
                                                    grid.stride(dim) * at(step.from));
      for (const Taken& taken : spot.taken) {
        room_.lower(unplaced(key.placed), after, there, {taken.room, taken.cost + paid});
      }
    }
  }
}

void RestrictedBlock::next_stage(const Key& key, const Spots& spots) {
  const std::uint32_t dims = lattice_.stages(memory_)[key.stage + 1];
  Spots& after = waiting_[key_of(key.placed, key.stage + 1, dims, key.open)];
  for (const auto& [place, spot] : spots) {
    for (const Taken& taken : spot.taken) room_.lower(unplaced(key.placed), after, place, taken);
  }
}

// All sets of tensors that leave one for a point further out.
void RestrictedBlock::put_all_points(const Key& key, const Spots& spots) {
  const std::uint32_t may_have = unplaced(key.placed) & movable_;
  for (std::uint32_t points = may_have; points != 0; points = (points - 1) & may_have) {
    if (points != unplaced(key.placed)) put_points(key, spots, points);
  }
}

Open RestrictedBlock::end_of(const Key& key) const {
  Open open = key.open;
  for (const int t : members(unplaced(key.placed))) {
    const bool waits = open[at(t)] < 0 && !context_.is_home(memory_, t);
    if (waits) open[at(t)] = static_cast<std::int8_t>(memory_);
  }
  return open;
}

void RestrictedBlock::put_points(const Key& key, const Spots& spots, std::uint32_t points) {
  Open open = key.open;
  for (const int t : members(points)) {
    if (open[at(t)] < 0) open[at(t)] = static_cast<std::int8_t>(memory_);
  }
  const std::uint32_t placed = key.placed | points;
  Spots& after = waiting_[key_of(placed, 0, lattice_.stages(memory_).front(), open)];
  std::array<int, kMaxDims> extents{};
  for (const auto& [place, spot] : spots) {
    lattice_.grid().decode(place, extents.data());
    const std::int64_t room = room_.amount(points, extents.data());
    for (const Taken& taken : spot.taken) {
      room_.lower(unplaced(placed), after, place, {taken.room + room, taken.cost});
    }
  }
}

}  // namespace tilewright::certificate
