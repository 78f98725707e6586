#include "certificate/flat_proof.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/refused.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

FlatGroupBounds::FlatGroupBounds(const FlatSpace& space, const FlatNestBounds& nests) {
  const std::vector<BigUint> alone = space.bounds().alone(nests.of_bound_space());
  for (int first = 0; first < space.einsums(); ++first) {
    floors_.emplace_back();
    const int end = std::min(first + space.longest(), space.einsums());
    for (int last = first; last < end; ++last) {
      floors_.back().push_back(space.bounds().group_bound(first, last, alone).wide());
    }
  }
  known_ = floors_;
}

std::vector<EinsumRun> FlatGroupBounds::all() const {
  std::vector<EinsumRun> groups;
  for (int first = 0; first < static_cast<int>(known_.size()); ++first) {
    for (int i = 0; i < static_cast<int>(known_[at(first)].size()); ++i) {
      groups.push_back({first, first + i});
    }
  }
  return groups;
}

FlatGroupBounds::Cuts FlatGroupBounds::least(int first, int end) const {
  std::vector<std::optional<Cuts>> ends(at(end - first) + 1);
  ends.front() = Cuts{};
  for (int begin = first; begin < end; ++begin) {
    const auto longest = static_cast<int>(known_[at(begin)].size());
    for (int last = begin; last < std::min(begin + longest, end); ++last) {
      const Cuts& before = *ends[at(begin - first)];
      const Int128 energy = plus(before.energy, known({begin, last}));
      std::optional<Cuts>& best = ends[at(last + 1 - first)];
      if (best && best->energy <= energy) continue;
      Cuts cuts{energy, before.groups};
      cuts.groups.push_back({begin, last});
      best = std::move(cuts);
    }
  }
  return *ends.back();
}

FlatQuestion alone_question(const FlatSpace& space, int einsum) {
  FlatQuestion question{einsum, {}, space.all_tensors(einsum), space.room(), false};
  for (const Dimension& dim : space.cascade().workload(einsum).dims) {
    question.extents.push_back(dim.size);
  }
  return question;
}

Int128 alone_least(const FlatSpace& space, const FlatNestBounds& nests, int einsum) {
  const FlatQuestion question = alone_question(space, einsum);
  const FlatExecution once{question.extents, 1, 1};
  return plus(nests.least(einsum, once, question.streamed, question.room),
              space.afterwards(einsum, {once}));
}

Certificate with_inputs(const FlatSpace& space, const FlatQuestion& question, Certificate proof) {
  const Problem problem = space.problem_of(question);
  proof.version = kCertificateVersion;
  proof.architecture = io::write_architecture(problem.arch());
  proof.workload = io::write_workload(problem.workload());
  proof.constraints.clear();
  proof.mapspace = SpaceKind::Perfect;
  proof.among = space.nests();
  proof.objective = Objective::Energy;
  proof.setting.clear();
  proof.settings.clear();
  return proof;
}

FlatNest nest_of(const FlatSpace& space, const FlatQuestion& question, Certificate proof) {
  const Workload& workload = space.cascade().workload(question.einsum);
  FlatNest nest{workload.name, question.extents, {}, question.room, question.old_sums, {}};
  for (const int t : members(question.streamed)) {
    nest.streamed.push_back(workload.tensors[at(t)].name);
  }
  nest.proof = std::move(proof);
  nest.proof.architecture.clear();
  nest.proof.workload.clear();
  nest.proof.constraints.clear();
  nest.proof.among = Among::Even;  // the certificate says among what
  return nest;
}

FlatQuestion question_in(const FlatSpace& space, const FlatNest& nest) {
  const auto einsum = space.cascade().find_einsum(nest.einsum);
  if (!einsum) refuse("a nest is of {}, which is no einsum", nest.einsum);
  const Workload& workload = space.cascade().workload(*einsum);
  const bool sound = std::all_of(nest.extents.begin(), nest.extents.end(),
                                 [](std::int64_t extent) { return extent > 0; });
  if (nest.extents.size() != workload.dims.size() || !sound) {
    refuse("a nest of {} does not have the extents of its dimensions", nest.einsum);
  }
  FlatQuestion question{*einsum, nest.extents, 0, nest.room, nest.old_sums};
  for (const std::string& name : nest.streamed) {
    const auto tensor = workload.find_tensor(name);
    if (!tensor) refuse("{} has no tensor {} to be streamed", nest.einsum, name);
    question.streamed |= 1U << static_cast<unsigned>(index_of(*tensor));
  }
  const bool has_room =
      question.streamed == 0 ? nest.room == 0 : nest.room > 0 && nest.room <= space.room();
  if (!has_room) refuse("a nest of {} streams through a room of {}", nest.einsum, nest.room);
  return question;
}

BigUint flat_units(const std::string& text, int decimals) {
  constexpr Int128 kMost = static_cast<Int128>(1) << 110;
  const BigUint units = decimal_in(text, decimals);
  if (units > big(kMost)) refuse("no plan takes as much as {} pJ", text);
  return units;
}

}  // namespace tilewright::certificate
