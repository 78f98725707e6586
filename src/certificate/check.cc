#include "certificate/closer.h"
#include "certificate/points.h"
#include "certificate/proof_steps.h"
#include "certificate/refused.h"
#include "certificate/settings.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

// What the certificate is about, as values.
struct Inputs {
  Architecture arch;
  Workload workload;
  std::vector<Constraint> constraints;
};

Inputs read_inputs(const Certificate& certificate) {
  auto arch = taken(io::read_architecture(certificate.architecture, "architecture"));
  auto workload = taken(io::read_workload(certificate.workload, "workload"));
  std::vector<Constraint> constraints;
  if (!certificate.constraints.empty()) {
    constraints = taken(io::read_constraints(certificate.constraints, "constraints", arch));
  }
  return {std::move(arch), std::move(workload), std::move(constraints)};
}

// With the problem that it is of. Constraints are left to the rules.
io::PaddedMapping read_claimed_mapping(const Certificate& certificate, const Problem& problem) {
  if (certificate.among == Among::Even) {
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
  return make_target(certificate.objective, *bound, cost, terms);
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

Statistics check_proof(const Certificate& certificate, const Proof& proof, const Terms& terms,
                       Closer& closer, int threads, const Deadline& deadline) {
  constexpr std::size_t kAtATime = 4096;
  Closers closers(closer, threads);
  ProofWalk walk(proof, closer.cover());
  while (true) {
    deadline.check();
    const std::vector<Claimed> cells = walk.next(kAtATime);
    if (cells.empty()) return closers.statistics();
    const bool large = std::any_of(cells.begin(), cells.end(), [](const Claimed& claimed) {
      return claimed.how != ProofStep::Floor && claimed.how != ProofStep::Lattice;
    });
    const auto failed = closers.for_each(cells.size(), large, [&](Closer& own, std::size_t number) {
      return own.closes(cells[number].cell, cells[number].how);
    });
    if (failed) refuse_cell(closers.failed(), certificate, terms, cells[*failed]);
  }
}

// One map-space and one proof.
Statistics check_space(const Certificate& certificate, const Inputs& inputs, int threads,
                       const Deadline& deadline) {
  if (!certificate.setting.empty() || !certificate.settings.empty()) {
    refuse("there are settings, but the architecture has no flexibility");
  }
  const Problem problem = taken(Problem::create(inputs.workload, inputs.arch));
  const Rules rules = taken(read_rules(problem, certificate.mapspace, inputs.constraints,
                                       uneven_memories(problem, certificate.among)));
  const Terms terms(problem);
  const Cost cost = check_mapping(certificate, problem, rules, terms);
  check_cost(certificate, terms, cost);
  const Target target = target_of(certificate, terms, cost);
  Closer closer(terms, rules, target, deadline);
  return check_proof(certificate, certificate.proof, terms, closer, threads, deadline);
}

// --- flexible architectures ---------------------------------------------------------

// The mapping in the setting that it is said to need, and so the target of all settings.
Target check_setting_of_mapping(const Certificate& certificate, const Settings& settings) {
  std::string why = fmt::format(
      "the architecture cannot be set to '{}', as the mapping needs it to be", certificate.setting);
  for (const ArraySetting& setting : settings.named(certificate.setting)) {
    const Settings::SetUpProblem set =
        settings.set_up(setting, certificate.mapspace, certificate.among);
    const Terms terms(set.problem);
    try {
      const Cost cost = check_mapping(certificate, set.problem, set.rules, terms);
      check_cost(certificate, terms, cost);
      return target_of(certificate, terms, cost);
    } catch (const Refused& refused) {
      why = refused.what();  // a fixed tile may be unrolled in another way
    }
  }
  throw Refused(why);
}

// Every setting that the checker derives has to be closed, in the checker's order.
Statistics check_settings(const Certificate& certificate, const Inputs& inputs, int threads,
                          const Deadline& deadline) {
  if (!certificate.proof.empty()) refuse("a flexible architecture has a proof for each setting");
  const Settings settings(inputs.workload, inputs.arch, inputs.constraints);
  const Target target = check_setting_of_mapping(certificate, settings);
  Statistics sum;
  for (std::size_t i = 0; i < settings.all().size(); ++i) {
    const std::string name = settings.text_of(settings.all()[i]);
    if (i == certificate.settings.size()) refuse("there is no proof for the setting {}", name);
    const Certificate::OfSetting& claimed = certificate.settings[i];
    if (claimed.setting != name) {
      refuse("setting {} is {}, where {} is to be closed", i + 1, claimed.setting, name);
    }
    const Settings::SetUpProblem set =
        settings.set_up(settings.all()[i], certificate.mapspace, certificate.among);
    const Terms terms(set.problem);
    Closer closer(terms, set.rules, target, deadline);
    try {
      sum += check_proof(certificate, claimed.proof, terms, closer, threads, deadline);
    } catch (const Refused& refused) {
      refuse("setting {}: {}", name, refused.what());
    }
  }
  if (certificate.settings.size() > settings.all().size()) {
    refuse("there are {} settings, and proofs for {}", settings.all().size(),
           certificate.settings.size());
  }
  return sum;
}

void run_checks(const Certificate& certificate, int threads, const std::atomic<bool>* cancelled,
                Statistics& statistics) {
  expect_version(certificate.version, kCertificateVersion, "map");
  const Inputs inputs = read_inputs(certificate);
  const Deadline deadline(std::nullopt, cancelled);
  statistics = inputs.arch.flexibility ? check_settings(certificate, inputs, threads, deadline)
                                       : check_space(certificate, inputs, threads, deadline);
}

}  // namespace

Outcome check(const Certificate& certificate, int threads, const std::atomic<bool>* cancelled) {
  Outcome outcome;
  outcome.problems =
      complaints_of([&] { run_checks(certificate, threads, cancelled, outcome.statistics); });
  return outcome;
}

}  // namespace tilewright::certificate
