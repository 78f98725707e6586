#include "report/json.h"

#include <nlohmann/json.hpp>

#include "report/names.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

using Json = nlohmann::ordered_json;

Json traffic_json(const Traffic& traffic) {
  return {{"reads", traffic.reads}, {"fills", traffic.fills}, {"updates", traffic.updates}};
}

Json holding_json(const std::string& name, const Holding& held) {
  return {{"tensor", name},
          {"tile_words", held.tile_words},
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

Json optional_json(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json memory_json(const Result& r, const MemoryReport& memory) {
  Json tensors = Json::array();
  for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
    if (memory.tensors[t].kept) {
      tensors.push_back(holding_json(tensor_name(r.problem, t), memory.tensors[t]));
    }
  }
  return {{"level", level_name(r.problem, memory.level)},
          {"instances", memory.instances},
          {"tensors", std::move(tensors)},
          {"leakage_pj", memory.leakage_pj},
          {"cycles",
           {{"read", optional_json(memory.read_cycles)},
            {"write", optional_json(memory.write_cycles)},
            {"shared", optional_json(memory.shared_cycles)}}}};
}

Json words_json(const Result& r, const std::vector<std::int64_t>& words) {
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
  const std::int64_t last = last_passes(r.problem, r.mapping, dim)[static_cast<std::size_t>(slot)];
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
  }
  return json;
}

Json nest_json(const Result& r) {
  Json nest = Json::array();
  int memory = 0;
  for (int s = 0; s < r.problem.slot_count(); ++s) {
    nest.push_back(slot_json(r, s, memory));
    if (r.problem.slots()[static_cast<std::size_t>(s)].is_temporal()) ++memory;
  }
  return nest;
}

const char* port_name(Bottleneck::Port port) {
  switch (port) {
    case Bottleneck::Port::Compute:
      return "compute";
    case Bottleneck::Port::Read:
      return "read";
    case Bottleneck::Port::Write:
      return "write";
    case Bottleneck::Port::Shared:
      return "shared";
  }
  return "";
}

Json workload_value(const Workload& workload) {
  Json dims = Json::object();
  for (const Dimension& dim : workload.dims) dims[dim.name] = dim.size;
  Json tensors = Json::array();
  for (const Tensor& tensor : workload.tensors) {
    Json ranks = Json::array();
    for (const Rank& rank : tensor.ranks) {
      Json terms = Json::array();
      for (const Term& term : rank) {
        terms.push_back({{"dim", workload.dim(term.dim).name}, {"coefficient", term.coefficient}});
      }
      ranks.push_back(std::move(terms));
    }
    tensors.push_back({{"name", tensor.name},
                       {"role", to_string(tensor.role)},
                       {"bits", tensor.bits},
                       {"ranks", std::move(ranks)}});
  }
  return {{"name", workload.name},
          {"einsum", einsum_text(workload)},
          {"dims", std::move(dims)},
          {"macs", multiply_accumulates(workload)},
          {"tensors", std::move(tensors)}};
}

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

Json dims_json(const DimNames& dims) { return dims ? Json(*dims) : Json(nullptr); }

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
          {"read_words_per_cycle", bandwidth_json(memory.read_bandwidth)},
          {"write_words_per_cycle", bandwidth_json(memory.write_bandwidth)},
          {"shared_words_per_cycle", bandwidth_json(memory.shared_bandwidth)},
          {"leakage_pj_per_cycle", memory.leakage_pj_per_cycle},
          {"area_um2", memory.area_um2},
          {"keep", memory.keep ? Json(*memory.keep) : Json(nullptr)},
          {"bypass", memory.bypass},
          {"free", memory.free},
          {"double_buffered", memory.double_buffered},
          {"accumulates_in_place", memory.accumulates_in_place},
          {"dims", dims_json(memory.dims)}};
}

Json level_json(const Fanout& fanout) {
  return {{"kind", "fanout"},
          {"x", {{"size", fanout.x.size}, {"dims", dims_json(fanout.x.dims)}}},
          {"y", {{"size", fanout.y.size}, {"dims", dims_json(fanout.y.dims)}}},
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

const char* relation_name(FactorRule::Relation relation) {
  switch (relation) {
    case FactorRule::Relation::AtMost:
      return "at_most";
    case FactorRule::Relation::AtLeast:
      return "at_least";
    case FactorRule::Relation::Equal:
      break;
  }
  return "equal";
}

Json rule_json(const FactorRule& rule) {
  return {{"kind", "factor"},
          {"dim", rule.dim},
          {"relation", relation_name(rule.relation)},
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

std::string dump(const Json& json) { return json.dump(2) + "\n"; }

}  // namespace

std::string evaluation_json(const Result& r) {
  const Evaluation& e = r.evaluation;
  Json memories = Json::array();
  for (const MemoryReport& memory : e.memories) memories.push_back(memory_json(r, memory));
  Json fanouts = Json::array();
  for (const FanoutReport& fanout : e.fanouts) fanouts.push_back(fanout_json(r, fanout));
  return dump({{"schema", "tilewright.evaluation.v1"},
               {"workload", workload_value(r.problem.workload())},
               {"architecture", r.problem.arch().name},
               {"accounting", to_string(r.problem.arch().accounting)},
               {"tensor_words", words_json(r, e.tensor_words)},
               {"nest", nest_json(r)},
               {"energy_pj", e.score.energy_pj},
               {"cycles", e.score.cycles},
               {"edp_pj_cycles", e.score.edp()},
               {"utilisation", e.utilisation},
               {"area_um2", e.area_um2},
               {"bottleneck",
                {{"level", level_name(r.problem, e.bottleneck.level)},
                 {"port", port_name(e.bottleneck.port)}}},
               {"compute",
                {{"macs", e.macs},
                 {"instances", e.compute_instances},
                 {"cycles", e.compute_cycles},
                 {"energy_pj", e.compute_pj}}},
               {"memories", std::move(memories)},
               {"fanouts", std::move(fanouts)}});
}

std::string workload_json(const Workload& workload) {
  Json json = {{"schema", "tilewright.workload.v1"}};
  json.update(workload_value(workload));
  return dump(json);
}

std::string architecture_list_json(const std::vector<Architecture>& archs) {
  Json list = Json::array();
  for (const Architecture& arch : archs) {
    list.push_back(
        {{"name", arch.name},
         {"technology", arch.technology},
         {"levels", arch.level_count()},
         {"compute_instances", physical_instances(arch, LevelId{arch.level_count() - 1})}});
  }
  return dump({{"schema", "tilewright.architectures.v1"}, {"architectures", std::move(list)}});
}

std::string architecture_json(const Architecture& arch) {
  Json levels = Json::array();
  for (int l = 0; l < arch.level_count(); ++l) {
    const Level& level = arch.level(LevelId{l});
    Json json = {{"name", name_of(level)}, {"instances", physical_instances(arch, LevelId{l})}};
    json.update(std::visit([](const auto& kind) { return level_json(kind); }, level));
    levels.push_back(std::move(json));
  }
  return dump({{"schema", "tilewright.architecture.v1"},
               {"name", arch.name},
               {"source", arch.source},
               {"technology", arch.technology},
               {"accounting", to_string(arch.accounting)},
               {"leakage_of", arch.leaking == LeakingInstances::All ? "all" : "used"},
               {"area_um2", total_area_um2(arch)},
               {"levels", std::move(levels)},
               {"constraints", constraints_json(arch.constraints)}});
}

std::string network_list_json(const std::vector<Network>& networks) {
  Json list = Json::array();
  for (const Network& network : networks) list.push_back(summary_json(network));
  return dump({{"schema", "tilewright.networks.v1"}, {"networks", std::move(list)}});
}

std::string network_json(const Network& network) {
  Json layers = Json::array();
  for (const Layer& layer : network.layers) {
    layers.push_back({{"name", layer.name},
                      {"count", layer.count},
                      {"source", layer.source},
                      {"note", layer.note},
                      {"workload", workload_value(layer.workload)}});
  }
  Json json = {{"schema", "tilewright.network.v1"}};
  json.update(summary_json(network));
  json["layers"] = std::move(layers);
  return dump(json);
}

}  // namespace tilewright::report
