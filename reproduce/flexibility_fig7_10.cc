// Figures 7, 9 and 10: tiles, orders and parallel dimensions on their own.
#include <fmt/format.h>

#include <cmath>

#include "reproduce/common.h"
#include "reproduce/flexibility_figures.h"

namespace tilewright::reproduce {

namespace {

// "4.8x over InFlex", of the whole network.
std::string speedups(const Comparison& comparison) {
  if (comparison.cancelled) return "";
  const auto cycles = [&](std::size_t v) {
    return static_cast<double>(comparison.trials[v].front().total.cycles);
  };
  return fmt::format("{:.2f}x over InFlex, {:.2f}x over PartFlex", cycles(0) / cycles(2),
                     cycles(1) / cycles(2));
}

// Section 6.2: an access to a soft-partitioned buffer takes more energy than one to a part of a
// hard-partitioned one. How much is not printed; here a part of a third takes sqrt(1/3) of it, as
// estimates of SRAM have it (docs/energy.md).
std::string access_note(const Comparison& comparison, const Network& network,
                        const Options& options) {
  if (comparison.cancelled) return "";
  Architecture arch = flexible_accelerator(Bandwidth::AsShipped);
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  auto& buffer = std::get<Memory>(arch.levels[static_cast<std::size_t>(index_of(parts.buffer))]);
  for (double* pj : {&buffer.read_pj, &buffer.write_pj, &buffer.update_pj})
    *pj *= std::sqrt(1.0 / 3);
  const Variant hard{"hard", with_some_freedom(table2_baseline(), axes_of(TopsAxis::Tile), 1024)};
  Options quiet = options;
  quiet.on_progress = {};
  const Comparison cheaper = compare({hard}, {network}, arch, study_of(quiet));
  if (cheaper.cancelled) return "";
  const double soft = comparison.trials[2].front().total.energy_pj;
  return fmt::format(
      "The paper says that soft partitions take more energy per access than hard ones, and no "
      "number. If an access to a third of the buffer takes sqrt(1/3) of one to all of it, as "
      "estimates of SRAM have it, PartFlex-1000 takes {:.3f} of the energy of FullFlex-1000, and "
      "{:.3f} with equal accesses.",
      cheaper.trials[0].front().total.energy_pj / soft,
      comparison.trials[1].front().total.energy_pj / soft);
}

constexpr const char* kBandwidthNote =
    "The paper gives no bandwidth, no energies and no width of elements. DRAM moves 16 words a "
    "cycle here (a word per element); the buffer is not limited.";

}  // namespace

Figure flexibility_fig7(const Options& options, const Network& network) {
  Figure figure;
  figure.title = "Fig. 7: tile flexibility alone, MnasNet";
  const Comparison comparison =
      isolate({.axis = TopsAxis::Tile,
               .network = network,
               .arch = flexible_accelerator(Bandwidth::AsShipped),
               .variants = variants_of_axis(table2_baseline(), TopsAxis::Tile),
               .layers = {1, 16, 0},
               .printed = "flexibility_fig7"},
              options, figure);
  add_notes(
      figure,
      {kBandwidthNote,
       fmt::format("FullFlex on all of MnasNet: {}; the paper has 4.8x and 1.9x (it says FullFlex "
                   "where it must mean PartFlex). Its table is lost in the text; the printed "
                   "numbers here follow from its sentences.",
                   speedups(comparison)),
       "Layer 1: the paper's fixed tile keeps PEs idle, as tiles of MAESTRO say how much work a PE "
       "gets; here a tile is what the buffer holds, and K, C on 16x64 use 96 of 1024 PEs whatever "
       "the tile. Hard parts of a third each hold nearly as good tiles as the whole 100 KB does.",
       access_note(comparison, network, options),
       "Tiles that fit are counted with their true windows; as products of the six sizes alone "
       "they "
       "would be 0.902 (soft) and 0.722 (hard) of all in the mean, with 102,400 words."});
  return figure;
}

Figure flexibility_fig9(const Options& options, const Network& network) {
  Figure figure;
  figure.title = "Fig. 9: order flexibility alone, MnasNet";
  Flexibility fixed = table2_baseline();
  fixed.orders = axes("O=YXKCRS").orders;
  const Comparison comparison = isolate({.axis = TopsAxis::Order,
                                         .network = network,
                                         .arch = flexible_accelerator(Bandwidth::AsShipped),
                                         .variants = variants_of_axis(fixed, TopsAxis::Order),
                                         .layers = {16, 21, 29, 0},
                                         .printed = "flexibility_fig9"},
                                        options, figure);
  add_notes(
      figure,
      {kBandwidthNote,
       fmt::format("FullFlex on all of MnasNet: {}; the paper has 1.12x and 1.01x. In MAESTRO the "
                   "order changes the time through the network on the chip, here through DRAM.",
                   speedups(comparison)),
       "W-F of the model is printed as 0.01 and 0.03, which is that of layer 29; the mean over the "
       "layers is 0.030 and 0.090.",
       "The third order of PartFlex, for stationary inputs, is not named; CYXRSK here. The printed "
       "0.002 and 0.0003 of FullFlex-1111 are below what 1024 multipliers can do: GAMMA finds "
       "mappings with more multiplications per cycle than there are PEs."});
  return figure;
}

Figure flexibility_fig10(const Options& options, const Network& network) {
  Figure figure;
  figure.title = "Fig. 10: parallelism flexibility alone, MnasNet";
  const Comparison comparison =
      isolate({.axis = TopsAxis::Parallel,
               .network = network,
               .arch = flexible_accelerator(Bandwidth::AsShipped),
               .variants = variants_of_axis(table2_baseline(), TopsAxis::Parallel),
               .layers = {16, 19, 29, 0},
               .printed = "flexibility_fig10"},
              options, figure);
  add_notes(
      figure,
      {kBandwidthNote,
       fmt::format("FullFlex on all of MnasNet: {}; the paper has 1.6x and 1.3x (1.7x in its "
                   "introduction). Its "
                   "table is lost; the printed runtimes of the model follow from these. Numbers "
                   "in brackets are not printed: they are 1/30 and 2/30, as its section 4 counts.",
                   speedups(comparison)),
       "Y and X in parallel gain nothing here: the fixed tile has 3 x 3 of them, and inside it no "
       "more can be unrolled.",
       "W-F of one pair is 0.0715 in the mean if a depthwise layer, which has no K, counts as run "
       "by K-C, as it does here, and 0.0551 if not; the paper does not say."});
  return figure;
}

}  // namespace tilewright::reproduce
