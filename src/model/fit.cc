#include <fmt/format.h>

#include "model/counts.h"
#include "model/link.h"

namespace tilewright::model {
namespace {

// A memory holds one tile of a tensor; the outermost keeper all it ever serves.
template <typename Number>
Number words_to_hold(const LoopLayout<Number>& layout, int tensor, int memory) {
  const Compiled& c = layout.compiled();
  const bool outermost = !contains(layout.kept_outside(memory), tensor);
  if (memory > 0 && outermost && !c.bounding_boxes)
    return footprint(layout, tensor, memory).busiest;
  return tile_words(layout, tensor, c.memory[at(memory)].slot);
}

// Remembers the first violation, and all of them if asked to.
class Findings {
 public:
  explicit Findings(std::vector<Verdict>* all) : all_(all) {}

  void add(const Verdict& verdict) {
    if (first_.fits()) first_ = verdict;
    if (all_ != nullptr) all_->push_back(verdict);
  }
  bool done() const { return all_ == nullptr && !first_.fits(); }
  const Verdict& first() const { return first_; }

 private:
  std::vector<Verdict>* all_;
  Verdict first_;
};

template <typename Number>
void check_memory(const LoopLayout<Number>& layout, int memory, Findings& findings) {
  const FlatMemory& table = layout.compiled().memory[at(memory)];
  const auto words_of = [&](int tensor) { return words_to_hold(layout, tensor, memory); };
  const auto report = [&](const Overflow& overflow) {
    const auto kind =
        overflow.of_partition ? Verdict::Kind::PartitionExceeded : Verdict::Kind::CapacityExceeded;
    findings.add({kind, table.level, overflow.tensor, {}, overflow.needed, overflow.available});
  };
  check_room(table.room, layout.mapping().kept(MemoryId{memory}), words_of, report);
}

template <typename Number>
void check_axis(const FlatFanout& fanout, SlotKind axis, Number used, std::int64_t size,
                Findings& findings) {
  if (used <= size) return;
  findings.add(
      {Verdict::Kind::FanoutExceeded, fanout.level, TensorId{}, axis, narrowed(used), size});
}

}  // namespace

template <typename Number>
Number tile_words(const LoopLayout<Number>& layout, int tensor, int slot) {
  const FlatTensor& table = layout.compiled().tensor[at(tensor)];
  Number words = 1;
  for (const int dim : members(table.alone)) words *= layout.tile(slot, dim);
  for (const Window& window : table.windows) {
    Extents extents;
    for (int i = 0; i < window.dim_count(); ++i) {
      extents[at(i)] = layout.tile(slot, window.dim(i));
    }
    words *= window.size(extents);
  }
  return words;
}

template <typename Number>
Verdict check_fit(const LoopLayout<Number>& layout, std::vector<Verdict>* all) {
  const Compiled& c = layout.compiled();
  Findings findings(all);
  for (int f = 0; f < c.fanouts; ++f) {
    const FlatFanout& fanout = c.fanout[at(f)];
    check_axis(fanout, SlotKind::SpatialX, layout.used_x(f), fanout.size_x, findings);
    check_axis(fanout, SlotKind::SpatialY, layout.used_y(f), fanout.size_y, findings);
    if (findings.done()) return findings.first();
  }
  for (int m = c.memories; m-- > 0 && !findings.done();) check_memory(layout, m, findings);
  if (!c.shared.empty()) {
    for (const Verdict& misfit : shared_misfits(layout)) findings.add(misfit);
  }
  return findings.first();
}

template std::int64_t tile_words(const LoopLayout<std::int64_t>&, int, int);
template Int128 tile_words(const LoopLayout<Int128>&, int, int);
template Verdict check_fit(const LoopLayout<std::int64_t>&, std::vector<Verdict>*);
template Verdict check_fit(const LoopLayout<Int128>&, std::vector<Verdict>*);

}  // namespace tilewright::model

namespace tilewright {

std::string to_string(const Verdict& verdict, const Problem& problem) {
  const Level& of_verdict = problem.arch().level(verdict.level);
  const auto* of_memory = std::get_if<Memory>(&of_verdict);
  const std::string& level = of_memory == nullptr ? name_of(of_verdict) : memory_name(*of_memory);
  const std::int64_t excess = verdict.needed - verdict.available;
  if (verdict.kind == Verdict::Kind::Fits) return "fits";
  if (verdict.kind == Verdict::Kind::FanoutExceeded) {
    return fmt::format("{}.{}: the mapping uses {} instances, {} more than the {} there are", level,
                       verdict.axis == SlotKind::SpatialX ? "x" : "y", verdict.needed, excess,
                       verdict.available);
  }
  const auto& memory = std::get<Memory>(problem.arch().level(verdict.level));
  const std::string& tensor = problem.workload().tensor(verdict.tensor).name;
  const bool own = verdict.kind == Verdict::Kind::PartitionExceeded;
  Capacity capacity = memory.capacity;
  if (own) {
    const MemoryId id = problem.memory_at(verdict.level);
    capacity = problem.partition(id, verdict.tensor).value_or(capacity);
  }
  const std::vector<std::string> amounts =
      in_one_unit(capacity.unit, {verdict.needed, excess, verdict.available});
  const std::string room =
      memory.double_buffered ? " (half of its capacity: it is double buffered)" : "";
  if (own) {
    return fmt::format("{}: tensor {} needs {}, {} more than its partition of {}{}", level, tensor,
                       amounts[0], amounts[1], amounts[2], room);
  }
  return fmt::format(
      "{}: the tiles need {}, {} more than the {} there are{}; the largest is that "
      "of {}",
      level, amounts[0], amounts[1], amounts[2], room, tensor);
}

}  // namespace tilewright
