// The fields of a network that is a graph.
#pragma once

#include "fields.h"
#include "tilewright/workload.h"
#include "workload_fields.h"

namespace tilewright::io {

// What the file says, before the parts are brought together.
struct GraphFile {
  std::string name, description, source;
  std::int64_t bits = kDefaultBits;
  const Node* sizes = nullptr;
  const Node* tensors = nullptr;
  const Node* operators = nullptr;
};

struct TensorFile {
  const Node* shape = nullptr;
  std::int64_t bits = 0;  // 0: those of the network
};

// A contraction has the keys of a workload; what is not mapped has others.
struct OperatorFile : WorkloadFile {
  std::string name;
  const Node* elementwise = nullptr;
  const Node* normalize = nullptr;
  const Node* reshape = nullptr;
  const Node* transpose = nullptr;
  const Node* other = nullptr;
  const Node* each = nullptr;
  const Node* uses = nullptr;
  const Node* reads = nullptr;
  const Node* writes = nullptr;
  const Node* axes = nullptr;
  const Node* shape = nullptr;
  std::int64_t count = 1;
  std::string source, note;
};

struct BlockFile {
  std::string name;
  std::int64_t repeat = 1;
  const Node* carry = nullptr;
  const Node* tensors = nullptr;
  const Node* operators = nullptr;
};

FieldTable<GraphFile> graph_fields();
FieldTable<TensorFile> tensor_fields();
FieldTable<OperatorFile> operator_fields();
FieldTable<BlockFile> block_fields();

// The name of an operator stands behind the first key, that of a block behind the second.
inline constexpr const char* kOperatorKey = "operator";
inline constexpr const char* kBlockKey = "block";
inline constexpr const char* kSizesKey = "sizes";
inline constexpr const char* kSizesForm = "numbers such as \"{tokens: 1024, context: tokens}\"";

}  // namespace tilewright::io
