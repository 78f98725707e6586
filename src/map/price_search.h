// Which prices of a cycle to try for the least product of energy and cycles, and what they prove.
//
// The product has no local minimum inside a polygon of positive numbers, so its least value over
// all choices lies at a corner of the convex hull of the (energy, cycles) that they can have. Each
// corner is reached where energy + price * cycles is least, at some price of a cycle. Every price
// tried gives a half-plane that no choice leaves; the corners of what all half-planes have in
// common bound the product from below. docs/optimal.md, "Networks", has the proof.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "map/half_planes.h"
#include "tilewright/map.h"

namespace tilewright::map {

inline constexpr double kAnyPrice = std::numeric_limits<double>::infinity();  // cycles alone count

// The architecture on which a cycle costs that much more, whatever the mapping: it leaks from the
// outermost memory, of which there is one.
Architecture with_price(const Architecture& arch, double price);
// Makes the mapping of such an architecture what it is on that without the price. False if it
// cannot be evaluated there.
bool take_price_off(const Architecture& arch, MapOutcome& outcome);

// No mapping takes fewer cycles than its multiplications do.
double least_cycles(const Workload& workload, const Architecture& arch);

// A price whose digits leave room for those of the energies: costs stay whole numbers.
double rounded_price(double price);

class PriceSearch {
 public:
  // Products that agree so far are equal; prices have no more digits.
  static constexpr double kRounding = 1e-8;

  // Products are close enough within `gap`. Without `any_price`, cycles alone are not asked for.
  explicit PriceSearch(Objective objective, double gap = 0, bool any_price = true)
      : objective_(objective), gap_(gap), any_price_(any_price) {}

  // What needs no price: no choice takes less energy, none fewer cycles.
  void add_trivial(const Pair& least);
  void add(const HalfPlane& plane) { planes_.push_back(plane); }
  // At this price energy and cycles weigh as much as they do in the product of a choice.
  double balanced_price(const Pair& at) const;
  // The price to try next: it cuts the lowest corner off. Nothing if that is no lower than the best
  // choice, or no price tells more.
  std::optional<double> next(const Pair& best) const;
  bool is_new(double price) const;
  // No choice has less.
  double bound() const;

 private:
  std::optional<double> price_at(const Corner& corner) const;
  double first_price() const;

  Objective objective_;
  double gap_;
  bool any_price_;
  std::vector<HalfPlane> planes_;
};

}  // namespace tilewright::map
