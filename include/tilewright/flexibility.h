// What the flexibility of an accelerator means: for a workload the settings it can
// choose from and the map-space of each; its cost in area; and the share that it has of
// all there is to choose.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/base.h"
#include "tilewright/workload.h"

namespace tilewright {

// A workload as an accelerator for convolutions sees it. A matrix product has K
// (output features), C (the sum) and Y (columns of the batch); a depthwise layer
// has K = 1 and its channels as C, which both K and C may unroll.
class ConvView {
 public:
  // Nothing if the workload is not one product of a weight and an input.
  static Checked<ConvView> create(const Workload& workload);

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
  Int128 least_cycles = 0;

  bool operator==(const Setting&) const = default;
};
// "16x64, rows K, columns C, order KCYXRS"
std::string to_string(const Setting& setting);

// The settings of an architecture with a flexibility that no other one
// contains under its constraints, those with the fewest cycles first.
Checked<std::vector<Setting>> settings_of(const Workload& workload, const Architecture& arch);

// Whether what runs on an array of some shape runs as well, at the same cost, on one that
// contains it: not where a share of the array must be used, or all of it leaks.
bool shapes_nest(const Architecture& arch);

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

// --- flexion ------------------------------------------------------------------
//
// How much of what there is to choose an accelerator leaves open: "flexion", the
// share of a map-space that it supports, axis by axis (Kao et al., "A Formalism
// of DNN Accelerator Flexibility", SIGMETRICS 2022, section 4). Each axis is
// counted for one level of tiling, as the paper's figures are.
//
//   axis      |C|                 |A|            |W|                |A^w|
//   order     6! orders           supported      n! of the n loops  supported, without loops that
//                                                larger than 1      run once
//   parallel  30 ordered pairs    supported      n(n-1)             supported ones of two loops
//                                                                   larger than 1, but one at least
//   shape     as many as PEs      supported      D1                 those of up to D1 rows
//   tile      footprints that     supported      product of the     tiles that fit
//             fit in the buffer                  loop sizes
//
// D1 is the size of the loop on the rows of the first pair (K if all pairs are
// supported). Rows come in units: a shape with more than D1 of them counts if
// fewer units would not do.
//
// A layer without a supported pair of two loops larger than 1, such as a
// depthwise one (K = 1) on an accelerator that unrolls K and C alone, does run
// there: that is the one choice. The paper leaves this open. With 0 instead, the
// mean over its MnasNet for K and C alone is 0.0551 rather than 0.0715.
//
// A footprint is the number of elements, one or more, of each tensor that the
// buffer may keep; a tile is an extent of each dimension. Tiles are as large as the
// model's: strides, and the accounting of windows, are respected. A batch is
// done one by one.

// Shares, from 0 to 1.
struct Interval {
  double low = 0, high = 0;

  bool operator==(const Interval&) const = default;
};

// A share of all tiles: counted, or estimated from samples.
struct TileShare {
  BigUint count;                      // rounded, if estimated
  std::optional<Interval> estimated;  // 95 % confidence interval of the share
};

struct AxisFlexion {
  TopsAxis axis{};
  BigUint of_class;      // |C|: of the most flexible accelerator with as many PEs and words
  BigUint supported;     // |A|: of this one
  BigUint of_workload;   // |W|: of the workload, whatever the accelerator
  TileShare class_both;  // |C^w|: of the workload, on the most flexible accelerator
  TileShare both;        // |A^w|: of the workload, on this one

  double hardware() const;  // H-F = A / C
  // 1 if there is nothing to choose.
  double workload() const;        // W-F = A^w / W
  double class_workload() const;  // C^w / W
};

struct FlexionOptions {
  // Tiles are counted one by one, where they are not too many for these steps.
  std::int64_t steps = 20'000'000;
  std::int64_t samples = 100'000;  // otherwise; at least 1
  std::uint64_t seed = 1;
  std::uint64_t stream = 0;  // of the seed
  const std::atomic<bool>* cancelled = nullptr;
};

// The architecture has a flexibility. Gives nothing, and no problem, if cancelled.
Checked<AxisFlexion> flexion_of(const Workload& workload, const Architecture& arch, TopsAxis axis,
                                const FlexionOptions& options = {});

// All axes together: choices of a tile, an order, a pair, and a shape that the pair can make use
// of. Tiles and orders go with everything; shapes count up to the size of the loop on the rows,
// pair by pair, so W and A^w are not the products of those of single axes. The paper leaves this
// open.
struct JointFlexion {
  BigUint of_class, supported, of_workload, class_both, both;  // as in AxisFlexion
  double hardware = 0, workload = 0;                           // A / C, A^w / W
  std::optional<Interval> estimated;  // 95 % confidence interval of `workload`, of sampled tiles
};
// Axes are as kTopsAxes, and of this workload on this architecture.
JointFlexion joint_flexion_of(const Workload& workload, const Architecture& arch,
                              const std::array<AxisFlexion, 4>& axes);

// --- networks ---------------------------------------------------------------

struct LayerFlexion {
  std::string name;
  std::int64_t count = 1;           // how often the network has it
  std::array<AxisFlexion, 4> axes;  // as kTopsAxes
  JointFlexion joint;
};

// Arithmetic means over all layers, each as often as it occurs.
struct MeanFlexion {
  TopsAxis axis{};
  double of_class = 0, supported = 0, of_workload = 0, class_both = 0, both = 0;
  // Means of the ratios A/C, A^w/W and C^w/W, which are not the ratios of the means.
  double hardware = 0, workload = 0, class_workload = 0;
  std::optional<Interval> estimated;  // 95 % confidence interval of `workload`
};

struct NetworkFlexion {
  std::vector<LayerFlexion> layers;
  std::array<MeanFlexion, 4> mean;  // as kTopsAxes
  // Means of the layers' ratios A/C and A^w/W, over all axes together.
  double joint_hardware = 0, joint_workload = 0;
};

// A network of at least one layer. Nothing, and no problem, if cancelled.
// `on_progress` hears how many layers are done, and of how many.
Checked<NetworkFlexion> flexion_of(
    const Network& network, const Architecture& arch, const FlexionOptions& options = {},
    const std::function<void(std::size_t done, std::size_t all)>& on_progress = {});

// The means along one axis alone.
Checked<MeanFlexion> mean_flexion_of(const Network& network, const Architecture& arch,
                                     TopsAxis axis, const FlexionOptions& options = {});

}  // namespace tilewright
