// One operator of a network, with the names of the tensors that it uses.
#pragma once

#include <string>
#include <vector>

#include "graph_fields.h"

namespace tilewright::io {

// A tensor as an operator names it, and where.
struct TensorUse {
  std::string name;
  const Node* where = nullptr;
  std::size_t offset = 0;   // in the text of the node
  bool may_be_new = false;  // weights, and what is the operator's own, need no declaration
};

struct NamedOperator {
  Operator op;                  // without edges
  const Node* where = nullptr;  // for complaints about the whole
  std::vector<TensorUse> reads;
  TensorUse writes;
  std::vector<std::int64_t> shape;  // of what it writes, if it says so
};

// Nothing after complaints.
std::optional<NamedOperator> read_operator(Context& context, const Node& node);

// Sizes; nothing after complaints.
std::optional<std::vector<std::int64_t>> read_tensor_shape(Context& context, const Node& node);

}  // namespace tilewright::io
