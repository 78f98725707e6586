#include "proofs/network_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/deadline.h"
#include "base/thread_pool.h"
#include "proofs/certified.h"
#include "proofs/plan_task.h"

namespace tilewright::cli {
namespace {

using certificate::PartCertificate;

// How the einsums of a part have the contractions of the network, whose dimensions were cut or are
// taken one by one.
std::vector<certificate::CutContraction> cuts_of(const NetworkPart& part) {
  std::vector<certificate::CutContraction> cuts;
  for (std::size_t e = 0; e < part.layers.size(); ++e) {
    const Workload& einsum = part.cascade.einsums[e].workload;
    const Workload layer = certificate::with_known_names(part.layers[e].workload);
    certificate::CutContraction cut{einsum.name};
    for (const Dimension& dim : einsum.dims) {
      cut.factors[dim.known_as.empty() ? dim.name : dim.known_as].push_back(dim.name);
    }
    for (const auto& [known, names] : cut.factors) {
      if (!layer.find_dim(known)) cut.together.push_back(known);
    }
    std::erase_if(cut.factors, [](const auto& one) { return one.second.size() == 1; });
    if (!cut.factors.empty() || !cut.together.empty()) cuts.push_back(std::move(cut));
  }
  return cuts;
}

class NetworkProver {
 public:
  NetworkProver(const Architecture& arch, const FusedNetwork& fused, const FuseOptions& allowed)
      : arch_(arch), fused_(fused), allowed_(allowed) {
    counts_.resize(fused.outcomes.size());
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      counts_[fused.outcomes[i].first] += fused.parts.parts[i].count;
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] > 0) distinct_.push_back(i);
    }
    waiting_ = distinct_.size();
  }

  // One for all parts with the same work; where dimensions of a part are cut and nothing is fused,
  // one for each of its contractions.
  std::vector<PartCertificate> prove(int threads) {
    std::vector<std::vector<PartCertificate>> made(distinct_.size());
    complaints_.resize(distinct_.size());
    parallel_for(distinct_.size(), threads, [&](int, std::size_t i) {
      made[i] = prove_parts(distinct_[i], share(threads), complaints_[i]);
      for (PartCertificate& part : made[i]) part.count *= counts_[distinct_[i]];
      return true;
    });
    std::vector<PartCertificate> all;
    for (std::vector<PartCertificate>& parts : made) append(all, parts);
    return all;
  }

  std::vector<std::string> complaints() const {
    std::vector<std::string> all;
    for (const std::string& one : complaints_) {
      if (!one.empty()) all.push_back(one);
    }
    return all;
  }

 private:
  // The next part has this share of the time that is left.
  std::optional<double> share(int threads) {
    const std::size_t waiting = waiting_--;
    if (!allowed_.seconds) return std::nullopt;
    const double left = *allowed_.seconds - fused_.seconds - clock_.seconds();
    return std::max(0.0, left) * std::min(1.0, threads / static_cast<double>(waiting));
  }

  const Cascade& cascade(std::size_t part) const { return fused_.parts.parts[part].cascade; }

  std::vector<PartCertificate> prove_parts(std::size_t part, std::optional<double> seconds,
                                           std::string& complaint) const {
    const FusedPart& found = fused_.outcomes[part];
    const NetworkPart& of = fused_.parts.parts[part];
    if (!found.plan && !of.layers.empty()) return prove_layers(part, seconds, complaint);
    PartCertificate made = certificate::stated_part(of.cascade, found.plan, found.energy_pj);
    if (found.plan) {
      prove_plan(part, seconds, made, complaint);
    } else {
      prove_alone(of.cascade, found.alone, seconds, made, complaint);
      if (made.mappings.size() > 1) made.unproven = why_alone(found);
    }
    if (made.mappings.empty()) made.cuts = cuts_of(of);
    return {made};
  }

  static std::string why_alone(const FusedPart& found) {
    return found.problems.empty() ? "no plan of these contractions was found that takes less"
                                  : to_string(found.problems.front());
  }

  // The contractions as the network has them.
  std::vector<PartCertificate> prove_layers(std::size_t part, std::optional<double> seconds,
                                            std::string& complaint) const {
    const FusedPart& found = fused_.outcomes[part];
    std::vector<PartCertificate> all;
    if (seconds) *seconds /= static_cast<double>(found.alone.size());
    for (std::size_t e = 0; e < found.alone.size(); ++e) {
      const Layer& layer = fused_.parts.parts[part].layers[e];
      Cascade alone{cascade(part).name, "", {{layer.workload, {}}}};
      alone.einsums.front().workload.name = cascade(part).workload(static_cast<int>(e)).name;
      PartCertificate made =
          certificate::stated_part(alone, std::nullopt, found.alone[e].search.score.energy_pj);
      prove_alone(alone, {found.alone[e]}, seconds, made, complaint);
      made.count = layer.count;
      if (made.unproven.empty()) made.unproven = why_alone(found);
      all.push_back(std::move(made));
    }
    return all;
  }

  void prove_plan(std::size_t part, std::optional<double> seconds, PartCertificate& made,
                  std::string& complaint) const {
    const FusedPart& found = fused_.outcomes[part];
    const FoundPlan plan{*found.plan, found.searched, found.proven, seconds};
    if (found.searched == FuseOutcome::Searched::Flat) {
      prove_flat_plan(part, plan, made);
      return;
    }
    certificate::PlanProven proven = certified_plan(cascade(part), arch_, allowed_, plan);
    if (proven.certificate) {
      made = {.plan = std::move(proven.certificate)};
      return;
    }
    made.unproven = to_string(proven.problems.front());
    if (proven.is_beyond) {
      bound_plan(part, plan, made);
    } else {
      complaint = cascade(part).name + ": " + made.unproven;
    }
  }

  // A bound is what is left where the checker does not know such plans.
  void prove_flat_plan(std::size_t part, FoundPlan plan, PartCertificate& made) const {
    const Stopwatch stopwatch;
    certificate::FlatProven proven = certified_flat_plan(cascade(part), arch_, allowed_, plan);
    if (proven.certificate) {
      made = {.flat = std::move(proven.certificate)};
      return;
    }
    made.unproven = to_string(proven.problems.front());
    if (plan.seconds) plan.seconds = std::max(0.0, *plan.seconds - stopwatch.seconds());
    bound_plan(part, plan, made);
  }

  void bound_plan(std::size_t part, const FoundPlan& plan, PartCertificate& made) const {
    const double energy_pj = fused_.outcomes[part].energy_pj;
    auto bound = certified_bound(cascade(part), arch_, allowed_, plan, energy_pj);
    if (!bound.ok()) {
      made.unproven += "; no bound: " + to_string(bound.problems.front());
      return;
    }
    made.stated.reset();
    made.bounded = std::move(bound.value);
  }

  // Every contraction on its own. Of several, plans are not known.
  void prove_alone(const Cascade& of, const std::vector<MapOutcome>& found,
                   std::optional<double> seconds, PartCertificate& made,
                   std::string& complaint) const {
    if (seconds) *seconds /= static_cast<double>(found.size());
    std::vector<certificate::Certificate> mappings;
    for (std::size_t e = 0; e < found.size(); ++e) {
      certificate::Proven proven = certified_alone(of.einsums[e].workload, found[e], seconds);
      if (!proven.certificate) {
        made.unproven = proven.better ? "the checker knows a better mapping"
                                      : to_string(proven.problems.front());
        if (proven.better) complaint = of.name + ": " + made.unproven;
        return;
      }
      mappings.push_back(std::move(*proven.certificate));
    }
    made = {.mappings = std::move(mappings)};
  }

  certificate::Proven certified_alone(const Workload& workload, const MapOutcome& found,
                                      std::optional<double> seconds) const {
    if (!found.proof) {
      certificate::Proven none;
      none.problems.push_back({{}, "the mapping was found without a bound", ""});
      return none;
    }
    MapOptions options = alone_options(allowed_);
    options.limits.seconds = seconds;
    // What the search took is taken off again.
    if (seconds) *options.limits.seconds += found.proof->seconds;
    // A file of one workload has no other names than those that architectures know.
    const Workload plain = certificate::with_known_names(workload);
    MapOutcome renamed = found;
    renamed.problem = std::move(Problem::create(plain, arch_).value);
    return certified({arch_, {}, plain, {}}, options, renamed);
  }

  const Architecture& arch_;
  const FusedNetwork& fused_;
  const FuseOptions& allowed_;
  Stopwatch clock_;
  std::vector<std::int64_t> counts_;   // by part, with those that are the same work
  std::vector<std::size_t> distinct_;  // parts
  std::atomic<std::size_t> waiting_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace

FuseOptions search_to_certify(const FuseOptions& allowed) {
  FuseOptions search = allowed;
  if (search.seconds) *search.seconds /= 2;
  return search;
}

CertifiedNetwork certified_network(const Network& network, const Architecture& arch,
                                   const FusedNetwork& fused, const FuseOptions& allowed,
                                   int threads) {
  NetworkProver prover(arch, fused, allowed);
  std::vector<PartCertificate> parts = prover.prove(threads);
  CertifiedNetwork made{std::nullopt, prover.complaints()};
  if (made.complaints.empty()) {
    made.certificate = certificate::certificate_of(network, arch, std::move(parts));
  }
  return made;
}

}  // namespace tilewright::cli
