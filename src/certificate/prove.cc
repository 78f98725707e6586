#include <algorithm>

#include "certificate/closer.h"
#include "certificate/points.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

Certificate describe(const Claim& claim, const Terms& terms, const Cost& cost) {
  Certificate made;
  made.architecture = io::write_architecture(without_estimates(claim.problem.arch()));
  made.workload = io::write_workload(claim.problem.workload());
  if (!claim.constraints.empty()) made.constraints = io::write_constraints(claim.constraints);
  made.mapspace = claim.mapspace;
  made.uneven = claim.uneven;
  made.objective = claim.objective;
  const Problem& mapped = claim.apart ? *claim.apart : claim.problem;
  made.mapping = io::write_mapping(mapped, canonical(mapped, claim.mapping));
  made.energy_pj = decimal_text(big(cost.energy), terms.energies.decimals);
  made.cycles = cost.cycles;
  made.instances = cost.instances;
  made.value = value_text(claim.objective, terms.energies, cost);
  made.bound = claim.bound.value_or(made.value);
  return made;
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

void run_proof(const Claim& claim, Proven& proven) {
  const auto refuse = [&](const std::string& why) {
    proven.problems.push_back({.where = {}, .message = why, .hint = {}});
  };
  Checked<Rules> rules = read_rules(claim.problem, claim.mapspace, claim.constraints, claim.uneven);
  if (!rules.ok()) {
    proven.problems = std::move(rules.problems);
    return;
  }
  const Problem& mapped = claim.apart ? *claim.apart : claim.problem;
  for (const std::string& why :
       broken_rules_at_points(claim.problem, *rules.value, mapped, claim.mapping)) {
    refuse("the mapping is not in the map-space: " + why);
  }
  if (!proven.problems.empty()) return;
  const Terms terms(claim.problem);
  const Terms at_points(mapped);
  const Counter counter(at_points, claim.mapping);
  for (const std::string& why : counter.overflows()) refuse(why);
  if (!proven.problems.empty()) return;
  const Cost cost = counter.cost();
  Certificate made = describe(claim, terms, cost);
  const auto bound = read_decimal(made.bound, value_decimals(claim.objective, terms.energies));
  if (!bound || *bound > value_of(claim.objective, cost)) {
    return refuse("the bound " + made.bound + " is no decimal up to the value " + made.value);
  }
  const Target target = make_target(claim.objective, *bound, cost);
  const Deadline deadline(claim.seconds, claim.cancelled);
  Closer closer(terms, *rules.value, target, deadline);
  std::vector<Piece> pieces = first_pieces(closer);
  Closers closers(closer, claim.threads);
  const auto failed = closers.for_each(pieces.size(), [&](Closer& own, std::size_t number) {
    Piece& piece = pieces[number];
    return !piece.open || write_down(own, *piece.open, piece.proof);
  });
  proven.statistics = closers.statistics();
  if (failed) {
    const std::optional<Found>& better = closers.failed().better();
    if (better) proven.better = better->mapping;
    if (better && better->apart) proven.apart = *better->apart;
    if (!better) refuse("a part of the map-space cannot be closed");
    return;
  }
  for (const Piece& piece : pieces) append(made.proof, piece.proof);
  proven.certificate = std::move(made);
}

}  // namespace

Proven prove(const Claim& claim) {
  Proven proven;
  try {
    run_proof(claim, proven);
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
