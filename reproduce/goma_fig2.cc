// Figure 2 of GOMA: the energies of different mappings of one matrix product.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "reproduce/common.h"
#include "reproduce/goma_figures.h"
#include "tilewright/mapspace.h"
#include "tilewright/model.h"

namespace tilewright::reproduce {

namespace {

struct Drawn {
  std::vector<double> energies;  // of mappings that fit, rising
  std::size_t seen = 0;
};

Drawn draw_energies(const Problem& problem, std::size_t mappings, const Options& options) {
  Restrictions allowed = Restrictions::create(problem).value.value();
  allowed.exclude_misfits(problem);
  const MapSpace space = MapSpace::create(problem, SpaceKind::Perfect, allowed).value.value();
  const Evaluator evaluator = Evaluator::compile(problem).value.value();
  Sampler sampler(space);
  Rng rng(options.seed);
  Drawn drawn;
  while (drawn.energies.size() < mappings && !is_cancelled(options)) {
    if (++drawn.seen % 1024 == 0) {
      tell_progress(options, "mappings", drawn.energies.size(), mappings);
    }
    const Score score = evaluator.score(sampler.draw(rng));
    if (score.verdict.fits()) drawn.energies.push_back(score.energy_pj);
  }
  std::sort(drawn.energies.begin(), drawn.energies.end());
  return drawn;
}

double least_energy(const Workload& workload, const Architecture& arch, const Options& options) {
  MapOptions map = map_options(options, "optimal");
  map.objective = Objective::Energy;
  return map_workload(workload, arch, map).search.score.energy_pj;
}

struct Quantile {
  std::string_view name;
  double share;  // of the mappings that are below
};
constexpr std::array<Quantile, 7> kQuantiles = {{{"least drawn", 0},
                                                 {"1 %", 0.01},
                                                 {"10 %", 0.1},
                                                 {"median", 0.5},
                                                 {"90 %", 0.9},
                                                 {"99 %", 0.99},
                                                 {"largest drawn", 1}}};

}  // namespace

Figure goma_fig2(const Options& options, std::size_t mappings) {
  constexpr const char* kAccelerator = "goma_eyeriss_like";
  const Layer layer = goma_network("llama3.2_1b_1k").layers.front();
  const Architecture arch = shipped_architecture(kAccelerator);
  Figure figure{"Figure 2: energies of mappings of one product, drawn at random",
                {"mapping", "energy uJ", "over the least"}};
  const Problem problem = Problem::create(layer.workload, arch).value.value();
  const double least = least_energy(layer.workload, arch, options);
  const Drawn drawn = draw_energies(problem, mappings, options);
  const auto add = [&](std::string_view name, double energy) {
    figure.rows.push_back({std::string(name), fmt::format("{:.6g}", 1e-6 * energy),
                           fmt::format("{:.3f}", energy / least)});
  };
  if (!drawn.energies.empty() && !is_cancelled(options)) {
    add("optimum, proven", least);
    for (const auto& [name, share] : kQuantiles) {
      const double last = static_cast<double>(drawn.energies.size() - 1);
      add(name, drawn.energies[static_cast<std::size_t>(std::lround(share * last))]);
    }
  }
  figure.notes = {
      fmt::format("{} of llama3.2_1b_1k on {}: {} mappings that fit, of {} drawn, each mapping of "
                  "the map-space as likely as any other; none is left out.",
                  layer.name, kAccelerator, drawn.energies.size(), drawn.seen),
      "The paper names neither product nor accelerator and draws points without numbers; it says "
      "that energies differ by orders of magnitude, the extremes left out."};
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
