// All settings of a flexible accelerator as one map-space: the array is a single row of instances,
// of which a mapping may use what one of the settings has (docs/optimal.md, "Settings as one
// map-space").
#include <algorithm>
#include <set>

#include "base/search_objective.h"
#include "parts.h"

namespace tilewright::map {

namespace {

using Status = MapOutcome::Status;

// The dimensions of an axis that have something to unroll.
std::vector<DimId> unrollable(const Workload& workload, const ConvView& view, ConvDim loop) {
  std::vector<DimId> dims = view.unrolled_with(loop);
  std::erase_if(dims, [&](DimId dim) { return workload.dim(dim).size == 1; });
  return dims;
}

bool have_one_in_common(const std::vector<DimId>& a, const std::vector<DimId>& b) {
  return std::any_of(a.begin(), a.end(), [&](DimId dim) { return contains(b, dim); });
}

class SettingsAsOne {
 public:
  SettingsAsOne(const Workload& workload, const Architecture& arch, const MapOptions& options,
                const std::vector<Setting>& settings)
      : workload_(workload),
        arch_(arch),
        options_(options),
        settings_(settings),
        array_(parts_of(arch, *arch.flexibility)->array) {
    for (int i = 0; i < index_of(array_); ++i) {
      slot_of_rows_ += std::holds_alternative<Fanout>(arch.level(LevelId{i})) ? 2 : 1;
    }
    const ConvView view = *ConvView::create(workload).value;
    for (const Setting& setting : settings) {
      choices_.push_back({array_, unrollable(workload, view, setting.pair.rows),
                          unrollable(workload, view, setting.pair.columns), setting.shape.rows,
                          setting.shape.columns});
    }
  }

  // Whether they differ in the array alone, and all that counts of it is what is unrolled.
  bool are_possible(const Architecture& constrained) const {
    const auto& array = std::get<Fanout>(arch_.level(array_));
    const auto is_of_array = [&](const Constraint& rule) { return rule.level == array.name; };
    const auto& rules = constrained.constraints;
    return !array.x.dims && !array.y.dims && !array.is_systolic() && shapes_nest(constrained) &&
           std::none_of(rules.begin(), rules.end(), is_of_array) &&
           std::all_of(settings_.begin(), settings_.end(),
                       [&](const Setting& setting) {
                         return setting.order == settings_.front().order &&
                                setting.unrolled.empty();
                       }) &&
           std::none_of(choices_.begin(), choices_.end(), [](const ArrayChoice& choice) {
             return have_one_in_common(choice.rows, choice.columns);
           });
  }

  // Nothing if it cannot say anything.
  std::optional<MapOutcome> run() const {
    SetUp set = in_one_row();
    append(set.constraints, options_.constraints);
    const Checked<Evaluator> evaluator = Evaluator::compile(workload_, set.arch);
    if (!evaluator.ok()) return std::nullopt;
    const Checked<Restrictions> restrictions =
        Restrictions::create(evaluator.value->problem(), set.constraints);
    if (!restrictions.ok()) return std::nullopt;
    MappingTask task{*evaluator.value,   options_.space,       *restrictions.value,
                     options_.objective, options_.settle_ties, options_.to_beat};
    task.only_value = options_.only_value;
    task.arrays = choices_;
    return outcome_of(options_.mapper->run(task, limits(), options_.mapper_options));
  }

 private:
  Limits limits() const {
    constexpr double kShare = 0.7;  // where more than the proof is of interest
    Limits limits = options_.limits;
    if (limits.seconds && !options_.proof_wanted) *limits.seconds *= kShare;
    return limits;
  }

  SetUp in_one_row() const {
    SetUp set = set_up(workload_, arch_, settings_.front());
    auto& array = std::get<Fanout>(set.arch.levels[at(array_)]);
    std::erase_if(set.constraints, [&](const Constraint& rule) {
      return rule.level == array.name && std::holds_alternative<DimsRule>(rule.rule);
    });
    array.y.size = array.x.size = 1;
    std::set<std::string> dims;
    for (const ArrayChoice& choice : choices_) {
      array.x.size = std::max(array.x.size, choice.most_rows * choice.most_columns);
      for (const DimId dim : choice.rows) dims.insert(workload_.dim(dim).name);
      for (const DimId dim : choice.columns) dims.insert(workload_.dim(dim).name);
    }
    set.constraints.push_back({array.name, Axis::X, DimsRule{{dims.begin(), dims.end()}}, {}});
    return set;
  }

  std::optional<MapOutcome> outcome_of(MapperResult result) const {
    const bool says_something = result.status == MapperResult::Status::Found ||
                                result.status == MapperResult::Status::NothingValid ||
                                result.status == MapperResult::Status::NoneBetter;
    if (!says_something || !result.proof) return std::nullopt;
    MapOutcome outcome;
    outcome.status = result.status == MapperResult::Status::NoneBetter ? Status::NoneBetter
                                                                       : Status::NothingValid;
    outcome.found_by = options_.mapper;
    outcome.search = std::move(result.search);
    outcome.proof = result.proof;
    outcome.settings = outcome.settings_searched = settings_.size();
    const std::size_t setting = outcome.search.best ? setting_of(*outcome.search.best) : 0;
    const SetUp set = set_up(workload_, arch_, settings_[setting]);
    outcome.problem = Problem::create(workload_, set.arch).value;
    if (!outcome.search.best) return outcome;
    outcome.status = Status::Found;
    outcome.setting = settings_[setting];
    turn_rows(choices_[setting].rows, *outcome.search.best);
    const Evaluator evaluator = *Evaluator::compile(*outcome.problem).value;
    outcome.search.score = evaluator.score(*outcome.search.best);
    return outcome;
  }

  // The first setting that has what a mapping unrolls.
  std::size_t setting_of(const Mapping& mapping) const {
    const auto holds = [&](const ArrayChoice& choice) {
      std::int64_t of_rows = 1;
      std::int64_t of_columns = 1;
      for (int d = 0; d < workload_.dim_count(); ++d) {
        const std::int64_t bound = mapping.bound(slot_of_rows_ + 1, DimId{d});
        if (contains(choice.rows, DimId{d})) {
          of_rows *= bound;
        } else if (contains(choice.columns, DimId{d})) {
          of_columns *= bound;
        } else if (bound > 1) {
          return false;
        }
      }
      return of_rows <= choice.most_rows && of_columns <= choice.most_columns;
    };
    return static_cast<std::size_t>(std::find_if(choices_.begin(), choices_.end(), holds) -
                                    choices_.begin());
  }

  // What was unrolled along the single row, and is of the rows of the setting.
  void turn_rows(const std::vector<DimId>& rows, Mapping& mapping) const {
    for (const DimId dim : rows) {
      mapping.set_bound(slot_of_rows_, dim, mapping.bound(slot_of_rows_ + 1, dim));
      mapping.set_bound(slot_of_rows_ + 1, dim, 1);
    }
  }

  const Workload& workload_;
  const Architecture& arch_;
  const MapOptions& options_;
  const std::vector<Setting>& settings_;
  LevelId array_;
  int slot_of_rows_ = 0;              // that of columns is the next one
  std::vector<ArrayChoice> choices_;  // one for each setting
};

}  // namespace

std::optional<MapOutcome> map_settings_as_one(const Workload& workload, const Architecture& arch,
                                              const Architecture& constrained,
                                              const MapOptions& options,
                                              const std::vector<Setting>& settings) {
  // Where memories share room, mappings to begin with are of use.
  const bool begins_alone = !has_parts(arch);
  if (!options.mapper->knows_arrays || settings.size() < 2 || options.padded || !begins_alone ||
      options.evenness != Evenness::Even) {
    return std::nullopt;
  }
  const SettingsAsOne as_one(workload, arch, options, settings);
  return as_one.are_possible(constrained) ? as_one.run() : std::nullopt;
}

}  // namespace tilewright::map
