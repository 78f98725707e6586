#include <array>
#include <functional>

#include "report/json_values.h"
#include "report/names.h"
#include "tilewright/estimate.h"

namespace tilewright::report {
namespace {

Json capacity_json(const Capacity& capacity) {
  switch (capacity.unit) {
    case Capacity::Unit::Words:
      return {{"words", capacity.amount}};
    case Capacity::Unit::Bits:
      return {{"bits", capacity.amount}};
    case Capacity::Unit::Unlimited:
      break;
  }
  return nullptr;
}

Json bandwidth_json(const std::optional<Rational>& bandwidth) {
  return bandwidth ? Json(bandwidth->value()) : Json(nullptr);
}

Json level_json(const Memory& memory) {
  Json partitions = Json::object();
  for (const auto& [tensor, share] : memory.partitions) partitions[tensor] = capacity_json(share);
  return {{"kind", "memory"},
          {"capacity", capacity_json(memory.capacity)},
          {"partitions", std::move(partitions)},
          {"word_bits", memory.word_bits},
          {"block_words", memory.block_words},
          {"read_pj", memory.read_pj},
          {"write_pj", memory.write_pj},
          {"update_pj", memory.update_pj},
          {"energy_of_bits", memory.energy_of_bits},
          {"read_words_per_cycle", bandwidth_json(memory.read_bandwidth)},
          {"write_words_per_cycle", bandwidth_json(memory.write_bandwidth)},
          {"shared_words_per_cycle", bandwidth_json(memory.shared_bandwidth)},
          {"leakage_pj_per_cycle", memory.leakage_pj_per_cycle},
          {"area_um2", memory.area_um2},
          {"keep", optional_json(memory.keep)},
          {"bypass", memory.bypass},
          {"free", memory.free},
          {"double_buffered", memory.double_buffered},
          {"accumulates_in_place", memory.accumulates_in_place},
          {"dims", optional_json(memory.dims)}};
}

// What was estimated is told only of levels that say how they are made, what was imported only of
// those that have it.
void add_origins(const Level& level, Json& json) {
  const auto add = [&](const auto& made) {
    if (!made.imported.keys.empty()) {
      json["imported"] = {{"from", made.imported.from},
                          {"keys", array_of(made.imported.keys, std::identity{})}};
    }
    if (made.made_as.empty()) return;
    json["made_as"] = made.made_as;
    json["estimated"] = made.estimated;
    json["error_factor"] = error_factor_of(made.made_as);
  };
  if (const auto* memory = std::get_if<Memory>(&level)) add(*memory);
  if (const auto* fanout = std::get_if<Fanout>(&level)) add(*fanout);
  if (const auto* compute = std::get_if<Compute>(&level)) add(*compute);
}

// Told only of systolic arrays.
void add_systolic(const Level& level, Json& json) {
  const auto* fanout = std::get_if<Fanout>(&level);
  if (fanout == nullptr || fanout->stationary.empty()) return;
  json["stationary"] = fanout->stationary;
  json["fill"] = fanout->fills_diagonally ? "diagonal" : "none";
  json["preload"] = !fanout->preload ? "none" : *fanout->preload == Axis::X ? "x" : "y";
}

// Told only where they are shared.
void add_halos(const Level& level, Json& json) {
  const auto* fanout = std::get_if<Fanout>(&level);
  if (fanout != nullptr && fanout->shares_halos) json["halo"] = "shared";
}

Json level_json(const Fanout& fanout) {
  return {{"kind", "fanout"},
          {"x", {{"size", fanout.x.size}, {"dims", optional_json(fanout.x.dims)}}},
          {"y", {{"size", fanout.y.size}, {"dims", optional_json(fanout.y.dims)}}},
          {"multicast", fanout.multicast},
          {"reduction", fanout.reduction},
          {"word_pj", fanout.word_pj}};
}

Json level_json(const Compute& compute) {
  return {{"kind", "compute"},
          {"macs", compute.macs},
          {"cycles", compute.cycles},
          {"mac_pj", compute.mac_pj},
          {"area_um2", compute.area_um2}};
}

// What the list and the description of a network begin with.
Json summary_json(const Network& network) {
  return {{"name", network.name},
          {"description", network.description},
          {"source", network.source},
          {"layer_count", layer_count(network)},
          {"distinct_layers", network.layers.size()},
          {"macs", multiply_accumulates(network)}};
}

Json rule_json(const FactorRule& rule) {
  constexpr std::array<const char*, 3> kRelations = {"equal", "at_most", "at_least"};
  return {{"kind", "factor"},
          {"dim", rule.dim},
          {"relation", kRelations[static_cast<std::size_t>(rule.relation)]},
          {"bound", optional_json(rule.value)}};
}

Json rule_json(const OrderRule& rule) {
  return {{"kind", "order"}, {"outermost", rule.outermost}, {"innermost", rule.innermost}};
}

Json rule_json(const DimsRule& rule) { return {{"kind", "dims"}, {"dims", rule.dims}}; }

Json rule_json(const ResidenceRule& rule) {
  return {{"kind", "residence"}, {"keep", rule.keep}, {"bypass", rule.bypass}};
}

Json rule_json(const UseRule& rule) { return {{"kind", "use"}, {"least_use", rule.least.value()}}; }

Json constraints_json(const std::vector<Constraint>& constraints) {
  Json list = Json::array();
  for (const Constraint& constraint : constraints) {
    Json json = {{"text", to_string(constraint)}, {"level", constraint.level}, {"axis", nullptr}};
    if (constraint.axis) json["axis"] = *constraint.axis == Axis::X ? "x" : "y";
    json.update(std::visit([](const auto& rule) { return rule_json(rule); }, constraint.rule));
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string document(const std::string& schema, const Json& value) {
  Json json = {{"schema", schema}};
  json.update(value);
  return json.to_text() + "\n";
}

Json workload_value(const Workload& workload) {
  Json dims = Json::object();
  for (const Dimension& dim : workload.dims) dims[dim.name] = dim.size;
  const auto term_json = [&](const Term& term) -> Json {
    return {{"dim", workload.dim(term.dim).name}, {"coefficient", term.coefficient}};
  };
  const auto rank_json = [&](const Rank& rank) { return array_of(rank, term_json); };
  const auto tensor_json = [&](const Tensor& tensor) -> Json {
    return {{"name", tensor.name},
            {"role", to_string(tensor.role)},
            {"bits", tensor.bits},
            {"ranks", array_of(tensor.ranks, rank_json)}};
  };
  return {{"name", workload.name},
          {"einsum", einsum_text(workload)},
          {"dims", std::move(dims)},
          {"macs", multiply_accumulates(workload)},
          {"tensors", array_of(workload.tensors, tensor_json)}};
}

std::string workload_json(const Workload& workload) {
  return document("tilewright.workload.v1", workload_value(workload));
}

std::string architecture_list_json(const std::vector<Architecture>& archs) {
  const auto summary = [](const Architecture& arch) -> Json {
    return {{"name", arch.name},
            {"technology", arch.technology},
            {"levels", arch.level_count()},
            {"compute_instances", physical_instances(arch, arch.compute_level())}};
  };
  return document("tilewright.architectures.v1", {{"architectures", array_of(archs, summary)}});
}

Json architecture_value(const Architecture& arch) {
  Json levels = Json::array();
  for (int l = 0; l < arch.level_count(); ++l) {
    const Level& level = arch.level(LevelId{l});
    Json json = {{"name", name_of(level)}, {"instances", physical_instances(arch, LevelId{l})}};
    json.update(std::visit([](const auto& kind) { return level_json(kind); }, level));
    add_origins(level, json);
    add_halos(level, json);
    add_systolic(level, json);
    levels.push_back(std::move(json));
  }
  Json json = {
      {"name", arch.name},
      {"source", arch.source},
      {"technology", arch.technology},
      {"accounting", to_string(arch.accounting)},
      {"first_sums", arch.reads_first_sums ? "read" : "skipped"},
      {"leakage_of", arch.leaking == LeakingInstances::All ? "all" : "used"},
      {"area_um2", total_area_um2(arch)},
      {"levels", std::move(levels)},
      {"constraints", constraints_json(arch.constraints)},
      {"flexibility", arch.flexibility ? Json(to_string(*arch.flexibility)) : Json(nullptr)}};
  if (arch.clock_hz) json["clock_hz"] = *arch.clock_hz;
  return json;
}

std::string architecture_json(const Architecture& arch) {
  return document("tilewright.architecture.v1", architecture_value(arch));
}

Json origin_value(const std::string& command, const Architecture* arch) {
  Json json = {{"command", command.empty() ? Json(nullptr) : Json(command)}};
  if (arch != nullptr) json["hardware"] = architecture_value(*arch);
  return json;
}

std::string network_list_json(const std::vector<Network>& networks) {
  return document("tilewright.networks.v1", {{"networks", array_of(networks, summary_json)}});
}

std::string network_json(const Network& network) {
  Json json = summary_json(network);
  json["layers"] = array_of(network.layers, [](const Layer& layer) -> Json {
    return {{"name", layer.name},
            {"count", layer.count},
            {"source", layer.source},
            {"note", layer.note},
            {"workload", workload_value(layer.workload)}};
  });
  Json sizes = Json::object();
  for (const NetworkSize& size : network.sizes) sizes[size.name] = size.value;
  json["sizes"] = std::move(sizes);
  json["graph"] = graph_value(network.graph);
  return document("tilewright.network.v1", json);
}

}  // namespace tilewright::report
