#include "reproduce/flexibility_figures.h"
#include "reproduce/goma_figures.h"
#include "reproduce/quickflow_figures.h"
#include "reproduce/ruby_figures.h"
#include "reproduce/silicon_figures.h"
#include "tilewright/report.h"

namespace tilewright::reproduce {

const std::vector<Item>& ruby() {
  static const std::vector<Item> items = {
      {"fig5", "100 elements on 6 PEs, with perfect and imperfect factors", ruby_fig5},
      {"fig7", "how fast the map-spaces lead to good mappings",
       [](const Options& options) { return ruby_fig7(options); }},
      {"table1", "sizes of the map-spaces of one dimension", ruby_table1},
      {"fig8", "dimensions of all sizes on 16 PEs, with and without padding",
       [](const Options& options) { return ruby_fig8(options); }},
      {"fig9", "layer 2 of AlexNet by hand, with perfect factors and with Ruby-S",
       [](const Options& options) { return ruby_fig9(options); }},
      {"fig10", "ResNet-50 on the Eyeriss-like, layer by layer",
       [](const Options& options) { return ruby_fig10(options); }},
      {"fig11", "DeepBench on the Eyeriss-like, for EDP and for latency",
       [](const Options& options) { return ruby_fig11(options); }},
      {"fig12", "ResNet-50 on the Simba-like, layer by layer",
       [](const Options& options) { return ruby_fig12(options); }},
      {"fig13", "EDP against area, Eyeriss-like arrays of many sizes",
       [](const Options& options) { return ruby_fig13(options); }},
      {"fig14", "what Ruby-S gains over PFM on these arrays",
       [](const Options& options) { return ruby_fig14(options); }},
      {"claims", "the abstract's numbers beside those of the text, and the optima",
       [](const Options& options) { return ruby_claims(options); }},
  };
  return items;
}

const std::vector<Item>& goma() {
  static const std::vector<Item> items = {
      {"fig2", "how far apart the energies of mappings are",
       [](const Options& options) { return goma_fig2(options); }},
      {"fidelity", "on how many mappings the closed form is exact", goma_fidelity},
      {"table2", "EDP over all cases, mapper by mapper",
       [](const Options& options) { return goma_table2(options); }},
      {"fig6", "EDP of every case", [](const Options& options) { return goma_fig6(options); }},
      {"fig7", "EDP of every product of two cases",
       [](const Options& options) { return goma_fig7(options); }},
      {"table3", "time to map a case", [](const Options& options) { return goma_table3(options); }},
      {"fig8", "time to map every case", [](const Options& options) { return goma_fig8(options); }},
      {"fig9", "time to map every product of one case",
       [](const Options& options) { return goma_fig9(options); }},
      {"optima", "energy of every product beside what GOMA's solver found",
       [](const Options& options) { return goma_optima(options); }},
  };
  return items;
}

const std::vector<Item>& quickflow() {
  static const std::vector<Item> items = {
      {"classes", "how many loop orders differ in what they reuse", quickflow_classes},
      {"table3", "how many mappings the model evaluates in a second",
       [](const Options& options) { return quickflow_table3(options); }},
      {"sizes", "how many mappings the map-spaces have",
       [](const Options& options) { return quickflow_sizes(options); }},
      {"steps", "steps of the search, and the bound on what it visits",
       [](const Options& options) { return quickflow_steps(options); }},
      {"fig6", "EDP, time and visited mappings of all mappers, beside the proven optimum",
       [](const Options& options) { return quickflow_fig6(options); }},
      {"mappers", "the same over all map-spaces, mapper by mapper",
       [](const Options& options) { return quickflow_mappers(options); }},
      {"averages", "of the local search, by architecture and by type of kernel",
       [](const Options& options) { return quickflow_averages(options); }},
      {"orders", "whether orders chosen in one shot are the best",
       [](const Options& options) { return quickflow_orders(options); }},
      {"wider", "what a wider search finds, and what there is to be found",
       [](const Options& options) { return quickflow_wider(options); }},
      {"random", "how long a random search takes to find as good a mapping",
       [](const Options& options) { return quickflow_random(options); }},
  };
  return items;
}

const std::vector<Item>& flexibility() {
  static const std::vector<Item> items = {
      {"table3", "area of accelerators with more and less flexibility", flexibility_table3},
      {"fig3", "what each axis is good for, on an array of 4 x 4", flexibility_fig3},
      {"fig7", "what flexible tiles are worth alone",
       [](const Options& options) { return flexibility_fig7(options); }},
      {"fig8", "hard and soft buffers of all sizes", flexibility_fig8},
      {"fig9", "what flexible orders are worth alone",
       [](const Options& options) { return flexibility_fig9(options); }},
      {"fig10", "what flexible parallelism is worth alone",
       [](const Options& options) { return flexibility_fig10(options); }},
      {"fig11", "what flexible shapes are worth alone", flexibility_fig11},
      {"fig12", "flexible shapes of arrays of all sizes", flexibility_fig12},
      {"fig13", "a design for AlexNet on later networks, with all classes of flexibility",
       [](const Options& options) { return flexibility_fig13(options); }},
      {"pe_tiles", "figures 7, 10 and 13 with a fixed tile of each PE, as MAESTRO has it",
       [](const Options& options) { return flexibility_pe_tiles(options); }},
  };
  return items;
}

const std::vector<Item>& silicon() {
  static const std::vector<Item> items = {
      {"eyeriss", "AlexNet on Eyeriss: PEs, time and buffer beside the chip's", silicon_eyeriss},
      {"dram", "the same for DRAM, where the chip compresses", silicon_dram},
      {"mapped", "the same chip with the mappings that are proven best", silicon_mapped},
      {"tpu", "throughput of TPU v1 beside the published one", silicon_tpu},
  };
  return items;
}

std::vector<Paper> papers() {
  return {{"ruby", ruby()},
          {"goma", goma()},
          {"quickflow", quickflow()},
          {"flexibility", flexibility()},
          {"silicon", silicon()}};
}

std::string csv_of(const Figure& figure) {
  std::string text = report::csv_row(figure.headings);
  for (const std::vector<std::string>& row : figure.rows) text += report::csv_row(row);
  return text;
}

}  // namespace tilewright::reproduce
