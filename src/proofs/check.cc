#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>
#include <utility>

#include "cli/output.h"
#include "cli/standard_input.h"
#include "proofs/proof_commands.h"
#include "tilewright/certificate.h"

namespace tilewright::cli {
namespace {

std::string objective_text(Objective objective) {
  if (objective == Objective::Edp) return "EDP (pJ*cycles)";
  if (objective == Objective::Energy) return "energy (pJ)";
  if (objective == Objective::Latency) return "latency (cycles)";
  return fmt::format("{} (in pJ and cycles)", to_string(objective));
}

void print_verified(const std::string& path, const certificate::Certificate& checked,
                    const certificate::Statistics& statistics) {
  const bool optimal = checked.bound == checked.value;
  print(fmt::format("{}: verified\n", path));
  const bool even = checked.among == certificate::Among::Even;
  const bool marked = checked.among == certificate::Among::Marked;
  print(fmt::format("  no {}mapping of the map-space {} has a lower {} than {}{}{}\n",
                    even ? "even " : "", to_string(checked.mapspace),
                    objective_text(checked.objective), checked.bound,
                    even ? "" : ", even or uneven",
                    marked ? " at the memories that the architecture calls uneven" : ""));
  print(fmt::format("  the mapping has {}: {} pJ in {} cycles{}\n", checked.value,
                    checked.energy_pj, checked.cycles, optimal ? ", which is optimal" : ""));
  if (!checked.settings.empty()) {
    print(fmt::format(
        "  that holds for each of the {} settings of the architecture; the mapping needs {}\n",
        checked.settings.size(), checked.setting));
  }
  print(fmt::format("  cells {}: {} closed by floor, {} by lattice, {} by tree\n",
                    statistics.cells(), statistics.by_floor, statistics.by_lattice,
                    statistics.by_tree));
}

void print_verified(const std::string& path, const certificate::PlanCertificate& checked,
                    const certificate::PlanStatistics& statistics) {
  const bool optimal = checked.bound == checked.value;
  const bool timed = checked.objective.cycles > 0;
  print(fmt::format("{}: verified\n", path));
  print(
      fmt::format("  no plan has a lower {} than {}: groups of up to {} einsums, all trees of "
                  "shared loops, {} nests with perfect factors\n",
                  objective_text(checked.objective), checked.bound, checked.longest_group,
                  checked.nests == certificate::Among::Even ? "even" : "even and uneven"));
  print(fmt::format("  the plan takes {} pJ{}{}\n", checked.energy_pj,
                    timed ? fmt::format(" in {} cycles", checked.cycles) : std::string(),
                    optimal ? ", which is optimal" : ""));
  print(fmt::format("  groups {}: {} closed by floor, {} by trees\n", statistics.groups(),
                    statistics.by_floor, statistics.by_trees));
}

void print_verified(const std::string& path, const certificate::PlanBound& checked,
                    const certificate::Statistics& statistics) {
  print(fmt::format("{}: verified\n", path));
  print(fmt::format(
      "  no plan has a lower energy (pJ) than {}: groups of up to {} einsums with loops "
      "around all of them, also where work is done again\n",
      checked.bound, checked.longest_group));
  print(fmt::format("  the plan is said to take {} pJ, which is not checked\n", checked.energy_pj));
  print(fmt::format("  nests {}, cells {}: {} closed by floor, {} by lattice, {} by tree\n",
                    checked.nests.size(), statistics.cells(), statistics.by_floor,
                    statistics.by_lattice, statistics.by_tree));
}

void print_verified(const std::string& path, const certificate::FlatCertificate& checked,
                    const certificate::FlatStatistics& statistics) {
  print(fmt::format("{}: verified\n", path));
  print(fmt::format(
      "  no plan has a lower energy (pJ) than {}: groups of up to {} einsums with loops around all "
      "of them,\n  one per dimension, which move all of them; {} nests with perfect factors\n",
      checked.bound, checked.longest_group,
      checked.among == certificate::Among::Even ? "even" : "even and uneven"));
  print(fmt::format("  the plan takes {} pJ{}\n", checked.energy_pj,
                    checked.bound == checked.energy_pj ? ", which is optimal" : ""));
  print(fmt::format("  groups {}: {} closed by floor, {} by {} cells of loops and places\n",
                    statistics.groups(), statistics.by_floor, statistics.by_cells,
                    statistics.cells));
  print(fmt::format("  nests {}, cells {}: {} closed by floor, {} by lattice, {} by tree\n",
                    checked.nests.size(), statistics.nests.cells(), statistics.nests.by_floor,
                    statistics.nests.by_lattice, statistics.nests.by_tree));
}

// What parts of one kind take together, and which they are.
std::string parts_text(const certificate::NetworkOutcome& outcome,
                       certificate::PartOutcome::Known known) {
  std::string text;
  for (const certificate::PartOutcome& part : outcome.parts) {
    if (part.known != known) continue;
    text += fmt::format("    {} x {}: {} pJ\n", part.count, fmt::join(part.contractions, "+"),
                        part.energy_pj);
  }
  return text;
}

void print_verified(const std::string& path, const certificate::NetworkCertificate& checked,
                    const certificate::NetworkOutcome& outcome) {
  using Known = certificate::PartOutcome::Known;
  print(fmt::format("{}: verified\n", path));
  const std::string least = checked.energy_pj == checked.bound
                                ? std::string("no plans of them take less")
                                : fmt::format("none of their plans go below {} pJ", checked.bound);
  print(fmt::format("  the parts of {} take {} pJ; {}\n", outcome.name, checked.energy_pj, least));
  for (const auto& [known, what] :
       {std::pair{Known::Optimal, "proven: no plan takes less"},
        {Known::Bounded, "proven: a bound below what the plan takes"},
        {Known::Unchecked,
         "proven: a bound; what the plan takes is what the search says, unchecked"},
        {Known::Counted, "not proven, mapped one by one: as mappings these are the best"},
        {Known::Stated, "not proven: what the search says, unchecked"}}) {
    const std::string parts = parts_text(outcome, known);
    if (!parts.empty()) print(fmt::format("  {}\n{}", what, parts));
  }
  print(
      "  the parts have each contraction of the network as often as it has it; how it is cut into "
      "parts is a rule,\n  not part of the proof\n");
}

// What is printed of an outcome beside the certificate.
const certificate::NetworkOutcome& details(const certificate::NetworkOutcome& outcome) {
  return outcome;
}
template <typename Outcome>
const auto& details(const Outcome& outcome) {
  return outcome.statistics;
}

// Checks a certificate of any kind, once it is read.
template <typename Certificate>
int check_read(const std::string& path, const Checked<Certificate>& read, int threads) {
  if (refused(read)) return kBadInput;
  const auto outcome = [&] {
    if constexpr (std::is_same_v<Certificate, certificate::PlanCertificate>) {
      return certificate::check(*read.value);
    } else {
      return certificate::check(*read.value, threads);
    }
  }();
  if (!outcome.problems.empty()) {
    complain(fmt::format("{}: refused: {}", path, to_string(outcome.problems.front())));
    return kDiffers;
  }
  print_verified(path, *read.value, details(outcome));
  return kGood;
}

}  // namespace

int run_check(const CheckOptions& options) {
  const Checked<std::string> text = read_text(options.file, kMaxFileBytes);
  if (refused(text)) return kBadInput;
  const std::string path = name_of_input(options.file);
  const auto check = [&](const auto& reader) {
    return check_read(path, reader(*text.value, path), thread_count(options.threads));
  };
  // It has those of plans and mappings inside.
  if (certificate::is_network_certificate(*text.value))
    return check(certificate::read_network_certificate);
  if (certificate::is_flat_certificate(*text.value))
    return check(certificate::read_flat_certificate);
  if (certificate::is_plan_bound(*text.value)) return check(certificate::read_plan_bound);
  if (certificate::is_plan_certificate(*text.value))
    return check(certificate::read_plan_certificate);
  return check(certificate::read_certificate);
}

}  // namespace tilewright::cli
