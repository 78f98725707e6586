// A case small enough to count by hand, to be changed by the tests.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tilewright::golden::testing {

// Two buffers behind a memory whose write port (24 partial sums at 0.29 words a
// cycle) is slow and whose read port (108 words at 0.4) sets the pace.
inline nlohmann::json small_case() {
  return nlohmann::json::parse(R"({
    "id": "small",
    "dims": {"M": 4, "N": 6, "K": 3},
    "tensors": [
      {"name": "A", "output": false, "index": [[["M", 1]], [["K", 1]]]},
      {"name": "B", "output": false, "index": [[["K", 1]], [["N", 1]]]},
      {"name": "O", "output": true, "index": [[["M", 1]], [["N", 1]]]}],
    "levels_outer_to_inner": [
      {"name": "DRAM", "capacity_words": null, "block_words": 1, "read_bw": 0.4, "write_bw": 0.29,
       "energy_per_block": {"read": 64, "fill": 64, "update": 32},
       "keep": ["A", "B", "O"],
       "temporal_outer_to_inner": [["N", 3], ["K", 3]],
       "fanout_below": {"x": 2, "y": 1, "spatial": [["N", 2, "X"]]},
       "expected": {
         "A": {"tile": 12, "reads": 36, "fills": 0, "updates": 0, "instances": 1,
               "energy_per_instance": 2304},
         "B": {"tile": 18, "reads": 72, "fills": 0, "updates": 0, "instances": 1,
               "energy_per_instance": 4608},
         "O": {"tile": 24, "reads": 0, "fills": 0, "updates": 24, "instances": 1.0,
               "energy_per_instance": 768}},
       "expected_cycles": 270},
      {"name": "Buffer", "capacity_words": 8, "block_words": 1, "read_bw": null, "write_bw": null,
       "energy_per_block": {"read": 2, "fill": 3, "update": 1.5},
       "keep": ["A", "O"],
       "temporal_outer_to_inner": [["M", 4]],
       "expected": {
         "A": {"tile": 4, "reads": 36, "fills": 36, "updates": 0, "instances": 2,
               "energy_per_instance": 180},
         "O": {"tile": 4, "reads": 24, "fills": 0, "updates": 36, "instances": 2.0,
               "energy_per_instance": 102}},
       "expected_cycles": 36}],
    "mac": {"energy": 0.5},
    "expected": {"macs": 72, "compute_cycles": 36, "cycles": 270, "energy": 8280,
                 "mac_instances_used": 2}})");
}

inline const std::string kCsvHeading =
    "layer,X,Y,Z,tiling,X_bounds,Y_bounds,Z_bounds,walk_dram,walk_sram,keep_sram,keep_rf,"
    "energy_pj,cycles";
// 64 MACs on 16 processing elements. DRAM alone keeps the tensors: it reads A and
// B 16 words each, and takes 64 partial sums, of which it reads 48 back.
inline const std::string kCsvRow = "tiny,4,4,4,0,1x1x4x1,1x1x4x1,1x4x1x1,X,X,-,-,9229.44,4";

}  // namespace tilewright::golden::testing
