#include "changes.h"

#include <fmt/format.h>

#include "architecture_fields.h"
#include "base/text.h"
#include "values.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

// One change, taken apart.
struct Change {
  std::string path;
  std::string value;
  std::string origin;  // as complaints call it
};

void refuse(Context& context, const std::string& origin, std::string message, std::string hint) {
  context.add({{{origin}, std::move(message), std::move(hint)}});
}

constexpr const char* kChangeForm = "write a path and a value, such as GlobalBuffer.capacity=64KiB";

std::optional<Change> take_apart(Context& context, const std::string& text) {
  if (const auto found = assignment_in(text)) {
    return Change{found->name, found->value, "--set " + found->name};
  }
  refuse(context, "--set", fmt::format("\"{}\" gives nothing a value", abbreviated(text)),
         kChangeForm);
  return std::nullopt;
}

Node* find_in(Node& map, const std::string& name) {
  for (std::size_t i = 0; map.is_map() && i < map.entry_count(); ++i) {
    if (map.key(i).is_scalar() && map.key(i).text == name) return &map.children[2 * i + 1];
  }
  return nullptr;
}

void mark(Node& node, const std::string& origin) {
  node.origin = origin;
  for (Node& child : node.children) mark(child, origin);
}

// Lists and maps are written as in a file; everything else stands for itself.
std::optional<Node> value_node(Context& context, const Change& change) {
  Node node = Node::scalar(change.value, 0, 0);
  if (change.value.starts_with('[') || change.value.starts_with('{')) {
    Checked<Node> parsed = parse_document(change.value, change.origin, "a value");
    if (!parsed.value) {
      context.add(std::move(parsed.problems));
      return std::nullopt;
    }
    node = std::move(*parsed.value);
  }
  mark(node, change.origin);
  return node;
}

Node* add_entry(Node& map, const std::string& name, const Change& change) {
  Node key = Node::scalar(name, 0, 0);
  key.origin = change.origin;
  map.children.push_back(std::move(key));
  map.children.emplace_back();
  return &map.children.back();
}

// Sets what a path of keys leads to. An axis is a number or a map with that number as size.
bool set_in(Context& context, Node& map, std::vector<std::string_view> keys, const Change& change,
            const Node& value) {
  const std::string name(keys.front());
  Node* found = find_in(map, name);
  if (found == nullptr) found = add_entry(map, name, change);
  keys.erase(keys.begin());
  const bool is_axis = found->is_map() && value.is_scalar() && find_in(*found, "size") != nullptr;
  if (keys.empty() && is_axis) keys = {"size"};
  if (keys.empty()) {
    *found = value;
    return true;
  }
  if (found->is_scalar() && (name == "x" || name == "y")) {
    Node axis = Node::container(Node::Kind::Map, found->line, found->column);
    axis.children = {Node::scalar("size", found->line, found->column), *found};
    *found = std::move(axis);
  }
  if (found->kind == Node::Kind::Null) {
    *found = Node::container(Node::Kind::Map, 0, 0);
    found->origin = change.origin;
  }
  if (found->is_map()) return set_in(context, *found, std::move(keys), change, value);
  refuse(context, change.origin, fmt::format("\"{}\" has no keys of its own", name),
         fmt::format("leave out \".{}\"", keys.front()));
  return false;
}

// The name of a level, if its node has one.
std::string name_in(const Node& level) {
  for (const char* kind : {"memory", "fanout", "compute"}) {
    const Node* name = level.find(kind);
    if (name != nullptr && name->is_scalar()) return name->text;
  }
  return "";
}

// The level that a path starts with, by the longest name if there are several.
Node* level_in(Node& root, const std::string& path) {
  Node* levels = find_in(root, "levels");
  Node* found = nullptr;
  if (levels == nullptr || !levels->is_list()) return found;
  for (Node& level : levels->children) {
    const std::string name = name_in(level);
    if (name.empty() || !path.starts_with(name)) continue;
    if (path.size() > name.size() && path[name.size()] != '.') continue;
    if (found == nullptr || name.size() > name_in(*found).size()) found = &level;
  }
  return found;
}

// What a path may start with.
std::vector<std::string> beginnings(const Node& root) {
  std::vector<std::string> names;
  const Node* levels = root.find("levels");
  if (levels != nullptr && levels->is_list()) {
    for (const Node& level : levels->children) {
      if (const std::string name = name_in(level); !name.empty()) names.push_back(name);
    }
  }
  for (const FieldText& field : texts_of(architecture_fields())) {
    if (std::string_view(field.key) != "levels") names.emplace_back(field.key);
  }
  return names;
}

void apply_change(Context& context, Node& root, const Change& change) {
  constexpr std::size_t kMostParts = 12;  // names of levels may have points, too
  if (split(change.path, '.').size() > kMostParts) {
    return refuse(context, "--set", "the path has too many parts", kChangeForm);
  }
  const auto value = value_node(context, change);
  if (!value) return;
  if (Node* level = level_in(root, change.path)) {
    const std::string name = name_in(*level);
    if (change.path.size() <= name.size() + 1) {
      return refuse(context, change.origin, "this is a whole level",
                    fmt::format("name one of its keys, such as {}.{}=...", name,
                                level->find("fanout") != nullptr ? "x" : "capacity"));
    }
    set_in(context, *level, split(std::string_view(change.path).substr(name.size() + 1), '.'),
           change, *value);
    return;
  }
  const auto keys = split(change.path, '.');
  const std::string first(keys.front());
  const auto known = beginnings(root);
  if (!contains(known, first)) {
    return refuse(
        context, change.origin,
        fmt::format("the architecture has no level and no key \"{}\"", abbreviated(first)),
        suggestion(first, known, "there are"));
  }
  set_in(context, root, keys, change, *value);
}

}  // namespace

void apply_changes(Context& context, Node& root, const std::vector<std::string>& changes) {
  if (!root.is_map()) return;
  for (const std::string& text : changes) {
    if (const auto change = take_apart(context, text)) apply_change(context, root, *change);
  }
}

}  // namespace tilewright::io
