// What is known of a problem before any mapping of it is looked at.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "certificate/nest.h"
#include "certificate/parts.h"
#include "certificate/stationary.h"

namespace tilewright::certificate {

struct Terms {
  explicit Terms(const Problem& problem);

  const Problem* problem;
  Energies energies;
  std::vector<Parts> parts;  // per tensor
  // By dimension, as bits of tensors: those that have it, and those of them with a window there.
  std::array<std::uint32_t, kMaxDims> carriers{}, windowed{};
  Count macs = 1;
  std::optional<Stationary> stationary;
  std::uint32_t ported = 0;  // memories whose ports may be waited for, as bits
};

// The first storage point of the memory that a level is a point of; other levels are themselves.
int first_point(const Problem& problem, int level);

// At least one index is in each of these instances, of those that the fan-outs outside a slot make.
std::int64_t used_instances(const Nest& nest, int slot);

}  // namespace tilewright::certificate
