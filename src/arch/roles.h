// Names of tensors in lists that may hold roles.
#pragma once

#include <optional>
#include <string>

namespace tilewright {

// The role that a tensor's name seems to mean, if it is not quite that role.
// Taken as the name of a tensor it would match nothing, in silence. The name
// must not be empty.
std::optional<std::string> misspelt_role(const std::string& name);

}  // namespace tilewright
