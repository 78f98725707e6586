#include "optimal/fit.h"

#include <algorithm>

namespace tilewright::optimal {
namespace {

// The tiles of one memory against its capacity.
class Fitting {
 public:
  Fitting(const Frame& frame, int memory)
      : setting_(frame.setting()),
        memory_(memory),
        shape_(setting_.memory(memory)),
        kept_(frame.placement().kept[static_cast<std::size_t>(memory)]) {}

  // `extents` are at most the dimensions' sizes.
  Verdict check(const PerDim& extents) const {
    Int128 shared = 0;
    Int128 largest = -1;
    int largest_tensor = 0;
    for (std::uint32_t rest = kept_; rest != 0; rest &= rest - 1) {
      const int t = __builtin_ctz(rest);
      const auto at = static_cast<std::size_t>(t);
      const bool own = shape_.partitions[at].has_value();
      const Capacity& capacity = own ? *shape_.partitions[at] : shape_.capacity;
      if (capacity.unit == Capacity::Unit::Unlimited) continue;
      const bool bits = capacity.unit == Capacity::Unit::Bits;
      const Int128 amount = words_of(t, extents) * (bits ? shape_.element_bits[at] : 1);
      if (own) {
        if (amount > capacity.amount) {
          return verdict(Verdict::Kind::PartitionExceeded, t, amount, capacity.amount);
        }
        continue;
      }
      shared += amount;
      if (amount <= largest) continue;
      largest = amount;
      largest_tensor = t;
    }
    if (shape_.capacity.unit == Capacity::Unit::Unlimited || shared <= shape_.capacity.amount) {
      return {};
    }
    return verdict(Verdict::Kind::CapacityExceeded, largest_tensor, shared, shape_.capacity.amount);
  }

 private:
  Int128 words_of(int t, const PerDim& extents) const {
    const TensorShape& tensor = setting_.tensor(t);
    Int128 words = 1;
    for (std::uint32_t rest = tensor.alone; rest != 0; rest &= rest - 1) {
      words *= extents[static_cast<std::size_t>(__builtin_ctz(rest))];
    }
    for (const Window& window : tensor.windows) {
      Extents of_window{};
      for (int i = 0; i < window.dim_count(); ++i) {
        of_window[static_cast<std::size_t>(i)] = extents[static_cast<std::size_t>(window.dim(i))];
      }
      words *= window.size(of_window);
    }
    return words;
  }

  Verdict verdict(Verdict::Kind kind, int tensor, Int128 needed, std::int64_t available) const {
    const auto amount = static_cast<std::int64_t>(std::min<Int128>(needed, kCountLimit));
    return {kind,     setting_.problem().use(MemoryId{memory_}).level, TensorId{tensor}, {}, amount,
            available};
  }

  const Setting& setting_;
  int memory_;
  const MemoryShape& shape_;
  std::uint32_t kept_;
};

// Calls visit(verdict) for every vector of a memory's outer extents.
template <typename Visit>
void for_each_vector(const Frame& frame, const Lattice& lattice, int memory, Visit visit) {
  const Setting& setting = frame.setting();
  const Fitting fitting(frame, memory);
  PerDim extents{};
  const auto go = [&](const auto& self, int d) -> void {
    if (d == setting.dim_count) {
      visit(fitting.check(extents));
      return;
    }
    for (const std::int64_t extent : lattice.axis(memory, d).outer) {
      extents[static_cast<std::size_t>(d)] = std::min(extent, setting.size(d));
      self(self, d + 1);
    }
  };
  go(go, 0);
}

}  // namespace

std::vector<bool> fitting_vectors(const Frame& frame, const Lattice& lattice, int memory) {
  std::vector<bool> fits;
  for_each_vector(frame, lattice, memory,
                  [&](const Verdict& verdict) { fits.push_back(verdict.fits()); });
  return fits;
}

std::optional<Verdict> closest_misfit(const Frame& frame, const Lattice& lattice, int memory,
                                      const std::vector<bool>& reached) {
  std::optional<Verdict> closest;
  std::size_t i = 0;
  for_each_vector(frame, lattice, memory, [&](const Verdict& verdict) {
    if (reached[i++] && (!closest || verdict.needed < closest->needed)) closest = verdict;
  });
  return closest;
}

std::optional<Verdict> least_misfit(const Frame& frame) {
  const Setting& setting = frame.setting();
  PerDim least{};
  std::fill_n(least.begin(), setting.dim_count, 1);
  for (int m = setting.memory_count; m-- > 0;) {
    PerDim extents{};
    for (int d = 0; d < setting.dim_count; ++d) {
      const auto at = static_cast<std::size_t>(d);
      least[at] *= setting.limits(setting.memory(m).slot, d).least *
                   frame.unrolled(frame.fanouts_outside(m), frame.fanouts_outside(m + 1), d);
      least[at] = extents[at] = std::min(least[at], setting.size(d));
    }
    if (!setting.memory(m).bounded) continue;
    const Verdict verdict = Fitting(frame, m).check(extents);
    if (!verdict.fits()) return verdict;
  }
  return std::nullopt;
}

}  // namespace tilewright::optimal
