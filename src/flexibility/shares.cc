#include "shares.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <utility>

#include "mapping/room.h"

namespace tilewright::flexibility {

namespace {

Diagnostic problem_with(std::string message, std::string hint) {
  return {{}, std::move(message), std::move(hint)};
}

// What one element takes of a limited capacity.
std::int64_t element_of(const Capacity& capacity, std::int64_t bits) {
  return capacity.unit == Capacity::Unit::Bits ? bits : 1;
}

std::int64_t greatest_common_divisor(const std::vector<Share::Held>& held) {
  std::int64_t common = 0;
  for (const Share::Held& tensor : held) common = std::gcd(common, tensor.element);
  return common;
}

// Binomial(q + n, n): so many n natural numbers have a sum of at most q.
BigUint bounded_sums(std::int64_t q, std::size_t n) {
  BigUint count = 1;
  for (std::uint64_t i = 1; i <= n; ++i) {
    count *= static_cast<std::uint64_t>(q) + i;
    count.divide(i);  // leaves nothing: the product is binomial(q + i, i)
  }
  return count;
}

// Counts the natural numbers x[i] >= 1 with sum e[i]*x[i] <= amount. With m the
// least common multiple of all e, x[i] = m/e[i] * q[i] + r[i] for an r[i] from 1
// to m/e[i], and what is left for the q is floor((amount - sum e*r) / m).
class Simplex {
 public:
  explicit Simplex(const Share& share) {
    const std::int64_t common = greatest_common_divisor(share.held);
    for (const Share::Held& tensor : share.held) elements_.push_back(tensor.element / common);
    amount_ = share.amount / common;
  }

  // Nothing if there are too many remainders.
  std::optional<BigUint> count() {
    if (!find_multiple()) return std::nullopt;
    try_remainders(0, 0);
    BigUint sum;
    for (std::size_t below = 0; below < remainders_.size(); ++below) {
      const Int128 q = amount_ / multiple_ - static_cast<Int128>(below);
      if (q < 0 || remainders_[below] == 0) continue;
      sum += bounded_sums(static_cast<std::int64_t>(q), elements_.size()) * remainders_[below];
    }
    return sum;
  }

 private:
  static constexpr Int128 kMostRemainders = 1 << 24;

  bool find_multiple() {
    for (const std::int64_t element : elements_) {
      Int128 a = multiple_;
      Int128 b = element;
      while (b != 0) a = std::exchange(b, a % b);
      if (element / a > kMostRemainders) return false;
      multiple_ = multiple_ / a * element;
    }
    Int128 all = 1;
    for (const std::int64_t element : elements_) {
      if (multiple_ / element > kMostRemainders) return false;
      all *= multiple_ / element;
      if (all > kMostRemainders) return false;
    }
    // floor((amount - sum) / m) is at most so much below floor(amount / m).
    remainders_.assign(elements_.size() + 1, 0);
    return true;
  }

  void try_remainders(std::size_t next, Int128 sum) {
    if (next == elements_.size()) {
      const Int128 below = (sum - amount_ % multiple_ + multiple_ - 1) / multiple_;
      ++remainders_[static_cast<std::size_t>(below)];
      return;
    }
    for (Int128 r = 1; r <= multiple_ / elements_[next]; ++r) {
      try_remainders(next + 1, sum + r * elements_[next]);
    }
  }

  std::vector<std::int64_t> elements_;
  std::int64_t amount_ = 0;
  Int128 multiple_ = 1;
  std::vector<std::uint64_t> remainders_;  // by how much they lower the sum of the q
};

}  // namespace

Checked<std::vector<Share>> shares_of(const Problem& problem, LevelId buffer) {
  const MemoryId memory = problem.memory_at(buffer);
  const Room room = room_of(problem, memory);
  const std::string& name = problem.memory(memory).name;
  std::vector<Share> shares(1);
  shares[0].amount = room.capacity.amount;
  for (int t = 0; t < problem.tensor_count(); ++t) {
    if (((problem.use(memory).keep_allowed >> t) & 1U) == 0) continue;
    const auto& own = room.partitions[at(t)];
    const Capacity& capacity = own ? *own : room.capacity;
    if (capacity.unit == Capacity::Unit::Unlimited) {
      return {std::nullopt,
              {problem_with(
                  fmt::format("{} has no limit, so there is no end to the tiles that fit", name),
                  "name a memory with a capacity as the buffer of the flexibility")}};
    }
    const Share::Held held{TensorId{t}, element_of(capacity, room.element_bits[at(t)])};
    if (own) {
      shares.push_back({own->amount, {held}});
    } else {
      shares[0].held.push_back(held);
    }
  }
  return {std::move(shares), {}};
}

Checked<BigUint> count_footprints(const std::vector<Share>& shares) {
  BigUint count = 1;
  for (const Share& share : shares) {
    if (share.held.empty()) continue;
    const auto some = Simplex(share).count();
    if (!some) {
      return {std::nullopt,
              {problem_with("the widths of the tensors' elements have too little in common to "
                            "count footprints",
                            "give the capacity of the buffer in words, or all elements the same "
                            "width (--bits)")}};
    }
    count *= *some;
  }
  return {count, {}};
}

}  // namespace tilewright::flexibility
