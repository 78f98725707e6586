// The columns of a network file.
#pragma once

#include <string>

#include "fields.h"
#include "tilewright/workload.h"

namespace tilewright::io {

// A row as it was written. Of a gemm, C is the reduced dimension, and N, P and
// Q multiply to the columns of the batch.
struct LayerRow : Conv2d {
  enum class Op { Conv, DwConv, Gemm };
  std::string network, layer;
  Op op = Op::Conv;
  std::int64_t count = 1;
  std::int64_t input_bits = 8, weight_bits = 8, output_bits = 8;
  std::string source, note;
};

FieldTable<LayerRow> layer_fields();

}  // namespace tilewright::io
