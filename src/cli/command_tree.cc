#include "cli/command_tree.h"

#include <map>

#include "base/text.h"

namespace tilewright::cli {

std::string value_name(const std::string& option) {
  static const std::map<std::string, std::string> names = {
      {"--arch", "ARCH"},         {"architecture", "ARCH"},  {"archs", "ARCH"},
      {"--baseline", "AXES"},     {"--certificate", "FILE"}, {"--constrain", "RULE"},
      {"--constraints", "FILE"},  {"--csv", "FILE"},         {"--flex", "AXES"},
      {"--layer", "LAYER"},       {"--mapping", "FILE"},     {"--memory", "SIZE"},
      {"--model", "NETWORK"},     {"models", "NETWORK"},     {"network", "NETWORK"},
      {"--out", "PATH"},          {"--time", "TIME"},        {"--venn", "FILE"},
      {"--workload", "WORKLOAD"}, {"workload", "WORKLOAD"},  {"file", "FILE"},
      {"files", "FILE"},          {"items", "ITEM"}};
  const auto found = names.find(option);
  return found == names.end() ? "" : found->second;
}

void read_type(const std::string& type, OptionEntry& option) {
  const std::size_t colon = type.find(':');
  option.value = type.substr(0, colon);
  if (colon == std::string::npos) return;
  const std::string checked = type.substr(colon + 1);
  if (checked.starts_with('{') && checked.ends_with('}')) {
    const std::string inside = checked.substr(1, checked.size() - 2);
    for (const std::string_view choice : split(inside, ',')) option.choices.emplace_back(choice);
    return;
  }
  const std::size_t open = checked.find('['), dash = checked.find(" - ");
  if (open == std::string::npos || dash == std::string::npos) return;
  option.limits = checked.substr(open + 1, dash - open - 1) + " to " +
                  checked.substr(dash + 3, checked.size() - dash - 4);
}

}  // namespace tilewright::cli
