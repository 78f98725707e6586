#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/bits.h"
#include "mapping/room.h"
#include "mapping/systolic.h"
#include "residence.h"
#include "tilewright/mapping.h"

namespace tilewright {

namespace {

bool equal_ignoring_case(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::uint32_t allowed_mask(const Workload& workload, const DimNames& names) {
  if (!names) return (1U << workload.dim_count()) - 1;
  std::uint32_t mask = 0;
  for (const std::string& name : *names) mask |= dims_named(workload, name);
  return mask;
}

// What the lists say about one name, a tensor's own or that of its role.
std::optional<Residence> listed_residence(const Memory& memory, const std::string& name) {
  if (memory.keep && contains(*memory.keep, name)) return Residence::Keep;
  if (contains(memory.bypass, name)) return Residence::Bypass;
  if (contains(memory.free, name)) return Residence::Free;
  return std::nullopt;
}

MemoryUse use_of(const Memory& memory, const Workload& workload, LevelId level, int slot) {
  MemoryUse use{.level = level, .slot = slot, .residence = {}};
  for (int t = 0; t < workload.tensor_count(); ++t) {
    const Residence residence = residence_of(memory, workload.tensor(TensorId{t}));
    use.residence.push_back(residence);
    if (residence == Residence::Keep) use.keep_always |= 1U << t;
    if (residence != Residence::Bypass) use.keep_allowed |= 1U << t;
  }
  return use;
}

}  // namespace

Residence residence_of(const Memory& memory, const Tensor& tensor) {
  if (const auto own = listed_residence(memory, tensor.name)) return *own;
  if (const auto by_role = listed_residence(memory, to_string(tensor.role))) return *by_role;
  return memory.keep ? Residence::Bypass : Residence::Keep;
}

std::optional<Capacity> partition_of(const Memory& memory, const Tensor& tensor) {
  auto share = memory.partitions.find(tensor.name);
  if (share == memory.partitions.end()) share = memory.partitions.find(to_string(tensor.role));
  if (share == memory.partitions.end()) return std::nullopt;
  return share->second;
}

std::uint32_t dims_named(const Workload& workload, const std::string& name) {
  std::uint32_t exact = 0, similar = 0;
  for (int d = 0; d < workload.dim_count(); ++d) {
    const Dimension& dim = workload.dim(DimId{d});
    const std::string& known_as = dim.known_as.empty() ? dim.name : dim.known_as;
    if (known_as == name) exact |= 1U << d;
    if (equal_ignoring_case(known_as, name)) similar |= 1U << d;
  }
  return exact != 0 ? exact : similar;
}

bool names_tensor(const std::string& name, const Tensor& tensor) {
  return name == tensor.name || name == to_string(tensor.role);
}

Problem::Problem(Workload workload, Architecture arch)
    : workload_(std::move(workload)), arch_(std::move(arch)) {
  for (int i = 0; i < arch_.level_count(); ++i) {
    const LevelId id{i};
    if (const auto* memory = std::get_if<Memory>(&arch_.level(id))) {
      memories_.push_back(use_of(*memory, workload_, id, slot_count()));
      slots_.push_back({SlotKind::Temporal, id, allowed_mask(workload_, memory->dims)});
      std::vector<std::optional<Capacity>> shares;
      for (const Tensor& tensor : workload_.tensors) {
        shares.push_back(partition_of(*memory, tensor));
      }
      partitions_.push_back(std::move(shares));
    } else if (const auto* fanout = std::get_if<Fanout>(&arch_.level(id))) {
      slots_.push_back({SlotKind::SpatialY, id, allowed_mask(workload_, fanout->y.dims)});
      slots_.push_back({SlotKind::SpatialX, id, allowed_mask(workload_, fanout->x.dims)});
    }
  }
}

namespace {

// A tensor has one place in a memory whose room is shared. What has its home there holds all that
// it ever serves, so that can be the first part alone.
void check_parts(const Problem& problem, std::vector<Diagnostic>& problems) {
  const auto complain = [&](const Memory& part, int tensor, const char* what) {
    problems.push_back({{},
                        fmt::format("{} shares the room of {}, {} {}", part.name, part.point_of,
                                    what, problem.workload().tensor(TensorId{tensor}).name),
                        "say by \"keep\" or \"bypass\" which part keeps a tensor"});
  };
  std::uint32_t outside = 0;  // of all parts of the present memory
  std::uint32_t in_parts = 0;
  std::uint32_t always = 0;
  const Memory* before = nullptr;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    const MemoryUse& use = problem.use(MemoryId{m});
    const bool goes_on = memory.is_part && before != nullptr && before->point_of == memory.point_of;
    if (!goes_on) {
      outside = always;
      in_parts = 0;
    }
    for (const int t : members(goes_on ? use.keep_allowed & in_parts : 0U)) {
      complain(memory, t, "and another part of it may keep");
    }
    for (const int t : members(goes_on ? use.keep_allowed & ~in_parts & ~outside : 0U)) {
      complain(memory, t, "and no memory outside it always keeps");
    }
    in_parts |= use.keep_allowed;
    always |= use.keep_always;
    before = &memory;
  }
}

}  // namespace

Checked<Problem> Problem::create(Workload workload, Architecture arch) {
  Checked<Problem> result;
  const auto complain = [&](const std::string& message) {
    result.problems.push_back({.where = {}, .message = message, .hint = {}});
  };
  for (const std::string& message : problems_of(workload)) complain("workload: " + message);
  TensorNames tensors;
  for (const Tensor& tensor : workload.tensors) tensors.push_back(tensor.name);
  for (const std::string& message : problems_of(arch, tensors)) {
    complain("architecture: " + message);
  }
  if (!result.problems.empty()) return result;

  Problem problem(std::move(workload), std::move(arch));
  std::uint32_t keepable = 0;
  for (const MemoryUse& use : problem.memories_) keepable |= use.keep_allowed;
  for (int t = 0; t < problem.tensor_count(); ++t) {
    if (((keepable >> t) & 1U) != 0) continue;
    const Tensor& tensor = problem.workload_.tensor(TensorId{t});
    complain(fmt::format("no memory of {} may keep tensor {} ({})", problem.arch_.name, tensor.name,
                         to_string(tensor.role)));
  }
  check_parts(problem, result.problems);
  if (!result.problems.empty()) return result;
  problem.systolic_ =
      find_systolic_array(problem.workload_, problem.arch_, problem.memories_, result.problems);
  if (result.problems.empty()) result.value = std::move(problem);
  return result;
}

const Memory& Problem::memory(MemoryId id) const {
  return std::get<Memory>(arch_.level(use(id).level));
}

MemoryId Problem::memory_at(LevelId level) const {
  int memory = 0;
  while (use(MemoryId{memory}).level != level) ++memory;
  return MemoryId{memory};
}

std::optional<Capacity> Problem::partition(MemoryId memory, TensorId tensor) const {
  return partitions_[at(memory)][at(tensor)];
}

std::int64_t Problem::instances_along(int slot) const {
  const Slot& which = slots_[at(slot)];
  const auto& fanout = std::get<Fanout>(arch_.level(which.level));
  return which.kind == SlotKind::SpatialX ? fanout.x.size : fanout.y.size;
}

std::string Problem::slot_name(int slot) const {
  const Slot& which = slots_[at(slot)];
  const std::string& name = name_of(arch_.level(which.level));
  switch (which.kind) {
    case SlotKind::SpatialX:
      return name + ".x";
    case SlotKind::SpatialY:
      return name + ".y";
    case SlotKind::Temporal:
      break;
  }
  return name;
}

Room room_of(const Problem& problem, MemoryId id) {
  const Memory& memory = problem.memory(id);
  const auto usable = [&](Capacity capacity) {
    if (memory.double_buffered) capacity.amount /= 2;
    return capacity;
  };
  Room room;
  room.capacity = usable(memory.capacity);
  room.bounded = memory.capacity.unit != Capacity::Unit::Unlimited;
  for (int t = 0; t < problem.tensor_count(); ++t) {
    const std::int64_t bits = problem.workload().tensor(TensorId{t}).bits;
    room.element_bits[at(t)] = ceil_div(bits, memory.word_bits) * memory.word_bits;
    if (const auto share = problem.partition(id, TensorId{t})) {
      room.bounded = true;
      room.partitions[at(t)] = usable(*share);
    }
  }
  return room;
}

std::vector<RoomSum> sums_of(const Room& room, std::uint32_t kept) {
  std::vector<RoomSum> sums;
  RoomSum shared{0, room.capacity.amount};
  for (const int t : members(room.bounded ? kept : 0)) {
    const auto& partition = room.partitions[at(t)];
    if (!partition) {
      shared.tensors |= 1U << t;
    } else if (partition->unit != Capacity::Unit::Unlimited) {
      sums.push_back({1U << t, partition->amount});
    }
  }
  const bool is_limited = room.capacity.unit != Capacity::Unit::Unlimited;
  if (is_limited && shared.tensors != 0) sums.push_back(shared);
  return sums;
}

}  // namespace tilewright
