// Arrays of many sizes: energy-delay product against area, and what Ruby-S gains.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reproduce/common.h"
#include "reproduce/ruby_searches.h"
#include "reproduce/ruby_setup.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

namespace {

// One network on one array, mapped in one way.
struct Point {
  std::size_t network = 0, array = 0, approach = 0;
  double area_um2 = 0;
  Score total;
};

struct ArraySweep {
  std::vector<Network> networks;
  std::vector<ArraySize> arrays;
  std::vector<Approach> approaches;
  std::vector<Point> points;         // by network, then by array, then by approach
  std::vector<std::string> missing;  // arrays that some layer has no mapping on

  // The next approach on the same network and array.
  const Point& after(const Point& point) const {
    return points[static_cast<std::size_t>(&point - points.data()) + 1];
  }
};

ArraySweep prepared_sweep(const RubyEffort& effort, std::vector<Approach> approaches) {
  ArraySweep sweep;
  sweep.networks = {shortened(network_of_width("resnet50", 16), effort.layers),
                    shortened(deepbench_selection(), effort.layers)};
  sweep.arrays.assign(kSweptArrays.begin(), kSweptArrays.end());
  if (sweep.arrays.size() > effort.arrays) sweep.arrays.resize(effort.arrays);
  sweep.approaches = std::move(approaches);
  return sweep;
}

// Padding searches several workloads for a layer. The other approaches search
// one with as many times the patience, so that all see about as many mappings.
std::optional<Score> mapped(Searches& searches, const Network& network, const Architecture& arch,
                            const Approach& approach, const RubyEffort& effort) {
  Score total;
  for (const Layer& layer : network.layers) {
    const std::uint64_t searched =
        approach.padded || approach.proven ? 1 : padded_workloads(layer.workload, arch).size();
    const auto score = searches.best({.layer = layer,
                                      .arch = arch,
                                      .approach = approach,
                                      .patience = effort.patience * searched});
    if (!score) return std::nullopt;
    add(total, *score, layer.count);
  }
  return total;
}

// The points of one network on one array; none unless all approaches have one.
std::vector<Point> points_of(const ArraySweep& sweep, std::size_t network, std::size_t array,
                             Searches& searches, const RubyEffort& effort) {
  const Architecture arch = eyeriss_array(sweep.arrays[array]);
  std::vector<Point> points;
  for (std::size_t s = 0; s < sweep.approaches.size(); ++s) {
    const auto total = mapped(searches, sweep.networks[network], arch, sweep.approaches[s], effort);
    if (!total) return {};
    points.push_back({network, array, s, total_area_um2(arch), *total});
  }
  return points;
}

// Ends early if cancelled; the points are then those of the first networks and arrays.
void run_sweep(ArraySweep& sweep, Searches& searches, const RubyEffort& effort) {
  for (std::size_t n = 0; n < sweep.networks.size(); ++n) {
    for (std::size_t a = 0; a < sweep.arrays.size() && !searches.cancelled(); ++a) {
      const std::vector<Point> points = points_of(sweep, n, a, searches, effort);
      if (points.empty()) sweep.missing.push_back(to_string(sweep.arrays[a]));
      sweep.points.insert(sweep.points.end(), points.begin(), points.end());
    }
  }
}

std::size_t searches_of(const ArraySweep& sweep) {
  std::size_t layers = 0;
  for (const Network& network : sweep.networks) layers += network.layers.size();
  return layers * sweep.arrays.size() * sweep.approaches.size();
}

bool dominates(const Point& a, const Point& b) {
  return a.area_um2 <= b.area_um2 && a.total.edp() <= b.total.edp() &&
         (a.area_um2 < b.area_um2 || a.total.edp() < b.total.edp());
}

// Among the points of the same network, found alike: all of them, or of the same approach alone.
bool is_pareto(const ArraySweep& sweep, const Point& point, bool among_all_approaches) {
  const auto proven = [&](const Point& of) { return sweep.approaches[of.approach].proven; };
  return std::none_of(sweep.points.begin(), sweep.points.end(), [&](const Point& other) {
    return other.network == point.network && proven(other) == proven(point) &&
           (among_all_approaches || other.approach == point.approach) && dominates(other, point);
  });
}

std::string name_of(const Network& network) {
  return network.name == "resnet50" ? "ResNet-50" : "DeepBench selection";
}

void add_sweep_notes(Figure& figure, const ArraySweep& sweep, const Searches& searches,
                     const RubyEffort& effort) {
  std::vector<std::string> shapes;
  for (const Layer& layer : sweep.networks.back().layers) shapes.push_back(layer.name);
  add_notes(
      figure,
      {"The paper sweeps 2x7 to 16x16 and does not list the arrays: these are an even grid of "
       "columns x rows, and the baseline 14x12. The global buffer is the same in all.",
       fmt::format(
           "Nor does it list its DeepBench workloads; here {} (S up to 7, so that every array can "
           "run them; every fourth of those in deepbench_inference). EDP: sum of energies times "
           "sum "
           "of cycles.",
           fmt::join(shapes, ", ")),
       patience_note(effort) +
           " Padding searches several workloads for a layer; for PFM and Ruby-S the "
           "patience is that many times larger, to be fair.",
       "Random search: another seed moves the means by a few points, and where perfect factors "
       "fill "
       "the array (sides of 16) the larger space of Ruby-S makes the search harder, so that PFM "
       "can "
       "come out ahead. Proven: the optimum of every layer, by the optimal mapper.",
       "Gains depend on which arrays are taken. On ResNet-50, sides of 11, which divide no size of "
       "a layer, gain most."});
  if (!sweep.missing.empty() && !searches.cancelled()) {
    figure.notes.push_back(
        fmt::format("Left out, where a layer has no mapping: {}.", fmt::join(sweep.missing, ", ")));
  }
  note_if_incomplete(figure, searches);
}

// --- figure 14 ----------------------------------------------------------------

// In percent, by how much Ruby-S is below PFM, on all arrays of a network.
struct Gains {
  std::vector<double> all, pareto;  // pareto: where Ruby-S is on its own frontier

  void add(double gain, bool is_pareto) {
    all.push_back(gain);
    if (is_pareto) pareto.push_back(gain);
  }
};

struct SearchedAndBestGains {
  Gains searched, best;
};

double gain_percent(const Point& pfm, const Point& ruby_s) {
  return 100 * (1 - ruby_s.total.edp() / pfm.total.edp());
}

// Approaches: PFM and Ruby-S, then the same proven.
SearchedAndBestGains add_gains(Figure& figure, const ArraySweep& sweep, std::size_t network) {
  SearchedAndBestGains gains;
  for (const Point& pfm : sweep.points) {
    if (pfm.network != network || pfm.approach != 0) continue;
    const Point& ruby_s = sweep.after(pfm);
    const Point& best_pfm = sweep.after(ruby_s);
    const Point& best_ruby_s = sweep.after(best_pfm);
    const double gain = gain_percent(pfm, ruby_s);
    const double best_gain = gain_percent(best_pfm, best_ruby_s);
    const bool pareto = is_pareto(sweep, ruby_s, false);
    gains.searched.add(gain, pareto);
    gains.best.add(best_gain, is_pareto(sweep, best_ruby_s, false));
    figure.rows.push_back(
        {name_of(sweep.networks[network]), to_string(sweep.arrays[pfm.array]),
         fmt::format("{:.0f}", pfm.area_um2), fmt::format("{:.6g}", pfm.total.edp()),
         fmt::format("{:.6g}", ruby_s.total.edp()), fmt::format("{:.2f}", gain), "",
         pareto ? "yes" : "no", fmt::format("{:.6g}", best_pfm.total.edp()),
         fmt::format("{:.6g}", best_ruby_s.total.edp()), fmt::format("{:.2f}", best_gain)});
  }
  return gains;
}

void add_summary(Figure& figure, const std::string& network, const SearchedAndBestGains& gains) {
  const auto& [searched, best] = gains;
  const auto add = [&](const char* what, double gain, double best_gain) {
    figure.rows.push_back({network, what, "", "", "", fmt::format("{:.2f}", gain), "", "", "", "",
                           fmt::format("{:.2f}", best_gain)});
  };
  const auto most = [](const std::vector<double>& all) {
    return *std::max_element(all.begin(), all.end());
  };
  if (searched.all.empty()) return;
  add("mean", mean(searched.all), mean(best.all));
  add("most", most(searched.all), most(best.all));
  add("mean of Pareto points", mean(searched.pareto), mean(best.pareto));
}

// Where padding is better than remainders in space, which the paper does not have.
std::string padding_note(const ArraySweep& sweep) {
  std::vector<std::string> arrays;
  double most = 0;
  for (const Point& padded : sweep.points) {
    if (sweep.approaches[padded.approach].name != kBestPaddedPfm.name) continue;
    const Point& ruby_s = sweep.after(padded);
    if (padded.network != 0 || padded.total.edp() >= ruby_s.total.edp()) continue;
    arrays.push_back(to_string(sweep.arrays[padded.array]));
    most = std::max(most, gain_percent(ruby_s, padded));
  }
  if (arrays.empty())
    return "Proven, no array runs ResNet-50 better with padding than with Ruby-S.";
  return fmt::format(
      "A finding that the paper does not have: proven, padded perfect factors run ResNet-50 better "
      "than Ruby-S on {} (by {:.2f} % at most). Ruby-S has remainders in space alone; its loops in "
      "time divide the sizes of the layers, powers of two for the most part. Padding 128 channels "
      "to 132 = 12 x 11 fills 12 rows and leaves a loop of 11 for the scratchpads.",
      fmt::join(arrays, ", "), most);
}

}  // namespace

Figure ruby_fig13(const Options& options, const RubyEffort& effort) {
  Figure figure{"Figure 13: energy-delay product against area, Eyeriss-like arrays",
                {"workloads", "array", "area um2", "strategy", "EDP", "energy", "cycles",
                 "Pareto of its strategy", "Pareto of all"}};
  ArraySweep sweep =
      prepared_sweep(effort, {kPfm, kPaddedPfm, kRubyS, kBestPfm, kBestPaddedPfm, kBestRubyS});
  Searches searches(options, searches_of(sweep));
  run_sweep(sweep, searches, effort);
  for (const Point& point : sweep.points) {
    figure.rows.push_back(
        {name_of(sweep.networks[point.network]), to_string(sweep.arrays[point.array]),
         fmt::format("{:.0f}", point.area_um2), std::string(sweep.approaches[point.approach].name),
         fmt::format("{:.6g}", point.total.edp()), fmt::format("{:.6g}", point.total.energy_pj),
         fmt::format("{}", point.total.cycles), is_pareto(sweep, point, false) ? "yes" : "no",
         is_pareto(sweep, point, true) ? "yes" : "no"});
  }
  figure.notes.push_back(padding_note(sweep));
  add_sweep_notes(figure, sweep, searches, effort);
  return figure;
}

Figure ruby_fig14(const Options& options, const RubyEffort& effort) {
  Figure figure{"Figure 14: what Ruby-S gains over PFM, Eyeriss-like arrays",
                {"workloads", "array", "area um2", "EDP PFM", "EDP Ruby-S", "gain %", "paper %",
                 "Pareto of Ruby-S", "best EDP PFM", "best EDP Ruby-S", "best gain %"}};
  ArraySweep sweep = prepared_sweep(effort, {kPfm, kRubyS, kBestPfm, kBestRubyS});
  Searches searches(options, searches_of(sweep));
  run_sweep(sweep, searches, effort);
  for (std::size_t n = 0; n < sweep.networks.size() && !searches.cancelled(); ++n) {
    const SearchedAndBestGains gains = add_gains(figure, sweep, n);
    add_summary(figure, name_of(sweep.networks[n]), gains);
  }
  add_printed(figure, "ruby_fig14");
  figure.notes.push_back(proof_note());
  add_sweep_notes(figure, sweep, searches, effort);
  return figure;
}

}  // namespace tilewright::reproduce
