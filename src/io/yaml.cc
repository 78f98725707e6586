#include "yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <new>
#include <sstream>
#include <utility>

#include "foreign.h"

namespace tilewright::io {

namespace {

// No format nests deeper than six; the limit keeps recursion harmless.
constexpr std::size_t kMaxDepth = 24;
// The library looks far ahead where lists and maps open in brackets, and keeps what it
// sees. Brackets in plain texts and quotes count as well, so this is a wide limit.
constexpr int kMaxBrackets = 200;

// What the file contains but the formats do not use. Thrown through the YAML
// library and caught in this file.
struct Refusal {
  int line;
  int column;
  std::string message;
  std::string hint;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, std::size_t most_values)
      : source_(text), most_values_(most_values) {}

  Node take_root() { return std::move(root_); }

  // What follows the first document would be ignored in silence.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!std::exchange(has_document_, true)) return;
    const auto start = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (start < source_.size() && source_.substr(start).starts_with("---")) {
      refuse(mark, "a second document starts here", "keep one per file");
    }
    refuse(mark, "this does not belong to what comes before it",
           "check quotation marks and indentation");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(Node::container(Node::Kind::Null, mark.line + 1, mark.column + 1));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "aliases are not supported", "write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    check_tag(mark, tag);
    check_quotes(mark);
    check_escapes(mark, value);
    Node node = Node::scalar(value, mark.line + 1, mark.column + 1);
    node.text_column = text_column(mark, value);
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::List, mark, tag);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::Map, mark, tag);
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] static void refuse(const YAML::Mark& mark, const std::string& message,
                                  const std::string& hint) {
    throw Refusal{mark.line + 1, mark.column + 1, message, hint};
  }
  // The library calls untagged nodes "?" or, when quoted, "!".
  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(mark, "tags are not supported", "leave out what starts with \"!\"");
  }

  // The library takes the end of the file for a closing quote.
  void check_quotes(const YAML::Mark& mark) const {
    const auto start = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (start >= source_.size()) return;
    const char quote = source_[start];
    if (quote != '"' && quote != '\'') return;
    for (std::size_t at = start + 1; at < source_.size(); ++at) {
      if (source_[at] == quote) return;
      if (source_[at] == '\\' && quote == '"') ++at;
    }
    refuse(mark, "the quotation mark is not closed", "");
  }

  // The library reads "\N" and "\_" as one byte each, which is no character.
  static void check_escapes(const YAML::Mark& mark, const std::string& value) {
    if (!is_utf8(value)) refuse(mark, "an escape here is not understood", "write the character");
  }

  // Where the scalar's text begins, if it stands there letter by letter.
  int text_column(const YAML::Mark& mark, const std::string& value) const {
    const auto start = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (value.empty() || start >= source_.size()) return 0;
    if (source_.substr(start, value.size()) == value) return mark.column + 1;
    const bool quoted = source_[start] == '"' || source_[start] == '\'';
    if (quoted && source_.substr(start + 1, value.size()) == value) return mark.column + 2;
    return 0;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    check_tag(mark, tag);
    if (open_.size() >= kMaxDepth) refuse(mark, "lists and maps are nested too deeply", "");
    open_.push_back(Node::container(kind, mark.line + 1, mark.column + 1));
  }
  void close() {
    Node node = std::move(open_.back());
    open_.pop_back();
    add(std::move(node));
  }
  void add(Node node) {
    if (++values_ > most_values_) {
      throw Refusal{node.line, node.column,
                    fmt::format("the file has more than {} values", most_values_), ""};
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Node& parent = open_.back();
    const bool is_value = parent.is_map() && parent.children.size() % 2 == 1;
    if (is_value && node.kind == Node::Kind::Null) {
      // Where nothing stands, the library points at what comes next.
      node.line = parent.children.back().line;
      node.column = parent.children.back().column;
    }
    parent.children.push_back(std::move(node));
  }

  std::string_view source_;
  bool has_document_ = false;
  Node root_;
  std::size_t most_values_;
  std::size_t values_ = 0;
  std::vector<Node> open_;  // the lists and maps being read, outermost first
};

void check_brackets(std::string_view text) {
  int line = 1;
  int open = 0;
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#' && (at == line_start || text[at - 1] == ' ' || text[at - 1] == '\t')) {
      at = std::min(text.find('\n', at), text.size() - 1);  // a comment
    }
    if (text[at] == '\n') {
      ++line;
      line_start = at + 1;
    }
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (open <= kMaxBrackets) continue;
    throw Refusal{line, static_cast<int>(at - line_start) + 1,
                  "lists and maps are nested too deeply", ""};
  }
}

Node parse(std::string_view text, std::size_t most_values) {
  check_brackets(text);
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder builder(text, most_values);
  if (!parser.HandleNextDocument(builder)) return {};
  parser.HandleNextDocument(builder);
  return builder.take_root();
}

bool indented_by_tab(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  const std::size_t first = text.find_first_not_of(" \t");
  return text.substr(0, first).find('\t') != std::string_view::npos;
}

// What the user most likely did when the library says so.
std::string hint_for(const std::string& message) {
  if (message == "end of sequence flow not found") return "close the list with \"]\"";
  if (message == "end of map flow not found") return "close the map with \"}\"";
  if (message == "unknown token" || message == "unexpected character in block scalar") {
    return "put a value that starts with a sign in quotes";
  }
  if (message == "illegal map value") return "put a value that contains a colon in quotes";
  if (message == "end of map not found" || message == "end of sequence not found") {
    return "check the indentation";
  }
  return "";
}

Diagnostic syntax_error(std::string_view text, const std::string& file,
                        const YAML::Exception& error) {
  SourcePosition where{file, std::max(error.mark.line, 0) + 1, std::max(error.mark.column, 0) + 1};
  if (indented_by_tab(text, where.line)) {
    return {std::move(where), "the line is indented by a tab", "use spaces"};
  }
  return {std::move(where), fmt::format("not valid YAML: {}", error.msg), hint_for(error.msg)};
}

}  // namespace

Checked<Node> parse_document(std::string_view text, const std::string& file, const char* start,
                             const TextLimits& limits) {
  if (auto problem = check_text(text, file, limits)) return {std::nullopt, {std::move(*problem)}};
  if (auto problem = foreign_file(text, file)) return {std::nullopt, {std::move(*problem)}};
  // The library skips the mark too, but then its positions are off by three.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto refused = [](Diagnostic reason) {
    return Checked<Node>{std::nullopt, {std::move(reason)}};
  };
  try {
    Node root = parse(text, limits.values);
    if (root.kind != Node::Kind::Null) return {std::move(root), {}};
    return refused({{file}, "the file is empty", fmt::format("start with {}", start)});
  } catch (const Refusal& refusal) {
    return refused({{file, refusal.line, refusal.column}, refusal.message, refusal.hint});
  } catch (const YAML::Exception& error) {
    return refused(syntax_error(text, file, error));
  } catch (const std::bad_alloc&) {
    throw;  // says nothing of the text
  } catch (const std::exception& error) {
    return refused({{file}, fmt::format("not readable as YAML: {}", error.what()), ""});
  }
}

}  // namespace tilewright::io
