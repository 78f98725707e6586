// All settings of a flexible accelerator in one search, for mappers that can do so.
#include <memory>

#include "parts.h"

namespace tilewright::map {

namespace {

using Status = MapOutcome::Status;

// A setting as hardware without freedom, and its task.
struct SetTask {
  SetTask(Evaluator of_setting, Restrictions rules, const MapOptions& options)
      : evaluator(std::move(of_setting)),
        restrictions(std::move(rules)),
        task{evaluator, options.space, restrictions, options.objective} {}
  SetTask(const SetTask&) = delete;
  SetTask& operator=(const SetTask&) = delete;

  Evaluator evaluator;
  Restrictions restrictions;
  MappingTask task;
};

class CompiledSettings : public SettingTasks {
 public:
  CompiledSettings(const Workload& workload, const Architecture& arch, const MapOptions& options,
                   std::vector<Setting> settings)
      : workload_(workload),
        arch_(arch),
        options_(options),
        settings_(std::move(settings)),
        made_(settings_.size()) {}

  const std::vector<Setting>& settings() const override { return settings_; }

  const MappingTask& task(std::size_t setting) override {
    if (!made_[setting]) made_[setting] = compile(setting).value.value();
    return made_[setting]->task;
  }

  // Constraints that mean nothing do so in every setting.
  std::vector<Diagnostic> problems() const { return compile(0).problems; }

 private:
  Checked<std::shared_ptr<SetTask>> compile(std::size_t setting) const {
    const SetUp set = set_up(workload_, arch_, settings_[setting]);
    std::vector<Constraint> constraints = options_.constraints;
    append(constraints, set.constraints);
    Checked<Evaluator> evaluator = Evaluator::compile(workload_, set.arch);
    if (!evaluator.ok()) return {std::nullopt, std::move(evaluator.problems)};
    Checked<Restrictions> rules = Restrictions::create(evaluator.value->problem(), constraints);
    if (!rules.ok()) return {std::nullopt, std::move(rules.problems)};
    return {
        std::make_shared<SetTask>(std::move(*evaluator.value), std::move(*rules.value), options_),
        {}};
  }

  const Workload& workload_;
  const Architecture& arch_;
  const MapOptions& options_;
  std::vector<Setting> settings_;
  std::vector<std::shared_ptr<SetTask>> made_;
};

}  // namespace

std::optional<MapOutcome> map_settings_together(const Workload& workload, const Architecture& arch,
                                                const MapOptions& options,
                                                const std::vector<Setting>& settings) {
  CompiledSettings tasks(workload, arch, options, settings);
  std::vector<Diagnostic> problems = tasks.problems();
  if (!problems.empty()) return failed(Status::BadInput, std::move(problems));
  SettingsResult found =
      options.mapper->run_settings(tasks, options.limits, options.mapper_options);
  const bool at_an_end = found.search.stop == SearchResult::Stop::Generations ||
                         found.search.stop == SearchResult::Stop::Complete;
  if (!found.search.best && at_an_end) return std::nullopt;
  MapOutcome outcome;
  outcome.status = found.search.best ? Status::Found : Status::NothingValid;
  outcome.found_by = options.mapper;
  outcome.problem = tasks.task(found.setting).evaluator.problem();
  outcome.search = std::move(found.search);
  outcome.setting = settings[found.setting];
  outcome.settings = settings.size();
  outcome.settings_searched = found.searched;
  return outcome;
}

}  // namespace tilewright::map
