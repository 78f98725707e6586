#include "fields.h"

#include <algorithm>

namespace tilewright::io {

std::optional<std::string> complain_unknown_key(Context& context, const Node& key,
                                                const std::vector<FieldText>& fields,
                                                const std::string& owner) {
  std::vector<std::string> keys;
  for (const FieldText& field : fields) keys.emplace_back(field.key);
  context.complain(key, fmt::format("unknown key \"{}\" in {}", key.text, owner),
                   suggestion(key.text, keys, "the keys are"));
  return closest_match(key.text, keys);
}

void complain_missing_keys(Context& context, const Node& map, const KeySet& present,
                           const std::vector<FieldText>& fields, const std::string& owner) {
  for (const FieldText& field : fields) {
    if (field.fallback != nullptr || present.contains(field.key)) continue;
    context.complain(map, fmt::format("{} lacks the key \"{}\"", owner, field.key),
                     fmt::format("add \"{}\" with {}", field.key, field.form));
  }
}

std::string describe_fields(const std::vector<FieldText>& fields, int indent) {
  std::size_t key_width = 0;
  for (const FieldText& field : fields) {
    key_width = std::max(key_width, std::string_view(field.key).size());
  }
  std::string text;
  for (const FieldText& field : fields) {
    const std::string presence =
        field.fallback == nullptr ? "required" : fmt::format("default: {}", field.fallback);
    text += fmt::format("{:{}}{:{}}  {}\n", "", indent, field.key, key_width, field.help);
    text += fmt::format("{:{}}  {}; {}\n", "", indent + static_cast<int>(key_width), field.form,
                        presence);
  }
  return text;
}

}  // namespace tilewright::io
