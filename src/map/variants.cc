// Several ways to run one workload, padded or with other roles: the best of them counts.
#include <cmath>

#include "map/failures.h"
#include "parts.h"

namespace tilewright::map {

namespace {

using Status = MapOutcome::Status;

void add_work(Proof& proof, const Proof& other) {
  proof.frames += other.frames;
  proof.frames_expanded += other.frames_expanded;
  proof.mappings_evaluated += other.mappings_evaluated;
  proof.seconds += other.seconds;
}

// What is known when both spaces together are meant.
void add_proof(Proof& proof, const Proof& other, double value) {
  if (proof.status == Proof::Status::Proven) proof.status = other.status;
  if (proof.stop == Proof::Stop::Complete) proof.stop = other.stop;
  proof.bound = std::min(proof.bound, other.bound);
  if (proof.status == Proof::Status::Proven && proof.stop == Proof::Stop::Complete) {
    proof.bound = value;
  }
  proof.gap = proof.bound > 0 ? value / proof.bound - 1 : INFINITY;
  add_work(proof, other);
}

MapOutcome map_padded(const Workload& workload, const Architecture& arch,
                      const MapOptions& options) {
  const std::vector<Workload> variants = padded_workloads(workload, arch, options.constraints);
  const MapOptions of_variant = shared_out(options, variants.size());
  MapOutcome best = map_one(workload, arch, of_variant);
  for (const Workload& variant : variants) {
    const bool hopeless = best.status == Status::BadInput || best.status == Status::TooLarge;
    if (variant == workload) continue;
    if (hopeless || is_cancelled(options)) {
      give_up_proof(best);
      continue;
    }
    MapOutcome next = map_one(variant, arch, of_variant);
    put_before("padded to " + sizes_text(variant), next.problems);
    best = combined(std::move(best), std::move(next), options.objective);
  }
  return best;
}

}  // namespace

MapOutcome failed(Status status, std::vector<Diagnostic> problems) {
  MapOutcome outcome;
  outcome.status = status;
  outcome.problems = std::move(problems);
  return outcome;
}

MapOptions shared_out(const MapOptions& options, std::size_t searches) {
  MapOptions share = options;
  if (share.limits.seconds) *share.limits.seconds /= static_cast<double>(searches);
  if (share.limits.evaluations) {
    *share.limits.evaluations = std::max<std::uint64_t>(1, *share.limits.evaluations / searches);
  }
  return share;
}

void give_up_proof(MapOutcome& outcome) {
  if (outcome.status == Status::NoneBetter) outcome.status = Status::NothingValid;
  if (!outcome.proof) return;
  Proof& proof = *outcome.proof;
  proof.status = Proof::Status::Stopped;
  proof.stop = Proof::Stop::Cancelled;
  proof.bound = 0;
  proof.gap = INFINITY;
}

bool is_cancelled(const MapOptions& options) {
  return options.limits.cancelled != nullptr && options.limits.cancelled->load();
}

MapOutcome combined(MapOutcome a, MapOutcome b, Objective objective) {
  if (b.status == Status::Infeasible) return a;  // no mapping is lost
  if (a.status == Status::Infeasible || b.status == Status::TooLarge) return b;
  if (a.status == Status::NoneBetter) std::swap(a, b);
  const bool better =
      b.found() && (!a.found() || is_better(objective, b.search.score, a.search.score));
  if (better) std::swap(a, b);
  if (a.proof && b.status == Status::NoneBetter) {
    add_work(*a.proof, *b.proof);  // the proof stands
  } else if (a.proof && b.proof) {
    add_proof(*a.proof, *b.proof, a.found() ? value_of(objective, a.search.score) : INFINITY);
  } else if (a.proof) {
    a.proof.reset();  // of one of two spaces it proves nothing
    a.search.stop = b.search.stop;
  }
  a.space_size += b.space_size;
  a.search.seen += b.search.seen;
  a.search.valid += b.search.valid;
  a.search.seconds += b.search.seconds;
  merge_failures(a.search.failures, b.search.failures);
  return a;
}

MapOutcome map_any_roles(const Workload& workload, const Architecture& arch,
                         const MapOptions& options) {
  const std::vector<Workload> assignments = role_assignments(workload);
  const MapOptions of_one = shared_out(options, assignments.size());
  MapOutcome best;
  std::vector<MapOutcome::OfRoles> tried;
  for (const Workload& with_roles : assignments) {
    tried.push_back({roles_text(with_roles), Status::NotTried, std::nullopt, false});
    if (tried.size() > 1 && is_cancelled(options)) {
      give_up_proof(best);
      continue;
    }
    MapOutcome next = map_as_given(with_roles, arch, of_one);
    MapOutcome::OfRoles& trial = tried.back();
    trial.status = next.status;
    if (next.found()) trial.value = value_of(options.objective, next.search.score);
    trial.proven = next.proof && next.proof->status == Proof::Status::Proven &&
                   next.proof->stop == Proof::Stop::Complete;
    put_before("with " + trial.roles, next.problems);
    // What one assignment has no meaning for may be fine with another.
    if (tried.size() == 1 || best.status == Status::BadInput) {
      best = std::move(next);
    } else if (next.status != Status::BadInput) {
      best = combined(std::move(best), std::move(next), options.objective);
    }
  }
  best.roles = std::move(tried);
  return best;
}

MapOutcome map_fixed(const Workload& workload, const Architecture& arch,
                     const MapOptions& options) {
  return options.padded ? map_padded(workload, arch, options) : map_one(workload, arch, options);
}

}  // namespace tilewright::map
