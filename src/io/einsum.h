// The text of a contraction, such as "O[m,n] += A[m,k] * B[k,n]", with names
// in place of dimensions and the positions of everything. A tensor may have its
// role behind its name: "A:weight[m,k]".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "context.h"

namespace tilewright::io {

struct EinsumTerm {
  std::string dim;
  std::int64_t coefficient = 1;
  std::size_t offset = 0;  // in the text
};

struct EinsumTensor {
  std::string name;
  std::size_t offset = 0;
  std::string role;  // as written; empty if it is not
  std::size_t role_offset = 0;
  std::vector<std::vector<EinsumTerm>> ranks;
};

struct Einsum {
  EinsumTensor output;
  std::vector<EinsumTensor> inputs;
};

// Nothing, after complaints, if the scalar is no contraction.
std::optional<Einsum> parse_einsum(Context& context, const Node& scalar);

// The name that starts the text: a letter or '_', then letters, digits or '_'.
std::string_view leading_identifier(std::string_view text);

inline constexpr const char* kEinsumForm = "a contraction such as \"O[m,n] += A[m,k] * B[k,n]\"";

}  // namespace tilewright::io
