#include <fmt/format.h>

#include <algorithm>

#include "report/names.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

// "pfm, 21,091,180,376 mappings"
std::string space_line(const MapReport& report) {
  if (report.outcome.space_size == BigUint()) return space_name(report.options);
  return fmt::format("{}, {} mappings that may fit", space_name(report.options),
                     readable(report.outcome.space_size));
}

// "proven optimal among even mappings", or how far from that the mapping may be.
std::string proof_line(const MapReport& report) {
  const Proof& proof = *report.outcome.proof;
  if (proof.gap == 0 && proof.status == Proof::Status::Proven) {
    return fmt::format("proven optimal among {}", searched_mappings(report.options.evenness));
  }
  if (proof.bound <= 0) return "not proven; there is no bound yet";
  if (proof.gap <= 0) {
    return fmt::format(
        "of proven lowest {} among {}; of those that reach it "
        "another may be better by what decides between equals",
        title_of(report.options.objective), searched_mappings(report.options.evenness));
  }
  return fmt::format("not proven optimal; at least {}, so at most {:.3g} % above the optimum of {}",
                     value_text(report.options.objective, proof.bound), 100 * proof.gap,
                     searched_mappings(report.options.evenness));
}

std::string search_line(const MapReport& report) {
  const SearchResult& search = report.outcome.search;
  const std::string_view mapper = report.outcome.found_by->name;
  if (report.outcome.proof) return fmt::format("{}, {}", mapper, proof_line(report));
  const std::string seen = grouped(static_cast<std::int64_t>(search.seen));
  const bool draws = report.options.mapper->find("seed") != nullptr;
  const std::string of_seed = draws ? fmt::format(", seed {}", seed_of(report.options)) : "";
  if (!report.options.mapper->counts) {
    return fmt::format("{}, {} mappings visited{}; not proven optimal", mapper, seen, of_seed);
  }
  return fmt::format("{}, {} seen, {} of them valid{}", mapper, seen,
                     share(static_cast<double>(search.valid), static_cast<double>(search.seen)),
                     of_seed);
}

// Empty unless the architecture is flexible.
std::string setting_line(const MapOutcome& outcome) {
  if (!outcome.setting) return "";
  return fmt::format(
      "  {:<12} {}; {} of {} settings were searched\n  {:<12} adds {:.0f} um2 ({})\n", "setting",
      to_string(*outcome.setting), outcome.settings_searched, outcome.settings, "flexibility",
      outcome.flexibility_um2, fmt::format("{:+.3f} %", 100 * outcome.flexibility_area));
}

// "A input, B weight: 3.1 J*cycle"
std::string trial_text(const MapOutcome::OfRoles& trial, Objective objective) {
  const std::string value = trial.value ? value_text(objective, *trial.value) : "no mapping";
  return fmt::format("{}: {}{}", trial.roles, value, trial.proven ? " (proven)" : "");
}

// Empty unless all roles were tried.
std::string roles_line(const MapReport& report) {
  const MapOutcome& outcome = report.outcome;
  if (outcome.roles.empty()) return "";
  const std::string won = roles_text(outcome.problem->workload());
  std::vector<std::string> others;
  for (const MapOutcome::OfRoles& trial : outcome.roles) {
    if (trial.roles != won) others.push_back(trial_text(trial, report.options.objective));
  }
  return fmt::format("  {:<12} {} is the best of {}{}{}\n", "roles", won, outcome.roles.size(),
                     others.empty() ? "" : "; ", fmt::join(others, "; "));
}

std::string number_of(std::uint64_t number, const char* things) {
  return fmt::format("{} {}{}", grouped(static_cast<std::int64_t>(number)), things,
                     number == 1 ? "" : "s");
}

std::string end_line(const MapReport& report) {
  const SearchResult& search = report.outcome.search;
  if (const auto& proof = report.outcome.proof) {
    return fmt::format("{}; {}, {} opened, {} evaluated", to_string(proof->stop),
                       duration_text(proof->seconds), number_of(proof->frames_expanded, "frame"),
                       number_of(proof->mappings_evaluated, "mapping"));
  }
  return fmt::format("{}; {}, {} mappings per second", to_string(search.stop),
                     duration_text(search.seconds),
                     rounded(static_cast<double>(search.seen) / std::max(search.seconds, 1e-9)));
}

std::string space_table(const MapSpace& space, const SpaceSize& size,
                        const std::optional<UnevenCount>& uneven) {
  Table table({{"part", Align::Left}, {"choices"}});
  for (int d = 0; d < space.problem().dim_count(); ++d) {
    const Dimension& dim = space.problem().workload().dim(DimId{d});
    table.add({fmt::format("factors of {} = {}", dim.name, grouped(dim.size)),
               readable(size.chains[at(d)])});
  }
  table.add({"factors of all, as the fan-outs hold them", readable(size.tilings)});
  table.add({"loop orders of each, on average", plain(size.orders())});
  table.add({"keep or bypass", readable(size.bypasses)});
  table.add({uneven ? "even mappings" : "mappings", readable(size.total)});
  if (uneven) table.add({searched_mappings(uneven->evenness), readable(uneven->mappings)});
  return table.text();
}

}  // namespace

std::string space_text(const MapSpace& space, const std::vector<std::string>& remarks,
                       const std::optional<UnevenCount>& uneven) {
  const SpaceSize size = space.measure();
  return fmt::format("{} of {} on {}\n{}  exactly {}\n", to_string(space.kind()),
                     space.problem().workload().name, space.problem().arch().name,
                     space_table(space, size, uneven),
                     (uneven ? uneven->mappings : size.total).to_string()) +
         remarks_text(remarks);
}

std::string map_text(const MapReport& report, int width) {
  const Objective objective = report.options.objective;
  const std::string value = value_text(objective, report.outcome.search.score);
  return evaluation_text(result_of(report.outcome), width) +
         fmt::format("\nSearch\n  {:<12} {}: {}\n  {:<12} {}\n  {:<12} {}\n  {:<12} {}\n",
                     "objective", to_string(objective), value, "space", space_line(report),
                     "search", search_line(report), "end", end_line(report)) +
         setting_line(report.outcome) + roles_line(report) +
         remarks_text(remarks_on(report.outcome, report.options), width);
}

std::string failures_text(const MapReport& report) {
  const MapOutcome& outcome = report.outcome;
  const Problem& problem = *outcome.problem;
  const std::string seen = grouped(static_cast<std::int64_t>(outcome.search.seen));
  std::string text =
      outcome.search.stop == SearchResult::Stop::Complete
          ? fmt::format("no mapping of {} on {} is valid: all {} of {} were seen\n",
                        problem.workload().name, problem.arch().name, seen,
                        space_name(report.options))
          : fmt::format("no valid mapping of {} on {} among {} seen ({})\n",
                        problem.workload().name, problem.arch().name, seen, space_line(report));
  const Failure* closest = nullptr;
  for (const Failure& failure : outcome.search.failures) {
    text +=
        fmt::format("  {} failed; closest: {}\n", grouped(static_cast<std::int64_t>(failure.count)),
                    to_string(failure.closest, problem));
    const auto excess = [](const Failure& one) {
      return static_cast<double>(one.closest.needed) / static_cast<double>(one.closest.available);
    };
    if (closest == nullptr || excess(failure) < excess(*closest)) closest = &failure;
  }
  if (closest == nullptr) return text;
  return text + "The mapping that came closest:\n" + nest_text(problem, closest->mapping);
}

}  // namespace tilewright::report
