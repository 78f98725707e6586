// Section IV-G of GOMA: the closed form beside Timeloop and beside our model.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>

#include "reproduce/goma_closed_form.h"
#include "reproduce/goma_departures.h"
#include "reproduce/goma_figures.h"
#include "reproduce/goma_study.h"
#include "reproduce/making.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {

namespace {

using golden::GemmRow;

// A row with what it costs.
struct Sample {
  GemmRow row;
  Architecture arch;
  double model_pj = 0, reference_pj = 0;
};

// Mappings for which a formula departs for the same reasons, or is exact.
struct Group {
  int mappings = 0;
  double error = 0;  // relative, summed
  std::string example;
  double example_ratio = 1;  // of the formula to the reference
};
using Groups = std::map<std::string, Group>;  // by the reasons; none where it is exact

struct Formula {
  std::string_view name;
  double (*energy_pj)(const Sample& sample);
  std::vector<Departure> (*departures)(const GemmRow& row);
};

const Formula kAsGiven = {
    "closed form, walking axes as given",
    [](const Sample& sample) { return goma_energy_pj(sample.row, sample.arch); }, departures_of};
const Formula kMoving = {
    "closed form, walking axes that have a loop",
    [](const Sample& sample) { return goma_energy_pj(with_moving_axes(sample.row), sample.arch); },
    [](const GemmRow& row) { return departures_of(with_moving_axes(row)); }};
const Formula kModel = {"our model", [](const Sample& sample) { return sample.model_pj; },
                        [](const GemmRow& /*row*/) { return std::vector<Departure>(); }};

// Sums are taken in different orders; counts that differ make more than this.
constexpr double kEqual = 1e-9;

std::string reasons_text(const std::vector<Departure>& departures) {
  std::string text;
  for (const Departure departure : departures) {
    text += (text.empty() ? "" : "; ") + to_string(departure);
  }
  return text.empty() ? "not explained" : text;
}

void add(const Sample& sample, const Formula& formula, Groups& groups) {
  const double energy = formula.energy_pj(sample);
  const double error = std::abs(energy - sample.reference_pj) / sample.reference_pj;
  const bool exact = error <= kEqual;
  Group& group = groups[exact ? "" : reasons_text(formula.departures(sample.row))];
  if (!exact && group.mappings == 0) {
    group.example = golden::name_of(sample.row);
    group.example_ratio = energy / sample.reference_pj;
  }
  ++group.mappings;
  group.error += error;
}

// What the paper prints of the mappings that are exact and of the others.
struct Printed {
  std::string_view exact_share, mean_error;
};

void add_rows(Figure& figure, std::string_view study, const Formula& formula, const Groups& groups,
              const Printed& printed) {
  int all = 0;
  for (const auto& [reasons, group] : groups) all += group.mappings;
  for (const auto& [reasons, group] : groups) {
    const bool exact = reasons.empty();
    figure.rows.push_back({std::string(study), std::string(formula.name), exact ? "exact" : reasons,
                           fmt::format("{}", group.mappings),
                           fmt::format("{:.2f}", 100.0 * group.mappings / all),
                           std::string(exact ? printed.exact_share : ""),
                           fmt::format("{:.3f}", 100 * group.error / all),
                           std::string(exact ? "" : printed.mean_error), group.example,
                           exact ? "" : fmt::format("{:.4f}", group.example_ratio)});
  }
}

struct Study {
  std::string_view name;
  std::vector<GemmRow> rows;
  bool has_timeloop = false;  // the rows say what Timeloop made of them
};

std::optional<Sample> sample_of(const GemmRow& row, bool has_timeloop) {
  const Parsed<golden::Case> made = golden::gemm_case(row);
  if (!made.ok()) return std::nullopt;
  const Parsed<Evaluator> evaluator = Evaluator::compile(made.value->problem);
  if (!evaluator.ok()) return std::nullopt;
  const double energy = evaluator.value->score(made.value->mapping).energy_pj;
  return Sample{row, made.value->problem.arch(), energy, has_timeloop ? row.energy_pj : energy};
}

// Whether all rows were looked at.
bool add_study(Figure& figure, const Study& study, const Options& options) {
  Groups model, as_given, moving;
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    if (i % 256 == 0) {
      const double share = static_cast<double>(i) / static_cast<double>(study.rows.size());
      tell_progress(options, std::string(study.name), (share + (study.has_timeloop ? 1 : 0)) / 2);
    }
    if (is_cancelled(options)) return false;
    const std::optional<Sample> sample = sample_of(study.rows[i], study.has_timeloop);
    if (!sample) continue;
    if (study.has_timeloop) add(*sample, kModel, model);
    add(*sample, kAsGiven, as_given);
    add(*sample, kMoving, moving);
  }
  const Printed printed = study.has_timeloop ? Printed{} : Printed{"99.26", "0.099"};
  add_rows(figure, study.name, kModel, model, {});
  add_rows(figure, study.name, kMoving, moving, printed);
  add_rows(figure, study.name, kAsGiven, as_given, {});
  return true;
}

std::vector<GemmRow> timeloop_rows() {
  for (const io::BuiltinFile& file : io::builtin_references()) {
    if (file.name == "goma_fidelity") return golden::read_gemm_rows(file.text, file.name).rows;
  }
  return {};
}

}  // namespace

Figure goma_fidelity(const Options& options) {
  Figure figure;
  figure.name = "fidelity";
  figure.title = "Section IV-G: on how many mappings the closed form is exact";
  figure.headings = {"mappings of", "formula",      "where",         "mappings", "share %",
                     "paper %",     "mean error %", "paper error %", "example",  "ratio"};
  const bool complete = add_study(figure, {"GOMA's authors", goma_study(), false}, options) &&
                        add_study(figure, {"our Timeloop runs", timeloop_rows(), true}, options);
  figure.notes = {
      "GOMA's authors: the 8,064 mappings of their repository (github.com/ywlywl6/GOMA), held "
      "against our model. Our Timeloop runs: 8,064 others of the same kind, held against "
      "timeloop-model.",
      "Walking axes as given: equations 10 to 28 as printed. Where the walking axis has bound 1 at "
      "its stage, no loop moves along it; the first axis that has a loop there leaves a matrix in "
      "place, which the closed form then loads again and again.",
      "Walking axes that have a loop: such an axis is replaced first, as the authors' script does. "
      "The 60 mappings that they print as departing are left.",
      "Run that goes on at DRAM: all loops of SRAM run along one axis, and so does the innermost "
      "of "
      "DRAM; the tile stays in the register file for both, and the closed form counts the first.",
      "Mean error: what the mappings add to the mean relative error of all. It depends on the "
      "energies, which the paper does not print. Ratio: the formula over the reference, of the "
      "example."};
  if (!complete) note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
