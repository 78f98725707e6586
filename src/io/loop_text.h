// Loops as written in a mapping: "P 17 last 4".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "context.h"
#include "tilewright/mapping.h"

namespace tilewright::io {

struct LoopText {
  DimId dim{};
  std::int64_t bound = 1;
  std::optional<std::int64_t> last;
  int slot = 0;
  const Node* node = nullptr;
};

// The loops of one slot, in the order written. Nothing after complaints.
std::optional<std::vector<LoopText>> read_loops(Context& context, const Node& list,
                                                const Problem& problem, int slot);

std::string loop_text(const std::string& dim, std::int64_t bound, std::int64_t last);

// Complains about bounds that do not cover their dimensions, and about passes
// that are shorter than their loop without saying so.
void check_loops(Context& context, const Node& levels, const Problem& problem,
                 const Mapping& mapping, const std::vector<LoopText>& loops);

}  // namespace tilewright::io
