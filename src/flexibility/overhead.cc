#include <algorithm>
#include <bit>

#include "tilewright/flexibility.h"

namespace tilewright {

namespace {

// Table 3: what an axis adds to the inflexible accelerator. The printed area of
// tiles, 763,874, is a slip for 736,874: its own percentage says so.
constexpr double kTile = 736'874 - kTable3BaseUm2;
constexpr double kOrder = 738'458 - kTable3BaseUm2;
constexpr double kParallel = 737'720 - kTable3BaseUm2;
constexpr double kShape = 737'055 - kTable3BaseUm2;
constexpr double kPes = 1024;
constexpr double kAddressBits = 17;  // of 100 KB
constexpr double kTensors = 3;

// Base, bound and current address of each tensor.
constexpr double kRegisterBit = kTile / (3 * kTensors * kAddressBits);
// A way out of each PE, and a way into each: the paper does not part the area of
// parallelism into generators and multiplexers; we take both ways to be alike.
constexpr double kSwitch = kShape / kPes;
constexpr double kGeneratorBit = (kParallel - kPes * kSwitch) / (kTensors * kAddressBits);
constexpr double kCounter = (kOrder - kTensors * kAddressBits * kGeneratorBit) / kPes;

// An element is taken to have a byte; a buffer without limit to be the paper's.
std::int64_t words_of(const Memory& buffer) {
  constexpr std::int64_t kPaper = 100'000;
  const Capacity& capacity = buffer.capacity;
  if (capacity.unit == Capacity::Unit::Unlimited) return kPaper;
  return capacity.unit == Capacity::Unit::Bits ? capacity.amount / 8 : capacity.amount;
}

double address_bits(const Memory& buffer) {
  const std::int64_t words = words_of(buffer);
  return static_cast<double>(
      std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(words - 1, 1))));
}

double share_of(Degree degree) {
  constexpr std::array<double, 3> kShares = {0, 0.5, 1};
  return kShares[static_cast<std::size_t>(degree)];
}

}  // namespace

Overhead overhead_of(const Architecture& arch) {
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  const double bits = address_bits(std::get<Memory>(arch.level(parts.buffer)));
  const auto pes = static_cast<double>(parts.pes);
  const double generators = kTensors * bits * kGeneratorBit;
  Overhead overhead{{3 * kTensors * bits * kRegisterBit, generators + pes * kCounter,
                     generators + pes * kSwitch, pes * kSwitch}};
  for (const TopsAxis axis : kTopsAxes) {
    overhead.um2[static_cast<std::size_t>(axis)] *=
        share_of(degree_of(*arch.flexibility, axis, parts.pes));
  }
  return overhead;
}

double base_area_um2(const Architecture& arch) {
  const double given = total_area_um2(arch);
  if (given > 0 || !arch.flexibility) return given;
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  const auto pes = static_cast<double>(parts.pes);
  const auto words = static_cast<double>(words_of(std::get<Memory>(arch.level(parts.buffer))));
  // The paper does not part its area; half of it for each is our guess.
  constexpr double kWords = 100'000;
  return kTable3BaseUm2 * (pes / kPes + words / kWords) / 2;
}

}  // namespace tilewright
