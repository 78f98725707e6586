// Certificates of networks: the proofs of parts, and what follows for the whole.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/thread_pool.h"
#include "certificate/contractions.h"
#include "certificate/part_claims.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

using Known = PartOutcome::Known;

// --- sums -----------------------------------------------------------------------------

// Decimals of any places, each so many times, added up exactly.
class DecimalSum {
 public:
  void add(const std::string& text, std::int64_t count) {
    // Sums of such decimals are far below the limit of BigUint.
    constexpr std::size_t kLongest = 120;
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::size_t places = point == text.size() ? 0 : text.size() - point - 1;
    const auto units =
        text.size() > kLongest ? std::nullopt : read_decimal(text, static_cast<int>(places));
    if (!units || decimal_text(*units, static_cast<int>(places)) != text) {
      refuse("'{}' is not a decimal", text.substr(0, kLongest));
    }
    add_units(*units * big(count), static_cast<int>(places));
  }
  std::string text() const { return decimal_text(units_, decimals_); }

 private:
  void add_units(BigUint units, int decimals) {
    for (; decimals < decimals_; ++decimals) units *= 10;
    for (; decimals_ < decimals; ++decimals_) units_ *= 10;
    units_ += units;
  }

  BigUint units_;
  int decimals_ = 0;
};

// What one of a part takes; proofs of it have been checked, or it is what the search says.
void add_energy(const PartCertificate& part, std::int64_t count, DecimalSum& sum) {
  if (part.plan) sum.add(part.plan->energy_pj, count);
  if (part.flat) sum.add(part.flat->energy_pj, count);
  if (part.bounded) sum.add(part.bounded->energy_pj, count);
  for (const Certificate& mapping : part.mappings) sum.add(mapping.energy_pj, count);
  if (part.stated) sum.add(part.stated->energy_pj, count);
}

// What it takes at least, by its proof.
void add_bound(const PartCertificate& part, DecimalSum& sum) {
  if (part.bounded) sum.add(part.bounded->bound, part.count);
  if (!part.unproven.empty()) return;
  if (part.plan) sum.add(part.plan->bound, part.count);
  if (part.flat) sum.add(part.flat->bound, part.count);
  for (const Certificate& mapping : part.mappings) sum.add(mapping.bound, part.count);
}

struct Totals {
  std::string energy_pj, bound;
};

Totals totals_of(const std::vector<PartCertificate>& parts) {
  DecimalSum energy, bound;
  for (const PartCertificate& part : parts) {
    add_energy(part, part.count, energy);
    add_bound(part, bound);
  }
  return {energy.text(), bound.text()};
}

// --- contractions -----------------------------------------------------------------------

using Contractions = std::map<std::string, Count>;

void expect_equal(const Contractions& network, const Contractions& parts) {
  for (const Contractions* all : {&network, &parts}) {
    for (const auto& [key, count] : *all) {
      const auto times_in = [&](const Contractions& other) {
        const auto found = other.find(key);
        return found == other.end() ? Int128{0} : Int128{found->second};
      };
      if (times_in(network) == times_in(parts)) continue;
      refuse("the network has {} times the contraction {}, the parts have it {} times",
             times_in(network), key, times_in(parts));
    }
  }
}

// --- parts ------------------------------------------------------------------------------

void expect_one_kind(const PartCertificate& part) {
  const int kinds = (part.plan ? 1 : 0) + (part.flat ? 1 : 0) + (part.bounded ? 1 : 0) +
                    (part.mappings.empty() ? 0 : 1) + (part.stated ? 1 : 0);
  if (kinds != 1) {
    refuse("it has to have a proof or a bound of plans, proofs of mappings, or an energy");
  }
  if (part.count < 1) refuse("the network has it {} times", part.count);
  const bool must_say = part.stated || part.bounded || part.mappings.size() > 1;
  if (must_say && part.unproven.empty()) refuse("it does not say why its plans are not proven");
  // A contraction on its own may be of a part whose plans are not proven.
  if ((part.plan || part.flat) && !part.unproven.empty()) {
    refuse("it has a proof, and says that it has none: {}", part.unproven);
  }
}

// Proofs of parts are about what the network's is about.
void expect_same_claim(const PartCertificate& part, const NetworkCertificate& whole) {
  for (const Certificate& mapping : part.mappings) expect_part_claim(mapping, whole.architecture);
  const auto expect_same_architecture = [&](const auto& proof) {
    if (proof && proof->architecture != whole.architecture) {
      refuse("its architecture is another one");
    }
  };
  expect_same_architecture(part.plan);
  expect_same_architecture(part.flat);
  expect_same_architecture(part.bounded);
  if (part.plan && part.plan->objective != Objective::Energy) {
    refuse("its objective is {}", to_string(part.plan->objective));
  }
}

Known known_of(const PartCertificate& part) {
  if (part.stated) return Known::Stated;
  if (part.bounded) return Known::Unchecked;
  if (!part.unproven.empty()) return Known::Counted;
  if (part.flat) {
    return part.flat->bound == part.flat->energy_pj ? Known::Optimal : Known::Bounded;
  }
  const bool optimal = part.plan ? part.plan->bound == part.plan->value
                                 : part.mappings.front().bound == part.mappings.front().value;
  return optimal ? Known::Optimal : Known::Bounded;
}

// Dimensions are cut in cascades; each contraction says once how.
void expect_cuts_of(const PartCertificate& part, const std::vector<Workload>& workloads) {
  if (!part.cuts.empty() && !part.mappings.empty()) {
    refuse("mappings have contractions as they are, and dimensions of these are cut");
  }
  std::set<std::string> names;
  for (const Workload& workload : workloads) names.insert(workload.name);
  for (const CutContraction& cut : part.cuts) {
    if (names.erase(cut.contraction) == 0) {
      refuse("its cascade has no contraction {} to cut, or it is cut twice", cut.contraction);
    }
  }
}

// The contractions of a part.
std::vector<Workload> workloads_of(const PartCertificate& part, const Architecture& arch) {
  std::vector<Workload> workloads;
  for (const Certificate& mapping : part.mappings) {
    workloads.push_back(taken(io::read_workload(mapping.workload, "workload")));
  }
  if (!part.mappings.empty()) return workloads;
  const std::string& text = part.plan      ? part.plan->cascade
                            : part.flat    ? part.flat->cascade
                            : part.bounded ? part.bounded->cascade
                                           : part.stated->cascade;
  const Cascade cascade = taken(io::read_cascade(text, "cascade"));
  for (const CascadeEinsum& einsum : cascade.einsums) workloads.push_back(einsum.workload);
  if (part.stated && !part.stated->plan.empty()) {
    taken(io::read_plan(part.stated->plan, "plan", cascade, arch));
  }
  return workloads;
}

std::vector<Diagnostic> check_proofs(const PartCertificate& part,
                                     const std::atomic<bool>* cancelled) {
  std::vector<Diagnostic> problems;
  if (part.plan) problems = check(*part.plan, cancelled).problems;
  if (part.flat) problems = check(*part.flat, 1, cancelled).problems;
  if (part.bounded) problems = check(*part.bounded, 1, cancelled).problems;
  for (const Certificate& mapping : part.mappings) {
    if (problems.empty()) problems = check(mapping, 1, cancelled).problems;
  }
  return problems;
}

class NetworkChecker {
 public:
  NetworkChecker(const NetworkCertificate& certificate, NetworkOutcome& outcome)
      : certificate_(certificate), outcome_(outcome) {}

  void run(int threads, const std::atomic<bool>* cancelled) {
    expect_version(certificate_.version, kNetworkCertificateVersion, "fuse");
    const auto arch = taken(io::read_architecture(certificate_.architecture, "architecture"));
    network_ = taken(io::read_network(certificate_.network, "network"));
    outcome_.name = network_.name;
    for (std::size_t i = 0; i < certificate_.parts.size(); ++i) {
      in_part(i, [&] { add_part(certificate_.parts[i], arch); });
    }
    check_network();
    check_limits();
    check_totals();
    check_all_proofs(threads, cancelled);
  }

 private:
  // Says which part a complaint is about.
  template <typename Checks>
  static void in_part(std::size_t number, Checks checks) {
    const std::vector<Diagnostic> problems = complaints_of(checks);
    if (!problems.empty()) refuse_part(number, problems.front());
  }
  [[noreturn]] static void refuse_part(std::size_t number, const Diagnostic& problem) {
    refuse("part {}: {}", number + 1, to_string(problem));
  }

  void add_part(const PartCertificate& part, const Architecture& arch) {
    expect_one_kind(part);
    expect_same_claim(part, certificate_);
    PartOutcome& shown = outcome_.parts.emplace_back();
    shown.known = known_of(part);
    shown.count = part.count;
    DecimalSum energy;
    add_energy(part, part.count, energy);
    shown.energy_pj = energy.text();
    const std::vector<Workload> workloads = workloads_of(part, arch);
    expect_cuts_of(part, workloads);
    if (!part.cuts.empty()) expect_no_loop_rules(arch);
    for (const Workload& workload : workloads) {
      shown.contractions.push_back(workload.name);
      const auto cut = std::find_if(part.cuts.begin(), part.cuts.end(), [&](const auto& one) {
        return one.contraction == workload.name;
      });
      const WholeContraction whole = cut == part.cuts.end()
                                         ? WholeContraction{contraction_key(workload), 1}
                                         : whole_contraction(workload, *cut, network_);
      in_parts_[whole.key] += Count(part.count) * whole.times;
    }
  }

  void check_network() const {
    Contractions in_network;
    for (const Layer& layer : network_.layers) {
      in_network[contraction_key(layer.workload)] += layer.count;
    }
    expect_equal(in_network, in_parts_);
  }

  // All plans are searched within the same limits.
  void check_limits() const {
    std::optional<std::pair<std::string, int>> first;
    for (std::size_t i = 0; i < certificate_.parts.size(); ++i) {
      const PartCertificate& part = certificate_.parts[i];
      const auto expect_limits = [&](const auto& proof) {
        if (!proof) return;
        const std::pair limits(proof->shared, proof->longest_group);
        if (!first) first = limits;
        if (limits != *first) {
          refuse_part(i, {{}, "its plans have other limits than those before", ""});
        }
      };
      expect_limits(part.plan);
      expect_limits(part.flat);
      expect_limits(part.bounded);
    }
  }

  void check_totals() const {
    const Totals totals = totals_of(certificate_.parts);
    if (totals.energy_pj != certificate_.energy_pj) {
      refuse("the parts take {} pJ, the certificate says {}", totals.energy_pj,
             certificate_.energy_pj);
    }
    if (totals.bound != certificate_.bound) {
      refuse("the proven bounds of the parts are {} pJ together, the certificate says {}",
             totals.bound, certificate_.bound);
    }
  }

  void check_all_proofs(int threads, const std::atomic<bool>* cancelled) const {
    std::vector<std::vector<Diagnostic>> problems(certificate_.parts.size());
    parallel_for(problems.size(), threads, [&](int, std::size_t i) {
      problems[i] = check_proofs(certificate_.parts[i], cancelled);
      return true;
    });
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (!problems[i].empty()) refuse_part(i, problems[i].front());
    }
  }

  const NetworkCertificate& certificate_;
  NetworkOutcome& outcome_;
  Network network_;
  Contractions in_parts_;
};

}  // namespace

NetworkOutcome check(const NetworkCertificate& certificate, int threads,
                     const std::atomic<bool>* cancelled) {
  NetworkOutcome outcome;
  outcome.problems =
      complaints_of([&] { NetworkChecker(certificate, outcome).run(threads, cancelled); });
  return outcome;
}

Workload with_known_names(Workload workload) {
  for (Dimension& dim : workload.dims) {
    if (!dim.known_as.empty()) dim.name = std::exchange(dim.known_as, "");
  }
  return workload;
}

NetworkCertificate certificate_of(const Network& network, const Architecture& arch,
                                  std::vector<PartCertificate> parts) {
  NetworkCertificate made;
  made.architecture = io::write_architecture(without_estimates(arch));
  made.network = io::write_network(network);
  made.parts = std::move(parts);
  const Totals totals = totals_of(made.parts);
  made.energy_pj = totals.energy_pj;
  made.bound = totals.bound;
  return made;
}

PartCertificate stated_part(const Cascade& cascade, const std::optional<Plan>& plan,
                            double energy_pj) {
  PartCertificate part;
  part.stated = PartCertificate::Stated{io::write_cascade(cascade),
                                        plan ? io::write_plan(cascade, *plan) : std::string(),
                                        stated_energy(energy_pj)};
  return part;
}

}  // namespace tilewright::certificate
