// JSON holds the figures of the evaluation, to the last bit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/example.h"
#include "report/names.h"
#include "support/random_problem.h"

namespace tilewright::report {
namespace {

using report::testing::example;
using report::testing::Example;
using report::testing::make_example;
using report::testing::memory_at;
using report::testing::systolic_example;
using Json = nlohmann::json;

void expect_traffic(const Json& json, const Traffic& traffic) {
  EXPECT_EQ(json.at("reads"), narrowed(traffic.reads));
  EXPECT_EQ(json.at("fills"), narrowed(traffic.fills));
  EXPECT_EQ(json.at("updates"), narrowed(traffic.updates));
}

void expect_holding(const Json& json, const Holding& held) {
  EXPECT_EQ(json.at("tile_words"), narrowed(held.tile_words));
  expect_traffic(json.at("total"), held.total);
  expect_traffic(json.at("busiest_instance"), held.busiest);
  EXPECT_EQ(json.at("reductions"), narrowed(held.reductions));
  EXPECT_EQ(json.at("sharing").get<double>(), held.sharing);
  const Json& energy = json.at("energy_pj");
  EXPECT_EQ(energy.at("read").get<double>(), held.read_pj);
  EXPECT_EQ(energy.at("fill").get<double>(), held.fill_pj);
  EXPECT_EQ(energy.at("update").get<double>(), held.update_pj);
  EXPECT_EQ(energy.at("sum").get<double>(), held.energy_pj());
}

void expect_cycles(const Json& json, const std::optional<std::int64_t>& cycles) {
  if (cycles) {
    EXPECT_EQ(json, *cycles);
  } else {
    EXPECT_TRUE(json.is_null());
  }
}

void expect_memory(const Json& json, const Problem& problem, const MemoryReport& memory) {
  EXPECT_EQ(json.at("level"), level_name(problem, memory.level));
  EXPECT_EQ(json.at("instances"), memory.instances);
  EXPECT_EQ(json.at("leakage_pj").get<double>(), memory.leakage_pj);
  expect_cycles(json.at("cycles").at("read"), memory.read_cycles);
  expect_cycles(json.at("cycles").at("write"), memory.write_cycles);
  expect_cycles(json.at("cycles").at("shared"), memory.shared_cycles);
  std::size_t listed = 0;
  for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
    if (!memory.tensors[t].kept) continue;
    const Json& tensor = json.at("tensors").at(listed++);
    EXPECT_EQ(tensor.at("tensor"), tensor_name(problem, t));
    expect_holding(tensor, memory.tensors[t]);
  }
  EXPECT_EQ(json.at("tensors").size(), listed);
}

void expect_fanout(const Json& json, const Problem& problem, const FanoutReport& fanout) {
  EXPECT_EQ(json.at("level"), level_name(problem, fanout.level));
  EXPECT_EQ(json.at("used_x"), fanout.used_x);
  EXPECT_EQ(json.at("used_y"), fanout.used_y);
  EXPECT_EQ(json.at("network_pj").get<double>(), fanout.network_pj);
  for (std::size_t t = 0; t < fanout.words.size(); ++t) {
    EXPECT_EQ(json.at("words").at(tensor_name(problem, t)), narrowed(fanout.words[t]));
  }
}

void expect_totals(const Json& json, const Example& e) {
  const Evaluation& v = e.evaluation;
  EXPECT_EQ(json.at("energy_pj").get<double>(), v.score.energy_pj);
  EXPECT_EQ(json.at("cycles"), narrowed(v.score.cycles));
  EXPECT_EQ(json.at("edp_pj_cycles").get<double>(), v.score.edp());
  EXPECT_EQ(json.at("utilisation").get<double>(), v.utilisation);
  EXPECT_EQ(json.at("area_um2").get<double>(), v.area_um2);
  EXPECT_EQ(json.at("bottleneck").at("level"), level_name(e.problem, v.bottleneck.level));
  EXPECT_EQ(json.at("compute").at("macs"), narrowed(v.macs));
  EXPECT_EQ(json.at("compute").at("instances"), v.compute_instances);
  EXPECT_EQ(json.at("compute").at("cycles"), narrowed(v.compute_cycles));
  EXPECT_EQ(json.at("compute").at("energy_pj").get<double>(), v.compute_pj);
  for (std::size_t t = 0; t < v.tensor_words.size(); ++t) {
    EXPECT_EQ(json.at("tensor_words").at(tensor_name(e.problem, t)), narrowed(v.tensor_words[t]));
  }
}

void expect_equal(const Example& e) {
  const Json json = Json::parse(evaluation_json(e.result()));
  expect_totals(json, e);
  const Evaluation& v = e.evaluation;
  ASSERT_EQ(json.at("memories").size(), v.memories.size());
  for (std::size_t m = 0; m < v.memories.size(); ++m) {
    expect_memory(json.at("memories").at(m), e.problem, v.memories[m]);
  }
  ASSERT_EQ(json.at("fanouts").size(), v.fanouts.size());
  for (std::size_t f = 0; f < v.fanouts.size(); ++f) {
    expect_fanout(json.at("fanouts").at(f), e.problem, v.fanouts[f]);
  }
}

TEST(EvaluationJson, HoldsTheFiguresExactly) { expect_equal(example()); }

TEST(EvaluationJson, HasWhatASystolicArrayTakesOfSuchAlone) {
  EXPECT_FALSE(Json::parse(evaluation_json(example().result())).contains("systolic"));
  const Example e = systolic_example();
  expect_equal(e);
  EXPECT_EQ(Json::parse(evaluation_json(e.result())).at("systolic"), (Json{{"stationary", "I"},
                                                                           {"memory", "Registers"},
                                                                           {"changes", 3},
                                                                           {"fill_cycles", 15},
                                                                           {"preload_cycles", 9}}));
  const Json arch = Json::parse(architecture_json(e.problem.arch()));
  EXPECT_EQ(arch.at("levels").at(2).at("stationary"), "input");
  EXPECT_EQ(arch.at("levels").at(2).at("fill"), "diagonal");
  EXPECT_EQ(arch.at("levels").at(2).at("preload"), "y");
}

TEST(EvaluationJson, HoldsTheFiguresOfRandomProblemsExactly) {
  tilewright::testing::TestRng rng(5);
  for (int i = 0; i < 100; ++i) {
    tilewright::testing::RandomCase random = tilewright::testing::random_case(rng, {});
    expect_equal(make_example(std::move(random.problem), std::move(random.mapping)));
    if (HasFailure()) return;
  }
}

TEST(EvaluationJson, HoldsTheMapping) {
  const Example e = example();
  const Json nest = Json::parse(evaluation_json(e.result())).at("nest");
  const Json expected = Json::parse(R"([
    {"level": "DRAM", "memory": "DRAM", "kind": "temporal", "keeps": ["W", "I", "O"],
     "loops": [{"dim": "M", "bound": 2, "last": 2}]},
    {"level": "Buffer", "memory": "Buffer", "kind": "temporal", "keeps": ["W", "I", "O"],
     "loops": [{"dim": "M", "bound": 17, "last": 4}, {"dim": "K", "bound": 3, "last": 3}]},
    {"level": "Array", "kind": "spatial_y", "loops": [{"dim": "K", "bound": 2, "last": 2}]},
    {"level": "Array", "kind": "spatial_x", "loops": [{"dim": "N", "bound": 4, "last": 4}]}])");
  EXPECT_EQ(nest, expected);
}

TEST(EvaluationJson, NamesThePortThatLimits) {
  using Change = void (*)(Architecture&);
  const std::vector<std::pair<const char*, Change>> table = {
      {"compute", [](Architecture&) {}},
      {"read", [](Architecture& arch) { memory_at(arch, 0).read_bandwidth = Rational{1, 2}; }},
      {"write", [](Architecture& arch) { memory_at(arch, 0).write_bandwidth = Rational{1, 99}; }},
      {"shared", [](Architecture& arch) { memory_at(arch, 0).shared_bandwidth = Rational{1, 9}; }}};
  for (const auto& [port, change] : table) {
    const Example e = example(change);
    const Json json = Json::parse(evaluation_json(e.result()));
    EXPECT_EQ(json.at("bottleneck").at("port"), port);
  }
}

TEST(EvaluationJson, ContainsTheWorkload) {
  const Example e = example();
  Json workload = Json::parse(workload_json(e.problem.workload()));
  workload.erase("schema");
  EXPECT_EQ(Json::parse(evaluation_json(e.result())).at("workload"), workload);
}

TEST(WorkloadJson, HoldsDimensionsAndIndices) {
  Conv2d conv;
  conv.p = 5;
  conv.r = 3;
  conv.stride_h = 2;
  const Json json = Json::parse(workload_json(make_conv2d("c", conv)));
  EXPECT_EQ(json.at("schema"), "tilewright.workload.v1");
  EXPECT_EQ(json.at("name"), "c");
  EXPECT_EQ(json.at("macs"), 15);
  EXPECT_EQ(json.at("dims").at("P"), 5);
  const Json& input = json.at("tensors").at(0);
  EXPECT_EQ(input.at("name"), "I");
  EXPECT_EQ(input.at("role"), "input");
  EXPECT_EQ(input.at("bits"), 8);
  EXPECT_EQ(input.at("ranks").at(2),
            Json::parse(R"([{"dim": "P", "coefficient": 2}, {"dim": "R", "coefficient": 1}])"));
}

TEST(ArchitectureJson, HoldsEveryKindOfConstraint) {
  Architecture arch = report::testing::example_arch();
  arch.constraints = {{"Array", Axis::Y, FactorRule{"S", FactorRule::Relation::Equal, {}}, {}},
                      {"Buffer", {}, FactorRule{"M", FactorRule::Relation::AtMost, 8}, {}},
                      {"Buffer", {}, OrderRule{{"M"}, {"K"}}, {}},
                      {"Buffer", {}, DimsRule{{"M", "K"}}, {}},
                      {"Buffer", {}, ResidenceRule{{"input"}, {"weight"}}, {}},
                      {"Array", {}, UseRule{{1, 2}}, {}}};
  EXPECT_EQ(Json::parse(architecture_json(arch)).at("constraints"), Json::parse(R"([
    {"text": "Array.y: S = all", "level": "Array", "axis": "y", "kind": "factor", "dim": "S",
     "relation": "equal", "bound": null},
    {"text": "Buffer: M <= 8", "level": "Buffer", "axis": null, "kind": "factor", "dim": "M",
     "relation": "at_most", "bound": 8},
    {"text": "Buffer: order M ... K", "level": "Buffer", "axis": null, "kind": "order",
     "outermost": ["M"], "innermost": ["K"]},
    {"text": "Buffer: dims M K", "level": "Buffer", "axis": null, "kind": "dims",
     "dims": ["M", "K"]},
    {"text": "Buffer: keep input, bypass weight", "level": "Buffer", "axis": null,
     "kind": "residence", "keep": ["input"], "bypass": ["weight"]},
    {"text": "Array: use >= 0.5", "level": "Array", "axis": null, "kind": "use",
     "least_use": 0.5}])"));
}

TEST(ArchitectureJson, HoldsEveryKindOfLevel) {
  Architecture arch = report::testing::example_arch();
  Memory& buffer = memory_at(arch, 1);
  buffer.read_bandwidth = Rational{1, 3};
  buffer.partitions["weight"] = {Capacity::Unit::Bits, 256};
  buffer.partitions["input"] = {};
  buffer.dims.emplace();
  buffer.free = {"output"};
  arch.source = "a \"quoted\"\nsource \xc2\xb5";
  const Json json = Json::parse(architecture_json(arch));
  EXPECT_EQ(json.at("source"), arch.source);
  EXPECT_EQ(json.at("area_um2").get<double>(), total_area_um2(arch));
  const Json& dram = json.at("levels").at(0);
  EXPECT_EQ(dram.at("kind"), "memory");
  EXPECT_TRUE(dram.at("capacity").is_null());
  EXPECT_TRUE(dram.at("dims").is_null());
  EXPECT_TRUE(dram.at("keep").is_null());
  EXPECT_EQ(dram.at("read_pj").get<double>(), 64.1);
  const Json& level = json.at("levels").at(1);
  EXPECT_EQ(level.at("capacity"), Json({{"words", 4096}}));
  EXPECT_EQ(level.at("partitions").at("weight"), Json({{"bits", 256}}));
  EXPECT_TRUE(level.at("partitions").at("input").is_null());
  EXPECT_EQ(level.at("read_words_per_cycle").get<double>(), 1.0 / 3);
  EXPECT_TRUE(level.at("write_words_per_cycle").is_null());
  EXPECT_EQ(level.at("dims"), Json::array());
  EXPECT_EQ(level.at("free"), Json({"output"}));
  const Json& fanout = json.at("levels").at(2);
  EXPECT_EQ(fanout.at("kind"), "fanout");
  EXPECT_EQ(fanout.at("x").at("size"), 4);
  EXPECT_EQ(fanout.at("word_pj").get<double>(), 0.05);
  const Json& compute = json.at("levels").at(3);
  EXPECT_EQ(compute.at("kind"), "compute");
  EXPECT_EQ(compute.at("instances"), 12);
  EXPECT_EQ(compute.at("mac_pj").get<double>(), 0.3);
}

}  // namespace
}  // namespace tilewright::report
