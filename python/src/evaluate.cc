// What mappings cost: one with all there is to know, or thousands as an array.
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>

#include "base/thread_pool.h"
#include "bindings.h"
#include "cli/eval_task.h"
#include "options.h"
#include "results.h"
#include "rows.h"
#include "tilewright/io.h"
#include "wide.h"

namespace tilewright::python {
namespace {

using nb::literals::operator""_a;

// --- one mapping ------------------------------------------------------------------

bool is_of(const PlacedMapping& placed, const Workload& workload, const Architecture& arch) {
  return placed.place->given == workload && placed.place->problem.arch() == arch;
}

// A mapping with its problem, from the text of a file; one that was made for another problem
// is taken as if it was written to a file and read again.
io::PaddedMapping mapping_for(const Problem& problem, std::string_view text,
                              const std::string& file, const PlacedMapping* placed) {
  if (placed == nullptr) return value_or_refuse(io::read_padded_mapping(text, file, problem));
  const Place& place = *placed->place;
  const std::string written = io::write_padded_mapping(place.problem, placed->mapping, place.given);
  return value_or_refuse(io::read_padded_mapping(written, "mapping", problem));
}

HeldResult evaluate_on(cli::Inputs inputs, const Problem& mapped, const Mapping& mapping) {
  Workload given = *inputs.workload;
  refuse_if_any(cli::take_over(mapped, inputs));
  const cli::Ready ready = cli::find_ready(inputs, mapping);
  refuse_if_any(ready.problems);
  if (!ready.evaluator) throw Failed{ready.misfit, cli::kInfeasible};
  const Int128 useful_macs = multiply_accumulates(given);
  return {cli::evaluated(*ready.evaluator, mapping, useful_macs, inputs), std::move(given)};
}

HeldResult evaluate(const HeldArchitecture& arch, const HeldWorkload& workload,
                    std::string_view text, const std::string& file, const PlacedMapping* placed,
                    const Texts& texts, const std::vector<std::string>& constrain,
                    const HeldConstraints& constraints) {
  cli::Inputs inputs =
      inputs_of({arch.value, &workload.value, nullptr, texts, constrain, constraints.value});
  if (placed != nullptr && is_of(*placed, *inputs.workload, inputs.arch)) {
    return evaluate_on(std::move(inputs), placed->place->problem, placed->mapping);
  }
  const Problem problem = value_or_refuse(Problem::create(*inputs.workload, inputs.arch));
  const io::PaddedMapping read = mapping_for(problem, text, file, placed);
  return evaluate_on(std::move(inputs), read.problem, read.mapping);
}

// --- many mappings ----------------------------------------------------------------

using Rows = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Arrays have 64 bits for a number.
std::int64_t in_column(Int128 cycles) {
  if (cycles == static_cast<std::int64_t>(cycles)) return static_cast<std::int64_t>(cycles);
  throw Refused{{{{"rows"},
                  "a mapping takes more cycles than a column has bits for",
                  "ask for one mapping at a time"}}};
}

// Where the scores of an array go.
struct Scores {
  std::uint8_t* fits;
  double* energy_pj;
  std::int64_t *cycles, *instances;
};

class BatchEvaluator : Counted {
 public:
  explicit BatchEvaluator(const Evaluator& evaluator, Workload given)
      : evaluator_(evaluator),
        place_(std::make_shared<const Place>(Place{evaluator.problem(), std::move(given)})),
        layout_(evaluator.problem()) {}

  const SharedPlace& place() const { return place_; }
  const RowLayout& layout() const { return layout_; }
  const Evaluator& evaluator() const { return evaluator_; }

  // Whether a mapping is of an equal problem. Most come from one place, which is looked at once.
  bool takes(const PlacedMapping& placed) const {
    if (placed.place == place_ || placed.place == equal_) return true;
    const Problem& mine = place_->problem;
    const Problem& theirs = placed.place->problem;
    if (theirs.workload() != mine.workload() || theirs.arch() != mine.arch()) return false;
    equal_ = placed.place;
    return true;
  }

  // The number of the first row that is no mapping, if there is one.
  std::optional<std::size_t> score(const std::int64_t* rows, std::size_t count,
                                   const Scores& scores) const {
    constexpr std::size_t kTogether = 64;  // mappings that the model is given at once
    std::vector<Mapping> mappings(std::min(count, kTogether), Mapping(evaluator_.problem()));
    std::vector<Score> some(mappings.size());
    for (std::size_t first = 0; first < count; first += kTogether) {
      const std::size_t now = std::min(kTogether, count - first);
      for (std::size_t i = 0; i < now; ++i) {
        const std::int64_t* row = rows + (first + i) * layout_.width();
        if (!layout_.read(row, evaluator_.problem(), mappings[i])) return first + i;
      }
      evaluator_.score(std::span(mappings).first(now), std::span(some).first(now));
      for (std::size_t i = 0; i < now; ++i) {
        scores.fits[first + i] = some[i].verdict.fits() ? 1 : 0;
        scores.energy_pj[first + i] = some[i].energy_pj;
        scores.cycles[first + i] = in_column(some[i].cycles);
        scores.instances[first + i] = some[i].instances;
      }
    }
    return std::nullopt;
  }

  [[noreturn]] void refuse_row(const std::int64_t* rows, std::size_t number) const {
    throw Refused{{{{"row " + std::to_string(number)},
                    layout_.why_not(rows + number * layout_.width(), evaluator_.problem()),
                    ""}}};
  }

 private:
  Evaluator evaluator_;
  SharedPlace place_;
  mutable SharedPlace equal_;  // changed by a thread that holds the interpreter's lock
  RowLayout layout_;
};

BatchEvaluator compile(const HeldArchitecture& arch, const HeldWorkload& workload,
                       const Texts& texts) {
  const cli::Inputs inputs = inputs_of({arch.value, &workload.value, nullptr, texts, {}, {}});
  if (inputs.arch.flexibility) {
    throw Refused{{{{inputs.arch.name},
                    "can be set up in many ways, and an evaluator takes an architecture as it is "
                    "written",
                    "use map, or take the key \"flexibility\" out"}}};
  }
  const Evaluator evaluator = value_or_refuse(Evaluator::compile(*inputs.workload, inputs.arch));
  return BatchEvaluator(evaluator, *inputs.workload);
}

void score_rows(const BatchEvaluator& batch, const Rows& rows, const Column<std::uint8_t>& fits,
                const Column<double>& energy_pj, const Column<std::int64_t>& cycles,
                const Column<std::int64_t>& instances) {
  const std::size_t count = rows.shape(0);
  if (rows.shape(1) != batch.layout().width()) {
    throw Refused{{{{"rows"},
                    "a mapping has " + std::to_string(batch.layout().width()) +
                        " numbers here, not " + std::to_string(rows.shape(1)),
                    "see `columns`"}}};
  }
  for (const std::size_t size :
       {fits.shape(0), energy_pj.shape(0), cycles.shape(0), instances.shape(0)}) {
    if (size != count) throw nb::value_error("a column is not as long as there are rows");
  }
  const Scores scores{fits.data(), energy_pj.data(), cycles.data(), instances.data()};
  std::optional<std::size_t> wrong;
  constexpr std::size_t kShort = 256;  // not worth the passing of a lock
  if (count <= kShort) {
    wrong = batch.score(rows.data(), count, scores);
  } else {
    const nb::gil_scoped_release release;
    wrong = batch.score(rows.data(), count, scores);
  }
  if (wrong) batch.refuse_row(rows.data(), *wrong);
}

using ScoreParts = std::tuple<bool, double, Int128, std::int64_t, std::string>;

ScoreParts parts_of(const Score& score, const Problem& problem) {
  return {score.verdict.fits(), score.energy_pj, score.cycles, score.instances,
          score.verdict.fits() ? "" : to_string(score.verdict, problem)};
}

// A mapping of an equal problem, as the evaluator takes it.
ScoreParts score_mapping(const BatchEvaluator& batch, const PlacedMapping& placed) {
  const Problem& problem = batch.place()->problem;
  if (batch.takes(placed)) return parts_of(batch.evaluator().score(placed.mapping), problem);
  const io::PaddedMapping read = mapping_for(problem, "", "mapping", &placed);
  if (read.problem.workload() == problem.workload()) {
    return parts_of(batch.evaluator().score(read.mapping), problem);
  }
  throw Refused{{{{"mapping"}, "its dimensions are padded; those of the evaluator are not", ""}}};
}

void bind_evaluator(nb::module_& m) {
  nb::class_<BatchEvaluator>(m, "Evaluator")
      .def_static("compile", compile, "arch"_a, "workload"_a, "texts"_a)
      .def_prop_ro("width", [](const BatchEvaluator& b) { return b.layout().width(); })
      .def_prop_ro("columns",
                   [](const BatchEvaluator& b) { return b.layout().columns(b.place()->problem); })
      .def("score", score_mapping, "mapping"_a)
      .def("score_rows", score_rows, "rows"_a.noconvert(), "fits"_a.noconvert(),
           "energy_pj"_a.noconvert(), "cycles"_a.noconvert(), "instances"_a.noconvert())
      .def(
          "mapping",
          [](const BatchEvaluator& b, const std::vector<std::int64_t>& row) {
            Mapping mapping(b.place()->problem);
            if (row.size() != b.layout().width())
              throw nb::value_error("the row has another width");
            if (!b.layout().read(row.data(), b.place()->problem, mapping))
              b.refuse_row(row.data(), 0);
            return PlacedMapping(b.place(), std::move(mapping));
          },
          "row"_a);
}

}  // namespace

void bind_evaluate(nb::module_& m) {
  nb::class_<HeldResult>(m, "Evaluation")
      .def_prop_ro("energy_pj",
                   [](const HeldResult& r) { return r.value.evaluation.score.energy_pj; })
      .def_prop_ro("cycles", [](const HeldResult& r) { return r.value.evaluation.score.cycles; })
      .def_prop_ro("edp", [](const HeldResult& r) { return r.value.evaluation.score.edp(); })
      .def_prop_ro("utilisation",
                   [](const HeldResult& r) { return r.value.evaluation.utilisation; })
      .def_prop_ro("area_um2", [](const HeldResult& r) { return r.value.evaluation.area_um2; })
      .def_prop_ro("macs", [](const HeldResult& r) { return r.value.evaluation.macs; })
      .def_prop_ro("mapping", &HeldResult::mapping)
      .def("json", [](const HeldResult& r) { return report::evaluation_json(r.value); })
      .def(
          "text",
          [](const HeldResult& r, int width) { return report::evaluation_text(r.value, width); },
          "width"_a)
      .def("nest",
           [](const HeldResult& r) { return report::nest_text(r.value.problem, r.value.mapping); })
      .def("explanation", [](const HeldResult& r) { return report::explanation_text(r.value); });
  m.def("evaluate", evaluate, "arch"_a, "workload"_a, "text"_a, "file"_a, "mapping"_a.none(),
        "texts"_a, "constrain"_a, "constraints"_a);
  bind_evaluator(m);
}

}  // namespace tilewright::python
