#include "reproduce/goma_departures.h"

#include "reproduce/goma_closed_form.h"

namespace tilewright::reproduce {

namespace {

using golden::GemmRow;

// SRAM has no loop but perhaps one along the axis.
bool sram_leaves_in_place(const GemmRow& row, std::size_t axis) {
  for (std::size_t other = 0; other < 3; ++other) {
    if (other != axis && row.bounds[other][1] > 1) return false;
  }
  return true;
}

bool has(const GemmRow& row, Departure departure) {
  const GemmRow moving = with_moving_axes(row);
  const std::size_t stage = departure == Departure::AxisWithoutLoopAtSram ? 1 : 0;
  // Matrices come by their normals: a loop along the normal leaves one in place.
  const auto normal = static_cast<std::size_t>(index_of(moving.walking[stage]));
  if (row.bounds[normal][stage] == 1) return false;  // no loop at all
  if (departure == Departure::RunGoesOn) {
    return keeps(row, 1, normal) && sram_leaves_in_place(row, normal);
  }
  return keeps(row, stage, normal) && row.walking[stage] != moving.walking[stage];
}

}  // namespace

std::string to_string(Departure departure) {
  switch (departure) {
    case Departure::AxisWithoutLoopAtDram:
      return "walking axis without a loop at DRAM";
    case Departure::AxisWithoutLoopAtSram:
      return "walking axis without a loop at SRAM";
    case Departure::RunGoesOn:
      return "run that goes on at DRAM";
  }
  return "";
}

std::vector<Departure> departures_of(const GemmRow& row) {
  std::vector<Departure> found;
  for (const Departure departure :
       {Departure::AxisWithoutLoopAtDram, Departure::AxisWithoutLoopAtSram, Departure::RunGoesOn}) {
    if (has(row, departure)) found.push_back(departure);
  }
  return found;
}

}  // namespace tilewright::reproduce
