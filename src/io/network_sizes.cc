#include "network_sizes.h"

#include <fmt/format.h>

#include <set>

#include "einsum.h"
#include "expression.h"
#include "graph_fields.h"
#include "values.h"

namespace tilewright::io {

namespace {

constexpr const char* kSizeOption = "--size";

std::optional<Assignment> size_in(Context& context, const std::string& text) {
  auto found = assignment_in(text);
  if (!found) {
    context.add({{{kSizeOption},
                  fmt::format("\"{}\" gives no size a value", abbreviated(text)),
                  "write a name and a number, such as tokens=8192"}});
  }
  return found;
}

std::vector<std::string> keys_of(const Node& map) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < map.entry_count(); ++i) {
    if (map.key(i).is_scalar()) keys.push_back(map.key(i).text);
  }
  return keys;
}

void refuse_size(Context& context, const Assignment& change,
                 const std::vector<std::string>& known) {
  context.add({{{fmt::format("{} {}", kSizeOption, change.name)},
                known.empty() ? "the network has no sizes that can be set"
                              : fmt::format("the network has no size \"{}\"", change.name),
                known.empty() ? "leave the option out"
                              : suggestion_and_list(change.name, known, "its sizes are")}});
}

// Gathers the names that stand in the scalars of a document.
void gather_names(const Node& node, std::set<std::string, std::less<>>& names) {
  for (const Node& child : node.children) gather_names(child, names);
  if (!node.is_scalar()) return;
  std::string_view rest = node.text;
  while (!rest.empty()) {
    const std::string_view name = leading_identifier(rest);
    if (!name.empty()) names.emplace(name);
    rest.remove_prefix(name.empty() ? 1 : name.size());
  }
}

std::optional<Fraction> read_size(Context& context, const Node& node, const Variables& known) {
  Surroundings around = context.around();
  around.variables = &known;
  context.set_around(around);
  const auto size = read_count(context, node);
  return size ? std::optional(Fraction{*size, 1}) : std::nullopt;
}

}  // namespace

void set_sizes(Context& context, Node& root, const std::vector<std::string>& sizes) {
  const Node* present = root.find(kSizesKey);
  const std::vector<std::string> known =
      present != nullptr && present->is_map() ? keys_of(*present) : std::vector<std::string>();
  for (const std::string& text : sizes) {
    const auto change = size_in(context, text);
    if (!change) continue;
    if (!contains(known, change->name)) {
      refuse_size(context, *change, known);
      continue;
    }
    for (std::size_t i = 0; i < root.entry_count(); ++i) {
      if (&root.value(i) != present) continue;
      Node& map = root.children[2 * i + 1];
      for (std::size_t s = 0; s < map.entry_count(); ++s) {
        if (map.key(s).text != change->name) continue;
        Node& value = map.children[2 * s + 1];
        value = Node::scalar(change->value, value.line, value.column);
        value.origin = fmt::format("{} {}", kSizeOption, change->name);
      }
    }
  }
}

void refuse_sizes(Context& context, const std::vector<std::string>& sizes) {
  for (const std::string& text : sizes) {
    if (const auto change = size_in(context, text)) refuse_size(context, *change, {});
  }
}

Variables read_sizes(Context& context, const Node& root) {
  Variables sizes;
  sizes.noun = "size";
  sizes.key = kSizesKey;
  const Node* map = root.find(kSizesKey);
  if (map != nullptr && context.expect_map(*map, kSizesForm)) {
    const Surroundings outside = context.around();
    read_variables(context, *map, read_size, sizes);
    context.set_around(outside);
  }
  return sizes;
}

void check_sizes_are_used(Context& context, const Node& root) {
  const Node* sizes = root.find(kSizesKey);
  if (sizes == nullptr || !sizes->is_map()) return;
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < sizes->entry_count(); ++i) gather_names(sizes->value(i), names);
  for (const char* key : {"tensors", "operators"}) {
    if (const Node* part = root.find(key)) gather_names(*part, names);
  }
  for (std::size_t i = 0; i < sizes->entry_count(); ++i) {
    const Node& key = sizes->key(i);
    if (!key.is_scalar() || names.contains(key.text)) continue;
    context.complain(key, fmt::format("nothing uses the size {}", abbreviated(key.text)),
                     "leave it out");
  }
}

}  // namespace tilewright::io
