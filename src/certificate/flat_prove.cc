// How certificates of plans of flat groups are made: which groups have to be looked into, and which
// nests have to be proven for that.
#include <algorithm>
#include <set>

#include "certificate/flat_count.h"
#include "certificate/flat_proof.h"
#include "certificate/refused.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

class FlatProver {
 public:
  FlatProver(const FlatSpace& space, const FlatClaim& claim, Int128 energy)
      : space_(space),
        claim_(claim),
        energy_(energy),
        deadline_(claim.seconds, claim.cancelled),
        bounds_(space) {
    ask_floors();
    FlatGroupBounds groups(space, bounds_);
    while (look_further(groups)) {
      if (deadline_.is_cancelled()) throw Expired{};
    }
    bound_ = std::min(energy, groups.least().energy);
    for (const EinsumRun& group : groups.all()) {
      if (group.length() == 1) texts_.emplace_back();
      texts_.back().push_back(decimal_text(big(groups.known(group)), space.decimals()));
    }
  }

  void write(FlatCertificate& made) {
    made.bound = decimal_text(big(bound_), space_.decimals());
    made.groups = std::move(texts_);
    made.nests = std::move(nests_);
  }
  bool in_time() const { return in_time_; }

 private:
  // What bounds all pieces of an einsum. Without these there is no proof.
  void ask_floors() {
    std::vector<FlatQuestion> questions;
    for (int e = 0; e < space_.einsums(); ++e) {
      for (const Workload& nest : space_.bounds().nests_of(e)) {
        FlatQuestion question{e, {}, 0, 0, false};
        for (const Dimension& dim : nest.dims) question.extents.push_back(dim.size);
        questions.push_back(std::move(question));
      }
    }
    for (std::size_t i = 0; i < questions.size(); ++i) {
      ask(questions[i], static_cast<double>(questions.size() - i));
    }
  }

  // The longest group of the cuts that take least which was not looked into; false if there is
  // none, or nothing is below the plan.
  bool look_further(FlatGroupBounds& groups) {
    const FlatGroupBounds::Cuts cuts = groups.least();
    if (cuts.energy >= energy_) return false;
    const EinsumRun* next = nullptr;
    for (const EinsumRun& group : cuts.groups) {
      if (done_.contains(group)) continue;
      if (next == nullptr || group.length() > next->length()) next = &group;
    }
    if (next == nullptr) return false;
    done_.insert(*next);
    // What all others take at least is not there for it.
    const Int128 most = energy_ - groups.least(0, next->first).energy -
                        groups.least(next->last + 1, space_.einsums()).energy;
    groups.set(*next, std::max(groups.known(*next), least_of(*next, most)));
    return true;
  }

  // No more than `most`; 0 where there is no time for it, or too many plans.
  Int128 least_of(const EinsumRun& group, Int128 most) {
    if (group.length() == 1) {
      ask(alone_question(space_, group.first));
      return std::min(most, alone_least(space_, bounds_, group.first));
    }
    try {
      FlatCover cover(space_, bounds_, group, deadline_,
                      [&](const FlatQuestion& question) { ask(question); });
      return cover.least(most);
    } catch (const Expired&) {
      if (deadline_.is_cancelled()) throw;
      in_time_ = false;
    } catch (const Unverifiable&) {
      in_time_ = false;
    }
    return 0;
  }

  // Answers that say no more than what is known are left out. So many others share the time.
  void ask(FlatQuestion question, double shares = 1) {
    question.einsum = space_.same_as(question.einsum);
    if (!asked_.insert(question).second) return;
    std::optional<double> left;
    if (claim_.seconds) left = std::max(0.0, *claim_.seconds - deadline_.seconds());
    if (left && *left == 0) return;
    if (left) *left /= shares;
    const auto proof = claim_.prove_nest(space_.problem_of(question), left);
    if (!proof) return;
    const Int128 bound = flat_units(proof->bound, space_.decimals()).wide();
    if (bound <= bounds_.implied(question)) return;
    bounds_.add(question, bound);
    nests_.push_back(nest_of(space_, question, *proof));
  }

  const FlatSpace& space_;
  const FlatClaim& claim_;
  Int128 energy_;
  Deadline deadline_;
  FlatNestBounds bounds_;
  std::set<FlatQuestion> asked_;
  std::set<EinsumRun> done_;
  Int128 bound_ = 0;
  std::vector<std::vector<std::string>> texts_;
  std::vector<FlatNest> nests_;
  bool in_time_ = true;
};

void run_flat_proof(const FlatClaim& claim, FlatProven& proven) {
  FlatCertificate made;
  made.architecture = io::write_architecture(without_estimates(claim.arch));
  made.cascade = io::write_cascade(claim.cascade);
  made.shared = claim.plan.shared;
  made.longest_group = claim.longest_group;
  made.plan = io::write_plan(claim.cascade, claim.plan);
  // Dimensions may stand in another order in the files.
  const auto cascade = taken(io::read_cascade(made.cascade, "cascade"));
  const auto plan = taken(io::read_plan(made.plan, "plan", cascade, claim.arch));
  made.among = claim.among;
  const FlatSpace space(cascade, claim.arch, made.shared, made.longest_group, made.among);
  const Int128 energy = counted(space, plan);
  made.energy_pj = decimal_text(big(energy), space.decimals());
  FlatProver prover(space, claim, energy);
  prover.write(made);
  proven.in_time = prover.in_time();
  proven.certificate = std::move(made);
}

}  // namespace

FlatProven prove_flat(const FlatClaim& claim) {
  FlatProven proven;
  proven.problems = complaints_of([&] { run_flat_proof(claim, proven); }, "prove");
  return proven;
}

}  // namespace tilewright::certificate
