#include <algorithm>
#include <cmath>

#include "report/json_values.h"
#include "report/names.h"
#include "report/speed.h"

namespace tilewright::report {
namespace {

Json verdict_json(const Problem& problem, const Failure& failure) {
  return {{"count", failure.count},
          {"level", level_name(problem, failure.closest.level)},
          {"closest", to_string(failure.closest, problem)},
          {"needed", failure.closest.needed},
          {"available", failure.closest.available}};
}

Json proof_json(const Proof& proof, const MapOptions& options) {
  return {{"proven", proof.status == Proof::Status::Proven},
          {"among", searched_mappings(options.evenness)},
          {"bound", proof.bound},
          {"gap", proof.bound > 0 ? Json(proof.gap) : Json(nullptr)},
          {"end", to_string(proof.stop)},
          {"frames", proof.frames},
          {"frames_opened", proof.frames_expanded}};
}

Json setting_json(const MapOutcome& outcome) {
  if (!outcome.setting) return nullptr;
  const Setting& setting = *outcome.setting;
  return {{"rows", setting.shape.rows},
          {"columns", setting.shape.columns},
          {"parallel", to_string(setting.pair)},
          {"order", setting.order ? Json(to_string(*setting.order)) : Json("any")},
          {"settings", outcome.settings},
          {"settings_searched", outcome.settings_searched},
          {"flexibility_um2", outcome.flexibility_um2},
          {"area_overhead", outcome.flexibility_area}};
}

Json roles_json(const MapOutcome::OfRoles& trial) {
  return {{"assignment", trial.roles},
          {"status", status_name(trial.status)},
          {"value", optional_json(trial.value)},
          {"proven", trial.proven}};
}

Json own_option_json(const OptionValues& values, const MapperOption& option) {
  if (option.fallback.empty() && !values.has(option)) return nullptr;
  if (option.kind == MapperOption::Kind::Choice) return values.choice(option);
  if (option.kind == MapperOption::Kind::Count) return values.count(option);
  return values.number(option);
}

// The own options of every mapper, as they are or would be.
Json own_options_json(const MapOptions& options) {
  Json json = Json::object();
  const auto add = [&](const Mapper& mapper) {
    for (const MapperOption& option : mapper.options) {
      if (option.limit != nullptr) continue;
      std::string key(option.name);
      std::replace(key.begin(), key.end(), '-', '_');
      json[key] = own_option_json(options.mapper_options, option);
    }
  };
  for (const Mapper* mapper : mappers()) add(*mapper);
  add(*options.mapper);
  return json;
}

Json search_json(const MapOptions& options, const MapOutcome& outcome) {
  const SearchResult& search = outcome.search;
  Json json = {
      {"mapper", options.mapper->name},
      {"found_by", search.best ? Json(outcome.found_by->name) : Json(nullptr)},
      {"objective", to_string(options.objective)},
      {"mapspace", to_string(options.space)},
      {"padded", options.padded},
      {"space_size",
       outcome.space_size == BigUint() ? Json(nullptr) : Json(outcome.space_size.to_string())},
      {"useful_macs", outcome.useful_macs}};
  json.update(own_options_json(options));
  json.update({{"seen", search.seen},
               {"valid", search.valid},
               {"seconds", search.seconds},
               {"end", outcome.proof ? to_string(outcome.proof->stop) : to_string(search.stop)},
               {"proof", outcome.proof ? proof_json(*outcome.proof, options) : Json(nullptr)},
               {"setting", setting_json(outcome)},
               {"roles", array_of(outcome.roles, roles_json)},
               {"failures", array_of(search.failures, [&](const Failure& failure) {
                  return verdict_json(*outcome.problem, failure);
                })}});
  return json;
}

Json totals_json(const NetworkReport& report) {
  const NetworkTotals totals = totals_of(report);
  Json json = score_value(totals.score);
  json["utilisation"] = totals.utilisation;
  if (const auto speed = speed_of(report.arch, totals.macs, totals.score)) {
    json["speed"] = speed_value(*speed);
    json["speed"]["inferences_per_second"] = 1 / speed->seconds;
    json["speed"]["joules_per_inference"] = speed->watts * speed->seconds;
  }
  return json;
}

// What came of one workload.
Json outcome_json(const MapOptions& options, const MapOutcome& outcome) {
  Json json = {{"status", status_name(outcome.status)},
               {"cancelled", outcome.cancelled},
               {"problems",
                array_of(outcome.problems, [](const Diagnostic& one) { return to_string(one); })},
               {"remarks", remarks_on(outcome, options)}};
  if (outcome.problem) json["search"] = search_json(options, outcome);
  if (outcome.found()) json["result"] = evaluation_value(result_of(outcome));
  return json;
}

Json layer_json(const NetworkReport& report, std::size_t i) {
  const Layer& layer = report.network.layers[i];
  Json json = {{"name", layer.name},
               {"count", layer.count},
               {"same_as", report.outcome.layers[i].first + 1},
               {"macs", multiply_accumulates(layer.workload)}};
  json.update(outcome_json(report.options, report.outcome.of(i)));
  return json;
}

// Null unless it is this objective of the network that was made small.
Json whole_json(const NetworkReport& report, bool edp) {
  const std::optional<NetworkOutcome::Whole>& whole = report.outcome.whole;
  if (!whole || edp != (report.options.objective == Objective::Edp)) return nullptr;
  const bool priced = whole->price && std::isfinite(*whole->price);
  return {
      {"proven", whole->proven},
      {edp ? "bound_pj_cycles" : "bound", whole->bound > 0 ? Json(whole->bound) : Json(nullptr)},
      {"gap", std::isfinite(whole->gap) ? Json(whole->gap) : Json(nullptr)},
      {"makes_small", !whole->price ? to_string(report.options.objective) + " of each layer"
                      : priced      ? "energy + price * cycles"
                                    : "cycles"},
      {"cycle_price_pj", priced ? Json(*whole->price) : Json(nullptr)},
      {"prices_tried", whole->prices},
      {"each_layer", score_value(whole->each_layer)}};
}

}  // namespace

std::string map_json(const MapReport& report) {
  const std::optional<Problem>& problem = report.outcome.problem;
  Json json = origin_value(report.command, problem ? &problem->arch() : nullptr);
  json.update(outcome_json(report.options, report.outcome));
  return document("tilewright.map.v1", json);
}

std::string mapped_network_json(const NetworkReport& report) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < report.network.layers.size(); ++i) {
    layers.push_back(layer_json(report, i));
  }
  const bool complete = report.outcome.missing() == 0;
  Json json = origin_value(report.command, &report.arch);
  json.update({{"network", report.network.name},
               {"architecture", report.arch.name},
               {"complete", complete},
               {"totals", complete ? totals_json(report) : Json(nullptr)},
               {"network_edp", whole_json(report, /*edp=*/true)},
               {"network_objective", whole_json(report, /*edp=*/false)},
               {"layers", std::move(layers)},
               {"remarks", remarks_on(report.outcome, report.options)}});
  return document("tilewright.mapped_network.v1", json);
}

std::string space_json(const MapSpace& space, const std::vector<std::string>& remarks,
                       const std::optional<UnevenCount>& uneven) {
  const SpaceSize size = space.measure();
  Json chains = Json::object();
  for (int d = 0; d < space.problem().dim_count(); ++d) {
    chains[space.problem().workload().dim(DimId{d}).name] = size.chains[at(d)].to_string();
  }
  const Evenness searched = uneven ? uneven->evenness : Evenness::Even;
  const Json all_mappings = uneven ? Json(uneven->mappings.to_string()) : Json(nullptr);
  return document("tilewright.space.v1", {{"workload", space.problem().workload().name},
                                          {"architecture", space.problem().arch().name},
                                          {"mapspace", to_string(space.kind())},
                                          {"chains", std::move(chains)},
                                          {"tilings", size.tilings.to_string()},
                                          {"mean_orders", size.orders()},
                                          {"bypasses", size.bypasses.to_string()},
                                          {"mappings", size.total.to_string()},
                                          {"even_and_uneven", all_mappings},
                                          {"among", searched_mappings(searched)},
                                          {"remarks", remarks}});
}

}  // namespace tilewright::report
