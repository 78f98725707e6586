// Figures that free one axis (section 6): a block of rows per layer, and one for
// the whole of MnasNet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reproduce/flexibility_setup.h"

namespace tilewright::reproduce {

// What the paper prints of an accelerator; nothing where the text is lost.
struct PrintedRow {
  std::optional<double> runtime, energy, hardware, workload;
  std::string chosen;
};

struct IsolatedLayer {
  std::size_t number = 0;           // of MnasNet, from 1; 0: the whole
  std::vector<PrintedRow> printed;  // by variant
};

struct Isolation {
  TopsAxis axis{};
  Network network;  // MnasNet, or some of its layers
  Architecture arch;
  std::vector<Variant> variants;  // the last is FullFlex-1111, without flexion
  std::vector<IsolatedLayer> layers;
};

// Fills headings and rows. Gives the comparison, for what else the figure says.
Comparison isolate(const Isolation& isolation, const Options& options, Figure& figure);

}  // namespace tilewright::reproduce
