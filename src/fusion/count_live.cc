// What the shared memory holds while an einsum runs.
#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "fusion/count_leaf.h"
#include "fusion/count_loads.h"

namespace tilewright::fusion {
namespace {

// State of what is done online to the output of `writer`, while `einsum` runs.
void add_state(const Geometry& geometry, int writer, int einsum, std::vector<LiveTensor>& live) {
  const auto online = geometry.online_loop(writer);
  if (!online) return;
  const PathLoop& loop = geometry.path(writer)[at(*online)];
  if (!EinsumRange{loop.first, loop.last}.has(einsum)) return;
  const Workload& workload = geometry.cascade().workload(writer);
  const Afterwards& then = *geometry.cascade().einsums[at(writer)].then;
  const auto rank = output_rank(workload, *workload.find_dim(*then.reduces));
  std::int64_t words = then.online_words.value_or(0);
  for (std::size_t r = 0; r < workload.tensors.back().ranks.size(); ++r) {
    if (r == *rank) continue;
    words *= geometry.needed(writer, r, geometry.readers(writer).front(), *online).longest();
  }
  live.push_back({workload.tensors.back().name, writer, {}, true, words});
}

// Residents of all einsums of the group that take room in a memory while this one runs; those that
// are local to its own executions come with these.
std::vector<LiveTensor> residents_during(const Geometry& geometry, int einsum,
                                         const std::string& memory) {
  std::vector<LiveTensor> live;
  const EinsumRange group = geometry.group(einsum);
  for (int e = group.first; e <= group.last; ++e) {
    const Workload& workload = geometry.cascade().workload(e);
    const std::uint32_t residents = residents_of(geometry, e);
    for (const int t : members(residents)) {
      const TensorId tensor{t};
      if (geometry.writer(e, tensor) || !geometry.life_of(e, tensor).has(einsum)) continue;
      if (geometry.home(e, tensor) != memory) continue;
      const bool made = tensor == workload.output() && geometry.is_intermediate(e);
      const Placement& placement = geometry.plan().leaves[at(e)].tensors[at(t)];
      if (placement.kind == Placement::Kind::Local && !made) continue;
      live.push_back({workload.tensor(tensor).name, e, placement, false,
                      tile_words(geometry, e, tensor, geometry.depth_of(e, tensor))});
    }
    // State of what is done online is in the memory that the group shares.
    if (memory == geometry.shared(e)) add_state(geometry, e, einsum, live);
  }
  return live;
}

// Tensors that are local to one execution in a memory, intermediates apart.
std::vector<LiveTensor> locals_of(const Geometry& geometry, int einsum,
                                  const std::vector<std::int64_t>& extents,
                                  const std::string& memory) {
  std::vector<LiveTensor> live;
  const Workload& workload = geometry.cascade().workload(einsum);
  for (int t = 0; t < workload.tensor_count(); ++t) {
    const TensorId tensor{t};
    const Placement& placement = geometry.plan().leaves[at(einsum)].tensors[at(t)];
    if (placement.kind != Placement::Kind::Local || geometry.writer(einsum, tensor)) continue;
    if (tensor == workload.output() && geometry.is_intermediate(einsum)) continue;
    if (geometry.home(einsum, tensor) != memory) continue;
    live.push_back({workload.tensor(tensor).name, einsum, placement, false,
                    tile_words(workload, tensor, extents)});
  }
  return live;
}

// The tiles that one execution brings to a memory: locals, what is streamed, and what is at home
// further out.
std::vector<LiveTensor> tiles_of(const Geometry& geometry, int einsum, const Execution& execution,
                                 const std::string& shared) {
  std::vector<LiveTensor> live = locals_of(geometry, einsum, execution.extents, shared);
  const Workload& workload = geometry.cascade().workload(einsum);
  const PlanLeaf& leaf = geometry.plan().leaves[at(einsum)];
  const std::uint32_t residents = residents_of(geometry, einsum);
  const PrivateNest* nest = nest_for(leaf, execution.extents);
  const Checked<Evaluator> evaluator = Evaluator::compile(nest->problem);
  const Evaluation evaluation = evaluator.value->evaluate(nest->mapping);
  for (int t = 0; t < workload.tensor_count(); ++t) {
    const TensorId tensor{t};
    const Placement& placement = leaf.tensors[at(t)];
    const std::string& name = workload.tensor(tensor).name;
    if (contains(residents, t) && geometry.home(einsum, tensor) == shared) continue;
    for (const MemoryReport& memory : evaluation.memories) {
      const auto& level = std::get<Memory>(nest->problem.arch().level(memory.level));
      const Holding& holding = memory.tensors[at(t)];
      if (memory_name(level) != shared || !holding.kept) continue;
      live.push_back({name, einsum, placement, false, narrowed(holding.tile_words)});
    }
  }
  return live;
}

// An amount in the unit of a capacity.
std::int64_t amount_of(const Geometry& geometry, const Memory& memory, const LiveTensor& tensor) {
  if (memory.capacity.unit != Capacity::Unit::Bits) return tensor.words;
  const Workload& workload = geometry.cascade().workload(tensor.einsum);
  const std::int64_t bits = workload.tensor(*workload.find_tensor(tensor.name)).bits;
  return tensor.words * ceil_div(bits, memory.word_bits) * memory.word_bits;
}

const Memory& memory_of(const Architecture& arch, const std::string& name) {
  return std::get<Memory>(arch.level(*arch.find_level(name)));
}

// What is live in a memory at the execution that needs most of it, and what does not fit.
LiveRoom live_in(const Geometry& geometry, const Memory& memory, int einsum,
                 const std::vector<Execution>& executions, std::vector<std::string>& misfit) {
  LiveRoom room{memory.name, {}, 0};
  const std::vector<LiveTensor> residents = residents_during(geometry, einsum, memory.name);
  bool any_resident = !residents.empty();
  std::int64_t most = -1;
  for (const Execution& execution : executions) {
    std::vector<LiveTensor> live = tiles_of(geometry, einsum, execution, memory.name);
    append(live, residents);
    std::int64_t amount = 0, words = 0;
    for (const LiveTensor& tensor : live) {
      amount += amount_of(geometry, memory, tensor);
      words += tensor.words;
      any_resident = any_resident || tensor.placement.kind != Placement::Kind::Streamed;
    }
    if (amount <= most) continue;
    most = amount;
    room.live = std::move(live);
    room.words = words;
  }
  // What is only streamed is the private nest's own matter.
  const Capacity::Unit unit = memory.capacity.unit;
  const std::int64_t capacity = memory.capacity.amount / (memory.double_buffered ? 2 : 1);
  if (!any_resident || unit == Capacity::Unit::Unlimited || most <= capacity) return room;
  const std::vector<std::string> texts = in_one_unit(unit, {most, most - capacity, capacity});
  misfit.push_back(fmt::format("{}: while {} runs, {} are live, {} too many for its {}",
                               memory.name, geometry.cascade().workload(einsum).name, texts[0],
                               texts[1], texts[2]));
  return room;
}

}  // namespace

Occupancy occupancy_of(const Geometry& geometry, const Architecture& arch, int einsum,
                       TensorId tensor) {
  const Workload& workload = geometry.cascade().workload(einsum);
  const Placement& placement = geometry.plan().leaves[at(einsum)].tensors[at(tensor)];
  const bool made = tensor == workload.output() && geometry.is_intermediate(einsum);
  const bool local = placement.kind == Placement::Kind::Local && !made;
  const std::int64_t words =
      local ? tile_words(workload, tensor, executions_of(geometry, einsum).front().extents)
            : tile_words(geometry, einsum, tensor, geometry.depth_of(einsum, tensor));
  const LiveTensor live{workload.tensor(tensor).name, einsum, placement, false, words};
  return {local ? EinsumRange{einsum, einsum} : geometry.life_of(einsum, tensor),
          amount_of(geometry, home_of(geometry, arch, einsum, tensor), live)};
}

std::int64_t room_taken(const Geometry& geometry, const Architecture& arch, int einsum,
                        const std::vector<std::int64_t>& extents, const std::string& memory) {
  std::vector<LiveTensor> live = locals_of(geometry, einsum, extents, memory);
  append(live, residents_during(geometry, einsum, memory));
  std::int64_t amount = 0;
  for (const LiveTensor& tensor : live) {
    amount += amount_of(geometry, memory_of(arch, memory), tensor);
  }
  return amount;
}

std::int64_t room_taken(const Geometry& geometry, const Architecture& arch, int einsum,
                        const std::vector<std::int64_t>& extents) {
  return room_taken(geometry, arch, einsum, extents, geometry.shared(einsum));
}

void count_live(const Geometry& geometry, const Architecture& arch, int einsum, LeafReport& report,
                std::vector<std::string>& misfit) {
  for (const Home& home : homes_of(geometry, einsum)) {
    const auto level = arch.find_level(home.memory);
    if (!level || !std::holds_alternative<Memory>(arch.level(*level))) continue;
    LiveRoom room =
        live_in(geometry, memory_of(arch, home.memory), einsum, report.executions, misfit);
    if (home.memory != geometry.shared(einsum)) {
      report.elsewhere.push_back(std::move(room));
      continue;
    }
    report.live = std::move(room.live);
    report.live_words = room.words;
  }
}

}  // namespace tilewright::fusion
