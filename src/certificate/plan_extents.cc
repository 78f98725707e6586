#include "certificate/plan_extents.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/chain.h"

namespace tilewright::certificate {

std::vector<std::int64_t> divisors_of(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    divisors.push_back(d);
    if (d * d != number) divisors.push_back(number / d);
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

ExtentVectors::ExtentVectors(const std::vector<std::int64_t>& sizes, std::uint32_t dims)
    : sizes_(sizes) {
  constexpr std::size_t kMost = std::size_t{1} << 22;
  for (const int d : members(dims)) {
    axes_.push_back({d, count_, divisors_of(sizes[at(d)])});
    count_ *= axes_.back().divisors.size();
    if (count_ > kMost) throw Unverifiable("there are too many combinations of extents");
  }
}

std::vector<std::int64_t> ExtentVectors::extents(std::size_t number) const {
  std::vector<std::int64_t> extents = sizes_;
  for (const Axis& axis : axes_) {
    extents[at(axis.dim)] = axis.divisors[number / axis.stride % axis.divisors.size()];
  }
  return extents;
}

std::size_t ExtentVectors::number_of(const std::vector<std::int64_t>& extents) const {
  std::size_t number = 0;
  for (const Axis& axis : axes_) {
    const auto found =
        std::lower_bound(axis.divisors.begin(), axis.divisors.end(), extents[at(axis.dim)]);
    number += axis.stride * at(found - axis.divisors.begin());
  }
  return number;
}

std::vector<ExtentVectors::Longer> ExtentVectors::longer(std::size_t number) const {
  std::vector<Longer> found;
  for (const Axis& axis : axes_) {
    const std::size_t place = number / axis.stride % axis.divisors.size();
    const std::int64_t extent = axis.divisors[place];
    for (std::size_t next = place + 1; next < axis.divisors.size(); ++next) {
      const std::int64_t to = axis.divisors[next];
      if (to % extent != 0 || !is_prime(to / extent)) continue;
      found.push_back({axis.dim, number + (next - place) * axis.stride});
    }
  }
  return found;
}

}  // namespace tilewright::certificate
