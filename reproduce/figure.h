// Published figures, computed again beside what was printed.
#pragma once

#include <any>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::reproduce {

// A table or a figure of a paper: ours beside the printed.
struct Figure {
  std::string title;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows = {};  // texts and plain numbers
  std::vector<std::string> notes = {};              // where ours differs, and why
};

struct Options {
  int threads = 1;
  std::uint64_t seed = 1;
  const std::atomic<bool>* cancelled = nullptr;
  // What is being done, and the share of all that is done.
  std::function<void(const std::string& what, double fraction)> on_progress;
  // Results that several figures are made of, by name, so that none is computed twice; see
  // shared_result(). May be null.
  std::map<std::string, std::any>* shared = nullptr;
};

struct Item {
  std::string_view name;   // "table1", "fig7"
  std::string_view title;  // one line
  Figure (*make)(const Options& options);
};

// "Ruby: Improving Hardware Efficiency for Tensor Algebra Accelerators Through
// Imperfect Factorization" (Horeni et al., ISPASS 2022).
const std::vector<Item>& ruby();
// "GOMA: Geometrically Optimal Mapping via Analytical Modeling for Spatial
// Accelerators" (Yang et al., arXiv 2603.07962).
const std::vector<Item>& goma();
// "QuickFlow: An Efficient Local Search Method to Map Convolutions on Spatial
// Architectures" (Ronzani and Silvano).
const std::vector<Item>& quickflow();
// "A Formalism of DNN Accelerator Flexibility" (Kao et al., SIGMETRICS 2022).
const std::vector<Item>& flexibility();
// Chips as they were measured: Eyeriss (Chen et al., JSSC 52(1), 2017) and TPU v1 (Jouppi et al.,
// ISCA 2017).
const std::vector<Item>& silicon();

struct Paper {
  std::string_view name;  // "ruby"
  const std::vector<Item>& items;
};
std::vector<Paper> papers();

// The figure as comma-separated values, with headings.
std::string csv_of(const Figure& figure);

}  // namespace tilewright::reproduce
