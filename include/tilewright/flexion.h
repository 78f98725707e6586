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
#include "tilewright/tops.h"
#include "tilewright/workload.h"

namespace tilewright {

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

// Of an architecture with a flexibility. Nothing, and no problem, if cancelled.
Parsed<AxisFlexion> flexion_of(const Workload& workload, const Architecture& arch, TopsAxis axis,
                               const FlexionOptions& options = {});

// --- networks ---------------------------------------------------------------

struct LayerFlexion {
  std::string name;
  std::int64_t count = 1;           // how often the network has it
  std::array<AxisFlexion, 4> axes;  // as kTopsAxes
};

// Arithmetic means over all layers, each as often as it occurs.
struct MeanFlexion {
  TopsAxis axis{};
  double of_class = 0, supported = 0, of_workload = 0, class_both = 0, both = 0;
  // Of the ratios A/C, A^w/W and C^w/W; these are not the ratios of the means.
  double hardware = 0, workload = 0, class_workload = 0;
  std::optional<Interval> estimated;  // 95 % confidence interval of `workload`
};

struct NetworkFlexion {
  std::vector<LayerFlexion> layers;
  std::array<MeanFlexion, 4> mean;  // as kTopsAxes
};

// A network of at least one layer. Nothing, and no problem, if cancelled.
// `on_progress` hears how many layers are done, and of how many.
Parsed<NetworkFlexion> flexion_of(
    const Network& network, const Architecture& arch, const FlexionOptions& options = {},
    const std::function<void(std::size_t done, std::size_t all)>& on_progress = {});

// The means along one axis alone.
Parsed<MeanFlexion> mean_flexion_of(const Network& network, const Architecture& arch, TopsAxis axis,
                                    const FlexionOptions& options = {});

}  // namespace tilewright
