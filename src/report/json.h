#pragma once

#include <string>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/workload.h"

namespace tilewright::report {

std::string architecture_list_json(const std::vector<Architecture>& archs);
std::string network_list_json(const std::vector<Network>& networks);

}  // namespace tilewright::report
