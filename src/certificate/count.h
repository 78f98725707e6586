// What a mapping costs, by the rules of docs/semantics.md, in whole numbers.
// Written for being right; src/model/ is the fast way to the same numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "certificate/held.h"

namespace tilewright::certificate {

struct PortWords {
  Count reads = 0;
  Count fills = 0;
  Count updates = 0;
};

void add(PortWords& to, const PortWords& more);
void take(PortWords& from, const PortWords& less);

struct MemoryCount {
  std::int64_t instances = 0;
  std::vector<PortWords> total;  // per tensor
  PortWords first;               // of the instance with all spatial digits 0, all tensors
};

struct Cost {
  Int128 energy = 0;  // in units of Energies
  Int128 cycles = 0;
  std::int64_t instances = 1;  // of the compute level, in use

  bool operator==(const Cost&) const = default;
};

// Words at the ports of first instances: all of them, or those that may be waited for.
enum class PortsCounted { All, Waited };

// The mapping is structurally sound.
class Counter {
 public:
  Counter(const Terms& terms, const Mapping& mapping, PortsCounted ports = PortsCounted::All);

  const std::vector<MemoryCount>& memories() const { return memories_; }
  const std::vector<Count>& fanout_words() const { return fanout_words_; }
  Cost cost() const;
  // Which memory holds too much; empty if all fits.
  std::vector<std::string> overflows() const { return Held(terms_, nest_).overflows(); }

 private:
  using Words = Held::Words;

  void count_tensor(int tensor);
  void count_link(int tensor, int parent, int child);
  void book_output(int tensor, int parent, int child, const Words& served, const Words& entering);
  std::int64_t instances(int slot) const { return used_instances(nest_, slot); }
  // Without stalls.
  Int128 array_cycles() const;
  bool keeps(int memory, int tensor) const {
    return nest_.mapping().keeps(MemoryId{memory}, TensorId{tensor});
  }

  bool counts_first(int memory) const;

  const Terms& terms_;
  Nest nest_;
  PortsCounted ports_;
  std::vector<MemoryCount> memories_;
  std::vector<Count> fanout_words_;  // per fan-out, all tensors
};

// The cycles that the multipliers take for the steps in time of a mapping, without any stall.
Int128 multiplier_cycles(const Nest& nest);

// The cycles that a memory's ports take for so many words.
Int128 port_cycles(const Memory& memory, const PortWords& words);

}  // namespace tilewright::certificate
