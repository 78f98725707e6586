// A YAML document as plain values with positions, so that one file alone knows
// the YAML library, and one-line texts can be read by the same code.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::io {

struct Node {
  enum class Kind { Null, Scalar, List, Map };
  Kind kind = Kind::Null;
  int line = 0;  // from 1; 0 if there is nothing to point at
  int column = 0;
  // Column of the scalar's first character, if the scalar stands in the file
  // as it reads (on one line, nothing escaped); otherwise 0.
  int text_column = 0;
  std::string text;            // of a scalar
  std::string origin;          // what gave the value in place of the file; mostly empty
  std::vector<Node> children;  // items of a list; keys and values of a map in turn

  std::size_t entry_count() const { return children.size() / 2; }
  const Node& key(std::size_t entry) const { return children[2 * entry]; }
  const Node& value(std::size_t entry) const { return children[2 * entry + 1]; }

  bool is_scalar() const { return kind == Kind::Scalar; }
  bool is_list() const { return kind == Kind::List; }
  bool is_map() const { return kind == Kind::Map; }

  // The value of a key, or null.
  const Node* find(const std::string& name) const {
    for (std::size_t i = 0; is_map() && i < entry_count(); ++i) {
      if (key(i).is_scalar() && key(i).text == name) return &value(i);
    }
    return nullptr;
  }

  static Node scalar(std::string text, int line, int column) {
    Node node;
    node.kind = Kind::Scalar;
    node.line = line;
    node.column = node.text_column = column;
    node.text = std::move(text);
    return node;
  }
  static Node container(Kind kind, int line, int column) {
    Node node;
    node.kind = kind;
    node.line = line;
    node.column = column;
    return node;
  }
};

}  // namespace tilewright::io
