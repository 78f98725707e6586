// The block "imported" of a level: numbers of another tool's table, which hold where the level does
// not give them itself, and before any estimate.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fields.h"
#include "tilewright/arch.h"
#include "values.h"

namespace tilewright::io {

inline constexpr char kImportedKey[] = "imported", kFromKey[] = "from";
inline constexpr char kReadKey[] = "read", kWriteKey[] = "write", kUpdateKey[] = "update";
inline constexpr char kLeakageKey[] = "leakage", kWordEnergyKey[] = "word_energy";
inline constexpr char kAreaKey[] = "area", kEnergyKey[] = "energy";

// Moves the numbers of each such block into its level, and takes out of the block what the level
// gives itself, so that the rest of the block names what was imported.
void take_up_imported(Node& root);

// Numbers of a level that can be imported, as they are written, by key.
using NumberTexts = std::vector<std::pair<const char*, std::string>>;

Imported read_imported(Context& context, const Node& node);
std::optional<std::string> write_imported(const Imported& imported, const NumberTexts& numbers);

template <typename T, NumberTexts (*Texts)(const T&)>
constexpr Field<T> imported_field() {
  return {{kImportedKey, "a block such as \"{from: ERT.yaml, read: 5 pJ}\"", "none",
           "numbers of another tool's table, for what is not given; they go before estimates"},
          [](Context& context, const Node& node, T& level) {
            level.imported = read_imported(context, node);
          },
          [](const T& level) { return write_imported(level.imported, Texts(level)); }};
}

}  // namespace tilewright::io
