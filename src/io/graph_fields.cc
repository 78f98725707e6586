#include "graph_fields.h"

#include <array>

#include "einsum.h"
#include "member_fields.h"

namespace tilewright::io {

namespace {

constexpr const char* kTensorShapeForm = "a list of sizes such as \"[hidden, tokens]\"";

template <typename Form, auto Member>
constexpr Field<Form> own_name(const char* key, const char* help) {
  return {{key, kNameForm, nullptr, help},
          [](Context& context, const Node& node, Form& form) {
            if (auto name = read_name(context, node)) form.*Member = *name;
          },
          nullptr};
}

template <typename Form, auto Member>
constexpr Field<Form> own_note(const char* key, const char* help) {
  return {{key, "a text", "none", help},
          [](Context& context, const Node& node, Form& form) {
            if (auto note = read_note(context, node)) form.*Member = *note;
          },
          nullptr};
}

constexpr auto kGraphFields = std::to_array<Field<GraphFile>>({
    own_name<GraphFile, &GraphFile::name>("network", "its name"),
    own_note<GraphFile, &GraphFile::description>("description",
                                                 "what it is, and what it leaves out"),
    own_note<GraphFile, &GraphFile::source>("source", "where the numbers come from"),
    node_field<GraphFile, &GraphFile::sizes>(
        {kSizesKey, kSizesForm, "none",
         "sizes by name, for arithmetic below; --size gives one another value"}),
    form_count<GraphFile, &GraphFile::bits>("bits", "8", "width of one element of a tensor"),
    node_field<GraphFile, &GraphFile::tensors>(
        {"tensors", "a map from names to shapes or to the keys below", "none",
         "the tensors that no operator writes, but for weights that are read once; others "
         "may stand here for their width"}),
    node_field<GraphFile, &GraphFile::operators>(
        {"operators", "a list of operators and blocks", nullptr, "what is computed"}),
});

constexpr auto kTensorFields = std::to_array<Field<TensorFile>>({
    node_field<TensorFile, &TensorFile::shape>({"shape", kTensorShapeForm,
                                                "that of what writes it, or reads it first",
                                                "sizes of its axes"}),
    form_count<TensorFile, &TensorFile::bits>("bits", "those of the network",
                                              "width of one element"),
});

template <auto Member>
constexpr Field<OperatorFile> part(const char* key, const char* form, const char* fallback,
                                   const char* help) {
  return node_field<OperatorFile, Member>({key, form, fallback, help});
}

constexpr const char* kFunctionForm = "the name of a function";
constexpr const char* kNotThis = "another of these keys";

constexpr auto kOperatorFields = std::to_array<Field<OperatorFile>>({
    own_name<OperatorFile, &OperatorFile::name>(kOperatorKey, "its name, different in all"),
    part<&WorkloadFile::einsum>("einsum", kEinsumForm, kNotThis,
                                "a contraction of tensors of the network"),
    part<&WorkloadFile::sizes>("sizes", "a map such as \"{m: hidden, k: 4 * hidden}\"",
                               "the network's sizes of the same names",
                               "sizes of the dimensions of an einsum"),
    part<&WorkloadFile::conv2d>("conv2d", "as in a workload", kNotThis, "a convolution"),
    part<&WorkloadFile::gemm>("gemm", "as in a workload", kNotThis, "O[M,N] += W[M,K] * I[K,N]"),
    part<&WorkloadFile::matmul>("matmul", "as in a workload", kNotThis,
                                "O[B,M,N] += W[B,M,K] * I[B,K,N]"),
    part<&WorkloadFile::roles>("roles", "a map such as \"{W: weight}\"", "by the rule of workloads",
                               "input or weight, by the tensor's name in the contraction"),
    part<&OperatorFile::each>("each", "a list of dimensions such as \"[B]\"", "none",
                              "dimensions whose values are mapped one by one"),
    part<&OperatorFile::uses>("uses", "a map such as \"{I: x, W: wq, O: q}\"",
                              "of an einsum the same names; otherwise O is named after the "
                              "operator, I and W are its own",
                              "which tensors of the network those of the contraction are"),
    part<&OperatorFile::elementwise>("elementwise", kFunctionForm, kNotThis,
                                     "kept, not mapped: each element by itself"),
    part<&OperatorFile::normalize>("normalize", kFunctionForm, kNotThis,
                                   "kept, not mapped: softmax, norms, along axes"),
    part<&OperatorFile::reshape>("reshape", kTensorShapeForm, kNotThis,
                                 "kept, not mapped: the same elements in another shape"),
    part<&OperatorFile::transpose>("transpose", "a list of axes such as \"[1, 0]\"", kNotThis,
                                   "kept, not mapped: the axes in another order"),
    part<&OperatorFile::other>("other", kFunctionForm, kNotThis,
                               "kept, not mapped: anything; needs a shape"),
    part<&OperatorFile::reads>("reads", "a list of tensors", "none; what is not mapped needs it",
                               "what it reads"),
    part<&OperatorFile::writes>("writes", kNameForm, "the name of the operator",
                                "the tensor that it writes"),
    part<&OperatorFile::axes>("axes", "a list of axes such as \"[1]\"", "none; normalize needs it",
                              "along which to normalise, from 0"),
    part<&OperatorFile::shape>("shape", kTensorShapeForm, "none; other needs it",
                               "of what it writes"),
    form_count<OperatorFile, &OperatorFile::count>("count", "1",
                                                   "how often, on tensors that are not told apart"),
    own_note<OperatorFile, &OperatorFile::source>("source", "where the numbers come from"),
    own_note<OperatorFile, &OperatorFile::note>("note", "what else a reader should know"),
});

constexpr auto kBlockFields = std::to_array<Field<BlockFile>>({
    own_name<BlockFile, &BlockFile::name>(kBlockKey, "its name"),
    form_count<BlockFile, &BlockFile::repeat>("repeat", "1", "how often it is done in a row"),
    node_field<BlockFile, &BlockFile::carry>(
        {"carry", "a map such as \"{x: y}\"", "none",
         "what a repetition reads as x is y of the one before"}),
    node_field<BlockFile, &BlockFile::tensors>(
        {"tensors", "as above", "none", "tensors of which each repetition has one of its own"}),
    node_field<BlockFile, &BlockFile::operators>(
        {"operators", "a list of operators and blocks", nullptr, "what is repeated"}),
});

}  // namespace

FieldTable<GraphFile> graph_fields() { return kGraphFields; }
FieldTable<TensorFile> tensor_fields() { return kTensorFields; }
FieldTable<OperatorFile> operator_fields() { return kOperatorFields; }
FieldTable<BlockFile> block_fields() { return kBlockFields; }

}  // namespace tilewright::io
