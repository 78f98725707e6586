// The tables and figures of "A Formalism of DNN Accelerator Flexibility", one
// function each.
#pragma once

#include <string>
#include <vector>

#include "reproduce/flexibility_setup.h"

namespace tilewright::reproduce {

Figure flexibility_fig3(const Options& options);
Figure flexibility_table3(const Options& options);
// The network has some layers of MnasNet; layers 1, 16, 19, 21 and 29 must be among them.
Figure flexibility_fig7(const Options& options,
                        const Network& network = gamma_network("gamma_mnasnet"));
Figure flexibility_fig8(const Options& options);
Figure flexibility_fig9(const Options& options,
                        const Network& network = gamma_network("gamma_mnasnet"));
Figure flexibility_fig10(const Options& options,
                         const Network& network = gamma_network("gamma_mnasnet"));
Figure flexibility_fig11(const Options& options);
Figure flexibility_fig12(const Options& options);
// Takes some of the seven networks, by the names of their files; the design is for the first.
Figure flexibility_fig13(const Options& options,
                         const std::vector<std::string>& networks = {
                             "gamma_alexnet", "gamma_mnasnet", "gamma_resnet50",
                             "gamma_mobilenet_v2", "gamma_bert", "gamma_dlrm", "gamma_ncf"});

// Figures 7, 10 and 13 with the tile of Table 2 as that of each PE. Takes networks as Figure 13.
Figure flexibility_pe_tiles(const Options& options,
                            const Network& mnasnet = gamma_network("gamma_mnasnet"),
                            const std::vector<std::string>& networks = {
                                "gamma_alexnet", "gamma_mnasnet", "gamma_resnet50",
                                "gamma_mobilenet_v2", "gamma_bert", "gamma_dlrm", "gamma_ncf"});

}  // namespace tilewright::reproduce
