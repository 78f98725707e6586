// What the figures of "A Formalism of DNN Accelerator Flexibility" have in common:
// the accelerator, its fixed baseline, the networks.
#pragma once

#include <string>
#include <vector>

#include "reproduce/figure.h"
#include "tilewright/study.h"

namespace tilewright::reproduce {

// 1024 PEs and 100 KB. The paper gives no bandwidth, and the tools behind it limit
// none; where tiles and orders are to make a difference in time there has to be a limit.
enum class Bandwidth { AsShipped, Unlimited };
Architecture flexible_accelerator(Bandwidth bandwidth);

// Axes as on a command line, such as "T=soft,O=KCYXRS,P=CK,S=32x32"; it must be right.
Flexibility axes(const std::string& line);
// Table 2.
Flexibility table2_baseline();

// GAMMA's tables, by the name of the file: "gamma_mnasnet".
Network gamma_network(const std::string& name);

StudyOptions study_of(const Options& options);

}  // namespace tilewright::reproduce
