#include "report/json_values.h"
#include "report/names.h"
#include "report/side_by_side.h"

namespace tilewright::report {
namespace {

Json side_json(const std::optional<Result>& result) {
  if (!result) return nullptr;
  Json json = score_value(result->evaluation.score);
  json["limited_by"] = short_bottleneck(*result);
  return json;
}

Json pairs_json(const std::vector<EnergyPair>& pairs) {
  return array_of(pairs, [](const EnergyPair& pair) -> Json {
    return {{"what", pair.what},
            {"a_pj", pair.pj[0]},
            {"b_pj", pair.pj[1]},
            {"difference_pj", pair.more()}};
  });
}

}  // namespace

std::string side_by_side_json(const SideBySide& both) {
  const SideBySideSums sums = sums_of(both);
  const auto layer_json = [](const SideBySide::OfLayer& layer) -> Json {
    return {{"name", layer.name},
            {"count", layer.count},
            {"a", side_json(layer.results[0])},
            {"b", side_json(layer.results[1])}};
  };
  return document(
      "tilewright.comparison.v1",
      {{"command", both.command.empty() ? Json(nullptr) : Json(both.command)},
       {"work", both.work},
       {"a", both.names[0]},
       {"b", both.names[1]},
       {"totals", {{"a", score_value(sums.total[0])}, {"b", score_value(sums.total[1])}}},
       {"layers", array_of(both.layers, layer_json)},
       {"levels", pairs_json(sums.levels)},
       {"tensors", pairs_json(sums.tensors)},
       {"differences", pairs_json(sums.spendings)}});
}

}  // namespace tilewright::report
