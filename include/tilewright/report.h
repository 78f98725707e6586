// Results for people (text) and for machines (JSON). Nothing here prints.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/flexibility.h"
#include "tilewright/fusion.h"
#include "tilewright/map.h"
#include "tilewright/mapping.h"
#include "tilewright/mapspace.h"
#include "tilewright/model.h"
#include "tilewright/study.h"
#include "tilewright/workload.h"

namespace tilewright::report {

// What is reported is a value that owns its data; texts, JSON and CSV are renderings of it.
// Texts take the width that their tables may have; 0 is no limit. Columns that do
// not fit are left out, the least important first, and named below the table.

// A mapping with what it costs.
struct Result {
  Problem problem;
  Mapping mapping;
  Evaluation evaluation;
  // MACs of the workload as it was given, where the problem has it with padded
  // dimensions; 0: all of them are useful.
  Int128 useful_macs = 0;
  std::vector<std::string> remarks = {};  // plain sentences, under the tables
  std::string command = {};               // the command line that asked for it, for JSON alone
};

// What a search found.
Result result_of(const MapOutcome& outcome);

// The loop nest, with `for` and `par_for`, remainders as "17 (last: 4)".
std::string nest_text(const Problem& problem, const Mapping& mapping);

// The nest, then tables of traffic, energy and time, then the totals.
std::string evaluation_text(const Result& result, int width = 0);
// Where the energy and the time go, in words.
std::string explanation_text(const Result& result);
// The same figures by the schema in docs/json.md.
std::string evaluation_json(const Result& result);

// What was understood of a file.
std::string architecture_text(const Architecture& arch, int width = 0);
std::string architecture_json(const Architecture& arch);
// One line each.
std::string architecture_list(const std::vector<Architecture>& archs, bool json, int width = 0);
// The class of flexible architectures: of one with the reasons, of several a
// line each.
std::string class_text(const std::vector<Architecture>& archs, bool json, int width = 0);
std::string workload_text(const Workload& workload);
std::string workload_json(const Workload& workload);
std::string network_text(const Network& network, int width = 0);
std::string network_json(const Network& network);
// One line each.
std::string network_list(const std::vector<Network>& networks, bool json, int width = 0);

// --- map-spaces and searches --------------------------------------------------

// How many mappings there are where some memories may be uneven.
struct UnevenCount {
  Evenness evenness = Evenness::Uneven;
  BigUint mappings;
};
// How large a space is, part by part.
// With the number of all mappings, even and uneven, if it was asked for.
std::string space_text(const MapSpace& space, const std::vector<std::string>& remarks = {},
                       const std::optional<UnevenCount>& uneven = {});
std::string space_json(const MapSpace& space, const std::vector<std::string>& remarks = {},
                       const std::optional<UnevenCount>& uneven = {});

// What a search for one workload was asked to do, and what came of it.
struct MapReport {
  MapOptions options;
  MapOutcome outcome;
  std::string command = {};  // as in Result
};
// The space, the search, and the mapping it found with what it costs. Only for
// an outcome that found one.
std::string map_text(const MapReport& report, int width = 0);
std::string map_json(const MapReport& report);
// A heading and one row, as mapped_network_csv(); likewise.
std::string map_csv(const MapReport& report);
// Why a search saw nothing valid: reason by reason, and what came closest.
std::string failures_text(const MapReport& report);

// The same of all settings of a flexible architecture.
struct FlexibleSpaceReport {
  Workload workload;
  Architecture arch;
  SpaceKind kind = SpaceKind::Ruby;
  FlexibleSpace space;
  std::vector<std::string> remarks = {};
  Evenness evenness = Evenness::Even;  // where uneven mappings are counted, too
};
std::string flexible_space_text(const FlexibleSpaceReport& report);
std::string flexible_space_json(const FlexibleSpaceReport& report);

struct ParetoReport {
  Problem problem;
  SpaceKind space = SpaceKind::Perfect;
  ParetoFront front;
  std::vector<std::string> remarks = {};
  Evenness evenness = Evenness::Even;  // where uneven mappings were searched, too
  std::string command = {};            // as in Result
};
// A line per point, fastest first.
std::string pareto_text(const ParetoReport& report, int width = 0);
std::string pareto_csv(const ParetoReport& report);
std::string pareto_json(const ParetoReport& report);

struct FuseReport {
  Cascade cascade;
  Architecture arch;
  FuseOutcome outcome;
  PlanEvaluation evaluation;
  std::string command = {};                // the command line that asked
  std::optional<UnevenTotal> uneven = {};  // where it was asked for
  std::vector<NotFused> not_fused = {};
};
// The totals, the tree of every group, and what each einsum holds and moves.
std::string fuse_text(const FuseReport& report);
std::string fuse_json(const FuseReport& report);

// A plan that somebody wrote.
struct PlanReport {
  Cascade cascade;
  Architecture arch;
  Plan plan;
  PlanEvaluation evaluation;
  std::vector<std::string> found_nests = {};  // einsums whose nests the plan did not give
  std::optional<FuseOutcome> optimum = {};    // the best plan, if it was asked for
  std::string command = {};                   // as in Result
};
std::string plan_text(const PlanReport& report);
std::string plan_json(const PlanReport& report);

// A network whose parts were fused.
struct FusedNetworkReport {
  Network network;
  Architecture arch;
  std::string shared;
  FusedNetwork fused;
  std::string command = {};  // as in Result
};
// The totals, a line per part, and why what is cut is cut.
std::string fused_network_text(const FusedNetworkReport& report, int width = 0);
std::string fused_network_json(const FusedNetworkReport& report);

struct NetworkReport {
  Network network;
  Architecture arch;
  MapOptions options;
  NetworkOutcome outcome;
  std::string command = {};  // as in Result
};
// A line per layer, then the totals.
std::string mapped_network_text(const NetworkReport& report, int width = 0);
// A heading, then a row per layer; what a layer without a mapping lacks is empty.
std::string mapped_network_csv(const NetworkReport& report);
std::string mapped_network_json(const NetworkReport& report);
// Where the energy and the time of the layers that have a mapping go, in words.
std::string network_explanation(const NetworkReport& report);

// Two designs, or two mappings of one design, on the same work.
struct SideBySide {
  struct OfLayer {
    std::string name;
    std::int64_t count = 1;                        // how often it occurs
    std::array<std::optional<Result>, 2> results;  // nothing without a mapping
  };
  std::string work;                  // the network or the workload
  std::array<std::string, 2> names;  // of the designs, or of the files of the mappings
  std::vector<OfLayer> layers;
  std::string command = {};  // as in Result
};
// Layer by layer, level by level, tensor by tensor, and what makes the difference.
std::string side_by_side_text(const SideBySide& both, int width = 0);
std::string side_by_side_json(const SideBySide& both);

// --- flexion ------------------------------------------------------------------

struct FlexionReport {
  std::string name;  // of the network or the workload
  Architecture arch;
  NetworkFlexion flexion;  // of a workload: the only layer of a network
};
// What the hardware supports, axis by axis, then the share that it supports of
// each layer's choices, and the means.
std::string flexion_text(const FlexionReport& report, int width = 0);
std::string flexion_json(const FlexionReport& report);
// A row per layer and axis, then a row of means per axis.
std::string flexion_csv(const FlexionReport& report);
// A picture in SVG: the means as circles whose areas are to scale.
std::string venn_svg(const FlexionReport& report);

// --- studies of flexibility -----------------------------------------------------

struct StudyReport {
  Architecture arch;
  std::vector<Variant> variants;  // the first is what the others are held against
  std::vector<Network> networks;
  Comparison comparison;
  MapOptions options = {};  // of every mapping
  // By variant: how much it supports of the axis that is free; nothing where it is not just one.
  std::vector<std::optional<MeanFlexion>> flexion = {};
  // How the first variant was found, if it is a design for the first network.
  std::optional<Design> design = {};
};
// A line per variant: what the axes are worth on one network.
std::string isolation_text(const StudyReport& report, int width = 0);
// A line per variant and a column per network.
std::string futureproof_text(const StudyReport& report, int width = 0);
// Everything, layer by layer.
std::string study_json(const StudyReport& report);
std::string study_csv(const StudyReport& report);

struct DesignReport {
  Architecture arch;
  Network network;
  Design design;  // that was found
  MapOptions options = {};
};
// The design, how far it is from what no design can beat, and a line per layer.
std::string design_text(const DesignReport& report, int width = 0);
std::string design_json(const DesignReport& report);
std::string design_csv(const DesignReport& report);

// --- mappers against each other --------------------------------------------------

struct ArenaReport {
  std::vector<Architecture> archs;
  std::vector<Network> networks;
  std::vector<const Mapper*> mappers;
  MapOptions options;  // of every mapping, but for the mapper
  Arena arena;
};
// A line per mapper, of all layers and architectures together and of each architecture.
std::string arena_text(const ArenaReport& report, int width = 0);
std::string arena_json(const ArenaReport& report);
// A row per layer and mapper.
std::string arena_csv(const ArenaReport& report);
// A row for each step of a mapper to a better mapping.
std::string convergence_csv(const ArenaReport& report);

// "1.23 M"
std::string rounded(double number);
// What an objective makes of a score: "474.9 J*cycle", "690.1 uJ", "688,128 cycles".
std::string value_text(Objective objective, const Score& score);
std::string value_text(Objective objective, double value);

// Aligned columns; those that hold only numbers are aligned to the right.
std::string table_text(const std::vector<std::string>& headings,
                       const std::vector<std::vector<std::string>>& rows);
// A line of comma-separated values; cells are quoted where they have to be.
std::string csv_row(const std::vector<std::string>& cells);

}  // namespace tilewright::report
