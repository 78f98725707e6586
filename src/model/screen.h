// Tells of mappings with perfect factors, without counting them, that they do not fit or cannot
// beat a score: all that a random search has to know of most of what it draws.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/scorer.h"

namespace tilewright {

// Mappings are given by the numbers of their chains, so that all that follows from one chain is
// worked out once. One per thread; allocates when chains are added only.
class Screen {
 public:
  using Chain = std::array<std::int64_t, kMaxSlots>;  // a dimension's bounds, by slot
  using Numbers = std::array<std::uint32_t, kMaxDims>;

  enum class Finding : std::uint8_t {
    Open,    // nothing is known but by a score
    Misfit,  // verdict() is that of the score
    Beaten,  // it fits, and is_better() would be false
  };

  // A screen for mappings of a scorer's problem.
  explicit Screen(const Scorer& scorer);
  ~Screen();
  Screen(Screen&&) noexcept;

  // Chains of a dimension are numbered in the order in which they are added.
  void add_chain(int dim, const Chain& bounds);

  // What mappings have to beat; nothing: any that fits is welcome.
  void set_bar(Objective objective, const std::optional<Score>& score);
  // The mapping of these chains, in any order of its loops; fan-outs must hold it, as they hold
  // all of a map-space. `keeping` keeps what it does; its bounds and orders are not looked at.
  Finding judge(const Numbers& chains, const Mapping& keeping);
  const Verdict& verdict() const;
  // No mapping with the chains of the one that was judged last, and fits, takes less energy or
  // fewer cycles.
  struct Least {
    double energy_pj = 0, cycles = 0;
  };
  Least least() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
