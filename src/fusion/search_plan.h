// Plans from what a search of trees has found.
#pragma once

#include "fusion/search_tree.h"
#include "tilewright/cascade.h"

namespace tilewright::fusion {

class PlanBuilder {
 public:
  PlanBuilder(const Cascade& cascade, const Architecture& arch, const CascadeFacts& facts,
              const TreeRecord& search, Plan& plan);

  void add_group(std::uint32_t origin);

 private:
  PlanNode node(std::uint32_t step, int depth);
  void place(const TreeStep& step, int depth);
  PlanNode leaf(const TreeStep& step);

  const Cascade& cascade_;
  const Architecture& arch_;
  const CascadeFacts& facts_;
  const TreeRecord& search_;
  Plan& plan_;
};

}  // namespace tilewright::fusion
