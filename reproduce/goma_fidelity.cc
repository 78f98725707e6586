// Section IV-G of GOMA: the closed form beside Timeloop and beside our model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "reproduce/common.h"
#include "reproduce/goma_closed_form.h"
#include "reproduce/goma_figures.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

namespace {

using golden::GemmRow;

// What SRAM and the register files keep: bits of A (1), B (2) and P (4). From
// dataflow_gen.py of github.com/ywlywl6/GOMA (MIT licence), commit b4015e4.
// clang-format off
constexpr std::array<std::array<std::uint32_t, 2>, 16> kKept = {{
    {7, 7}, {0, 0}, {6, 7}, {7, 6}, {3, 7}, {7, 3}, {5, 7}, {7, 5},
    {7, 4}, {0, 7}, {3, 4}, {6, 0}, {5, 0}, {0, 4}, {0, 1}, {0, 2},
}};
// clang-format on

// A row of printed/goma_tilings.csv.
GemmRow tiled_row(const std::vector<std::string>& cells, std::size_t number) {
  GemmRow row;
  row.layer = cells[0];
  row.tiling = fmt::format("{}", number);
  for (std::size_t d = 0; d < 3; ++d) {
    row.sizes[d] = 1;
    for (std::size_t stage = 0; stage < 4; ++stage) {
      row.bounds[d][stage] = std::stoll(cells[1 + 3 * stage + d]);
      row.sizes[d] *= row.bounds[d][stage];
    }
  }
  return row;
}

// A row with what it costs; all in pJ per multiply-accumulate.
struct Sample {
  GemmRow row;
  Architecture arch;
  double model = 0, reference = 0;
};

// Mappings for which a formula departs for the same reasons, or is exact.
struct DepartureGroup {
  int mappings = 0;
  double error = 0;       // as a share of the larger of the two, summed
  double difference = 0;  // summed
  std::string example;
  double example_ratio = 1;  // of the formula to the reference
};

struct Formula {
  std::string_view name;
  double (*energy)(const Sample& sample);
  std::vector<Departure> (*departures)(const GemmRow& row);
};

double closed_form(const GemmRow& row, const Architecture& arch) {
  return goma_energy_pj(row, arch) / static_cast<double>(goma_traffic(row).macs);
}

constexpr Formula kAsGiven = {"closed form, walking axes as given",
                              [](const Sample& of) { return closed_form(of.row, of.arch); },
                              departures_of};
constexpr Formula kMoving = {
    "closed form, walking axes that have a loop",
    [](const Sample& of) { return closed_form(with_moving_axes(of.row), of.arch); },
    [](const GemmRow& row) { return departures_of(with_moving_axes(row)); }};
constexpr Formula kModel = {"our model", [](const Sample& of) { return of.model; },
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

// What a formula makes of the mappings of a study.
class FormulaCheck {
 public:
  explicit FormulaCheck(const Formula& formula) : formula_(formula) {}

  void add(const Sample& sample) {
    const double energy = formula_.energy(sample);
    const double difference = std::abs(energy - sample.reference);
    const bool exact = difference <= kEqual * sample.reference;
    DepartureGroup& group = groups_[exact ? "" : reasons_text(formula_.departures(sample.row))];
    if (!exact && group.mappings == 0) {
      group.example = golden::name_of(sample.row);
      group.example_ratio = energy / sample.reference;
    }
    ++group.mappings;
    group.error += difference / std::max(energy, sample.reference);
    group.difference += difference;
    ++mappings_;
    reference_ += sample.reference;
  }

  // A row for what is exact, and one for each set of reasons.
  void add_rows(Figure& figure, std::string_view study) const {
    for (const auto& [reasons, group] : groups_) {
      const bool exact = reasons.empty();
      const auto percent = [](double share) { return fmt::format("{:.3f}", 100 * share); };
      figure.rows.push_back({std::string(study), std::string(formula_.name),
                             exact ? "exact" : reasons, fmt::format("{}", group.mappings),
                             fmt::format("{:.2f}", 100.0 * group.mappings / mappings_), "",
                             percent(group.error / mappings_), "",
                             percent(group.difference / reference_), "", group.example,
                             exact ? "" : fmt::format("{:.4f}", group.example_ratio)});
    }
  }

 private:
  const Formula& formula_;
  std::map<std::string, DepartureGroup> groups_;  // by the reasons; none where it is exact
  int mappings_ = 0;
  double reference_ = 0;
};

struct FidelityStudy {
  std::string_view name;
  std::vector<GemmRow> rows;
  // Without one, the rows say what Timeloop made of them on theirs.
  std::optional<Architecture> arch;
};

// The row must be sound, as those of the studies are.
Sample sample_of(const GemmRow& row, const FidelityStudy& study) {
  const golden::Case made = golden::gemm_case(row).value.value();
  const Architecture arch = study.arch.value_or(made.problem.arch());
  const Problem problem = Problem::create(made.problem.workload(), arch).value.value();
  const auto macs = static_cast<double>(multiply_accumulates(problem.workload()));
  const Evaluator evaluator = Evaluator::compile(problem).value.value();
  const double energy = evaluator.score(made.mapping).energy_pj / macs;
  return {row, arch, energy, study.arch ? energy : row.energy_pj / macs};
}

// Whether all rows were looked at.
bool add_study(Figure& figure, const FidelityStudy& study, const Options& options) {
  FormulaCheck model(kModel), moving(kMoving), as_given(kAsGiven);
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    if (i % 256 == 0) {
      const double share = static_cast<double>(i) / static_cast<double>(study.rows.size());
      tell_progress(options, std::string(study.name), (share + (study.arch ? 0 : 1)) / 2);
    }
    if (is_cancelled(options)) return false;
    const Sample sample = sample_of(study.rows[i], study);
    if (!study.arch) model.add(sample);
    moving.add(sample);
    as_given.add(sample);
  }
  model.add_rows(figure, study.name);
  moving.add_rows(figure, study.name);
  as_given.add_rows(figure, study.name);
  return true;
}

}  // namespace

std::vector<GemmRow> goma_study() {
  std::vector<GemmRow> rows;
  std::size_t number = 0;  // of the product's tilings
  for (const auto& cells : printed_table("goma_tilings").rows) {
    number = rows.empty() || rows.back().layer != cells[0] ? 0 : number + 1;
    GemmRow row = tiled_row(cells, number);
    for (int walking = 0; walking < 9; ++walking) {
      row.walking = {DimId{walking / 3}, DimId{walking % 3}};
      for (const auto& kept : kKept) {
        row.kept = kept;
        rows.push_back(row);
      }
    }
  }
  return rows;
}

Figure goma_fidelity(const Options& options) {
  Figure figure{
      "Section IV-G: on how many mappings the closed form is exact",
      {"mappings of", "formula", "where", "mappings", "share %", "paper %", "mean error %",
       "paper mean %", "weighted %", "paper weighted %", "example", "ratio"}};
  const FidelityStudy authors = {"GOMA's authors", goma_study(),
                                 shipped_architecture("goma_eyeriss_like")};
  const FidelityStudy runs = {
      "our Timeloop runs", golden::read_gemm_rows(reference("goma_fidelity"), "goma_fidelity").rows,
      std::nullopt};
  const bool complete = add_study(figure, authors, options) && add_study(figure, runs, options);
  add_printed(figure, "goma_fidelity");
  figure.notes = {
      "GOMA's authors: the 8,064 mappings of their repository (github.com/ywlywl6/GOMA) on "
      "goma_eyeriss_like, held against our model. Our Timeloop runs: 8,064 others, held against "
      "timeloop-model (docs/golden.md).",
      "Walking axes as given: equations 10 to 28 as printed. Where the walking axis has bound 1 at "
      "its stage, no loop moves along it; the first axis that has a loop there leaves a matrix in "
      "place, which the closed form then loads again and again.",
      "Walking axes that have a loop: such an axis is replaced first, as the authors' script does. "
      "The 60 mappings that they print as departing are left.",
      "Run that goes on at DRAM: all loops of SRAM run along one axis, and so does the innermost "
      "one of DRAM. The tile stays in the register file during both; the closed form counts the "
      "first alone.",
      "Mean error: what the mappings add to the mean of all, each as a share of the larger of the "
      "two energies, as the authors' script has it (as shares of the reference: 0.156 %).",
      "Weighted: the differences, per multiply-accumulate, over the sum of the reference. Ratio: "
      "the formula over the reference, of the example."};
  if (!complete) note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
