// Closes cells one by one: shows that none of a cell's mappings is better than a target.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/deadline.h"
#include "base/thread_pool.h"
#include "certificate/cell_floor.h"
#include "certificate/leaf.h"
#include "certificate/port_lattice.h"
#include "certificate/target.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

class Closer {
 public:
  Closer(const Terms& terms, const Rules& rules, const Target& target, const Deadline& deadline);

  Cover& cover() { return cover_; }

  // True if the cell is closed in this way. Throws Expired.
  bool closes(const Cell& cell, ProofStep how);
  // A cheap way that closes the cell. Nothing if it has to be split, or if it is a
  // frame and has something better.
  std::optional<ProofStep> close(const Cell& cell);

  // What the floor of the last cell that was not closed says, and a better mapping of
  // it if the tree found one.
  const Cost& open_floor() const { return open_floor_; }
  const std::optional<Found>& better() const { return better_; }
  const Statistics& statistics() const { return statistics_; }

 private:
  // A way to close a frame; trees give up after so many nodes.
  struct Attempt {
    ProofStep way = ProofStep::Lattice;
    std::int64_t most_nodes = 0;
  };

  bool is_closed_by_floor(const Cell& cell);
  // The first way that closes it.
  std::optional<ProofStep> close_frame(const Cell& cell, std::span<const Attempt> attempts);
  // With extents told apart by their bounds.
  bool is_closed_refined(const Unrolling& unrolling, const Placement& placement);

  const Terms& terms_;
  const Rules& rules_;
  Target target_;  // remembers its answers, so every copy has its own
  const Deadline& deadline_;
  Cover cover_;
  CellFloors floors_;
  // Large tables are made one at a time, so that threads need no more memory.
  std::shared_ptr<std::mutex> one_at_a_time_ = std::make_shared<std::mutex>();
  SpareRoom spare_;
  Cost open_floor_;
  std::optional<Found> better_;
  Statistics statistics_;
};

// Threads that each have a closer of their own.
class Closers {
 public:
  Closers(const Closer& closer, int threads);

  // Calls close(closer, number) for all numbers below the count until one gives false, and
  // gives the first number that did. What is thrown comes out here. Work that is done soon is
  // not shared; `large` work is, from the start.
  std::optional<std::size_t> for_each(std::size_t count, bool large,
                                      const std::function<bool(Closer&, std::size_t)>& close);
  // The one that gave false.
  const Closer& failed() const { return own_[failed_]; }
  Statistics statistics() const;  // of all of them

 private:
  ThreadPool pool_;
  std::vector<Closer> own_;
  std::size_t failed_ = 0;
};

}  // namespace tilewright::certificate
