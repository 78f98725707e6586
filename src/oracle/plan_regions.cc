#include "oracle/plan_regions.h"

#include <algorithm>
#include <iterator>

namespace tilewright::oracle {
namespace {

Region box_around(const Elements& elements) {
  Region box;
  for (std::size_t r = 0; r < elements.begin()->size(); ++r) {
    Interval side{(*elements.begin())[r], (*elements.begin())[r]};
    for (const Element& element : elements) {
      side.begin = std::min(side.begin, element[r]);
      side.end = std::max(side.end, element[r]);
    }
    ++side.end;
    box.push_back(side);
  }
  return box;
}

void fill_box(const Region& box, Element& element, Elements& out) {
  if (element.size() == box.size()) {
    out.insert(element);
    return;
  }
  const Interval side = box[element.size()];
  for (std::int64_t i = side.begin; i < side.end; ++i) {
    element.push_back(i);
    fill_box(box, element, out);
    element.pop_back();
  }
}

Elements elements_in(const Region& box) {
  Elements out;
  Element element;
  fill_box(box, element, out);
  return out;
}

}  // namespace

PlanState::PlanState(const Cascade& cascade, const Plan& plan) : cascade_(cascade), plan_(plan) {
  readers_.resize(cascade.einsums.size());
  for (const CascadeEinsum& einsum : cascade.einsums) leaves_.push_back(einsum.leaves);
  held_.resize(cascade.einsums.size());
  made_.resize(cascade.einsums.size());
  for (int e = 0; e < cascade.einsum_count(); ++e) paths_.push_back(path_of(plan, e));
  for (const Intermediate& one : intermediates_of(cascade)) {
    for (const IntermediateReader& reader : one.readers) {
      if (group_of(plan, one.writer).has(reader.einsum)) {
        readers_[at(one.writer)].push_back(reader);
      } else {
        leaves_[at(one.writer)] = true;
      }
    }
  }
}

bool PlanState::is_made_inside(int einsum, TensorId tensor) const {
  return std::any_of(readers_.begin(), readers_.end(),
                     [&](const auto& readers) { return contains(readers, {einsum, tensor}); });
}

int PlanState::common(int einsum) const {
  int loops = 0;
  for (const PathLoop& loop : path(einsum)) {
    if (readers(einsum).empty() || loop.last >= readers(einsum).back().einsum) ++loops;
  }
  return loops;
}

Region PlanState::whole(int einsum) const {
  Region region;
  for (const Dimension& dim : cascade_.workload(einsum).dims) region.push_back({0, dim.size});
  return region;
}

Region PlanState::cut(int einsum, Region region, const Digits& digits, int from, int depth) const {
  const Workload& workload = cascade_.workload(einsum);
  for (int k = from; k < depth; ++k) {
    const SharedLoop& loop = path(einsum)[at(k)].loop;
    const auto dim = workload.find_dim(loop.dim);
    if (!dim) continue;
    Interval& side = region[at(*dim)];
    const std::int64_t digit = digits[at(k)];
    if (loop.tile == 0) {
      const std::int64_t length = side.length() / loop.count;
      side.begin += digit * length;
      side.end = side.begin + length;
      continue;
    }
    const std::int64_t end = side.end - (loop.count - 1 - digit) * loop.tile;
    side.begin = std::max(side.begin, end - loop.tile);
    side.end = end;
  }
  return region;
}

Region PlanState::needed(int einsum, const Digits& digits, int depth) const {
  const IntermediateReader& reader = readers(einsum).front();
  const Workload& workload = cascade_.workload(reader.einsum);
  const auto region = executed(reader.einsum, digits, depth);
  Region box;
  for (const Rank& rank : workload.tensor(reader.tensor).ranks) {
    Interval side{0, 1};
    for (const Term& term : rank) {
      const Interval interval = region ? (*region)[at(term.dim)] : Interval{0, 0};
      side.begin += term.coefficient * interval.begin;
      side.end += term.coefficient * (interval.end - 1);
    }
    box.push_back(region ? side : Interval{0, 0});
  }
  return box;
}

// What a reader sees beyond what is written are zeros, all of them before the first value.
std::vector<std::int64_t> PlanState::zeros(int einsum) const {
  const Workload& writer = cascade_.workload(einsum);
  const IntermediateReader& reader = readers(einsum).front();
  const Workload& reading = cascade_.workload(reader.einsum);
  std::vector<std::int64_t> zeros;
  for (std::size_t r = 0; r < writer.tensors.back().ranks.size(); ++r) {
    std::int64_t last = 0;
    for (const Term& term : reading.tensor(reader.tensor).ranks[r]) {
      last += term.coefficient * (reading.dim(term.dim).size - 1);
    }
    zeros.push_back(last + 1 - writer.dim(writer.tensors.back().ranks[r][0].dim).size);
  }
  return zeros;
}

void PlanState::made(int einsum, const Elements& elements) {
  const std::vector<std::int64_t> before = zeros(einsum);
  for (Element element : elements) {
    for (std::size_t r = 0; r < before.size(); ++r) element[r] += before[r];
    made_[at(einsum)].insert(std::move(element));
  }
}

std::optional<Region> PlanState::executed(int einsum, const Digits& digits, int depth) const {
  if (readers(einsum).empty()) return cut(einsum, whole(einsum), digits, 0, depth);
  const int shared = std::min(depth, common(einsum));
  const Elements wanted = elements_in(needed(einsum, digits, shared));
  Elements missing;
  std::set_difference(wanted.begin(), wanted.end(), held_[at(einsum)].begin(),
                      held_[at(einsum)].end(), std::inserter(missing, missing.end()));
  const std::vector<std::int64_t> before = zeros(einsum);
  std::erase_if(missing, [&](const Element& element) {
    for (std::size_t r = 0; r < before.size(); ++r) {
      if (element[r] < before[r]) return true;
    }
    return false;
  });
  if (missing.empty()) return std::nullopt;
  const Region box = box_around(missing);
  Region region = whole(einsum);
  const Workload& workload = cascade_.workload(einsum);
  for (std::size_t r = 0; r < box.size(); ++r) {
    region[at(workload.tensors.back().ranks[r][0].dim)] = {box[r].begin - before[r],
                                                           box[r].end - before[r]};
  }
  return cut(einsum, std::move(region), digits, shared, depth);
}

Elements PlanState::tile(int einsum, TensorId tensor, const Digits& digits, int depth) const {
  const Workload& workload = cascade_.workload(einsum);
  if (tensor == workload.output() && !readers(einsum).empty()) {
    return elements_in(needed(einsum, digits, depth));
  }
  const auto region = executed(einsum, digits, depth);
  return region ? elements_of(workload.tensor(tensor), *region, Accounting::Exact) : Elements{};
}

bool PlanState::is_kept(int einsum, TensorId tensor) const {
  return plan_.leaves[at(einsum)].tensors[at(tensor)].kind == Placement::Kind::Kept;
}

int PlanState::depth_of(int einsum, TensorId tensor) const {
  if (is_kept(einsum, tensor)) return plan_.leaves[at(einsum)].tensors[at(tensor)].depth;
  const bool output = tensor == cascade_.workload(einsum).output();
  return output ? common(einsum) : static_cast<int>(path(einsum).size());
}

// A loop moves a tensor if its second step needs another tile than its first, with nothing held.
int PlanState::moving_loop(int einsum, TensorId tensor) const {
  const PlanState fresh(cascade_, plan_);
  for (int k = depth_of(einsum, tensor); k-- > 0;) {
    const int depth = depth_of(einsum, tensor);
    Digits digits(path(einsum).size(), 0);
    const Elements first = fresh.tile(einsum, tensor, digits, depth);
    digits[at(k)] = 1;
    if (fresh.tile(einsum, tensor, digits, depth) != first) return k;
  }
  return -1;
}

// Whether the second step of the moving loop needs elements of the first, when the intermediates of
// the first are there.
bool PlanState::overlaps(int einsum, TensorId tensor) const {
  PlanState walked(cascade_, plan_);
  const int moving = moving_loop(einsum, tensor), depth = depth_of(einsum, tensor);
  if (moving < 0) return false;
  Digits digits(std::max<std::size_t>(64, path(einsum).size()), 0);
  const Elements first = walked.tile(einsum, tensor, digits, depth);
  const PathLoop& loop = path(einsum)[at(moving)];
  for (int e = loop.first; e <= loop.last; ++e) {
    if (readers(e).empty()) continue;
    const auto region = walked.executed(e, digits, std::min<int>(depth, common(e)));
    const Tensor& output = cascade_.workload(e).tensors.back();
    if (region) walked.made(e, elements_of(output, *region, Accounting::Exact));
  }
  digits[at(moving)] = 1;
  walked.step(digits, moving, loop.first, loop.last);
  const Elements second = walked.tile(einsum, tensor, digits, depth);
  return std::any_of(second.begin(), second.end(),
                     [&](const Element& element) { return first.contains(element); });
}

void PlanState::step(const Digits& digits, int loop, int first, int last) {
  for (int e = first; e <= last; ++e) {
    if (readers(e).empty() || loop >= common(e)) continue;
    held_[at(e)].insert(made_[at(e)].begin(), made_[at(e)].end());
    made_[at(e)].clear();
    const TensorId output = cascade_.workload(e).output();
    const bool stays = is_kept(e, output) && loop >= moving_loop(e, output);
    if (!stays) held_[at(e)].clear();
  }
  // What has left the tile is gone; readers first, since they say what is needed.
  for (int e = last; e >= first; --e) {
    if (readers(e).empty() || loop >= common(e) || held_[at(e)].empty()) continue;
    const PlanState fresh(cascade_, plan_);
    const int depth = depth_of(e, cascade_.workload(e).output());
    const Elements tile = elements_in(fresh.needed(e, digits, depth));
    std::erase_if(held_[at(e)], [&](const Element& element) { return !tile.contains(element); });
  }
}

}  // namespace tilewright::oracle
