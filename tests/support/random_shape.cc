#include "support/random_shape.h"

#include <algorithm>

namespace tilewright::testing {
namespace {

struct Shape {
  std::vector<std::string> dims;
  std::vector<Tensor> tensors;
};

Rank rank(std::initializer_list<Term> terms) { return Rank(terms); }

Shape gemm() {
  return {{"M", "N", "K"},
          {{"W", Role::Weight, {rank({{DimId{0}}}), rank({{DimId{2}}})}, 8},
           {"I", Role::Input, {rank({{DimId{2}}}), rank({{DimId{1}}})}, 8},
           {"O", Role::Output, {rank({{DimId{0}}}), rank({{DimId{1}}})}, 8}}};
}

std::int64_t coefficient(TestRng& rng) {
  const std::int64_t c = rng.pick<std::int64_t>({1, 1, 1, 2, 2, 3, 4});
  return rng.chance(10) ? -c : c;
}

// An index that two dimensions share, with any stride and dilation.
Rank window(TestRng& rng, DimId outer, DimId inner) {
  return {{outer, coefficient(rng)}, {inner, coefficient(rng)}};
}

Shape conv1d(TestRng& rng, bool transposed) {
  const Rank slides = window(rng, DimId{2}, DimId{3});
  const Rank plain = {{DimId{2}, 1}};
  return {{"M", "C", "P", "R"},
          {{"I", Role::Input, {rank({{DimId{1}}}), transposed ? plain : slides}, 8},
           {"W", Role::Weight, {rank({{DimId{0}}}), rank({{DimId{1}}}), rank({{DimId{3}}})}, 8},
           {"O", Role::Output, {rank({{DimId{0}}}), transposed ? slides : plain}, 8}}};
}

Shape conv2d(TestRng& rng) {
  const Rank rows = window(rng, DimId{1}, DimId{3});
  const Rank columns = window(rng, DimId{2}, DimId{4});
  return {{"M", "P", "Q", "R", "S"},
          {{"I", Role::Input, {rows, columns}, 8},
           {"W", Role::Weight, {rank({{DimId{0}}}), rank({{DimId{3}}}), rank({{DimId{4}}})}, 8},
           {"O", Role::Output, {rank({{DimId{0}}}), rank({{DimId{1}}}), rank({{DimId{2}}})}, 8}}};
}

// Three dimensions in one index, and a diagonal.
Shape odd_windows(TestRng& rng) {
  return {{"A", "B", "D"},
          {{"I",
            Role::Input,
            {rank({{DimId{0}, coefficient(rng)},
                   {DimId{1}, coefficient(rng)},
                   {DimId{2}, coefficient(rng)}})},
            8},
           {"W", Role::Weight, {rank({{DimId{1}}}), rank({{DimId{1}, 2}})}, 8},
           {"O", Role::Output, {rank({{DimId{0}}})}, 8}}};
}

Shape three_inputs() {
  return {{"I", "J", "K", "R"},
          {{"X", Role::Input, {rank({{DimId{0}}}), rank({{DimId{1}}}), rank({{DimId{2}}})}, 8},
           {"Y", Role::Weight, {rank({{DimId{1}}}), rank({{DimId{3}}})}, 8},
           {"Z", Role::Input, {rank({{DimId{2}}}), rank({{DimId{3}}})}, 8},
           {"O", Role::Output, {rank({{DimId{0}}}), rank({{DimId{3}}})}, 8}}};
}

// A channel that all tensors carry.
Shape depthwise(TestRng& rng) {
  return {{"G", "P", "R"},
          {{"I", Role::Input, {rank({{DimId{0}}}), window(rng, DimId{1}, DimId{2})}, 8},
           {"W", Role::Weight, {rank({{DimId{0}}}), rank({{DimId{2}}})}, 8},
           {"O", Role::Output, {rank({{DimId{0}}}), rank({{DimId{1}}})}, 8}}};
}

// One input alone.
Shape pooling(TestRng& rng) {
  return {{"C", "P", "R"},
          {{"I", Role::Input, {rank({{DimId{0}}}), window(rng, DimId{1}, DimId{2})}, 8},
           {"O", Role::Output, {rank({{DimId{0}}}), rank({{DimId{1}}})}, 8}}};
}

Shape draw_shape(TestRng& rng) {
  switch (rng.between(0, 11)) {
    case 0:
    case 1:
      return gemm();
    case 2:
    case 3:
    case 4:
      return conv1d(rng, false);
    case 5:
      return conv1d(rng, true);
    case 6:
    case 7:
      return conv2d(rng);
    case 8:
      return odd_windows(rng);
    case 9:
      return depthwise(rng);
    case 10:
      return pooling(rng);
    default:
      return three_inputs();
  }
}

}  // namespace

Workload random_shape(TestRng& rng) {
  const Shape shape = draw_shape(rng);
  Workload workload;
  workload.name = "random";
  workload.tensors = shape.tensors;
  for (const std::string& name : shape.dims) workload.dims.push_back({name, 1});
  return workload;
}

Workload square_shape(TestRng& rng) {
  Workload workload;
  workload.name = "square";
  Shape shape = conv2d(rng);
  Tensor& input = shape.tensors.front();
  for (std::size_t i = 0; i < 2; ++i) {
    if (!rng.chance(15)) input.ranks[1][i].coefficient = input.ranks[0][i].coefficient;
  }
  for (Tensor& tensor : shape.tensors) {
    if (rng.chance(20)) std::reverse(tensor.ranks.begin(), tensor.ranks.end());
  }
  workload.tensors = shape.tensors;
  for (const std::string& name : shape.dims) workload.dims.push_back({name, 1});
  return workload;
}

bool has_window(const Tensor& tensor) {
  return std::any_of(tensor.ranks.begin(), tensor.ranks.end(),
                     [](const Rank& one) { return one.size() > 1; });
}

}  // namespace tilewright::testing
