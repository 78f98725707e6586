#include "reproduce/goma_cases.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "reproduce/tables.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {

namespace {

struct Deployment {
  std::array<std::string_view, 2> accelerators;
  std::array<std::string_view, 6> workloads;
};

constexpr std::array<Deployment, 2> kDeployments = {
    {{{"goma_eyeriss_like", "goma_gemmini_like"},
      {"qwen3_0.6b_1k", "qwen3_0.6b_8k", "qwen3_0.6b_32k", "llama3.2_1b_1k", "llama3.2_1b_8k",
       "llama3.2_1b_32k"}},
     {{"a100_like", "goma_tpu_v1_like"},
      {"qwen3_32b_2k", "qwen3_32b_32k", "qwen3_32b_128k", "llama3.3_70b_2k", "llama3.3_70b_32k",
       "llama3.3_70b_128k"}}}};

// As eyeriss, gemmini and tpu_v1 have it, the accumulators of the latter two being
// part of the SRAM here. A100: everything, as caches do.
struct Bypass {
  std::string_view accelerator, sram, regfile;
};
constexpr std::array<Bypass, 4> kBypasses = {
    {{"goma_eyeriss_like", "SRAM: keep input output, bypass weight",
      "RegisterFile: keep input weight output"},
     {"goma_gemmini_like", "SRAM: keep input weight output",
      "RegisterFile: keep weight, bypass input output"},
     {"a100_like", "SRAM: keep input weight output", "RegisterFile: keep input weight output"},
     {"goma_tpu_v1_like", "SRAM: keep input weight output",
      "RegisterFile: keep weight, bypass input output"}}};

// The layer is one that make_gemm() has made.
std::int64_t& size_of(Layer& layer, const char* dim) {
  Workload& workload = layer.workload;
  return workload.dims[static_cast<std::size_t>(index_of(workload.find_dim(dim).value()))].size;
}

Layer& layer_named(Network& network, std::string_view name) {
  return *std::find_if(network.layers.begin(), network.layers.end(),
                       [&](const Layer& layer) { return layer.name == name; });
}

// Constraints on one line; the text must be right.
std::vector<Constraint> constraints(std::string_view text, const Architecture& arch) {
  return io::read_constraint_line(text, "reproduce goma", arch).value.value();
}

}  // namespace

std::vector<GomaCase> goma_cases() {
  std::vector<GomaCase> cases;
  for (const Deployment& deployment : kDeployments) {
    for (const std::string_view accelerator : deployment.accelerators) {
      for (const std::string_view workload : deployment.workloads) {
        cases.push_back({std::string(accelerator), std::string(workload)});
      }
    }
  }
  return cases;
}

Network goma_network(const std::string& workload) {
  Network network = io::load_network(workload).value.value();
  const std::int64_t sharing = size_of(layer_named(network, "attn_q_proj"), "M") /
                               size_of(layer_named(network, "attn_kv_proj"), "M");
  for (const char* name : {"attn_score", "attn_context"}) {
    Layer& layer = layer_named(network, name);
    size_of(layer, "N") *= sharing;
    layer.count /= sharing;
  }
  if (workload.starts_with("qwen3_32b")) size_of(layer_named(network, "lm_head"), "M") = 152064;
  return network;
}

std::optional<double> goma_optimum(const GomaCase& evaluated, const std::string& layer) {
  const Table optima = printed_table("goma_optima");
  const auto at = std::find(optima.headings.begin(), optima.headings.end(), layer);
  const auto* row = optima.find({evaluated.accelerator, evaluated.workload});
  if (row == nullptr || at == optima.headings.end()) return std::nullopt;
  return std::stod((*row)[static_cast<std::size_t>(at - optima.headings.begin())]);
}

std::vector<Constraint> full_array(const Architecture& arch) {
  return constraints("PEs: use >= 1", arch);
}

std::vector<Constraint> fixed_bypass(const Architecture& arch) {
  std::vector<Constraint> all;
  for (const Bypass& bypass : kBypasses) {
    if (bypass.accelerator != arch.name) continue;
    all = constraints(bypass.sram, arch);
    for (Constraint& more : constraints(bypass.regfile, arch)) all.push_back(std::move(more));
  }
  return all;
}

}  // namespace tilewright::reproduce
