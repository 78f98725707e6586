#include <algorithm>

#include "mappers/sampling/sampling.h"

namespace tilewright {

namespace {

// --- random -----------------------------------------------------------------

class RandomExplorer : public Explorer {
 public:
  RandomExplorer(const MapSpace& space, std::uint64_t seed) : sampler_(space), seed_(seed) {}

  void explore(std::uint64_t unit, std::uint64_t most, Recorder& recorder) override {
    Rng rng(seed_, unit);
    for (std::uint64_t i = 0; i < most; ++i) recorder.note(sampler_.draw(rng));
  }

 private:
  Sampler sampler_;
  std::uint64_t seed_;
};

class RandomStrategy : public Strategy {
 public:
  RandomStrategy(const MapSpace& space, std::uint64_t seed) : space_(space), seed_(seed) {}

  std::unique_ptr<Explorer> explorer() const override {
    return std::make_unique<RandomExplorer>(space_, seed_);
  }
  std::uint64_t unit_size() const override { return 256; }
  std::optional<std::uint64_t> total() const override { return std::nullopt; }

 private:
  MapSpace space_;
  std::uint64_t seed_;
};

// --- exhaustive ---------------------------------------------------------------

class ExhaustiveExplorer : public Explorer {
 public:
  ExhaustiveExplorer(const MapSpace& space, std::uint64_t unit_size)
      : space_(space), unit_size_(unit_size) {}

  // Whether a mapping fits does not depend on its loop orders.
  void explore(std::uint64_t unit, std::uint64_t most, Recorder& recorder) override {
    const BigUint first = BigUint(unit) * BigUint(unit_size_);
    Walk walk(space_, first, std::min(first + BigUint(most), space_.size()));
    while (const Mapping* mapping = walk.next()) {
      if (recorder.note(*mapping)) continue;
      recorder.add_to_last_failure(*walk.skip_orders().small());
    }
  }

 private:
  const MapSpace& space_;
  std::uint64_t unit_size_;
};

class ExhaustiveStrategy : public Strategy {
 public:
  explicit ExhaustiveStrategy(const MapSpace& space) : space_(space) {}

  std::unique_ptr<Explorer> explorer() const override {
    return std::make_unique<ExhaustiveExplorer>(space_, unit_size());
  }
  std::uint64_t unit_size() const override { return 4096; }
  std::optional<std::uint64_t> total() const override { return space_.size().small(); }

 private:
  MapSpace space_;
};

}  // namespace

std::unique_ptr<Strategy> random_strategy(const MapSpace& space, std::uint64_t seed) {
  return std::make_unique<RandomStrategy>(space, seed);
}

std::unique_ptr<Strategy> exhaustive_strategy(const MapSpace& space) {
  return std::make_unique<ExhaustiveStrategy>(space);
}

}  // namespace tilewright
