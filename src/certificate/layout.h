// The levels of a mapping that a tree comes to: memories stand as they are, or as storage points.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "certificate/context.h"

namespace tilewright::certificate {

struct Layout {
  const Problem* problem = nullptr;
  const Rules* rules = nullptr;
  const Terms* terms = nullptr;
  std::vector<int> fanout_slots;         // Y slots
  std::shared_ptr<const Problem> apart;  // the problem, if memories stand as points there
  std::optional<Rules> own_rules;        // at points
  std::optional<Terms> own_terms;
};

// Those that were made, for the next one who asks.
class Layouts {
 public:
  explicit Layouts(const Context& context) : context_(context) {}

  // Nothing if there are more points than there may be. By memory; none leaves it as it is.
  const Layout* at_points(const std::vector<StoragePoints>& points);

 private:
  std::unique_ptr<Layout> make(const std::vector<StoragePoints>& points) const;

  const Context& context_;
  std::map<std::vector<StoragePoints>, std::unique_ptr<Layout>> known_;
};

}  // namespace tilewright::certificate
