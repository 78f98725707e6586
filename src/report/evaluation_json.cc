#include <array>

#include "report/json_values.h"
#include "report/names.h"
#include "report/speed.h"
#include "report/tiles.h"

namespace tilewright::report {
namespace {

Json traffic_json(const Traffic& traffic) {
  return {{"reads", traffic.reads}, {"fills", traffic.fills}, {"updates", traffic.updates}};
}

Json refill_json(const Result& r, MemoryId memory, TensorId tensor) {
  const auto loop = refilling_loop(r, memory, tensor);
  if (!loop) return nullptr;
  return {{"level", level_name(r.problem, loop->level)},
          {"dim", r.problem.workload().dim(loop->dim).name}};
}

Json holding_json(const Result& r, MemoryId memory, TensorId tensor) {
  const Holding& held = r.evaluation.memories[at(memory)].tensors[at(tensor)];
  return {{"tensor", r.problem.workload().tensor(tensor).name},
          {"tile_words", held.tile_words},
          {"room_share", optional_json(room_share(r, memory, tensor))},
          {"refilled_by", refill_json(r, memory, tensor)},
          {"total", traffic_json(held.total)},
          {"busiest_instance", traffic_json(held.busiest)},
          {"reductions", held.reductions},
          {"sharing", held.sharing},
          {"energy_pj",
           {{"read", held.read_pj},
            {"fill", held.fill_pj},
            {"update", held.update_pj},
            {"sum", held.energy_pj()}}}};
}

Json extents_json(const Result& r, MemoryId memory) {
  const std::vector<std::int64_t> extents = tile_extents(r, memory);
  Json json = Json::object();
  for (std::size_t d = 0; d < extents.size(); ++d) {
    json[r.problem.workload().dims[d].name] = extents[d];
  }
  return json;
}

Json memory_json(const Result& r, const MemoryReport& memory) {
  const MemoryId id = r.problem.memory_at(memory.level);
  Json tensors = Json::array();
  for (int t = 0; t < r.problem.tensor_count(); ++t) {
    if (memory.tensors[at(t)].kept) tensors.push_back(holding_json(r, id, TensorId{t}));
  }
  return {{"level", level_name(r.problem, memory.level)},
          {"memory", storage_name(r.problem, memory.level)},
          {"instances", memory.instances},
          {"extents", extents_json(r, id)},
          {"tensors", std::move(tensors)},
          {"leakage_pj", memory.leakage_pj},
          {"cycles",
           {{"read", optional_json(memory.read_cycles)},
            {"write", optional_json(memory.write_cycles)},
            {"shared", optional_json(memory.shared_cycles)}}}};
}

Json words_json(const Result& r, const std::vector<Int128>& words) {
  Json json = Json::object();
  for (std::size_t t = 0; t < words.size(); ++t) json[tensor_name(r.problem, t)] = words[t];
  return json;
}

Json fanout_json(const Result& r, const FanoutReport& fanout) {
  return {{"level", level_name(r.problem, fanout.level)},
          {"used_x", fanout.used_x},
          {"used_y", fanout.used_y},
          {"words", words_json(r, fanout.words)},
          {"network_pj", fanout.network_pj}};
}

Json loop_json(const Result& r, int slot, DimId dim) {
  const std::int64_t bound = r.mapping.bound(slot, dim);
  const std::int64_t last = last_passes(r.problem, r.mapping, dim)[at(slot)];
  return {{"dim", r.problem.workload().dim(dim).name}, {"bound", bound}, {"last", last}};
}

Json slot_json(const Result& r, int slot, int memory) {
  const Slot& at = r.problem.slots()[static_cast<std::size_t>(slot)];
  Json loops = Json::array();
  for (int position = 0; position < r.problem.dim_count(); ++position) {
    const DimId dim{at.is_temporal() ? r.mapping.order(MemoryId{memory})[position] : position};
    if (r.mapping.bound(slot, dim) > 1) loops.push_back(loop_json(r, slot, dim));
  }
  Json json = {{"level", level_name(r.problem, at.level)},
               {"kind", at.is_temporal()                ? "temporal"
                        : at.kind == SlotKind::SpatialX ? "spatial_x"
                                                        : "spatial_y"},
               {"loops", std::move(loops)}};
  if (at.is_temporal()) {
    Json keeps = Json::array();
    for (int t = 0; t < r.problem.tensor_count(); ++t) {
      if (r.mapping.keeps(MemoryId{memory}, TensorId{t})) {
        keeps.push_back(r.problem.workload().tensor(TensorId{t}).name);
      }
    }
    json["keeps"] = std::move(keeps);
    json["memory"] = storage_name(r.problem, at.level);
  }
  return json;
}

Json nest_json(const Result& r) {
  Json nest = Json::array();
  int memory = 0;
  for (int s = 0; s < r.problem.slot_count(); ++s) {
    nest.push_back(slot_json(r, s, memory));
    if (r.problem.slots()[at(s)].is_temporal()) ++memory;
  }
  return nest;
}

Json roof_json(const Result& r, const MemoryRoof& roof) {
  return {{"level", level_name(r.problem, roof.level)},
          {"bytes", roof.bytes},
          {"operations_per_byte", optional_json(roof.operations_per_byte)},
          {"roof_tops", optional_json(roof.tops)}};
}

Json rate_json(const Result& r, const MemoryRate& rate) {
  return {{"level", level_name(r.problem, rate.level)},
          {"bytes", rate.bytes},
          {"bytes_per_cycle", optional_json(rate.bytes_per_cycle)},
          {"useful_macs_per_byte", optional_json(rate.macs_per_byte)},
          {"roof_macs_per_cycle", optional_json(rate.macs_per_cycle)}};
}

Json rates_json(const Result& r) {
  const auto cycles = static_cast<double>(r.evaluation.score.cycles);
  return {{"useful_macs_per_cycle", static_cast<double>(useful_macs(r)) / cycles},
          {"peak_macs_per_cycle", peak_macs_per_cycle(r.problem.arch())},
          {"memories", array_of(rates_of(r), [&](const auto& one) { return rate_json(r, one); })}};
}

// Nothing is added without a clock.
void add_speed(const Result& r, Json& json) {
  const auto speed = speed_of(r);
  if (!speed) return;
  json["speed"] = speed_value(*speed);
  json["roofline"] = {{"roof", level_name(r.problem, r.evaluation.bottleneck.level)},
                      {"compute_roof_tops", speed->peak_tops},
                      {"memories", array_of(roofs_of(r, *speed), [&](const MemoryRoof& roof) {
                         return roof_json(r, roof);
                       })}};
}

}  // namespace

Json score_value(const Score& score) {
  return {{"energy_pj", score.energy_pj}, {"cycles", score.cycles}, {"edp_pj_cycles", score.edp()}};
}

Json speed_value(const Speed& speed) {
  return {{"clock_hz", speed.clock_hz},
          {"seconds", speed.seconds},
          {"watts", speed.watts},
          {"useful_tops", speed.useful_tops},
          {"peak_tops", speed.peak_tops},
          {"useful_tops_per_watt", speed.watts > 0 ? Json(speed.tops_per_watt) : Json(nullptr)},
          {"peak_tops_per_watt", speed.watts > 0 ? Json(speed.peak_tops_per_watt) : Json(nullptr)},
          {"edp_joule_seconds", speed.joule_seconds}};
}

Json evaluation_value(const Result& r) {
  constexpr std::array<const char*, 4> kPorts = {"compute", "read", "write", "shared"};
  const Evaluation& e = r.evaluation;
  Json json = {
      {"workload", workload_value(r.problem.workload())},
      {"architecture", r.problem.arch().name},
      {"accounting", to_string(r.problem.arch().accounting)},
      {"tensor_words", words_json(r, e.tensor_words)},
      {"nest", nest_json(r)},
      {"energy_pj", e.score.energy_pj},
      {"cycles", e.score.cycles},
      {"edp_pj_cycles", e.score.edp()},
      {"utilisation", e.utilisation},
      {"useful_macs", useful_macs(r)},
      {"useful_share", useful_share(r)},
      {"area_um2", e.area_um2},
      {"bottleneck",
       {{"level", storage_name(r.problem, e.bottleneck.level)},
        {"port", kPorts[static_cast<std::size_t>(e.bottleneck.port)]}}},
      {"compute",
       {{"macs", e.macs},
        {"instances", e.compute_instances},
        {"cycles", e.compute_cycles},
        {"energy_pj", e.compute_pj}}},
      {"memories", array_of(e.memories, [&](const auto& one) { return memory_json(r, one); })},
      {"fanouts", array_of(e.fanouts, [&](const auto& one) { return fanout_json(r, one); })},
      {"rates", rates_json(r)}};
  if (const auto& array = r.problem.systolic()) {
    json["systolic"] = {{"stationary", r.problem.workload().tensor(array->tensor).name},
                        {"memory", r.problem.memory(array->memory).name},
                        {"changes", e.stationary_changes},
                        {"fill_cycles", e.fill_cycles},
                        {"preload_cycles", e.preload_cycles}};
  }
  add_speed(r, json);
  return json;
}

std::string evaluation_json(const Result& result) {
  Json json = origin_value(result.command, &result.problem.arch());
  json.update(evaluation_value(result));
  json["remarks"] = result.remarks;
  return document("tilewright.evaluation.v1", json);
}

}  // namespace tilewright::report
