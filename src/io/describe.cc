#include <fmt/format.h>

#include <array>

#include "architecture_fields.h"
#include "cascade_fields.h"
#include "constraint_fields.h"
#include "graph_fields.h"
#include "mapping_fields.h"
#include "network_fields.h"
#include "plan_fields.h"
#include "tilewright/io.h"
#include "workload_fields.h"

namespace tilewright::io {

namespace {

template <typename T>
std::string section(const std::string& title, FieldTable<T> fields) {
  return fmt::format("{}\n{}", title, describe_fields(texts_of(fields), 2));
}

std::string constraint_sections() {
  return join({section("An entry of the constraints:", constraint_entry_fields()),
               section("The order of an entry:", order_fields())},
              "\n");
}

std::string describe_architecture() {
  return join({section("An architecture file:", architecture_fields()),
               section("A level that is a memory:", memory_fields()),
               section("A memory that shares the room of the one just outside it:", part_fields()),
               section("A level that replicates what is inside it:", fanout_fields()),
               section("An axis of a fan-out, when it is a map:", axis_fields()),
               section("The compute level:", compute_fields()),
               section("The flexibility (docs/flexibility.md):", flexibility_fields()),
               constraint_sections()},
              "\n");
}

// The words of assign_roles().
constexpr const char* kRoleRule =
    "Roles that are given neither in the einsum nor by the key \"roles\": one input is the\n"
    "weight. If none was given that role, it is found by narrowing down, where a step that\n"
    "would leave no input is skipped: inputs named W, weight or weights; inputs not named I,\n"
    "input or inputs; those with a dimension M or m; those with the fewest dimensions of\n"
    "the output; those with the first dimension of the output that some lack. Of those left\n"
    "it is the second input of the einsum, or else the first of them. The other inputs are\n"
    "inputs, and so is a single one. All short forms and the layers of networks agree with\n"
    "this rule: \"O[m,n] += A[m,k]*B[k,n]\" and \"gemm\" mean the same.\n";

std::string describe_workload() {
  return join({section("A workload file:", workload_fields()),
               section("The short form conv2d:", conv2d_fields()),
               section("The short form gemm:", gemm_fields()),
               section("The short form matmul:", matmul_fields()), kRoleRule,
               "On one line: \"O[m,n] += A[m,k]*B[k,n]; m=512 n=512 k=64\", with roles\n"
               "\"O[m,n] += A:input[m,k]*B:weight[k,n]; m=512 n=512 k=64\", or\n"
               "\"gemm: m=512 n=512 k=64\", all optionally followed by \"; bits=16\".\n"},
              "\n");
}

std::string describe_mapping() {
  return join({section("A mapping file:", mapping_fields()),
               section("A memory (or just the list of its loops):", memory_entry_fields()),
               section("A fan-out:", fanout_entry_fields())},
              "\n");
}

std::string describe_network() {
  return join(
      {"A network is a graph in YAML, or a mere list of layers as comma-separated values\n"
       "(docs/networks.md).\n",
       section("A graph:", graph_fields()),
       section("A tensor (or just the list of its sizes):", tensor_fields()),
       section("An operator:", operator_fields()), section("A block:", block_fields()),
       "Numbers may be arithmetic: \"2 * tokens\", \"ceil(tokens / 8)\", \"min(8, tokens)\".\n",
       "Comma-separated values: lines that start with #, which describe the network,\n"
       "\"# source:\" its source; then a heading; then a row per layer.\n",
       section("The columns, in any order:", layer_fields())},
      "\n");
}

std::string describe_constraints() {
  return join(
      {section("A file of constraints; an architecture file may have the same key:",
               constraint_file_fields()),
       constraint_sections(),
       "On one line, for one place: \"Rows.y: S = all, M <= 4, dims S M\" or\n"
       "\"Buffer: order M C ... P, keep input, bypass weight\" (loops outermost before the\n"
       "dots, innermost after them) or \"Array: use >= 0.5\".\n"},
      "\n");
}

std::string describe_cascade() {
  return join(
      {section("A cascade (docs/fusion.md):", cascade_fields()),
       section("What is done to the output of an einsum:", then_fields()),
       "An einsum is \"QK: S[m,p] += Q[m,e] * K[p,e]\": its name, its output and its inputs,\n"
       "whose indices may be windows, \"T[c,2*p+r]\". What another einsum writes under the\n"
       "same name is an intermediate; its writer stands before its readers. \"known_as: {a: K}\"\n"
       "beside it says what architectures call its dimensions, \"leaves: true\" that somebody\n"
       "outside the cascade reads its output, too: it goes to the outermost memory in any case.\n"},
      "\n");
}

std::string describe_plan() {
  return join(
      {section("A plan of a cascade (docs/fusion.md):", plan_fields()),
       section("A node with shared loops:", plan_node_fields()),
       "The nests are mappings (`tilewright explain mapping`) of the einsums with the sizes\n"
       "that the shared loops leave.\n"},
      "\n");
}

// The kinds of files, in the order of the help.
struct Format {
  const char* kind;
  std::string (*describe)();
};
constexpr auto kFormats = std::to_array<Format>({{"architecture", describe_architecture},
                                                 {"workload", describe_workload},
                                                 {"mapping", describe_mapping},
                                                 {"network", describe_network},
                                                 {"constraints", describe_constraints},
                                                 {"cascade", describe_cascade},
                                                 {"plan", describe_plan}});

}  // namespace

const std::vector<std::string>& format_kinds() {
  static const std::vector<std::string> kKinds = [] {
    std::vector<std::string> kinds;
    for (const Format& format : kFormats) kinds.emplace_back(format.kind);
    return kinds;
  }();
  return kKinds;
}

std::string describe_format(const std::string& kind) {
  for (const Format& format : kFormats) {
    if (kind == format.kind) return format.describe();
  }
  return "";
}

}  // namespace tilewright::io
