// The accelerators and the workloads of Ruby's figures 10 to 14.
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/arch.h"
#include "tilewright/workload.h"

namespace tilewright::reproduce {

struct ArraySize {
  std::int64_t columns = 14, rows = 12;
};
std::string to_string(const ArraySize& size);  // "14x12"

// ruby_eyeriss_14x12 with another array; a PE stays what it is.
Architecture eyeriss_array(const ArraySize& size);

// simba with another number of PEs, each with as many vector MACs as these are wide.
Architecture simba_array(std::int64_t elements, std::int64_t vector_macs);

// A built-in network whose tensors have elements of this width.
Network network_of_width(const std::string& name, std::int64_t bits);

}  // namespace tilewright::reproduce
