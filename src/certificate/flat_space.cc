#include "certificate/flat_space.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/count.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

Problem created(Workload workload, Architecture arch) {
  Checked<Problem> made = Problem::create(std::move(workload), std::move(arch));
  if (!made.ok()) throw Unverifiable(to_string(made.problems.front()));
  return std::move(*made.value);
}

Workload with_extents(Workload workload, const std::vector<std::int64_t>& extents) {
  for (std::size_t d = 0; d < extents.size(); ++d) workload.dims[d].size = extents[d];
  return workload;
}

// The work of an einsum by the names that architectures know.
Workload nest_workload(const Workload& workload) {
  Workload nest = with_known_names(workload);
  nest.name = "nest";
  return nest;
}

Int128 work_of(const std::vector<std::int64_t>& extents) {
  Count work = 1;
  for (const std::int64_t extent : extents) work *= extent;
  return work;
}

Int128 ceil_of(Int128 a, Int128 b) { return (a + b - 1) / b; }

}  // namespace

FlatSpace::FlatSpace(const Cascade& cascade, const Architecture& arch, const std::string& shared,
                     int longest, Among nests)
    : cascade_(&cascade),
      arch_(without_estimates(arch)),
      longest_(longest),
      nests_(nests),
      bounds_(cascade, arch, shared, longest) {
  refuse_flat_cascade(cascade);
  const auto& memory = std::get<Memory>(arch_.levels[1]);
  if (!memory.partitions.empty()) throw Unverifiable("plans where the shared memory is parted");
  room_ = room_of(memory.capacity, memory);
  for (int e = 0; e < einsums(); ++e) add_einsum(e);
}

void FlatSpace::add_einsum(int einsum) {
  const Workload& workload = cascade_->workload(einsum);
  const Problem problem = created(workload, arch_);
  const Energies energies(problem);
  Einsum made;
  const std::string work = io::write_workload(nest_workload(workload));
  while (made.same_as < einsum &&
         io::write_workload(nest_workload(cascade_->workload(made.same_as))) != work) {
    ++made.same_as;
  }
  made.scale = power_of_ten(decimals() - energies.decimals);
  const auto& then = cascade_->einsums[at(einsum)].then;
  if (then) made.afterwards = units_of(then->energy_pj, decimals());
  made.comes_back = !problem.memory(MemoryId{0}).accumulates_in_place;
  for (std::size_t t = 0; t < workload.tensors.size(); ++t) {
    const Energies::OfAccess& outside = energies.memories[0].access[t];
    made.tensors.push_back(
        {times(plus(outside.read, energies.memories[1].access[t].write), made.scale),
         times(outside.update, made.scale)});
  }
  einsums_.push_back(std::move(made));
}

std::int64_t FlatSpace::amount(int einsum, int tensor, Int128 words) const {
  const auto& memory = std::get<Memory>(arch_.levels[1]);
  return amount_of(memory.capacity, memory, cascade_->workload(einsum).tensors[at(tensor)], words);
}

// Outputs that do not leave in one piece are read back.
Int128 FlatSpace::load(int einsum, int tensor, Int128 words) const {
  const Einsum& of = einsums_[at(einsum)];
  const Prices& prices = of.tensors[at(tensor)];
  if (at(tensor) + 1 < of.tensors.size()) return times(prices.taken, words);
  const Int128 back = of.comes_back ? words - tile_elements(cascade_->workload(einsum), tensor) : 0;
  return plus(times(prices.update, words), times(prices.taken, back));
}

// Each execution begins with nothing of it, and leaves nothing behind.
Int128 FlatSpace::streamed(int einsum, int tensor, const FlatExecution& execution) const {
  const Einsum& of = einsums_[at(einsum)];
  const Prices& prices = of.tensors[at(tensor)];
  const Int128 tile = tile_elements(cascade_->workload(einsum), tensor, execution.extents);
  const Int128 all = times(tile, execution.count);
  if (at(tensor) + 1 < of.tensors.size()) return times(prices.taken, all);
  const Int128 back = of.comes_back ? times(tile, execution.count - execution.fresh) : 0;
  return plus(times(prices.update, all), times(prices.taken, back));
}

Int128 FlatSpace::afterwards(int einsum, const std::vector<FlatExecution>& executions) const {
  const Workload& workload = cascade_->workload(einsum);
  Count elements = 0;
  for (const FlatExecution& one : executions) {
    elements +=
        Count(one.fresh) * tile_elements(workload, workload.tensor_count() - 1, one.extents);
  }
  return times(einsums_[at(einsum)].afterwards, elements);
}

Int128 FlatSpace::departure(int einsum) const {
  const Workload& workload = cascade_->workload(einsum);
  const int output = workload.tensor_count() - 1;
  return times(einsums_[at(einsum)].tensors.back().update, tile_elements(workload, output));
}

// Residents pass by the outermost memory, and are outside the room of the shared one.
Architecture FlatSpace::with_residents(const FlatQuestion& question) const {
  Architecture changed = arch_;
  changed.reads_first_sums = question.old_sums;
  auto& outermost = std::get<Memory>(changed.levels[0]);
  auto& shared = std::get<Memory>(changed.levels[1]);
  if (shared.capacity.unit != Capacity::Unit::Unlimited) {
    // A capacity of nothing would be no limit at all. Where all are resident, none is needed.
    const std::int64_t room = std::max<std::int64_t>(1, question.room);
    shared.capacity.amount = room * (shared.double_buffered ? 2 : 1);
  }
  if (question.streamed == all_tensors(question.einsum)) return changed;
  for (Memory* memory : {&outermost, &shared}) {
    memory->keep = TensorNames{};
    memory->bypass.clear();
    memory->free.clear();
  }
  const std::vector<Tensor>& tensors = cascade_->workload(question.einsum).tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    shared.keep->push_back(tensors[t].name);
    if (contains(question.streamed, static_cast<int>(t))) {
      outermost.keep->push_back(tensors[t].name);
    } else {
      shared.partitions[tensors[t].name] = Capacity{};
    }
  }
  return changed;
}

Problem FlatSpace::problem_of(const FlatQuestion& question) const {
  Workload nest =
      with_extents(nest_workload(cascade_->workload(question.einsum)), question.extents);
  if (question.streamed != 0) return created(std::move(nest), with_residents(question));
  Architecture inner = bounds_.inner();
  inner.reads_first_sums = question.old_sums;
  return created(std::move(nest), std::move(inner));
}

Problem FlatSpace::nest_problem(const FlatQuestion& question) const {
  return created(with_extents(cascade_->workload(question.einsum), question.extents),
                 with_residents(question));
}

// --- bounds of nests --------------------------------------------------------------------

void FlatNestBounds::add(const FlatQuestion& question, Int128 bound) {
  FlatQuestion key = question;
  key.einsum = space_.same_as(question.einsum);
  key.room = 0;
  Int128& known = known_[key][question.room];
  known = std::max(known, bound);
  if (question.streamed != 0 || question.old_sums) return;
  wholes_[{key.einsum, question.extents}] = {known, work_of(question.extents)};
  parts_.clear();
}

Int128 FlatNestBounds::known(const FlatQuestion& question) const {
  FlatQuestion key = question;
  key.einsum = space_.same_as(question.einsum);
  key.room = 0;
  const auto found = known_.find(key);
  if (found == known_.end()) return 0;
  Int128 highest = 0;
  for (auto one = found->second.lower_bound(question.room); one != found->second.end(); ++one) {
    highest = std::max(highest, one->second);
  }
  return highest;
}

// Whether pieces of these extents, with loops around them, are a nest of the larger ones. What is
// summed over must not be longer there than in the einsum: its pieces begin more sums.
bool FlatNestBounds::bounds_parts(int einsum, const std::vector<std::int64_t>& whole,
                                  const std::vector<std::int64_t>& part) const {
  const Workload& workload = space_.cascade().workload(einsum);
  for (std::size_t d = 0; d < whole.size(); ++d) {
    if (whole[d] % part[d] != 0) return false;
    const bool sums = !is_relevant(workload.tensors.back(), DimId{static_cast<int>(d)});
    if (sums && workload.dims[d].size % whole[d] != 0) return false;
  }
  return true;
}

FlatNestBounds::PerWork FlatNestBounds::per_work(int einsum,
                                                 const std::vector<std::int64_t>& extents) const {
  const auto known = parts_.find({einsum, extents});
  if (known != parts_.end()) return known->second;
  PerWork highest;
  for (auto one = wholes_.lower_bound({einsum, {}});
       one != wholes_.end() && one->first.first == einsum; ++one) {
    if (!bounds_parts(einsum, one->first.second, extents)) continue;
    const PerWork& other = one->second;
    if (times(other.bound, highest.macs) > times(highest.bound, other.macs)) highest = other;
  }
  parts_.emplace(std::pair{einsum, extents}, highest);
  return highest;
}

Int128 FlatNestBounds::by_work(int einsum, const FlatExecution& execution) const {
  const PerWork each = per_work(space_.same_as(einsum), execution.extents);
  const Int128 work = times(work_of(execution.extents), execution.count);
  return ceil_of(times(each.bound, work), each.macs);
}

bool FlatNestBounds::sums_whole(int einsum, const std::vector<std::int64_t>& extents) const {
  const Workload& workload = space_.cascade().workload(einsum);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const bool sums = !is_relevant(workload.tensors.back(), DimId{static_cast<int>(d)});
    if (sums && extents[d] != workload.dims[d].size) return false;
  }
  return true;
}

// Where sums are cut, an execution that begins some takes less than one that goes on, and may take
// less than its share of all.
Int128 FlatNestBounds::implied(const FlatQuestion& question) const {
  Int128 least = known(question);
  FlatQuestion other = question;
  if (question.old_sums) {
    other.old_sums = false;
    least = std::max(least, implied(other));
    other.old_sums = true;
  }
  const FlatExecution once{question.extents, 1, question.old_sums ? 0 : 1};
  if (question.streamed == 0) {
    const bool has_share = question.old_sums || sums_whole(question.einsum, question.extents);
    return has_share ? std::max(least, by_work(question.einsum, once)) : least;
  }
  other.streamed = 0;
  other.room = 0;
  Int128 resident = implied(other);
  for (const int t : members(question.streamed)) {
    resident = plus(resident, space_.streamed(question.einsum, t, once));
  }
  return std::max(least, resident);
}

Int128 FlatNestBounds::least(int einsum, const FlatExecution& execution, std::uint32_t streamed,
                             std::int64_t room) const {
  FlatQuestion question{einsum, execution.extents, streamed, streamed == 0 ? 0 : room, false};
  Int128 one_by_one = times(implied(question), execution.fresh);
  if (execution.count > execution.fresh) {
    question.old_sums = true;
    one_by_one = plus(one_by_one, times(implied(question), execution.count - execution.fresh));
  }
  Int128 together = by_work(einsum, execution);
  for (const int t : members(streamed)) {
    together = plus(together, space_.streamed(einsum, t, execution));
  }
  return std::max(one_by_one, together);
}

ProvenNests FlatNestBounds::of_bound_space() const {
  ProvenNests nests;
  for (int e = 0; e < space_.einsums(); ++e) {
    for (const Workload& nest : space_.bounds().nests_of(e)) {
      FlatQuestion question{e, {}, 0, 0, false};
      for (const Dimension& dim : nest.dims) question.extents.push_back(dim.size);
      const Int128 bound = known(question);
      if (bound > 0) nests.emplace(io::write_workload(nest), big(bound));
    }
  }
  return nests;
}

}  // namespace tilewright::certificate
