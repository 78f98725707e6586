// The words of one link of a tensor's chain, counted exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/nest.h"
#include "certificate/parts.h"

namespace tilewright::certificate {

// Which instances a count is about.
enum class Instances { All, FirstParent, FirstChild };

class LinkCount {
 public:
  static constexpr int kCompute = -1;

  // From memory `parent` to memory `child` or the multipliers.
  LinkCount(const Nest& nest, const Parts& parts, bool output, int parent, int child);

  // Words that enter the child, before any sharing.
  Int128 entering(Instances instances) const;
  // Words that the parent serves, after all sharing.
  Int128 served(Instances instances) const;
  // Fan-outs between the two by number, outermost first.
  const std::vector<int>& fanouts() const { return fanouts_; }
  // Words at the instances of one of them: what is inside it has shared.
  Int128 arriving(std::size_t fanout) const;

 private:
  friend class WindowCount;

  // With the fan-outs from number `first` on sharing, where they can.
  Int128 words(Instances instances, std::size_t first) const;
  Digit digit(int slot, int dim, Instances instances) const;
  bool shares(int slot, std::size_t first) const;
  bool shares_halos(int slot) const;
  const Fanout& fanout_at(int slot) const;

  const Nest& nest_;
  const Parts& parts_;
  bool output_;
  int parent_slot_;
  int child_slot_;
  bool to_compute_;
  Loop moving_;
  std::vector<int> fanouts_;       // numbers among the fan-outs of the architecture
  std::vector<int> fanout_slots_;  // their Y slots
};

}  // namespace tilewright::certificate
