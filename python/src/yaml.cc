// Files in the project's formats as dictionaries.
#include "io/yaml.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <charconv>
#include <optional>

#include "bindings.h"

namespace tilewright::python {
namespace {

template <typename Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

// As YAML has them: what is quoted is text.
nb::object scalar_object(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return nb::cast(text);
  if (text == "true") return nb::bool_(true);
  if (text == "false") return nb::bool_(false);
  if (const auto whole = number_in<std::int64_t>(text)) return nb::int_(*whole);
  const bool digits = !text.empty() && text.find_first_not_of("+-.0123456789e") == text.npos;
  if (const auto number = number_in<double>(text); digits && number) return nb::float_(*number);
  return nb::cast(text);
}

nb::object object_of(const YAML::Node& node) {
  if (node.IsSequence()) {
    nb::list list;
    for (const YAML::Node& child : node) list.append(object_of(child));
    return list;
  }
  if (node.IsMap()) {
    nb::dict dict;
    for (const auto& entry : node) dict[nb::cast(entry.first.Scalar())] = object_of(entry.second);
    return dict;
  }
  return node.IsScalar() ? scalar_object(node) : nb::object(nb::none());
}

// Kind, text, line, column, children: keys and values of a map in turn.
nb::tuple tree_of(const io::Node& node) {
  constexpr std::array<const char*, 4> kKinds = {"null", "scalar", "list", "map"};
  nb::list children;
  for (const io::Node& child : node.children) children.append(tree_of(child));
  return nb::make_tuple(kKinds[static_cast<std::size_t>(node.kind)], node.text, node.line,
                        node.column, nb::tuple(children));
}

}  // namespace

void bind_yaml(nb::module_& m) {
  m.def(
      "read_tree",
      [](std::string_view text, const std::string& file, const std::string& start) {
        return tree_of(value_or_refuse(io::parse_document(text, file, start.c_str())));
      },
      nb::arg("text"), nb::arg("file"), nb::arg("start"),
      nb::sig("def read_tree(text: str, file: str, start: str) -> tuple[object, ...]"),
      "A document with the places of its parts: kind, text, line, column, children.");
  m.def(
      "parse_yaml",
      [](const std::string& text) {
        try {
          return object_of(YAML::Load(text));
        } catch (const YAML::Exception& error) {
          throw Refused{{{{"", error.mark.line + 1, error.mark.column + 1}, error.msg, ""}}};
        }
      },
      nb::arg("text"), "A text that the library wrote, as Python's own values.");
}

}  // namespace tilewright::python
