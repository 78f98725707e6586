// Networks as graphs, for machines.
#include "report/json_values.h"

namespace tilewright::report {
namespace {

Json operator_json(const Graph& graph, const Operator& op) {
  const auto* contraction = std::get_if<Contraction>(&op.what);
  const auto* unmapped = std::get_if<Unmapped>(&op.what);
  Json each = Json::array();
  if (contraction != nullptr) {
    for (const DimId dim : contraction->each) each.push_back(contraction->workload.dim(dim).name);
  }
  return {{"name", op.name},
          {"kind", unmapped != nullptr ? to_string(unmapped->kind) : std::string("contraction")},
          {"function", unmapped != nullptr ? unmapped->function : ""},
          {"axes", unmapped != nullptr ? Json(unmapped->axes) : Json::array()},
          {"einsum", contraction != nullptr ? Json(einsum_text(contraction->workload)) : nullptr},
          {"each", std::move(each)},
          {"layer", contraction != nullptr ? Json(contraction->layer + 1) : Json(nullptr)},
          {"reads", array_of(op.reads, [&](EdgeId id) -> Json { return graph.edge(id).name; })},
          {"writes", graph.edge(op.writes).name},
          {"count", op.count},
          {"block", op.block}};
}

Json block_json(const Graph& graph, const RepeatedBlock& block) {
  return {{"name", block.name},
          {"repeat", block.repeat},
          {"parent", block.parent},
          {"carries", array_of(block.carries, [&](const RepeatedBlock::Carry& carry) -> Json {
             return {{"from", graph.edge(carry.from).name}, {"to", graph.edge(carry.to).name}};
           })}};
}

}  // namespace

Json graph_value(const Graph& graph) {
  return {{"tensors", array_of(graph.edges,
                               [](const Edge& edge) -> Json {
                                 return {{"name", edge.name},
                                         {"shape", edge.shape},
                                         {"bits", edge.bits},
                                         {"block", edge.block}};
                               })},
          {"operators",
           array_of(graph.operators, [&](const Operator& op) { return operator_json(graph, op); })},
          {"blocks", array_of(graph.blocks, [&](const RepeatedBlock& block) {
             return block_json(graph, block);
           })}};
}

}  // namespace tilewright::report
