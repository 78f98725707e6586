#include "reproduce/flexibility_figures.h"
#include "reproduce/goma_figures.h"
#include "reproduce/quickflow_figures.h"
#include "reproduce/ruby_figures.h"
#include "tilewright/report.h"

namespace tilewright::reproduce {

const std::vector<Item>& ruby() {
  static const std::vector<Item> items = {
      {"fig5", "100 elements on 6 PEs, with perfect and imperfect factors", ruby_fig5},
      {"fig7", "how fast the map-spaces lead to good mappings", ruby_fig7},
      {"table1", "sizes of the map-spaces of one dimension", ruby_table1},
      {"fig8", "dimensions of all sizes on 16 PEs, with and without padding", ruby_fig8},
      {"fig9", "layer 2 of AlexNet by hand, with perfect factors and with Ruby-S", ruby_fig9},
      {"fig10", "ResNet-50 on the Eyeriss-like, layer by layer", ruby_fig10},
      {"fig11", "DeepBench on the Eyeriss-like, for EDP and for latency", ruby_fig11},
      {"fig12", "ResNet-50 on the Simba-like, layer by layer", ruby_fig12},
      {"fig13", "EDP against area, Eyeriss-like arrays of many sizes", ruby_fig13},
      {"fig14", "what Ruby-S gains over PFM on these arrays", ruby_fig14},
  };
  return items;
}

const std::vector<Item>& goma() {
  static const std::vector<Item> items = {
      {"fidelity", "on how many mappings the closed form is exact", goma_fidelity},
      {"table2", "EDP over all cases, mapper by mapper", goma_table2},
      {"fig6", "EDP of every case", goma_fig6},
      {"fig7", "EDP of every product of two cases", goma_fig7},
      {"table3", "time to map a case", goma_table3},
      {"optima", "energy of every product beside what GOMA's solver found", goma_optima},
  };
  return items;
}

const std::vector<Item>& quickflow() {
  static const std::vector<Item> items = {
      {"classes", "how many loop orders differ in what they reuse", quickflow_classes},
      {"table3", "how many mappings the model evaluates in a second", quickflow_table3},
      {"fig6", "EDP, time and visited mappings, beside the proven optimum", quickflow_fig6},
      {"averages", "the same by architecture and by type of kernel", quickflow_averages},
      {"orders", "whether orders chosen in one shot are the best", quickflow_orders},
      {"random", "how long a random search takes to find as good a mapping", quickflow_random},
  };
  return items;
}

const std::vector<Item>& flexibility() {
  static const std::vector<Item> items = {
      {"table3", "area of accelerators with more and less flexibility", flexibility_table3},
      {"fig7", "what flexible tiles are worth alone", flexibility_fig7},
      {"fig8", "hard and soft buffers of all sizes", flexibility_fig8},
      {"fig9", "what flexible orders are worth alone", flexibility_fig9},
      {"fig10", "what flexible parallelism is worth alone", flexibility_fig10},
      {"fig11", "what flexible shapes are worth alone", flexibility_fig11},
      {"fig12", "flexible shapes of arrays of all sizes", flexibility_fig12},
      {"fig13", "a design for AlexNet on later networks, with all classes of flexibility",
       flexibility_fig13},
  };
  return items;
}

std::vector<Paper> papers() {
  return {{"ruby", ruby()},
          {"goma", goma()},
          {"quickflow", quickflow()},
          {"flexibility", flexibility()}};
}

std::string csv_of(const Figure& figure) {
  std::string text = report::csv_row(figure.headings);
  for (const std::vector<std::string>& row : figure.rows) text += report::csv_row(row);
  return text;
}

}  // namespace tilewright::reproduce
