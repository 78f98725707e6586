#include <fmt/format.h>

#include "report/json_values.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

std::int64_t pes_of(const Architecture& arch) { return parts_of(arch, *arch.flexibility)->pes; }

std::string tile_reason(const Flexibility& flexibility) {
  switch (flexibility.tile.kind) {
    case TileFreedom::Kind::Fixed:
      return flexibility.tile_of
                 ? "one tile is built in, that of " + *flexibility.tile_of + " in each PE"
                 : "one tile is built in";
    case TileFreedom::Kind::Hard:
      return "any tile that fits in each tensor's own part of the buffer";
    case TileFreedom::Kind::Soft:
      break;
  }
  return "any tile that fits in the buffer, which all tensors share";
}

// "3 of 720 loop orders"
std::string count_reason(std::size_t listed, std::int64_t all, const char* what) {
  const std::int64_t some = listed == 0 ? all : static_cast<std::int64_t>(listed);
  return fmt::format("{} of {} {}", some, all, what);
}

std::string reason(const Flexibility& flexibility, TopsAxis axis, std::int64_t pes) {
  switch (axis) {
    case TopsAxis::Tile:
      return tile_reason(flexibility);
    case TopsAxis::Order:
      return count_reason(flexibility.orders.size(), kAllOrders, "loop orders");
    case TopsAxis::Parallel:
      return count_reason(flexibility.pairs.size(), kAllPairs, "pairs of parallel dimensions");
    case TopsAxis::Shape:
      break;
  }
  return count_reason(shapes_of(flexibility.shape, pes).size(), pes,
                      fmt::format("shapes of {} PEs", pes).c_str());
}

std::string one_text(const Architecture& arch, int width) {
  const Flexibility& flexibility = *arch.flexibility;
  const std::int64_t pes = pes_of(arch);
  Table table({{"axis", Align::Left},
               {"bit"},
               {"degree", Align::Left},
               {"as described", Align::Left, 1},
               {"because", Align::Left, 2}},
              width);
  for (const TopsAxis axis : kTopsAxes) {
    const Degree degree = degree_of(flexibility, axis, pes);
    table.add({to_string(axis), degree == Degree::Inflexible ? "0" : "1", to_string(degree),
               axis_text(flexibility, axis), reason(flexibility, axis, pes)});
  }
  return fmt::format("{}: {}\n\n{}", arch.name, class_of(flexibility, pes), table.text());
}

std::string list_text(const std::vector<Architecture>& archs, int width) {
  Table table({{"accelerator", Align::Left},
               {"class", Align::Left},
               {"PEs", Align::Right, 1},
               {"tile", Align::Left, 3},
               {"order", Align::Left, 2},
               {"parallel", Align::Left, 2},
               {"shape", Align::Left, 2}},
              width);
  for (const Architecture& arch : archs) {
    const Flexibility& flexibility = *arch.flexibility;
    const std::int64_t pes = pes_of(arch);
    std::vector<std::string> row = {arch.name, class_of(flexibility, pes), grouped(pes)};
    for (const TopsAxis axis : kTopsAxes) row.push_back(axis_text(flexibility, axis));
    table.add(std::move(row));
  }
  return table.text();
}

Json class_json(const Architecture& arch) {
  const Flexibility& flexibility = *arch.flexibility;
  const std::int64_t pes = pes_of(arch);
  Json axes = Json::object();
  for (const TopsAxis axis : kTopsAxes) {
    axes[to_string(axis)] = {{"degree", to_string(degree_of(flexibility, axis, pes))},
                             {"described", axis_text(flexibility, axis)},
                             {"because", reason(flexibility, axis, pes)}};
  }
  return {{"architecture", arch.name},
          {"class", class_of(flexibility, pes)},
          {"pes", pes},
          {"axes", axes}};
}

}  // namespace

std::string class_text(const std::vector<Architecture>& archs, bool json, int width) {
  if (json) {
    return document("tilewright.flex_classes.v1", {{"architectures", array_of(archs, class_json)}});
  }
  return archs.size() == 1 ? one_text(archs.front(), width) : list_text(archs, width);
}

}  // namespace tilewright::report
