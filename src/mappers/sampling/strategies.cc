#include <algorithm>

#include "mappers/sampling/sampling.h"
#include "model/screen.h"

namespace tilewright {

namespace {

// --- random -----------------------------------------------------------------

// Most of what is drawn does not fit or cannot beat what was found before. A screen tells that
// of chains of factors; all others are scored.
class RandomExplorer : public Explorer {
 public:
  RandomExplorer(const MapSpace& space, std::uint64_t seed, Scoring scoring)
      : sampler_(space),
        seed_(seed),
        screens_(scoring == Scoring::Screened && sampler_.lists_chains()) {}

  void explore(std::uint64_t unit, std::uint64_t most, Recorder& recorder) override {
    Rng rng(seed_, unit);
    if (!screens_) {
      for (std::uint64_t i = 0; i < most; ++i) recorder.note(sampler_.draw(rng));
      return;
    }
    if (!screen_) make_screen(recorder.scorer());
    screen_->set_bar(recorder.objective(), recorder.best());
    for (std::uint64_t i = 0; i < most; ++i) {
      sampler_.draw_parts(rng);
      if (!is_screened_out(recorder)) note(recorder);
    }
  }

 private:
  void make_screen(const Scorer& scorer) {
    screen_.emplace(scorer);
    for (int d = 0; d < sampler_.keeping().dim_count(); ++d) {
      for (const Screen::Chain& chain : sampler_.chains_of(DimId{d})) screen_->add_chain(d, chain);
    }
  }

  bool is_screened_out(Recorder& recorder) {
    switch (screen_->judge(sampler_.chains(), sampler_.keeping())) {
      case Screen::Finding::Open:
        return false;
      case Screen::Finding::Misfit:
        return recorder.count_misfit(screen_->verdict());
      case Screen::Finding::Beaten:
        recorder.count_beaten();
    }
    return true;
  }

  void note(Recorder& recorder) {
    const std::size_t known = recorder.improvements().size();
    recorder.note(sampler_.written());
    if (recorder.improvements().size() == known) return;
    screen_->set_bar(recorder.objective(), recorder.best());
  }

  Sampler sampler_;
  std::uint64_t seed_;
  bool screens_;
  std::optional<Screen> screen_;
};

class RandomStrategy : public Strategy {
 public:
  RandomStrategy(const MapSpace& space, std::uint64_t seed, Scoring scoring)
      : space_(space), seed_(seed), scoring_(scoring) {}

  std::unique_ptr<Explorer> explorer() const override {
    return std::make_unique<RandomExplorer>(space_, seed_, scoring_);
  }
  std::uint64_t unit_size() const override { return 256; }
  std::optional<std::uint64_t> total() const override { return std::nullopt; }

 private:
  MapSpace space_;
  std::uint64_t seed_;
  Scoring scoring_;
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

std::unique_ptr<Strategy> random_strategy(const MapSpace& space, std::uint64_t seed,
                                          Scoring scoring) {
  return std::make_unique<RandomStrategy>(space, seed, scoring);
}

std::unique_ptr<Strategy> exhaustive_strategy(const MapSpace& space) {
  return std::make_unique<ExhaustiveStrategy>(space);
}

}  // namespace tilewright
