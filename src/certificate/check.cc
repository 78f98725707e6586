#include <fmt/format.h>

#include "certificate/closer.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

// Carries the first failing step out of the checks below.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> why, Args&&... args) {
  throw Refused(fmt::format(why, std::forward<Args>(args)...));
}

// What the certificate is about, as values.
struct Inputs {
  Problem problem;
  std::vector<Constraint> constraints;
};

template <typename T>
T taken(Checked<T> read) {
  if (!read.ok()) refuse("{}", to_string(read.problems.front()));
  return std::move(*read.value);
}

Inputs read_inputs(const Certificate& certificate) {
  const auto arch = taken(io::read_architecture(certificate.architecture, "architecture"));
  const auto workload = taken(io::read_workload(certificate.workload, "workload"));
  std::vector<Constraint> constraints;
  if (!certificate.constraints.empty()) {
    constraints = taken(io::read_constraints(certificate.constraints, "constraints", arch));
  }
  return {taken(Problem::create(workload, arch)), std::move(constraints)};
}

// The mapping that the certificate is about, legal and with its exact cost.
Cost check_mapping(const Certificate& certificate, const Problem& problem, const Rules& rules,
                   const Terms& terms) {
  const Mapping mapping = taken(io::read_mapping(certificate.mapping, "mapping", problem));
  const auto broken = broken_rules(problem, rules, mapping);
  if (!broken.empty()) refuse("the mapping is not in the map-space: {}", broken.front());
  const Counter counter(terms, mapping);
  const auto overflows = counter.overflows();
  if (!overflows.empty()) refuse("{}", overflows.front());
  return counter.cost();
}

void check_cost(const Certificate& certificate, const Terms& terms, const Cost& cost) {
  const std::string energy = decimal_text(big(cost.energy), terms.energies.decimals);
  if (energy != certificate.energy_pj) {
    refuse("the mapping costs {} pJ, the certificate says {}", energy, certificate.energy_pj);
  }
  if (cost.cycles != certificate.cycles) {
    refuse("the mapping takes {} cycles, the certificate says {}", cost.cycles, certificate.cycles);
  }
  if (cost.instances != certificate.instances) {
    refuse("the mapping uses {} instances, the certificate says {}", cost.instances,
           certificate.instances);
  }
  const std::string value = value_text(certificate.objective, terms.energies, cost);
  if (value != certificate.value) {
    refuse("the {} of the mapping is {}, the certificate says {}", to_string(certificate.objective),
           value, certificate.value);
  }
}

Target target_of(const Certificate& certificate, const Terms& terms, const Cost& cost) {
  const int decimals = value_decimals(certificate.objective, terms.energies);
  const auto bound = read_decimal(certificate.bound, decimals);
  if (!bound || decimal_text(*bound, decimals) != certificate.bound) {
    refuse("the bound '{}' is not a decimal with at most {} places", certificate.bound, decimals);
  }
  const BigUint value = value_of(certificate.objective, cost);
  if (*bound > value) {
    refuse("the bound {} is above the value {} of the mapping", certificate.bound,
           certificate.value);
  }
  return make_target(certificate.objective, *bound, cost);
}

[[noreturn]] void refuse_frame(const Closer& closer, const Certificate& certificate,
                               const Terms& terms, std::size_t number, Closed how) {
  const std::string where = fmt::format("placement {}, frame {}", number / closer.frames() + 1,
                                        number % closer.frames() + 1);
  if (closer.better()) {
    const Cost cost = Counter(terms, *closer.better()).cost();
    const std::string value = value_text(certificate.objective, terms.energies, cost);
    if (value == certificate.bound) {
      refuse(
          "{}: a mapping has the same {} and is better by what decides between equals: {} pJ, {} "
          "cycles and {} instances, against {}, {} and {}",
          where, to_string(certificate.objective),
          decimal_text(big(cost.energy), terms.energies.decimals), cost.cycles, cost.instances,
          certificate.energy_pj, certificate.cycles, certificate.instances);
    }
    refuse("{}: a mapping has the {} {}, below the claimed {}", where,
           to_string(certificate.objective), value, certificate.bound);
  }
  const std::string floor = value_text(certificate.objective, terms.energies, closer.open_floor());
  refuse("{}: not closed by its {}; the floor {} {} the claimed {}", where,
         kWays[at(static_cast<int>(how))], floor,
         floor == certificate.bound ? "leaves ties with" : "is below", certificate.bound);
}

// How each frame is said to be closed, one placement after the other.
std::vector<Closed> ways_of(const Certificate& certificate, const Closer& closer) {
  const auto& placements = certificate.proof.placements;
  std::vector<Closed> ways;
  for (std::size_t p = 0; p < closer.placements().size(); ++p) {
    if (p >= placements.size()) {
      refuse("placement {} is not in the proof", p + 1);
    }
    std::size_t frames = 0;
    for (const Run& run : placements[p]) {
      if (run.frames < 1 || at(run.frames) > closer.frames() - frames) {
        refuse("placement {} of the proof has more than {} frames", p + 1, closer.frames());
      }
      frames += at(run.frames);
      ways.insert(ways.end(), at(run.frames), run.how);
    }
    if (frames < closer.frames()) {
      refuse("placement {}, frame {} is not in the proof", p + 1, frames + 1);
    }
  }
  if (placements.size() > closer.placements().size()) {
    refuse("the proof has {} placements, the map-space {}", placements.size(),
           closer.placements().size());
  }
  return ways;
}

void check_proof(const Certificate& certificate, const Terms& terms, Closer& closer, int threads) {
  const std::vector<Closed> ways = ways_of(certificate, closer);
  const std::size_t frames = closer.frames();
  const auto failed = for_each_frame(closer, threads, [&](Closer& own, std::size_t number) {
    return own.closes(number / frames, number % frames, ways[number]);
  });
  if (failed) refuse_frame(closer, certificate, terms, *failed, ways[*failed]);
}

void run_checks(const Certificate& certificate, int threads, Statistics& statistics) {
  if (certificate.version != kCertificateVersion) {
    refuse("this is version {}; only {} is known", certificate.version, kCertificateVersion);
  }
  const Inputs inputs = read_inputs(certificate);
  const Rules rules = taken(read_rules(inputs.problem, certificate.mapspace, inputs.constraints));
  const Terms terms(inputs.problem);
  const Cost cost = check_mapping(certificate, inputs.problem, rules, terms);
  check_cost(certificate, terms, cost);
  const Target target = target_of(certificate, terms, cost);
  Closer closer(terms, rules, target);
  check_proof(certificate, terms, closer, threads);
  statistics = closer.statistics();
}

}  // namespace

Outcome check(const Certificate& certificate, int threads) {
  Outcome outcome;
  const auto complain = [&](const std::string& why) {
    outcome.problems.push_back({.where = {}, .message = why, .hint = {}});
  };
  try {
    run_checks(certificate, threads, outcome.statistics);
  } catch (const Refused& refused) {
    complain(refused.what());
  } catch (const Unverifiable& limit) {
    complain(fmt::format("cannot verify: {}", limit.what()));
  }
  return outcome;
}

}  // namespace tilewright::certificate
