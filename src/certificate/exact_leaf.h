// A mapping that a tree comes to, with its storage points, and what it costs exactly.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "certificate/count.h"
#include "certificate/leaf.h"

namespace tilewright::certificate {

struct Found {
  Mapping mapping;
  Cost cost;
  // The problem that it is a mapping of, if memories stand as storage points there.
  std::shared_ptr<const Problem> apart;
};

class ExactLeaf {
 public:
  explicit ExactLeaf(const Context& context) : context_(context) {}

  // Of an even mapping with the same loops of each memory: the same at the points of the
  // blocks. Nothing if it does not fit.
  std::optional<Found> count(const Mapping& even, const std::vector<Block>& blocks);

 private:
  struct Apart {
    std::shared_ptr<const Problem> problem;  // nothing if there are more points than there may be
    std::optional<Terms> terms;
  };

  const Apart& apart_at(const std::vector<StoragePoints>& points);

  const Context& context_;
  std::map<std::vector<StoragePoints>, Apart> known_;
};

}  // namespace tilewright::certificate
