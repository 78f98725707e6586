#include <algorithm>

#include "architecture_fields.h"
#include "changes.h"
#include "constraint_fields.h"
#include "estimates.h"
#include "expression.h"
#include "imported_numbers.h"
#include "quantity.h"
#include "tilewright/io.h"
#include "values.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

// The kind of a level is the key that carries its name.
const std::vector<std::string>& level_kinds() {
  static const std::vector<std::string> kinds = {"memory", "fanout", "compute"};
  return kinds;
}

void settle_defaults(Memory& memory, const KeySet& present) {
  if (!present.contains("write")) memory.write_pj = memory.read_pj;
  if (!present.contains("update")) memory.update_pj = memory.write_pj;
}

// Energies that are said of bits scale with the width of elements, others do not; a memory has
// one kind. Of nothing it does not matter.
void settle_energy_of_bits(Context& context, const Node& node, Memory& memory) {
  const Node* of_bits = nullptr;
  const Node* of_access = nullptr;
  const auto look_at = [&](const char* key, double pj) {
    const Node* said = node.find(key);
    if (said == nullptr || pj == 0) return;
    (is_energy_of_bits(said->text) ? of_bits : of_access) = said;
  };
  look_at("read", memory.read_pj);
  look_at("write", memory.write_pj);
  look_at("update", memory.update_pj);
  memory.energy_of_bits = of_bits != nullptr;
  if (of_bits == nullptr || of_access == nullptr) return;
  context.complain(*of_access,
                   fmt::format("\"{}\" is said of an access, and \"{}\" of bits", of_access->text,
                               of_bits->text),
                   "say all energies of a memory in the same way");
}

// What a key says, read apart from the complaints about it.
template <typename T>
Surroundings::Known<T> known(const Context& context, const Node* node,
                             std::optional<T> (*read)(Context&, const Node&)) {
  if (node == nullptr) return {};
  Context aside("");
  aside.set_around(context.around());
  const auto value = read(aside, *node);
  return {value, !value.has_value()};
}

Memory read_part(Context& context, const Node& node, const std::string& owner) {
  Memory memory;
  memory.is_part = true;
  read_fields(context, node, part_fields(), memory, owner);
  return memory;
}

Memory read_memory(Context& context, const Node& node, const std::string& owner) {
  if (node.find(kSharesKey) != nullptr) return read_part(context, node, owner);
  const Surroundings outside = context.around();
  Surroundings around = outside;
  around.word_bits = known(context, node.find("word"), read_width_bits);
  around.block_words = known(context, node.find("block"), read_words).value.value_or(1);
  context.set_around(around);
  Memory memory;
  const KeySet present = read_fields(context, node, memory_fields(), memory, owner);
  settle_defaults(memory, present);
  settle_energy_of_bits(context, node, memory);
  context.set_around(outside);
  return memory;
}

Level read_level(Context& context, const Node& node, const std::string& kind) {
  const std::string owner = fmt::format("{} {}", kind, node.find(kind)->text);
  if (kind == "memory") return read_memory(context, node, owner);
  if (kind == "fanout") {
    Fanout fanout;
    read_fields(context, node, fanout_fields(), fanout, owner);
    return fanout;
  }
  Compute compute;
  read_fields(context, node, compute_fields(), compute, owner);
  return compute;
}

// Nothing, after a complaint, if the level names no kind or several.
std::optional<std::string> kind_of(Context& context, const Node& node) {
  if (!context.expect_map(node, "a level such as \"- memory: DRAM\" with its keys below")) {
    return std::nullopt;
  }
  std::vector<std::string> found;
  for (const std::string& kind : level_kinds()) {
    if (node.find(kind) != nullptr) found.push_back(kind);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    context.complain(node, fmt::format("this level has the keys {}", join(found, " and ")),
                     "start a level of its own, with \"-\", for each");
    return std::nullopt;
  }
  const bool has_word = node.entry_count() > 0 && node.key(0).is_scalar();
  const std::string word = has_word ? node.key(0).text : "";
  context.complain(node, "this level names no kind",
                   suggestion(word, level_kinds(), "start it with one of the keys"));
  return std::nullopt;
}

// The memory that a part shares, if it stands where it must; otherwise null, after a complaint.
Memory* shared_memory(Context& context, const Node& said, std::size_t level, Architecture& arch) {
  const auto& part = std::get<Memory>(arch.levels[level]);
  std::string outside;  // the memory that it could share
  for (std::size_t i = level; i-- > 0;) {
    auto* memory = std::get_if<Memory>(&arch.levels[i]);
    if (memory == nullptr) break;
    const bool whole = !memory->is_part || memory->name == memory->point_of;
    if (whole && memory->name == part.point_of) return memory;
    if (!whole) continue;
    outside = memory->name;
    break;
  }
  const std::string below = arch.find_level(part.point_of)
                                ? fmt::format("put it below {}", part.point_of)
                                : "put it below the memory that it is part of";
  context.complain(
      said,
      fmt::format("{} shares {}, which is not the memory just outside it", part.name,
                  part.point_of),
      outside.empty() ? below : fmt::format("write \"shares: {}\", or {}", outside, below));
  return nullptr;
}

// Gives the parts of a memory its numbers. Leakage and area are those of its own level. False if
// some part stands where it cannot; then more complaints would mislead.
bool share_rooms(Context& context, const Node& levels, Architecture& arch) {
  bool all = true;
  for (std::size_t i = 0; i < arch.levels.size(); ++i) {
    auto* part = std::get_if<Memory>(&arch.levels[i]);
    if (part == nullptr || !part->is_part || part->name == part->point_of) continue;
    Memory* whole = shared_memory(context, *levels.children[i].find(kSharesKey), i, arch);
    all = all && whole != nullptr;
    if (whole == nullptr) continue;
    whole->is_part = true;
    whole->point_of = whole->name;
    Memory shared = *whole;
    shared.name = part->name;
    shared.keep = part->keep;
    shared.bypass = part->bypass;
    shared.free = part->free;
    shared.dims = part->dims;
    shared.leakage_pj_per_cycle = shared.area_um2 = 0;
    shared.estimated.clear();
    shared.imported = {};
    shared.made_as.clear();
    *part = std::move(shared);
  }
  return all;
}

// The value of the key that a message names first, or the whole map.
const Node& place_in(const Node& map, const std::string& message) {
  const Node* value = map.find(message.substr(0, message.find_first_of(" :")));
  return value != nullptr ? *value : map;
}

// The node of the level that a message of problems_of() starts with, or of the
// key that the message names next.
const Node& place_of(const std::string& message, const Architecture& arch, const Node& root) {
  const std::string flexibility = std::string(kFlexibilityKey) + ": ";
  const Node* block = root.find(kFlexibilityKey);
  if (block != nullptr && message.starts_with(flexibility)) {
    return place_in(*block, message.substr(flexibility.size()));
  }
  const Node* levels = root.find("levels");
  if (levels == nullptr) return root;
  // Where several levels have the same name, the last is the one too many.
  for (std::size_t i = arch.levels.size(); i-- > 0;) {
    const std::string prefix = name_of(arch.levels[i]) + ": ";
    if (!message.starts_with(prefix)) continue;
    return place_in(levels->children[i], message.substr(prefix.size()));
  }
  return *levels;
}

// With a level or a name left out, complaints about the rest would mislead.
bool is_complete(const Architecture& arch, const Node& root) {
  const Node* levels = root.find("levels");
  return levels != nullptr && levels->is_list() && levels->children.size() == arch.levels.size() &&
         !arch.name.empty() &&
         std::none_of(arch.levels.begin(), arch.levels.end(),
                      [](const Level& level) { return name_of(level).empty(); });
}

}  // namespace

void read_levels(Context& context, const Node& node, Architecture& arch) {
  if (!context.expect_list(node, "the levels, each starting with \"-\"")) return;
  for (const Node& item : node.children) {
    if (const auto kind = kind_of(context, item)) {
      arch.levels.push_back(read_level(context, item, *kind));
    }
  }
}

std::optional<std::string> write_levels(const Architecture& arch) {
  std::string text;
  for (const Level& level : arch.levels) {
    std::vector<std::string> lines;
    if (const auto* memory = std::get_if<Memory>(&level)) {
      const bool shares = memory->is_part && memory->name != memory->point_of;
      lines = write_fields(shares ? part_fields() : memory_fields(), *memory);
    } else if (const auto* fanout = std::get_if<Fanout>(&level)) {
      lines = write_fields(fanout_fields(), *fanout);
    } else {
      lines = write_fields(compute_fields(), std::get<Compute>(level));
    }
    text += "\n  - " + join(lines, "\n    ");
  }
  return text.empty() ? " []" : text;
}

Checked<Architecture> read_architecture(std::string_view text, const std::string& file,
                                        const std::vector<std::string>& changes) {
  Checked<Node> document = parse_document(text, file, "\"architecture:\" and a name");
  if (!document.value) return {std::nullopt, std::move(document.problems)};
  Context context(file);
  apply_changes(context, *document.value, changes);
  if (!context.clean()) return {std::nullopt, context.take_problems()};
  take_up_imported(*document.value);
  const Node& root = *document.value;
  Variables variables;
  const Node* map = root.find(kVariablesKey);
  if (map != nullptr && context.expect_map(*map, kVariablesForm)) {
    read_variables(context, *map, read_arithmetic, variables);
  }
  Surroundings around;
  around.variables = &variables;
  context.set_around(around);
  around.clock_hz = known(context, root.find("clock"), read_clock_hz);
  context.set_around(around);
  Architecture arch;
  read_fields(context, root, architecture_fields(), arch, "the architecture");
  std::vector<ConstraintEntry> entries;
  if (const Node* list = root.find(kConstraintsKey)) entries = read_entries(context, *list);

  if (is_complete(arch, root)) {
    if (context.clean()) estimate_numbers(context, root, arch);
    if (!share_rooms(context, *root.find("levels"), arch)) return context.checked(std::move(arch));
    if (arch.flexibility) settle_shape(arch, *arch.flexibility);
    for (const std::string& message : problems_of(arch)) {
      context.complain(place_of(message, arch, root), message);
    }
    arch.constraints = settle(context, arch, std::move(entries));
  }
  return context.checked(std::move(arch));
}

std::string write_architecture(const Architecture& arch) {
  return join(write_fields(architecture_fields(), arch), "\n") + "\n";
}

}  // namespace tilewright::io
