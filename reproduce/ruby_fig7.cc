#include <fmt/format.h>

#include <array>
#include <optional>

#include "reproduce/common.h"
#include "reproduce/ruby_figures.h"
#include "reproduce/ruby_setup.h"

namespace tilewright::reproduce {
namespace {

struct Fig7Case {
  std::string text;
  Workload workload;
  std::int64_t elements = 1;
  std::vector<Constraint> constraints;
  std::string paper;  // what the text says about the best after all mappings
};

std::vector<Fig7Case> fig7_cases() {
  const Workload matmul = make_gemm("matmul", 100, 100, 100);
  const Workload conv = make_conv2d(
      "conv", {.in_channels = 64, .out_channels = 64, .p = 28, .q = 28, .r = 3, .s = 3});
  const std::vector<Constraint> channels = {
      {.level = "PEs", .axis = Axis::X, .rule = DimsRule{{"C", "M"}}, .where = {}}};
  const std::vector<Constraint> rows = {
      {.level = "PEs", .axis = Axis::X, .rule = DimsRule{{"M"}}, .where = {}}};
  const char* const kOrderOfB = "Ruby and Ruby-T below Ruby-S below PFM";
  return {{"(a) matmul, 5 PEs", matmul, 5, {}, "Ruby-S as PFM; Ruby crosses PFM late"},
          {"(b) matmul, 16 PEs, M on them", matmul, 16, rows, kOrderOfB},
          {"(b) matmul, 16 PEs, any on them", matmul, 16, {}, kOrderOfB},
          {"(c) conv, 8 PEs", conv, 8, channels, "PFM lowest, Ruby-S near, others far"},
          {"(d) conv, 15 PEs", conv, 15, channels, "Ruby-S lowest"}};
}

constexpr std::array<std::uint64_t, 9> kPoints = {1, 3, 10, 30, 100, 300, 1000, 3000, 10000};

// The best EDP of a map-space, the mean of all runs.
struct Curve {
  std::vector<double> means;  // per point
  std::optional<double> all;  // of the whole space, if it is small
};

double best_after(const SearchResult& result, std::uint64_t valid) {
  double best = 0;
  for (const SearchResult::Step& step : result.steps) {
    if (step.valid <= valid) best = step.score.edp();
  }
  return best;
}

class Figure7 {
 public:
  Figure7(const Options& options, const Fig7Effort& effort) : options_(options), effort_(effort) {
    search_ = search_options(options);
    search_.valid_evaluations = effort.mappings;
    for (const std::uint64_t point : kPoints) {
      if (point <= effort.mappings) points_.push_back(point);
    }
  }

  Figure make() {
    figure_.title = "Fig. 7: the best EDP (pJ x cycles) after a number of evaluated mappings";
    figure_.headings = {"case", "mappings", "PFM", "Ruby-S", "Ruby-T", "Ruby", "lowest", "paper"};
    for (const Fig7Case& each : fig7_cases()) {
      if (!is_cancelled(options_)) add(each);
    }
    add_notes();
    return std::move(figure_);
  }

 private:
  void add_notes() {
    figure_.notes.insert(
        figure_.notes.end(),
        {fmt::format("Mean of {} runs per space; counted are mappings that fit.", effort_.runs),
         "Uniform samples, with repetition. Loop orders count, so no space is as small as the "
         "fewer than 10,000 mappings that the paper names for PFM and Ruby-S in (a).",
         "The toy: DRAM, a row of PEs, 1 KiB each, 8-bit elements. The paper prints no energies: "
         "those of toy_linear. Its conv is read as P = Q = 28, C = M = 64, R = S = 3.",
         "(b) depends on what the PEs may take, which the paper does not say. Where any dimensions "
         "share them, 4 x 4 of 100 x 100 fill all 16 without a remainder, and PFM has the best of "
         "Ruby-S (see all), in a smaller space. With one dimension on them PFM has 10 of 16 in "
         "use."});
    note_cancellation(options_, figure_);
  }

  void add(const Fig7Case& each) {
    const Problem problem = *Problem::create(each.workload, ruby_toy(each.elements)).value;
    const Evaluator evaluator = *Evaluator::compile(problem).value;
    const Restrictions allowed = *Restrictions::create(problem, each.constraints).value;
    std::vector<Curve> curves;
    std::string sizes;
    for (const SpaceKind kind : kRubySpaces) {
      const MapSpace space = *MapSpace::create(problem, kind, allowed).value;
      sizes += fmt::format("{}{} {:.2g}", sizes.empty() ? "" : ", ", to_string(kind),
                           space.size().value());
      curves.push_back({means(evaluator, space, each.text), best_of_all(evaluator, space)});
    }
    if (is_cancelled(options_)) return;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      figure_.rows.push_back(row(each, curves, i));
    }
    if (curves.front().all) figure_.rows.push_back(row_of_all(each, curves));
    figure_.notes.push_back(fmt::format("Mappings in the spaces of {}: {}.", each.text, sizes));
  }

  std::optional<double> best_of_all(const Evaluator& evaluator, const MapSpace& space) const {
    if (space.size() > BigUint(effort_.exhaustive)) return std::nullopt;
    const SamplingOptions unlimited = search_options(options_);
    return search(evaluator, *exhaustive_strategy(space), unlimited).score.edp();
  }

  std::vector<double> means(const Evaluator& evaluator, const MapSpace& space,
                            const std::string& text) {
    std::vector<double> sums(points_.size(), 0.0);
    for (int run = 0; run < effort_.runs && !is_cancelled(options_); ++run) {
      tell_progress(options_, fmt::format("{}, {}", text, to_string(space.kind())), done());
      // Runs of one seed are not runs of the next.
      const std::uint64_t seed = options_.seed * 1'000'000 + static_cast<std::uint64_t>(run);
      const SearchResult result = search(evaluator, *random_strategy(space, seed), search_);
      for (std::size_t i = 0; i < points_.size(); ++i) sums[i] += best_after(result, points_[i]);
      ++searches_;
    }
    for (double& sum : sums) sum /= effort_.runs;
    return sums;
  }

  double done() const {
    const double all = static_cast<double>(fig7_cases().size() * kRubySpaces.size()) * effort_.runs;
    return static_cast<double>(searches_) / all;
  }

  std::vector<std::string> row(const Fig7Case& each, const std::vector<Curve>& curves,
                               std::size_t point) const {
    std::vector<std::optional<double>> values;
    for (const Curve& curve : curves) values.emplace_back(curve.means[point]);
    const bool last = point + 1 == points_.size();
    return row(each.text, fmt::format("{}", points_[point]), values, last ? each.paper : "");
  }

  std::vector<std::string> row_of_all(const Fig7Case& each,
                                      const std::vector<Curve>& curves) const {
    std::vector<std::optional<double>> values;
    for (const Curve& curve : curves) values.push_back(curve.all);
    return row(each.text, "all", values, "");
  }

  // The first value, of PFM, is always there.
  std::vector<std::string> row(const std::string& text, const std::string& mappings,
                               const std::vector<std::optional<double>>& values,
                               const std::string& paper) const {
    std::vector<std::string> cells = {text, mappings};
    std::size_t lowest = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      cells.push_back(values[k] ? fmt::format("{:.5g}", *values[k]) : "");
      if (values[k] && *values[k] < *values[lowest]) lowest = k;
    }
    cells.push_back(figure_.headings[2 + lowest]);
    cells.push_back(paper);
    return cells;
  }

  const Options& options_;
  Fig7Effort effort_;
  SamplingOptions search_;
  std::vector<std::uint64_t> points_;
  int searches_ = 0;
  Figure figure_;
};

}  // namespace

Figure ruby_fig7(const Options& options, const Fig7Effort& effort) {
  return Figure7(options, effort).make();
}

}  // namespace tilewright::reproduce
