// Figure 3: what each axis is good for, on a matrix product and an array of 4 x 4.
#include <fmt/format.h>

#include <array>

#include "reproduce/common.h"
#include "reproduce/flexibility_figures.h"

namespace tilewright::reproduce {

namespace {

// Z[M,N] = A[M,K] * B[K,N]; on the accelerator N is K, K is C and M is Y.
struct Example {
  const char* part;
  std::int64_t m, k, n;
  TopsAxis axis;
  const char* claim;
};
constexpr std::array<Example, 4> kExamples = {{
    {"(a) tile", 8, 4, 8, TopsAxis::Tile, "2 iterations, 1"},
    {"(b) order", 8, 4, 8, TopsAxis::Order, "2 iterations, 1"},
    {"(c) parallelism", 8, 2, 8, TopsAxis::Parallel, "50 % of the PEs, 100 %"},
    {"(d) shape", 8, 2, 8, TopsAxis::Shape, "50 % of the PEs, 100 %"},
}};
constexpr std::int64_t kSide = 4;

Architecture small_accelerator() {
  Architecture arch = flexible_accelerator(Bandwidth::Unlimited);
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  auto& array = std::get<Fanout>(arch.levels[static_cast<std::size_t>(index_of(parts.array))]);
  array.x.size = array.y.size = kSide;
  return arch;
}

Network network_of(const Example& example) {
  const Workload gemm = make_gemm(example.part, example.n, example.m, example.k);
  return {"gemm", "", "", {{example.part, gemm, 1, "", ""}}};
}

// The fixed accelerator and the one that is free along the axis.
void add_rows(const Example& example, const Architecture& arch, const Flexibility& fixed,
              const Options& options, Figure& figure) {
  const std::vector<Variant> variants = {{"fixed", fixed},
                                         {"flexible", with_freedom(fixed, axes_of(example.axis))}};
  const Network network = network_of(example);
  const Comparison comparison = compare(variants, {network}, arch, study_of(options));
  if (comparison.cancelled) return;
  const double base = comparison.trials[0][0].total.energy_pj;
  const Int128 macs = multiply_accumulates(network.layers.front().workload);
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Trial& trial = comparison.trials[v][0];
    const auto slots = static_cast<double>(kSide * kSide * trial.total.cycles);
    const Setting& setting = *trial.layers.front().setting;
    figure.rows.push_back({example.part, fmt::format("{}, {}, {}", example.m, example.k, example.n),
                           variants[v].name, fmt::format("{}", trial.total.cycles),
                           fmt::format("{:.0f} %", 100 * static_cast<double>(macs) / slots),
                           fmt::format("{:.3f}", trial.total.energy_pj / base),
                           fmt::format("{} {}", to_string(setting.pair), to_string(setting.shape)),
                           v == 0 ? example.claim : ""});
  }
}

}  // namespace

Figure flexibility_fig3(const Options& options) {
  Figure figure{
      "Fig. 3: what each axis is good for, products on a 4 x 4 array",
      {"example", "M, K, N", "accelerator", "cycles", "PEs used", "energy", "chosen", "paper"}};
  const Architecture arch = small_accelerator();
  // A tiles of 16 and B tiles of 32 elements; weights stay: K, then N, then M.
  const Flexibility fixed = axes("T=fixed(K8,C4,Y4,X1,R1,S1),O=CKYXRS,P=CK,S=4x4");
  for (const Example& example : kExamples) add_rows(example, arch, fixed, options, figure);
  add_notes(figure,
            {"The paper draws this figure and says in its text how many passes of the stationary "
             "tile the fixed accelerator needs and how many the flexible one, (a) and (b), and how "
             "many PEs work, (c) and (d). The sizes of (c) are not in the text; those of (d), a "
             "weight tile of 2 x 8, are taken.",
             "A change of the stationary tile takes no time in the model but in systolic arrays, "
             "which cannot be set layer by layer. So (a) shows in energy, in what is read again "
             "from the buffer; (b) gains nothing: with K and N in parallel, no order of the loops "
             "outside the array reads less. DRAM is not limited."});
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
