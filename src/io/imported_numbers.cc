#include "imported_numbers.h"

#include <algorithm>
#include <array>

namespace tilewright::io {

namespace {

// The number itself is read as the key of the level that it has become.
template <const char* Key>
constexpr Field<Imported> number_field() {
  return {{Key, "the number as the key of the level takes it", "not imported", ""},
          [](Context&, const Node&, Imported& imported) { imported.keys.insert(Key); },
          nullptr};
}

constexpr auto kFields = std::to_array<Field<Imported>>({
    {{kFromKey, "a text such as \"ERT.yaml\"", nullptr, "the table that has the numbers"},
     [](Context& context, const Node& node, Imported& imported) {
       imported.from = read_text(context, node, "a text").value_or("");
     },
     nullptr},
    number_field<kReadKey>(),
    number_field<kWriteKey>(),
    number_field<kUpdateKey>(),
    number_field<kLeakageKey>(),
    number_field<kAreaKey>(),
    number_field<kWordEnergyKey>(),
    number_field<kEnergyKey>(),
});

bool is_number_key(const Node& key) {
  if (!key.is_scalar() || key.text == kFromKey) return false;
  return std::any_of(kFields.begin(), kFields.end(),
                     [&](const Field<Imported>& field) { return key.text == field.text.key; });
}

void take_up_block(Node& level) {
  const Node* found = level.find(kImportedKey);
  if (found == nullptr || !found->is_map()) return;
  Node block = *found;
  std::vector<Node> left;
  std::vector<Node> taken;
  for (std::size_t i = 0; i < block.entry_count(); ++i) {
    const bool is_number = is_number_key(block.key(i));
    if (is_number && level.find(block.key(i).text) != nullptr) continue;
    left.push_back(block.key(i));
    left.push_back(block.value(i));
    // A key that stands there twice is complained of where the block is read.
    if (!is_number || block.find(block.key(i).text) != &block.value(i)) continue;
    taken.push_back(block.key(i));
    taken.push_back(block.value(i));
  }
  block.children = std::move(left);
  for (std::size_t i = 0; i < level.entry_count(); ++i) {
    if (level.key(i).text == kImportedKey) level.children[2 * i + 1] = block;
  }
  level.children.insert(level.children.end(), taken.begin(), taken.end());
}

}  // namespace

void take_up_imported(Node& root) {
  for (std::size_t i = 0; root.is_map() && i < root.entry_count(); ++i) {
    if (root.key(i).text != "levels" || !root.value(i).is_list()) continue;
    for (Node& level : root.children[2 * i + 1].children) take_up_block(level);
  }
}

Imported read_imported(Context& context, const Node& node) {
  Imported imported;
  read_fields(context, node, FieldTable<Imported>(kFields), imported, "what is imported");
  return imported;
}

std::optional<std::string> write_imported(const Imported& imported, const NumberTexts& numbers) {
  if (imported.keys.empty()) return std::nullopt;
  std::string text = fmt::format("{{{}: {}", kFromKey, quoted_if_needed(imported.from));
  for (const auto& [key, number] : numbers) {
    if (imported.keys.contains(key)) text += fmt::format(", {}: {}", key, number);
  }
  return text + "}";
}

}  // namespace tilewright::io
