// One table of fields per type says which keys a map of that type may have,
// how each is read and written, and how it is explained. Readers, writers,
// complaints about unknown keys and the description of the format all use the
// same table.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "context.h"

namespace tilewright::io {

// The words of a field, apart from the type it belongs to.
struct FieldText {
  const char* key;
  const char* form;      // what to write, such as `an energy such as "64 pJ"`
  const char* fallback;  // what holds without the key; null if the key is required
  const char* help;
};

template <typename T>
struct Field {
  FieldText text;
  void (*read)(Context&, const Node&, T&);
  // Nothing if the value is what holds without the key. Text that starts with
  // a line break is a block that is indented already.
  std::optional<std::string> (*write)(const T&);
};

template <typename T>
using FieldTable = std::span<const Field<T>>;

using KeySet = std::set<std::string, std::less<>>;

template <typename T>
std::vector<FieldText> texts_of(FieldTable<T> fields) {
  std::vector<FieldText> texts;
  for (const Field<T>& field : fields) texts.push_back(field.text);
  return texts;
}

// Complaints about keys, the same for every type. The first returns the key that
// was most likely meant.
std::optional<std::string> complain_unknown_key(Context& context, const Node& key,
                                                const std::vector<FieldText>& fields,
                                                const std::string& owner);
void complain_missing_keys(Context& context, const Node& map, const KeySet& present,
                           const std::vector<FieldText>& fields, const std::string& owner);

// Reads a map into `value` and returns the keys that were there. `owner` is
// what complaints call the map: "memory DRAM", "the architecture".
template <typename T>
KeySet read_fields(Context& context, const Node& map, FieldTable<T> fields, T& value,
                   const std::string& owner) {
  KeySet present;
  KeySet misspelt;
  if (!context.expect_map(map, fmt::format("the keys of {}, each with its value", owner))) {
    return present;
  }
  for (const std::size_t entry : context.usable_entries(map)) {
    const Node& key = map.key(entry);
    const Field<T>* known = nullptr;
    for (const Field<T>& field : fields) {
      if (key.text == field.text.key) known = &field;
    }
    if (known == nullptr) {
      const auto meant = complain_unknown_key(context, key, texts_of(fields), owner);
      if (meant) misspelt.insert(*meant);
      continue;
    }
    present.insert(key.text);
    known->read(context, map.value(entry), value);
  }
  // A key that is there under a wrong name is not missed as well.
  misspelt.insert(present.begin(), present.end());
  complain_missing_keys(context, map, misspelt, texts_of(fields), owner);
  return present;
}

// "key: text" for every field that differs from what holds without it.
template <typename T>
std::vector<std::string> write_fields(FieldTable<T> fields, const T& value) {
  std::vector<std::string> lines;
  for (const Field<T>& field : fields) {
    const auto text = field.write(value);
    if (!text) continue;
    const char* space = text->starts_with('\n') ? "" : " ";
    lines.push_back(fmt::format("{}:{}{}", field.text.key, space, *text));
  }
  return lines;
}

// A table of the fields for a reader of the description.
std::string describe_fields(const std::vector<FieldText>& fields, int indent);

}  // namespace tilewright::io
