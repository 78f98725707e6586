#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tilewright/io.h"
#include "tilewright/optimal.h"
#include "tilewright/quickflow.h"

using namespace tilewright;
template <typename T>
T must(Parsed<T> parsed) {
  if (!parsed.ok()) throw std::runtime_error(to_string(parsed.problems.front()));
  return std::move(*parsed.value);
}
int main(int argc, char** argv) {
  Objective objective = Objective::Edp;
  SpaceKind kind = SpaceKind::Perfect;
  QuickflowSettings settings;
  int threads = 1;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "energy") objective = Objective::Energy;
    if (a == "latency") objective = Objective::Latency;
    if (a == "ruby-s") kind = SpaceKind::RubyS;
    if (a == "-t") threads = atoi(argv[++i]);
    if (a == "-v") verbose = true;
    if (a == "-r") { int k = atoi(argv[++i]); auto& r = k == 0 ? settings.parallelism : k == 1 ? settings.tiling : k == 2 ? settings.both : settings.best; r.hops = atoi(argv[++i]); r.beam = atoi(argv[++i]); r.widenings = atoi(argv[++i]); }
  }
  for (const char* arch : {"eyeriss", "simba", "tpu_v1"}) {
    int within1 = 0, within5 = 0, n = 0;
    double worst = 0, secs = 0, maxs = 0, visited = 0;
    for (const Layer& layer : must(io::load_network("quickflow")).layers) {
      const Problem problem = must(Problem::create(layer.workload, must(io::load_architecture(arch))));
      const Evaluator evaluator = must(Evaluator::compile(problem));
      const Restrictions restrictions = must(Restrictions::create(problem, {}));
      OptimalOptions o; o.objective = objective; o.threads = 2;
      const OptimalResult opt = find_optimum(evaluator, kind, restrictions, o);
      SearchOptions so; so.objective = objective; so.threads = threads;
      const SearchResult r = search_locally(evaluator, kind, restrictions, so, settings);
      const double ratio = r.best ? value_of(objective, r.score) / value_of(objective, opt.score) : 1e9;
      if (verbose || ratio > 1.01) fmt::print("{:8} {:6} opt {:.4e} qf {:.4e} ratio {:.4f} visited {} {:.1f} ms (opt {:.1f} ms)\n", arch, layer.name, value_of(objective, opt.score), r.best ? value_of(objective, r.score) : 0, ratio, r.seen, r.seconds * 1e3, opt.seconds*1e3);
      ++n; within1 += ratio <= 1.01; within5 += ratio <= 1.05; worst = std::max(worst, ratio);
      secs += r.seconds; maxs = std::max(maxs, r.seconds); visited += static_cast<double>(r.seen);
    }
    fmt::print("{}: {} within 1%, {} within 5% of {}; worst {:.3f}; mean {:.1f} ms max {:.1f} ms; visited {:.0f}\n", arch, within1, within5, n, worst, secs / n * 1e3, maxs * 1e3, visited / n);
  }
}
