// What the flexibility of an accelerator means for one workload: the settings
// it can choose from, and the map-space of each. And what it costs in area.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/base.h"
#include "tilewright/tops.h"
#include "tilewright/workload.h"

namespace tilewright {

// A workload as an accelerator for convolutions sees it. A matrix product has K
// (output features), C (the sum) and Y (columns of the batch); a depthwise layer
// has K = 1 and its channels as C, which both K and C may unroll.
class ConvView {
 public:
  // Nothing if the workload is not one product of a weight and an input.
  static Parsed<ConvView> create(const Workload& workload);

  // The dimensions that a loop stands for, outermost first; often one, none
  // where the workload lacks it. Groups belong to C.
  const std::vector<DimId>& dims(ConvDim loop) const { return dims_[index_of(loop)]; }
  // Those that may be unrolled with it: groups belong to K as well.
  std::vector<DimId> unrolled_with(ConvDim loop) const;
  // Dimensions that no loop stands for, such as a batch of convolutions.
  const std::vector<DimId>& others() const { return others_; }
  // All dimensions with their loops in an order; those of no loop come first.
  std::vector<DimId> dims_in(const ConvOrder& order) const;
  // The size of a loop: the product of its dimensions'.
  std::int64_t size(ConvDim loop) const { return sizes_[index_of(loop)]; }

 private:
  std::array<std::vector<DimId>, kConvDims> dims_;
  std::vector<DimId> groups_;  // of C, in every tensor
  std::vector<DimId> others_;
  ConvSizes sizes_{1, 1, 1, 1, 1, 1};
};

// One way to set up the accelerator for a layer.
struct Setting {
  // How often a dimension of a fixed tile is unrolled.
  struct Unrolled {
    DimId dim{};
    std::int64_t rows = 1, columns = 1;

    bool operator==(const Unrolled&) const = default;
  };
  ArrayShape shape;
  ConvPair pair;
  std::optional<ConvOrder> order;  // none: any
  std::vector<Unrolled> unrolled;  // of a fixed tile
  // No mapping with this setting takes the multipliers fewer cycles.
  std::int64_t least_cycles = 0;

  bool operator==(const Setting&) const = default;
};
// "16x64, rows K, columns C, order KCYXRS"
std::string to_string(const Setting& setting);

// The settings of an architecture with a flexibility that no other one
// contains under its constraints, those with the fewest cycles first.
Parsed<std::vector<Setting>> settings_of(const Workload& workload, const Architecture& arch);

// The architecture as it is set up: no freedom is left but what mappings have,
// and they must keep to the constraints.
struct SetUp {
  Architecture arch;
  std::vector<Constraint> constraints;
};
SetUp set_up(const Workload& workload, const Architecture& arch, const Setting& setting);

// A dimension in the fixed tile of a flexibility.
struct FixedDim {
  DimId dim{};
  std::int64_t extent = 1;
  bool cuts = false;  // the dimension is larger
};
// Empty if the tile is not fixed. Where a loop stands for several dimensions,
// the innermost take their share first; a batch is done one by one.
std::vector<FixedDim> fixed_tile(const Workload& workload, const ConvView& view,
                                 const Flexibility& flexibility);

// The memories outside the array around a single multiplier, with what their
// mappings must keep to. Whatever the array does, no mapping moves fewer words
// in them than the best one here, remainders allowed. Nothing if what they move depends
// on the array.
std::optional<SetUp> outside_of_array(const Workload& workload, const Architecture& arch,
                                      const std::optional<ConvOrder>& order);

// --- what freedom costs -----------------------------------------------------------

// Area that the hardware for each axis adds, by components whose sizes come from
// Table 3 of the paper (1024 PEs, 100 KB, 15 nm): registers that divide the buffer; address
// generators, and a counter in each PE; address generators again, and a multiplexer
// in each PE; the network that makes rows and columns of any length.
struct Overhead {
  std::array<double, 4> um2{};  // by axis

  double sum() const { return um2[0] + um2[1] + um2[2] + um2[3]; }
};
// An axis that is free in part costs half (PartFlex and FullFlex in Table 3).
Overhead overhead_of(const Architecture& arch);

// The area of the levels; of an architecture that gives none, Table 3's inflexible
// accelerator, grown with the PEs and the buffer.
double base_area_um2(const Architecture& arch);
inline constexpr double kTable3BaseUm2 = 736'843;

}  // namespace tilewright
