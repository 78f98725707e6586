// Axes of flexibility on one line: T=soft,O={KCYXRS,YXKCRS},P={KC,YX},S=blocks(4x4)
#include <array>
#include <map>

#include "architecture_fields.h"
#include "text_check.h"
#include "tilewright/io.h"
#include "values.h"

namespace tilewright::io {

namespace {

constexpr const char* kFlexibilityLineForm = "\"T=soft,O=all,P={KC,YX},S=blocks(4x4)\"";

// Part of the line without spaces at its ends; `start` is where it begins.
Node trimmed_node(std::string_view text, std::size_t start) {
  const std::string_view kept = trimmed(text);
  const std::size_t skipped =
      kept.empty() ? 0 : static_cast<std::size_t>(kept.data() - text.data());
  return Node::scalar(std::string(kept), 1, static_cast<int>(start + skipped) + 1);
}

// Pieces between commas that stand outside of brackets.
std::vector<Node> pieces_of(std::string_view text, std::size_t start_of_text) {
  std::vector<Node> pieces;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' || c == '{' ? 1 : 0;
    depth -= c == ')' || c == '}' ? 1 : 0;
    if (i < text.size() && (c != ',' || depth > 0)) continue;
    pieces.push_back(trimmed_node(text.substr(start, i - start), start_of_text + start));
    start = i + 1;
  }
  return pieces;
}

// "{KC,YX}" as a list; anything else as it is.
Node value_of(Node value) {
  const std::string_view text = value.text;
  if (!text.starts_with('{') || !text.ends_with('}')) return value;
  Node list = Node::container(Node::Kind::List, 1, value.column);
  if (text == "{}") return list;
  list.children =
      pieces_of(text.substr(1, text.size() - 2), static_cast<std::size_t>(value.column));
  return list;
}

const Field<Flexibility>* field_of(const std::string& word) {
  constexpr std::array<std::pair<const char*, const char*>, 7> kKeys = {{{"T", "tile"},
                                                                         {"O", "order"},
                                                                         {"P", "parallel"},
                                                                         {"S", "shape"},
                                                                         {"buffer", "buffer"},
                                                                         {"array", "array"},
                                                                         {"tile_of", "tile_of"}}};
  for (const auto& [letter, key] : kKeys) {
    if (word != letter && word != key) continue;
    for (const Field<Flexibility>& field : flexibility_fields()) {
      if (field.text.key == std::string_view(key)) return &field;
    }
  }
  return nullptr;
}

// Where the line says something of a key.
using Places = std::map<std::string, Node>;

void read_piece(Context& context, const Node& piece, Places& seen, Flexibility& flexibility) {
  const std::string_view text = piece.text;
  const std::size_t sign = text.find('=');
  const std::string word(trimmed(text.substr(0, sign)));
  const Field<Flexibility>* field = field_of(word);
  if (sign == std::string::npos || field == nullptr) {
    context.complain(piece, fmt::format("\"{}\" sets none of the axes T, O, P and S", text),
                     fmt::format("write {}", kFlexibilityLineForm));
    return;
  }
  const Node value =
      trimmed_node(text.substr(sign + 1), static_cast<std::size_t>(piece.column) + sign);
  if (!seen.emplace(field->text.key, value).second) {
    context.complain(piece, fmt::format("the axis {} is there twice", word), "leave one");
    return;
  }
  if (value.text.starts_with('{') != value.text.ends_with('}')) {
    context.complain(value, fmt::format("\"{}\" has half of a pair of brackets", value.text),
                     "write a list such as \"{KC,YX}\"");
    return;
  }
  field->read(context, value_of(value), flexibility);
}

// At the value that a message of problems_of() is about, if the line has it.
void complain_about(Context& context, const Places& places, const std::string& message) {
  const auto place = places.find(message.substr(0, message.find_first_of(" :")));
  if (place == places.end()) return context.complain_about_file(message);
  context.complain(place->second, message);
}

}  // namespace

Checked<Flexibility> read_flexibility_line(std::string_view text, const std::string& file,
                                           const Architecture& arch) {
  if (auto problem = check_text(text, file)) return {std::nullopt, {std::move(*problem)}};
  Context context(file);
  Flexibility flexibility = arch.flexibility.value_or(Flexibility{});
  Places seen;
  for (const Node& piece : pieces_of(text, 0)) read_piece(context, piece, seen, flexibility);
  settle_shape(arch, flexibility);
  if (context.clean()) {
    for (const std::string& message : problems_of(arch, flexibility)) {
      complain_about(context, seen, message);
    }
  }
  return context.checked(std::move(flexibility));
}

}  // namespace tilewright::io
