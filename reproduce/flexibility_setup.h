// What the figures of "A Formalism of DNN Accelerator Flexibility" have in common:
// the accelerator, its fixed baseline, the networks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reproduce/figure.h"
#include "tilewright/study.h"

namespace tilewright::reproduce {

// 1024 PEs and 100 KB. The paper gives no bandwidth, and the tools behind it limit
// none; where tiles and orders are to make a difference in time there has to be a limit.
enum class Bandwidth { AsShipped, Unlimited };
Architecture flexible_accelerator(Bandwidth bandwidth, const std::string& name = "flex_1024");

// Axes as on a command line, such as "T=soft,O=KCYXRS,P=CK,S=32x32"; it must be right.
Flexibility axes(const std::string& line);
// Table 2.
Flexibility table2_baseline();

// InFlex, PartFlex and FullFlex of one axis, and FullFlex-1111.
std::vector<Variant> variants_of_axis(const Flexibility& fixed, TopsAxis axis);
// Adds up to what the network would take if all 1024 PEs were busy all the time: no accelerator
// is faster.
double least_cycles(const Network& network);

// GAMMA's tables, by the name of the file: "gamma_mnasnet".
Network gamma_network(const std::string& name);

StudyOptions study_of(const Options& options);

// --- figures that free one axis (section 6) -------------------------------------

struct Isolation {
  TopsAxis axis{};
  Network network;  // MnasNet, or some of its layers
  Architecture arch;
  std::vector<Variant> variants;    // the last is FullFlex-1111, without flexion
  std::vector<std::size_t> layers;  // of MnasNet, from 1; 0: the whole
  std::string_view printed;         // the table
};

// Fills headings and rows: a block of rows per layer. Gives the comparison, for what else
// the figure says.
Comparison isolate(const Isolation& isolation, const Options& options, Figure& figure);

}  // namespace tilewright::reproduce
