#include "certificate/frame_list.h"

namespace tilewright::certificate {

namespace {

constexpr std::size_t kMostFrames = std::size_t{1} << 22;

}  // namespace

FrameList::FrameList(const Problem& problem, const Rules& rules)
    : problem_(problem), rules_(rules), known_(at(problem.dim_count())) {
  const int fanouts = static_cast<int>(fanout_places(problem).size());
  for (int f = 0; f < fanouts; ++f) choices_.push_back(unrollings_of(problem, rules, f));
  Unrolling unrolling(fanouts, problem.dim_count());
  extend(0, unrolling);
}

void FrameList::extend(int fanout, Unrolling& unrolling) {
  if (fanout == unrolling.fanouts()) return finish(unrolling);
  for (const std::vector<std::int64_t>& choice : choices_[at(fanout)]) {
    for (int d = 0; d < problem_.dim_count(); ++d) unrolling.set(fanout, d, choice[at(d)]);
    if (may_continue(fanout, unrolling)) extend(fanout + 1, unrolling);
  }
}

// Bounds multiply to less than twice the size of a dimension.
bool FrameList::may_continue(int fanout, const Unrolling& unrolling) const {
  for (int d = 0; d < problem_.dim_count(); ++d) {
    const std::int64_t size = problem_.workload().dims[at(d)].size;
    Int128 product = 1;
    for (int f = 0; f <= fanout; ++f) product *= unrolling.factor(f, d);
    if (rules_.kind == SpaceKind::Perfect ? size % product != 0
                                          : product >= static_cast<Int128>(size) * 2)
      return false;
  }
  return true;
}

void FrameList::finish(const Unrolling& unrolling) {
  std::vector<const Chain*> chains;
  for (int d = 0; d < problem_.dim_count(); ++d) {
    chains.push_back(&chain(d, unrolling));
    if (!chains.back()->possible) return;
  }
  if (frames_.size() == kMostFrames) throw Unverifiable("the map-space has too many frames");
  frames_.push_back({unrolling, std::move(chains)});
}

const Chain& FrameList::chain(int dim, const Unrolling& unrolling) {
  std::vector<std::int64_t> factors;
  for (int f = 0; f < unrolling.fanouts(); ++f) factors.push_back(unrolling.factor(f, dim));
  auto& known = known_[at(dim)];
  const auto found = known.find(factors);
  if (found != known.end()) return found->second;
  return known.emplace(factors, make_chain(problem_, rules_, dim, factors)).first->second;
}

}  // namespace tilewright::certificate
