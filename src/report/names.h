// Names and sums that the text and the JSON report share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/report.h"

namespace tilewright::report {

std::string level_name(const Problem& problem, LevelId level);
// The same, but a storage point has the name of its memory.
std::string storage_name(const Problem& problem, LevelId level);
std::string tensor_name(const Problem& problem, std::size_t tensor);

// "DRAM's read bandwidth (4 words/cycle)", "the multipliers"
std::string bottleneck_text(const Problem& problem, const Bottleneck& bottleneck);

// The same in a word or two: "DRAM reads", "multipliers".
std::string short_bottleneck(const Result& result);

// Lists of what is built in, for machines.
std::string architecture_list_json(const std::vector<Architecture>& archs);
std::string network_list_json(const std::vector<Network>& networks);

// "found", "not_tried": as JSON and CSV have it.
const char* status_name(MapOutcome::Status status);

// What all layers of a network come to, each as often as it occurs.
struct NetworkTotals {
  Score score;
  Int128 macs = 0;
  double utilisation = 0;
};
NetworkTotals totals_of(const NetworkReport& report);

// Energy of one level, by what it is spent on.
struct LevelCost {
  LevelId level{};
  std::vector<double> tensor_pj;  // of a memory
  double leakage_pj = 0, network_pj = 0, mac_pj = 0;

  double sum() const;
};
// All levels that can cost something, outermost first.
std::vector<LevelCost> level_costs(const Result& result);
// The same of all levels together; `level` means nothing.
LevelCost total_cost(const Result& result);

// The seed of mappers that draw, whether this one does or not.
std::int64_t seed_of(const MapOptions& options);

// Mappers that neither prove anything nor count a space.
inline bool is_heuristic(const Mapper& mapper) { return !mapper.proves && !mapper.counts; }

// "pfm", "pfm with padding"
std::string space_name(const MapOptions& options);

// A section of remarks, after an empty line; empty if there are none. A width of 0 is no
// limit.
std::string remarks_text(const std::vector<std::string>& remarks, int width = 0);

// What is searched, and so what a proof speaks of (docs/semantics.md).
inline const char* searched_mappings(Evenness evenness) {
  if (evenness == Evenness::Marked) return "all mappings, uneven at marked memories alone";
  return evenness == Evenness::Uneven ? "all mappings, even and uneven" : "even mappings";
}

// The area that a variant's freedom adds, as a share.
double area_overhead(const StudyReport& report, const Variant& variant);
// What a variant takes of a network, relative to the first variant; nothing if a
// layer has no mapping.
std::optional<double> relative(const StudyReport& report, Objective objective, std::size_t variant,
                               std::size_t network);

// What an axis of flexibility counts: "orders". Tiles count two things.
std::string choices_of(TopsAxis axis);

// Multiply-accumulates of the workload as it was given, and their share of all.
Int128 useful_macs(const Result& result);
double useful_share(const Result& result);
// Multiply-accumulates per cycle, of those that the hardware could do.
double utilisation(const Architecture& arch, Int128 macs, Int128 cycles);

}  // namespace tilewright::report
