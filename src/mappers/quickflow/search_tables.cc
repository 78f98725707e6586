#include "mappers/quickflow/search_tables.h"

namespace tilewright::quickflow {

SearchTables::SearchTables(const Evaluator& e, SpaceKind k, const Restrictions& r)
    : FlatSpace(e.problem(), k, r), evaluator(e), flat(e.flat()) {
  for (int d = 0; d < dims; ++d) {
    for (int s = 0; s < slots; ++s) {
      if (limits(s, d).most > 1) open[at(d)] |= 1U << s;
    }
  }
  only_model_knows = !flat.shared.empty();
  std::uint32_t kept = 0;
  for (int m = 0; m < memory_count(); ++m) {
    const bool home = (keep_allowed(m) & ~kept) != 0;
    const bool under_fanout = memory(m).fanouts_outside > 0;
    only_model_knows = only_model_knows || (home && under_fanout && memory(m).room.bounded);
    kept |= keep_always(m);
  }
}

bool SearchTables::is_chain(int dim, const Chain& bounds) const {
  std::int64_t left = size(dim);
  for (int s = slots; s-- > 0;) {
    const std::int64_t bound = bounds[at(s)];
    const BoundLimits& limit = limits(s, dim);
    if (bound < limit.least || bound > limit.most || bound > left) return false;
    if (bound == 1) continue;
    if (!may_leave_remainder(s) && left % bound != 0) return false;
    left = ceil_div(left, bound);
  }
  return left == 1;
}

}  // namespace tilewright::quickflow
