#include "mappers/optimal/fitting_vectors.h"

#include <algorithm>

namespace tilewright::optimal {

FittingVectors::FittingVectors(const Subproblem& sub, int memory, const ExtentLists& extents)
    : numbers_({}) {
  const SolverTables& solver = sub.solver();
  const Fitting fitting(sub, memory);
  PerDim largest{};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    largest[d] = std::min(extents[d].back(), solver.sizes[d]);
  }
  all_fit_ = fitting.check(largest).fits();
  if (!extents.empty()) length_ = extents.back().size();
  if (all_fit_) return;
  std::vector<std::size_t> strides;
  std::vector<std::size_t> lengths;
  std::size_t number = 1;
  for (std::size_t d = 0; d + 1 < extents.size(); ++d) {
    const bool counts = fitting.depends_on(static_cast<int>(d));
    lengths.push_back(extents[d].size());
    strides.push_back(counts ? number : 0);
    if (counts) number *= lengths.back();
  }
  known_.assign(number, kUnknown);
  numbers_ = sums_of_steps(lengths, strides);
  for (const Fitting::Sum& limit : fitting.sums()) {
    Sum& sum = sums_.emplace_back(Sum{limit, {}});
    for (const int t : members(limit.limit.tensors)) {
      sum.parts.push_back({t, {solver.tensor(t), fitting.counted(limit, t, extents)}});
    }
  }
}

std::size_t FittingVectors::fitting_of(const Row& row) {
  std::int32_t& known = known_[numbers_[row]];
  if (known == kUnknown) known = static_cast<std::int32_t>(find_fitting(row));
  return at(known);
}

std::size_t FittingVectors::find_fitting(const Row& row) {
  std::size_t fitting = 0;
  for (std::size_t end = length_; fitting < end;) {
    const std::size_t middle = fitting + (end - fitting) / 2;
    if (fits(row, middle)) {
      fitting = middle + 1;
    } else {
      end = middle;
    }
  }
  return fitting;
}

bool FittingVectors::fits(const Row& row, std::size_t last) {
  return std::all_of(sums_.begin(), sums_.end(), [&](Sum& sum) {
    Int128 left = sum.limit.limit.most;
    for (Part& part : sum.parts) {
      left -= amount_of(*sum.limit.room, part.tensor, part.words(row, last));
    }
    return left >= 0;
  });
}

void FittingVectors::leave_out_others(Values& values) {
  if (all_fit_) return;
  Units* begin = values.data();
  const auto is_reached = [](Units value) { return value < kNever; };
  Row row;
  for (row.of_first = 0; row.of_first < numbers_.first.size(); ++row.of_first) {
    for (row.of_last = 0; row.of_last < numbers_.last.size(); ++row.of_last) {
      Units* const end = begin + length_;
      if (std::any_of(begin, end, is_reached)) std::fill(begin + fitting_of(row), end, kNever);
      begin = end;
    }
  }
}

void FittingVectors::leave_out_others(ReachedPlaces& places) {
  if (all_fit_) return;
  const auto length = static_cast<std::uint32_t>(length_);
  std::erase_if(places, [&](const ReachedPlace& one) {
    return one.place % length >= fitting_of(numbers_.parts_of(one.place / length));
  });
}

}  // namespace tilewright::optimal
