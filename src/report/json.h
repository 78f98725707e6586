#pragma once

#include <string>
#include <vector>

#include "tilewright/arch.h"

namespace tilewright::report {

std::string architecture_list_json(const std::vector<Architecture>& archs);

}  // namespace tilewright::report
