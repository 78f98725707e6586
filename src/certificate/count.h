// What a mapping costs, by the rules of docs/semantics.md, in whole numbers.
// Written for being right; src/model/ is the fast way to the same numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certificate/nest.h"
#include "certificate/parts.h"
#include "certificate/stationary.h"

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

// What does not depend on the mapping.
struct Terms {
  explicit Terms(const Problem& problem);

  const Problem* problem;
  Energies energies;
  std::vector<Parts> parts;  // per tensor
  // By dimension, as bits of tensors: those that have it, and those of them with a window there.
  std::array<std::uint32_t, kMaxDims> carriers{}, windowed{};
  Count macs = 1;
  std::optional<Stationary> stationary;
  std::uint32_t ported = 0;  // memories whose ports may be waited for, as bits
};

// At least one index is in each of these instances, of those that the fan-outs outside a slot make.
std::int64_t used_instances(const Nest& nest, int slot);

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
  std::vector<std::string> overflows() const;

 private:
  struct Words {
    Count all = 0;    // of all instances together
    Count first = 0;  // of the one with all spatial digits 0
  };

  void count_tensor(int tensor);
  void count_link(int tensor, int parent, int child);
  void book_output(int tensor, int parent, int child, const Words& served, const Words& entering);
  // Elements that an instance ever holds.
  Words ever_held(int tensor, int memory) const;
  Words window_held(const Window& window, int slot) const;
  Int128 timeloop_share(int tensor, int memory) const;
  Int128 box_words(int tensor, int from) const;
  std::int64_t instances(int slot) const { return used_instances(nest_, slot); }
  Int128 words_to_hold(int tensor, int memory) const;
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

// The first storage point of the memory that a level is a point of; other levels are themselves.
int first_point(const Problem& problem, int level);

// The cycles that the multipliers take for the steps in time of a mapping, without any stall.
Int128 multiplier_cycles(const Nest& nest);

// The cycles that a memory's ports take for so many words.
Int128 port_cycles(const Memory& memory, const PortWords& words);

// Elements at their width in a memory of this capacity, and what it offers.
std::int64_t amount_of(const Capacity& capacity, const Memory& memory, const Tensor& tensor,
                       Int128 words);
std::int64_t room_of(const Capacity& capacity, const Memory& memory);

}  // namespace tilewright::certificate
