// How long einsums take: the multipliers, what is done to their outputs, and the ports of the
// outermost memory. What is loaded at places further out comes to the ports later; until all is
// known, the time of an einsum stays open.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fusion/fronts.h"
#include "fusion/search_runs.h"

namespace tilewright::fusion {

class PortTimes {
 public:
  PortTimes(const Cascade& cascade, const Architecture& arch, const CascadeFacts& facts);
  // Whether these are all the times there are: only the outermost memory has a bandwidth, either
  // one for all or one each way, multiply-accumulates start one by one, and the shared memory keeps
  // all tensors.
  static bool covers(const Architecture& arch, const CascadeFacts& facts);

  // The multipliers of an einsum with so many at work, and what is done afterwards.
  double least_cycles(int einsum, double parallel) const;
  void add_words(OpenTime& open, const Words& words) const;
  double cycles(const OpenTime& open) const;

  // The operations of a search on points; those that know no time do nothing.
  void load(TimedPoint& point, int entry, const Words& words) const {
    add_words(point.open[at(entry)], words);
  }
  // All words of the einsum are known.
  void close(TimedPoint& point, int entry) const;
  // An output that is normalised in so many steps is handed on to its readers.
  void hand_on(TimedPoint& point, int entry, const Shared& output, double steps) const;
  // Forgets what cannot matter any more: ports that never or always limit the einsums, whatever
  // places their tensors get outside these extents.
  void tighten(TimedPoint& point, const RunFacts& run, std::size_t extents,
               std::uint32_t unplaced) const;
  static void join(TimedPoint& before, const TimedPoint& last);

  static void load(FrontPoint&, int, const Words&) {}
  static void close(FrontPoint&, int) {}
  static void hand_on(FrontPoint&, int, const Shared&, double) {}
  static void tighten(FrontPoint&, const RunFacts&, std::size_t, std::uint32_t) {}
  static void join(FrontPoint& before, const FrontPoint& last);

 private:
  struct Port {
    Rational rate;
    bool reads = false, writes = false;
  };
  struct Afterwards {
    std::optional<Rational> rate;
    double elements = 0, rescaled = 0;
  };

  const CascadeFacts& facts_;
  std::vector<Port> ports_;
  double start_cycles_ = 1;  // from one multiply-accumulate to the next
  std::vector<Afterwards> afterwards_;
};

}  // namespace tilewright::fusion
