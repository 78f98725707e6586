#include <algorithm>

#include "certificate/closer.h"
#include "certificate/points.h"
#include "certificate/settings.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

// `mapped` is the problem that the mapping is of.
Certificate describe(const Claim& claim, const Problem& mapped, const Terms& terms,
                     const Cost& cost) {
  Certificate made;
  made.architecture = io::write_architecture(without_estimates(claim.problem.arch()));
  made.workload = io::write_workload(claim.problem.workload());
  if (!claim.constraints.empty()) made.constraints = io::write_constraints(claim.constraints);
  made.mapspace = claim.mapspace;
  made.among = claim.among;
  made.objective = claim.objective;
  made.setting = claim.setting;
  made.mapping = io::write_mapping(mapped, canonical(mapped, claim.mapping));
  made.energy_pj = decimal_text(big(cost.energy), terms.energies.decimals);
  made.cycles = cost.cycles;
  made.instances = cost.instances;
  made.value = value_text(claim.objective, terms.energies, cost);
  made.bound = claim.bound.value_or(made.value);
  return made;
}

void object_to(Proven& proven, const std::string& why) {
  proven.problems.push_back({.where = {}, .message = why, .hint = {}});
}

// A part of the proof: what is written down, and then a cell that is still open.
struct Piece {
  Proof proof;
  std::optional<Cell> open;
};

void append(Proof& proof, ProofStep step, std::int64_t cells = 1) {
  if (proof.empty() || proof.back().step != step) proof.push_back({step, 0});
  proof.back().cells += cells;
}

void append(Proof& proof, const Proof& more) {
  for (const Run& run : more) append(proof, run.step, run.cells);
}

// False if a cell has something better.
bool write_down(Closer& closer, const Cell& cell, Proof& proof) {
  if (const std::optional<ProofStep> how = closer.close(cell)) {
    append(proof, *how);
    return true;
  }
  if (closer.cover().is_frame(cell)) return false;
  append(proof, ProofStep::Split);
  const std::vector<Cell> parts = closer.cover().parts(cell);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Cell& part) { return write_down(closer, part, proof); });
}

// Splits what its floor does not close, frames aside.
std::vector<Piece> split_open(Closer& closer, const std::vector<Piece>& pieces) {
  std::vector<Piece> result;
  for (const Piece& piece : pieces) {
    const bool is_done = !piece.open || closer.cover().is_frame(*piece.open);
    result.push_back(piece);
    if (is_done) continue;
    result.back().open.reset();
    if (closer.closes(*piece.open, ProofStep::Floor)) {
      append(result.back().proof, ProofStep::Floor);
      continue;
    }
    append(result.back().proof, ProofStep::Split);
    for (const Cell& part : closer.cover().parts(*piece.open)) result.push_back({{}, part});
  }
  return result;
}

// The pieces of a proof that threads can share.
std::vector<Piece> first_pieces(Closer& closer) {
  constexpr std::size_t kEnough = 200;
  std::vector<Piece> pieces;
  for (const Cell& cell : closer.cover().whole()) pieces.push_back({{}, cell});
  std::size_t before = 0;
  while (pieces.size() > before && pieces.size() < kEnough) {
    before = pieces.size();
    pieces = split_open(closer, pieces);
  }
  return pieces;
}

// What has to be closed.
struct Space {
  const Terms& terms;
  const Rules& rules;
  const Target& target;
};

// Writes down how a space is closed; false if it is not, and why.
bool prove_space(const Claim& claim, const Space& space, const Deadline& deadline, Proof& proof,
                 Proven& proven) {
  Closer closer(space.terms, space.rules, space.target, deadline);
  std::vector<Piece> pieces = first_pieces(closer);
  Closers closers(closer, claim.threads);
  const auto failed = closers.for_each(pieces.size(), false, [&](Closer& own, std::size_t number) {
    Piece& piece = pieces[number];
    return !piece.open || write_down(own, *piece.open, piece.proof);
  });
  proven.statistics += closers.statistics();
  if (failed) {
    const std::optional<Found>& better = closers.failed().better();
    if (better) proven.better = better->mapping;
    if (better && better->apart) proven.apart = *better->apart;
    if (!better) object_to(proven, "a part of the map-space cannot be closed");
    return false;
  }
  for (const Piece& piece : pieces) append(proof, piece.proof);
  return true;
}

// The certificate without its proof, and what has to be reached for it.
struct StartedProof {
  Certificate made;
  Target target;
};

// Counts the mapping, on the problem with its storage points; nothing if it does not fit or the
// bound of the claim is none.
std::optional<StartedProof> start_proof(const Claim& claim, const Terms& terms,
                                        const Problem& mapped, Proven& proven) {
  const Terms at_points(mapped);
  const Counter counter(at_points, claim.mapping);
  for (const std::string& why : counter.overflows()) object_to(proven, why);
  if (!proven.problems.empty()) return std::nullopt;
  const Cost cost = counter.cost();
  Certificate made = describe(claim, mapped, terms, cost);
  const auto bound = read_decimal(made.bound, value_decimals(claim.objective, terms.energies));
  if (!bound || *bound > value_of(claim.objective, cost)) {
    object_to(proven, "the bound " + made.bound + " is no decimal up to the value " + made.value);
    return std::nullopt;
  }
  return StartedProof{std::move(made), make_target(claim.objective, *bound, cost, terms)};
}

void run_proof(const Claim& claim, Proven& proven) {
  Checked<Rules> rules = read_rules(claim.problem, claim.mapspace, claim.constraints,
                                    uneven_memories(claim.problem, claim.among));
  if (!rules.ok()) {
    proven.problems = std::move(rules.problems);
    return;
  }
  const Problem& mapped = claim.apart ? *claim.apart : claim.problem;
  for (const std::string& why :
       broken_rules_at_points(claim.problem, *rules.value, mapped, claim.mapping)) {
    object_to(proven, "the mapping is not in the map-space: " + why);
  }
  if (!proven.problems.empty()) return;
  const Terms terms(claim.problem);
  auto started = start_proof(claim, terms, mapped, proven);
  if (!started) return;
  const Deadline deadline(claim.seconds, claim.cancelled);
  const Space space{terms, *rules.value, started->target};
  if (!prove_space(claim, space, deadline, started->made.proof, proven)) return;
  proven.certificate = std::move(started->made);
}

// --- flexible architectures ---------------------------------------------------------

// The mapping's setting, among those that have its name the one whose rules it keeps.
std::optional<Settings::SetUpProblem> setting_of(const Claim& claim, const Settings& settings,
                                                 Proven& proven) {
  std::string why = "the architecture cannot be set to " + claim.setting;
  for (const ArraySetting& setting : settings.named(claim.setting)) {
    Settings::SetUpProblem made = settings.set_up(setting, claim.mapspace, claim.among);
    const auto broken = broken_rules_at_points(made.problem, made.rules,
                                               claim.apart.value_or(made.problem), claim.mapping);
    if (broken.empty()) return made;
    why = "the mapping is not in the map-space: " + broken.front();
  }
  object_to(proven, why);
  return std::nullopt;
}

void run_flexible_proof(const Claim& claim, Proven& proven) {
  const Architecture& arch = claim.problem.arch();
  const Settings settings(claim.problem.workload(), arch, claim.constraints);
  const auto own = setting_of(claim, settings, proven);
  if (!own) return;
  const Problem& mapped = claim.apart ? *claim.apart : own->problem;
  auto started = start_proof(claim, Terms(own->problem), mapped, proven);
  if (!started) return;
  Certificate& made = started->made;
  const Deadline deadline(claim.seconds, claim.cancelled);
  for (const ArraySetting& setting : settings.all()) {
    deadline.check();
    const Settings::SetUpProblem set = settings.set_up(setting, claim.mapspace, claim.among);
    const Terms of_setting(set.problem);
    made.settings.push_back({settings.text_of(setting), {}});
    if (prove_space(claim, {of_setting, set.rules, started->target}, deadline,
                    made.settings.back().proof, proven)) {
      continue;
    }
    if (!proven.apart) proven.apart = set.problem;
    proven.setting = Settings::name_of(setting);
    return;
  }
  proven.certificate = std::move(made);
}

}  // namespace

Proven prove(const Claim& claim) {
  Proven proven;
  try {
    if (claim.problem.arch().flexibility) {
      run_flexible_proof(claim, proven);
    } else {
      run_proof(claim, proven);
    }
  } catch (const Unverifiable& limit) {
    proven.problems.push_back(
        {.where = {}, .message = std::string("cannot prove: ") + limit.what(), .hint = {}});
  } catch (const Expired&) {
    const bool cancelled = claim.cancelled != nullptr && claim.cancelled->load();
    proven.problems.push_back({.where = {},
                               .message = cancelled ? "interrupted" : "the time is up",
                               .hint = cancelled ? "" : "give it more by --time"});
  }
  return proven;
}

}  // namespace tilewright::certificate
