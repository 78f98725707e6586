// The fields of a cascade file.
#pragma once

#include "fields.h"
#include "workload_fields.h"

namespace tilewright::io {

inline constexpr const char* kEinsumsForm = "a list such as \"- QK: S[m,p] += Q[m,e] * K[p,e]\"";

// The key of an einsum for what architectures call its dimensions.
inline constexpr const char* kKnownAs = "known_as";
// The key of an einsum whose output somebody outside the cascade reads, too.
inline constexpr const char* kLeaves = "leaves";
// Beside an einsum: widths of its tensors that are not those of the cascade.
inline constexpr const char* kWidths = "bits";

struct CascadeFile {
  std::string name, source;
  const Node* sizes = nullptr;
  const Node* einsums = nullptr;
  std::int64_t bits = kDefaultBits;
};

struct ThenFile {
  std::optional<std::string> softmax, norm, function;
  std::optional<std::int64_t> online;
  double energy_pj = 0;
  std::optional<Rational> rate;
};

FieldTable<CascadeFile> cascade_fields();
FieldTable<ThenFile> then_fields();

}  // namespace tilewright::io
