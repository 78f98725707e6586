#include "mappers/optimal/fitting_vectors.h"

#include <algorithm>
#include <utility>

namespace tilewright::optimal {

FittingVectors::FittingVectors(const Subproblem& sub, int memory, ExtentLists extents)
    : solver_(sub.solver()), fitting_(sub, memory), extents_(std::move(extents)), numbers_({}) {
  if (!extents_.empty()) {
    last_ = std::move(extents_.back());
    extents_.pop_back();
  }
  all_fit_ = fitting_.check(largest_tile()).fits();
  if (all_fit_) return;
  strides_.assign(extents_.size(), 0);
  std::size_t number = 1;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    if (!fitting_.depends_on(static_cast<int>(d))) continue;
    strides_[d] = number;
    number *= extents_[d].size();
  }
  known_.assign(number, kUnknown);
  std::vector<std::size_t> lengths;
  for (const auto& list : extents_) lengths.push_back(list.size());
  numbers_ = sums_of_steps(lengths, strides_);
  for (const Fitting::Sum& limit : fitting_.sums()) {
    sums_.push_back({limit, {}});
    for (const int t : members(limit.limit.tensors)) sums_.back().parts.push_back(unknown_part(t));
  }
}

PerDim FittingVectors::largest_tile() const {
  PerDim tile{};
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    tile[d] = std::min(extents_[d].back(), solver_.sizes[d]);
  }
  const std::size_t d = extents_.size();
  tile[d] = std::min(last_.back(), solver_.sizes[d]);
  return tile;
}

FittingVectors::Part FittingVectors::unknown_part(int tensor) const {
  std::vector<std::size_t> lengths;
  std::vector<std::size_t> strides;
  std::size_t number = 1;
  const auto take = [&](int d, std::size_t length) {
    const bool counts = contains(solver_.tensor(tensor).relevant, d);
    lengths.push_back(length);
    strides.push_back(counts ? number : 0);
    if (counts) number *= length;
  };
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    take(static_cast<int>(d), extents_[d].size());
  }
  VectorSums rows = sums_of_steps(lengths, strides);
  take(static_cast<int>(extents_.size()), last_.size());
  return {tensor, std::move(rows), strides.back(), std::vector<std::int64_t>(number, kUnknown)};
}

std::size_t FittingVectors::fitting_of(const Row& row) {
  std::int32_t& known = known_[numbers_[row]];
  if (known == kUnknown) known = static_cast<std::int32_t>(find_fitting(row));
  return at(known);
}

std::size_t FittingVectors::find_fitting(const Row& row) {
  std::size_t fitting = 0;
  for (std::size_t end = last_.size(); fitting < end;) {
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
  for (Sum& sum : sums_) {
    std::int64_t left = sum.limit.limit.most;
    for (Part& part : sum.parts) {
      std::int64_t& amount = part.amounts[part.rows[row] + last * part.stride];
      if (amount == kUnknown) {
        const PerDim tile = tile_of(row, last);
        amount = static_cast<std::int64_t>(fitting_.amount(sum.limit, part.tensor, tile));
      }
      left -= amount;
    }
    if (left < 0) return false;
  }
  return true;
}

PerDim FittingVectors::tile_of(const Row& row, std::size_t last) const {
  PerDim tile{};
  std::size_t left = numbers_[row];
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    std::size_t place = 0;
    if (strides_[d] > 0) {
      place = left % extents_[d].size();
      left /= extents_[d].size();
    }
    tile[d] = std::min(extents_[d][place], solver_.sizes[d]);
  }
  const std::size_t d = extents_.size();
  tile[d] = std::min(last_[last], solver_.sizes[d]);
  return tile;
}

void FittingVectors::leave_out_others(Values& values) {
  if (all_fit_) return;
  Units* begin = values.data();
  const auto is_reached = [](Units value) { return value < kNever; };
  Row row;
  for (row.of_first = 0; row.of_first < numbers_.first.size(); ++row.of_first) {
    for (row.of_last = 0; row.of_last < numbers_.last.size(); ++row.of_last) {
      Units* const end = begin + last_.size();
      if (std::any_of(begin, end, is_reached)) std::fill(begin + fitting_of(row), end, kNever);
      begin = end;
    }
  }
}

void FittingVectors::leave_out_others(ReachedPlaces& places) {
  if (all_fit_) return;
  const auto length = static_cast<std::uint32_t>(last_.size());
  std::erase_if(places, [&](const ReachedPlace& one) {
    return one.place % length >= fitting_of(numbers_.parts_of(one.place / length));
  });
}

}  // namespace tilewright::optimal
