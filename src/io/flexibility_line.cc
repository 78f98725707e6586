// Axes of flexibility on one line: T=soft,O={KCYXRS,YXKCRS},P={KC,YX},S=blocks(4x4)
#include <algorithm>

#include "flexibility_fields.h"
#include "text_check.h"
#include "tilewright/io.h"
#include "values.h"

namespace tilewright::io {

namespace {

constexpr const char* kLineForm = "\"T=soft,O=all,P={KC,YX},S=blocks(4x4)\"";

// Pieces between commas that stand outside of brackets.
std::vector<Node> pieces_of(std::string_view text) {
  std::vector<Node> pieces;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' || c == '{' ? 1 : 0;
    depth -= c == ')' || c == '}' ? 1 : 0;
    if (i < text.size() && (c != ',' || depth > 0)) continue;
    pieces.push_back(
        Node::scalar(std::string(text.substr(start, i - start)), 1, static_cast<int>(start) + 1));
    start = i + 1;
  }
  return pieces;
}

// "{KC,YX}" as a list; anything else as it is.
Node value_of(std::string text, int column) {
  if (!text.starts_with('{') || !text.ends_with('}'))
    return Node::scalar(std::move(text), 1, column);
  Node list = Node::container(Node::Kind::List, 1, column);
  if (text == "{}") return list;
  for (Node& item : pieces_of(std::string_view(text).substr(1, text.size() - 2))) {
    item.column += column;
    item.text_column = item.column;
    list.children.push_back(std::move(item));
  }
  return list;
}

const Field<Flexibility>* field_of(const std::string& word) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kKeys = {
      {{"T", "tile"}, {"O", "order"}, {"P", "parallel"}, {"S", "shape"}}};
  for (const auto& [letter, key] : kKeys) {
    if (word != letter && word != key) continue;
    for (const Field<Flexibility>& field : flexibility_fields()) {
      if (field.text.key == std::string_view(key)) return &field;
    }
  }
  return nullptr;
}

void read_piece(Context& context, const Node& piece, KeySet& seen, Flexibility& flexibility) {
  const std::size_t sign = piece.text.find('=');
  const std::string word(trimmed(std::string_view(piece.text).substr(0, sign)));
  const Field<Flexibility>* field = field_of(word);
  if (sign == std::string::npos || field == nullptr) {
    context.complain(piece, fmt::format("\"{}\" sets none of the axes T, O, P and S", piece.text),
                     fmt::format("write {}", kLineForm));
    return;
  }
  if (!seen.insert(field->text.key).second) {
    context.complain(piece, fmt::format("the axis {} is there twice", word), "leave one");
    return;
  }
  const std::string_view value = std::string_view(piece.text).substr(sign + 1);
  const std::string_view text = trimmed(value);
  const std::size_t skipped =
      text.empty() ? 0 : static_cast<std::size_t>(text.data() - value.data());
  const int column = piece.column + static_cast<int>(sign + 1 + skipped);
  field->read(context, value_of(std::string(text), column), flexibility);
}

}  // namespace

Parsed<Flexibility> read_flexibility_line(std::string_view text, const std::string& file,
                                          const Architecture& arch) {
  if (auto problem = check_text(text, file)) return {std::nullopt, {std::move(*problem)}};
  Context context(file);
  Flexibility flexibility = arch.flexibility.value_or(Flexibility{});
  KeySet seen;
  for (const Node& piece : pieces_of(text)) read_piece(context, piece, seen, flexibility);
  settle_shape(arch, flexibility);
  if (context.clean()) {
    for (const std::string& message : problems_of(arch, flexibility)) {
      context.complain_about_file(message);
    }
  }
  if (!context.clean()) return {std::nullopt, context.take_problems()};
  return {std::move(flexibility), {}};
}

}  // namespace tilewright::io
