#include "mappers/optimal/pooled_tensors.h"

#include <algorithm>

namespace tilewright::optimal {
namespace {

bool has_unit_windows(const TensorShape& tensor) {
  return std::all_of(tensor.windows.begin(), tensor.windows.end(),
                     [](const Window& window) { return window.is_unit_pair(); });
}

bool has_pairs(const TensorShape& tensor) {
  return std::all_of(tensor.windows.begin(), tensor.windows.end(),
                     [](const Window& window) { return window.dim_count() == 2; });
}

// However far the indices of two dimensions are apart, there are at least as many different sums
// of them as with coefficients 1 and no gaps; and as many that are new in a step.
Window with_unit_coefficients(const Window& window) {
  const DimId a{window.dim(0)};
  const DimId b{window.dim(1)};
  return {Window::Kind::Pair, {a, b}, {Rank{Term{a, 1}, Term{b, 1}}}, false};
}

}  // namespace

PooledTensors::PooledTensors(const SolverTables& solver, int memory)
    : solver_(solver), memory_(memory) {
  const std::uint32_t memories = (2U << memory) - 1U;
  std::vector<Pooled> originals;
  for (int t = 0; t < solver.tensor_count; ++t) {
    Pooled original{t, 0, -1};
    Pooled stand_in{t, 0, -1};
    int last = -1;
    for (const int m : members(keepers_of(solver, t, true) & memories)) {
      if (stand_in.keepers == 0 && knows_tiles(t, m)) {
        original.keepers |= 1U << m;
        last = m;
      } else {
        stand_in.keepers |= 1U << m;
      }
    }
    stand_in.parent = last;
    originals.push_back(original);
    const bool is_known = !solver.boxes && has_pairs(solver.tensor(t));
    const bool has_room = solver.tensor_count + count() < kMaxTensors;
    if (stand_in.keepers != 0 && last >= 0 && is_known && has_room) tensors_.push_back(stand_in);
  }
  tensors_.insert(tensors_.begin(), originals.begin(), originals.end() - 1);
  tensors_.push_back(originals.back());
  add_links();
}

// The tiles of all instances together are one whose extents have all that is unrolled. Where loops
// of other memories lie between, they are not side by side: then windows must not have gaps. What
// instances hold of an output with windows is not known.
bool PooledTensors::knows_tiles(int tensor, int memory) const {
  const TensorShape& shape = solver_.tensor(tensor);
  if (solver_.memory(memory).fanouts_outside == 0 || shape.windows.empty()) return true;
  if (shape.output || solver_.boxes) return false;
  const bool are_side_by_side = solver_.memory(memory - 1).fanouts_outside == 0;
  return are_side_by_side || has_unit_windows(shape);
}

int PooledTensors::with_link(int origin, int memory) const {
  for (int i = 0; i < count(); ++i) {
    if (tensors_[at(i)].origin == origin && contains(keepers(i), memory)) return i;
  }
  return -1;
}

int PooledTensors::home_of(int number) const {
  return __builtin_ctz(keepers_of(solver_, origin(number), true));
}

// A stand-in needs no room in its parent, which has that of the tensor itself.
void PooledTensors::add_links() {
  for (int i = 0; i < count(); ++i) {
    int parent = tensors_[at(i)].parent;
    for (const int m : members(keepers(i))) {
      placement_.kept[at(m)] |= 1U << i;
      if (parent >= 0) placement_.links.push_back({i, parent, m, 0, 0});
      parent = m;
    }
    if (stands_in(i)) placement_.kept[at(home_of(i))] |= 1U << i;
  }
}

SolverTables PooledTensors::tables() const {
  SolverTables tables = tables_down_to(solver_, memory_);
  tables.tensor_count = count();
  tables.tensors.clear();
  for (int i = 0; i < count(); ++i) {
    TensorShape& shape = tables.tensors.emplace_back(solver_.tensor(origin(i)));
    for (Window& window : shape.windows) {
      if (stands_in(i)) window = with_unit_coefficients(window);
    }
  }
  for (int m = 0; m <= memory_; ++m) {
    MemoryShape& memory = tables.memories[at(m)];
    const MemoryShape& given = solver_.memory(m);
    for (int i = 0; i < count(); ++i) {
      memory.access[at(i)] = given.access[at(origin(i))];
      memory.room.partitions[at(i)] = given.room.partitions[at(origin(i))];
      memory.room.element_bits[at(i)] = given.room.element_bits[at(origin(i))];
      if (!stands_in(i)) continue;
      // It is not known how often sums return, for first ones do not.
      const bool returns = !solver_.tensor(origin(i)).output || given.fanouts_outside == 0;
      if (!returns) memory.access[at(i)].read = memory.access[at(i)].write = 0;
      if (m == home_of(i)) memory.room.bounded = false;
    }
  }
  // One more that keeps nothing: its loops are all that may be unrolled.
  tables.memories.push_back(tables.memories.back());
  tables.memories.back().room.bounded = false;
  for (MemoryShape& memory : tables.memories) memory.fanouts_outside = 0;
  ++tables.memory_count;
  return tables;
}

}  // namespace tilewright::optimal
