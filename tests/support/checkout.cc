#include "support/checkout.h"

namespace tilewright {

std::string checkout_folder() { return TILEWRIGHT_SOURCE_DIR; }
std::string tool_path() { return TILEWRIGHT_CLI; }

}  // namespace tilewright
