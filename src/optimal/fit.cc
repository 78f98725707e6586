#include "optimal/fit.h"

#include <algorithm>
#include <array>

namespace tilewright::optimal {
namespace {

class Fitting {
 public:
  Fitting(const Frame& frame, const Lattice& lattice, int memory)
      : setting_(frame.setting()),
        lattice_(lattice),
        memory_(memory),
        shape_(setting_.memory(memory)) {
    for (std::uint32_t rest = frame.placement().kept[static_cast<std::size_t>(memory)]; rest != 0;
         rest &= rest - 1) {
      kept_.push_back(__builtin_ctz(rest));
    }
    std::size_t size = 1;
    for (int d = 0; d < setting_.dim_count; ++d) size *= lattice.axis(memory, d).outer.size();
    fits_.reserve(size);
  }

  std::vector<bool> take() {
    visit(0);
    return std::move(fits_);
  }

 private:
  void visit(int d) {
    if (d == setting_.dim_count) {
      fits_.push_back(fit());
      return;
    }
    for (const std::int64_t extent : lattice_.axis(memory_, d).outer) {
      extents_[static_cast<std::size_t>(d)] = std::min(extent, setting_.size(d));
      visit(d + 1);
    }
  }

  Int128 words_of(int t) const {
    const TensorShape& tensor = setting_.tensor(t);
    Int128 words = 1;
    for (std::uint32_t rest = tensor.alone; rest != 0; rest &= rest - 1) {
      words *= extents_[static_cast<std::size_t>(__builtin_ctz(rest))];
    }
    for (const Window& window : tensor.windows) {
      Extents extents{};
      for (int i = 0; i < window.dim_count(); ++i) {
        extents[static_cast<std::size_t>(i)] = extents_[static_cast<std::size_t>(window.dim(i))];
      }
      words *= window.size(extents);
    }
    return words;
  }

  bool fit() const {
    Int128 shared = 0;
    for (const int t : kept_) {
      const auto at = static_cast<std::size_t>(t);
      const Capacity& capacity = shape_.partitions[at] ? *shape_.partitions[at] : shape_.capacity;
      if (capacity.unit == Capacity::Unit::Unlimited) continue;
      const bool bits = capacity.unit == Capacity::Unit::Bits;
      const Int128 amount = words_of(t) * (bits ? shape_.element_bits[at] : 1);
      if (amount > capacity.amount) return false;
      if (!shape_.partitions[at]) shared += amount;
    }
    return shape_.capacity.unit == Capacity::Unit::Unlimited || shared <= shape_.capacity.amount;
  }

  const Setting& setting_;
  const Lattice& lattice_;
  int memory_;
  const MemoryShape& shape_;
  std::vector<int> kept_;
  PerDim extents_{};
  std::vector<bool> fits_;
};

}  // namespace

std::vector<bool> fitting_vectors(const Frame& frame, const Lattice& lattice, int memory) {
  return Fitting(frame, lattice, memory).take();
}

}  // namespace tilewright::optimal
