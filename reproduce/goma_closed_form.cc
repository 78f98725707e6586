#include "reproduce/goma_closed_form.h"

namespace tilewright::reproduce {

namespace {

using golden::GemmRow;

using Stage = std::size_t;  // a position in GemmRow::bounds
constexpr Stage kDram = 0, kSram = 1, kArray = 2, kRegfile = 3;

std::size_t walking(const GemmRow& row, Stage stage) {
  return static_cast<std::size_t>(index_of(row.walking[stage]));
}

// The length of a tile of a level along an axis: of one array step for kArray.
std::int64_t length(const GemmRow& row, Stage level, std::size_t axis) {
  std::int64_t length = 1;
  for (Stage stage = level; stage <= kRegfile; ++stage) length *= row.bounds[axis][stage];
  return length;
}

// Equation 16, with equations 13 to 15 for the number of times that a partial sum
// leaves: all of z in pieces of `summed` at a time.
double old_share(const GemmRow& row, std::int64_t summed) {
  return 1.0 - static_cast<double>(summed) / static_cast<double>(row.sizes[kZ]);
}

// What one word costs a memory on behalf of what is inside it (equations 17, 19
// and 23) and of what is outside (18 and 22), for a matrix with this normal.
double inward_pj(const Memory& memory, std::size_t normal, double old) {
  return normal == kZ ? memory.update_pj + old * memory.read_pj : memory.read_pj;
}
double outward_pj(const Memory& memory, std::size_t normal, double old) {
  return normal == kZ ? old * memory.write_pj : memory.write_pj;
}

struct Memories {
  const Memory &dram, &sram, &regfile;
};

Memories memories_of(const Architecture& arch) {
  const auto memory = [&](std::size_t level) -> const Memory& {
    return std::get<Memory>(arch.levels[level]);
  };
  return {memory(0), memory(1), memory(3)};
}

// Equations 25 to 27 for one matrix.
double energy_of(const GemmRow& row, const GomaTraffic& traffic, const Memories& memories,
                 std::size_t normal) {
  const bool in_sram = keeps(row, 0, normal);
  const bool in_regfile = keeps(row, 1, normal);
  const Memory& outside = in_sram ? memories.sram : memories.dram;
  const auto sharing = static_cast<double>(row.bounds[normal][kArray]);
  const auto macs = static_cast<double>(traffic.macs);
  double energy = 0;
  if (in_sram) {
    energy += static_cast<double>(traffic.into_sram[normal]) *
              (inward_pj(memories.dram, normal, traffic.old_sram) +
               outward_pj(memories.sram, normal, traffic.old_sram));
  }
  if (in_regfile) {
    energy += static_cast<double>(traffic.into_regfile[normal]) *
              (outward_pj(memories.regfile, normal, traffic.old_regfile) +
               inward_pj(outside, normal, traffic.old_regfile) / sharing);
    return energy + macs * inward_pj(memories.regfile, normal, traffic.old_mac);
  }
  return energy + macs * inward_pj(outside, normal, traffic.old_mac) / sharing;
}

}  // namespace

bool keeps(const GemmRow& row, std::size_t level, std::size_t normal) {
  constexpr PerAxis<unsigned> kTensors = {1, 0, 2};  // B, A, P among A, B, P
  return ((row.kept[level] >> kTensors[normal]) & 1U) != 0;
}

GomaTraffic goma_traffic(const GemmRow& row) {
  GomaTraffic traffic;
  traffic.macs = row.sizes[kX] * row.sizes[kY] * row.sizes[kZ];
  for (std::size_t d = 0; d < 3; ++d) {
    const bool column_dram = walking(row, kDram) == d;
    const bool column_sram = walking(row, kSram) == d;
    // Equations 10 and 11.
    traffic.into_sram[d] = traffic.macs / (column_dram ? row.sizes[d] : length(row, kSram, d));
    traffic.into_regfile[d] =
        traffic.macs / (length(row, kRegfile, d) * (column_sram ? row.bounds[d][kSram] : 1));
  }
  traffic.old_sram =
      old_share(row, walking(row, kDram) == kZ ? row.sizes[kZ] : length(row, kSram, kZ));
  traffic.old_regfile = old_share(row, length(row, walking(row, kSram) == kZ ? kSram : kArray, kZ));
  traffic.old_mac = old_share(row, row.bounds[kZ][kArray]);
  return traffic;
}

double goma_energy_pj(const GemmRow& row, const Architecture& arch) {
  const GomaTraffic traffic = goma_traffic(row);
  double energy = static_cast<double>(traffic.macs) * arch.compute().mac_pj;  // equation 28
  for (std::size_t normal = 0; normal < 3; ++normal) {
    energy += energy_of(row, traffic, memories_of(arch), normal);
  }
  return energy;
}

GemmRow with_moving_axes(GemmRow row) {
  for (const Stage stage : {kDram, kSram}) {
    if (row.bounds[walking(row, stage)][stage] > 1) continue;
    for (std::size_t axis = 3; axis-- > 0;) {
      if (row.bounds[axis][stage] > 1) row.walking[stage] = DimId{static_cast<int>(axis)};
    }
  }
  return row;
}

// --- departures ---------------------------------------------------------------

namespace {

// SRAM has no loop but perhaps one along the axis.
bool sram_leaves_in_place(const GemmRow& row, std::size_t axis) {
  for (std::size_t other = 0; other < 3; ++other) {
    if (other != axis && row.bounds[other][1] > 1) return false;
  }
  return true;
}

bool departs(const GemmRow& row, Departure departure) {
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
    if (departs(row, departure)) found.push_back(departure);
  }
  return found;
}

}  // namespace tilewright::reproduce
