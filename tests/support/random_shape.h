// Contractions of many kinds, for random problems.
#pragma once

#include "support/random_problem.h"
#include "tilewright/workload.h"

namespace tilewright::testing {

// A product of matrices, convolutions (with stride and dilation, transposed,
// depthwise), a pooling, three inputs, odd windows. Every dimension has size 1.
Workload random_shape(TestRng& rng);

// A convolution, mostly one that is the same in rows and columns: M, P, Q, R, S. In some the
// strides differ, or the dilations, or a tensor has its ranks in the order of columns and rows.
Workload square_shape(TestRng& rng);

// True if several dimensions meet in one index of the tensor.
bool has_window(const Tensor& tensor);

}  // namespace tilewright::testing
