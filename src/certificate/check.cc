#include <fmt/format.h>

#include "certificate/closer.h"
#include "certificate/points.h"
#include "certificate/proof_steps.h"
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

// With the problem that it is of. Constraints are left to the rules.
io::PaddedMapping read_claimed_mapping(const Certificate& certificate, const Problem& problem) {
  if (!certificate.uneven) {
    return {problem, taken(io::read_mapping(certificate.mapping, "mapping", problem))};
  }
  const Problem free = without_constraints(problem);
  io::PaddedMapping read = taken(io::read_padded_mapping(certificate.mapping, "mapping", free));
  for (std::size_t d = 0; d < problem.workload().dims.size(); ++d) {
    if (read.problem.workload().dims[d].size == problem.workload().dims[d].size) continue;
    refuse("the mapping pads {}", problem.workload().dims[d].name);
  }
  return read;
}

// The mapping that the certificate is about, legal and with its exact cost.
Cost check_mapping(const Certificate& certificate, const Problem& problem, const Rules& rules,
                   const Terms& terms) {
  const io::PaddedMapping read = read_claimed_mapping(certificate, problem);
  const auto broken = broken_rules_at_points(problem, rules, read.problem, read.mapping);
  if (!broken.empty()) refuse("the mapping is not in the map-space: {}", broken.front());
  const std::optional<Terms> at_points =
      has_points(read.problem) ? std::optional<Terms>(read.problem) : std::nullopt;
  const Counter counter(at_points ? *at_points : terms, read.mapping);
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

// A cell and how it is said to be closed.
struct Claimed {
  Cell cell;
  ProofStep how = ProofStep::Floor;
  std::int64_t number = 0;  // among all steps of the proof, from 1
};

[[noreturn]] void refuse_cell(const Closer& closer, const Certificate& certificate,
                              const Terms& terms, const Claimed& claimed) {
  const std::string where = fmt::format("cell {}", claimed.number);
  if (closer.better()) {
    const Cost& cost = closer.better()->cost;
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
  refuse("{}: not closed by its {}; the floor {} {} the claimed {}", where, name_of(claimed.how),
         floor, floor == certificate.bound ? "leaves ties with" : "is below", certificate.bound);
}

// Goes through the steps of a proof and the cells that they are about.
class ProofWalk {
 public:
  ProofWalk(const Proof& proof, Cover& cover) : proof_(proof), cover_(cover) {
    waiting_ = cover.whole();
  }

  // The next cells that are not split, at most so many.
  std::vector<Claimed> next(std::size_t most) {
    std::vector<Claimed> cells;
    while (!waiting_.empty() && cells.size() < most) {
      Cell cell = std::move(waiting_.back());
      waiting_.pop_back();
      const ProofStep step = next_step();
      const bool frame = cover_.is_frame(cell);
      if (frame && step == ProofStep::Split) refuse("cell {}: a frame cannot be split", number_);
      if (!frame && step != ProofStep::Split && step != ProofStep::Floor) {
        refuse("cell {}: only a frame is closed by its {}", number_, name_of(step));
      }
      if (step != ProofStep::Split) {
        cells.push_back({std::move(cell), step, number_});
        continue;
      }
      std::vector<Cell> parts = cover_.parts(cell);
      std::move(parts.rbegin(), parts.rend(), std::back_inserter(waiting_));
    }
    if (waiting_.empty() && run_ < proof_.size()) {
      refuse("the proof goes on after cell {}, the last one", number_);
    }
    return cells;
  }

 private:
  ProofStep next_step() {
    ++number_;
    if (run_ == proof_.size()) refuse("cell {} is not in the proof", number_);
    const Run& run = proof_[run_];
    if (run.cells < 1) refuse("cell {}: a run of {} cells", number_, run.cells);
    if (++in_run_ == run.cells) {
      ++run_;
      in_run_ = 0;
    }
    return run.step;
  }

  const Proof& proof_;
  Cover& cover_;
  std::vector<Cell> waiting_;  // the next one last
  std::size_t run_ = 0;
  std::int64_t in_run_ = 0;
  std::int64_t number_ = 0;
};

Statistics check_proof(const Certificate& certificate, const Terms& terms, Closer& closer,
                       int threads, const Deadline& deadline) {
  constexpr std::size_t kAtATime = 4096;
  Closers closers(closer, threads);
  ProofWalk walk(certificate.proof, closer.cover());
  while (true) {
    deadline.check();
    const std::vector<Claimed> cells = walk.next(kAtATime);
    if (cells.empty()) return closers.statistics();
    const auto failed = closers.for_each(cells.size(), [&](Closer& own, std::size_t number) {
      return own.closes(cells[number].cell, cells[number].how);
    });
    if (failed) refuse_cell(closers.failed(), certificate, terms, cells[*failed]);
  }
}

void run_checks(const Certificate& certificate, int threads, const std::atomic<bool>* cancelled,
                Statistics& statistics) {
  if (certificate.version != kCertificateVersion) {
    refuse("this is version {}; only {} is known; write it again by map --certificate",
           certificate.version, kCertificateVersion);
  }
  const Inputs inputs = read_inputs(certificate);
  if (certificate.uneven && shares_halos(inputs.problem.arch())) {
    throw Unverifiable("uneven mappings with \"halo: shared\" are not known to the checker");
  }
  const Rules rules = taken(
      read_rules(inputs.problem, certificate.mapspace, inputs.constraints, certificate.uneven));
  const Terms terms(inputs.problem);
  const Cost cost = check_mapping(certificate, inputs.problem, rules, terms);
  check_cost(certificate, terms, cost);
  const Target target = target_of(certificate, terms, cost);
  const Deadline deadline(std::nullopt, cancelled);
  Closer closer(terms, rules, target, deadline);
  statistics = check_proof(certificate, terms, closer, threads, deadline);
}

}  // namespace

Outcome check(const Certificate& certificate, int threads, const std::atomic<bool>* cancelled) {
  Outcome outcome;
  const auto complain = [&](const std::string& why) {
    outcome.problems.push_back({.where = {}, .message = why, .hint = {}});
  };
  try {
    run_checks(certificate, threads, cancelled, outcome.statistics);
  } catch (const Refused& refused) {
    complain(refused.what());
  } catch (const Unverifiable& limit) {
    complain(fmt::format("cannot verify: {}", limit.what()));
  } catch (const Expired&) {
    complain("interrupted");
  }
  return outcome;
}

}  // namespace tilewright::certificate
