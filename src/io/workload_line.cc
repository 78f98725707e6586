// Workloads on one line:
//   O[m,n] += A[m,k] * B[k,n]; m=512 n=512 k=64; bits=16
//   O[m,n] += A:input[m,k] * B:weight[k,n]; m=512 n=512 k=64
//   gemm: m=512 n=1024 k=768; bits=16
// The line becomes the same nodes as a file, and is read by the same code.
#include <fmt/format.h>

#include <algorithm>

#include "einsum.h"
#include "text_check.h"
#include "tilewright/io.h"
#include "workload_fields.h"

namespace tilewright::io {

namespace {

constexpr const char* kWorkloadLineForm =
    "\"gemm: m=512 n=512 k=64\" or \"O[m,n] += A[m,k]*B[k,n]; m=512 n=512 k=64\"";

bool is_space(char c) { return c == ' ' || c == '\t'; }

class WorkloadLineReader {
 public:
  WorkloadLineReader(Context& context, std::string_view text) : context_(context), text_(text) {}

  // The map that a file with the same content would hold; nothing after a
  // complaint.
  std::optional<Node> read() {
    Node root = Node::container(Node::Kind::Map, 1, 1);
    // Required in a file; a line is named after what it computes.
    add(root, "workload", Node::scalar("line", 1, 1));
    skip_spaces();
    const std::size_t start = at_;
    const std::string word(leading_identifier(text_.substr(at_)));
    at_ += word.size();
    skip_spaces();
    const bool short_form = !word.empty() && peek() == ':' && !is_role_at(at_ + 1);
    if (short_form ? !short_form_of(root, word, start) : !einsum_of(root, start)) {
      return std::nullopt;
    }
    if (peek() == ';' && !options_of(root)) return std::nullopt;
    if (at_ < text_.size()) {
      complain("expected the end of the line here");
      return std::nullopt;
    }
    return root;
  }

 private:
  // In "O:output[m,n] += ..." a role follows the colon.
  bool is_role_at(std::size_t offset) const {
    offset = std::min(text_.find_first_not_of(" \t", offset), text_.size());
    offset += leading_identifier(text_.substr(offset)).size();
    offset = std::min(text_.find_first_not_of(" \t", offset), text_.size());
    return offset < text_.size() && text_[offset] == '[';
  }

  bool short_form_of(Node& root, const std::string& word, std::size_t start) {
    const std::vector<std::string> forms = {"gemm", "matmul", "conv2d"};
    if (!contains(forms, word)) {
      at_ = start;
      complain(fmt::format("no short form is called \"{}\"", word),
               suggestion(word, forms, "the short forms are"));
      return false;
    }
    ++at_;
    auto settings = assignments();
    if (!settings) return false;
    add(root, word, std::move(*settings));
    return true;
  }

  bool einsum_of(Node& root, std::size_t start) {
    const std::size_t end = std::min(text_.find(';'), text_.size());
    add(root, "einsum",
        Node::scalar(std::string(text_.substr(start, end - start)), 1, column(start)));
    at_ = end;
    if (peek() != ';') {
      complain("the sizes of the dimensions are missing",
               "add them, such as \"; m=512 n=512 k=64\"");
      return false;
    }
    ++at_;
    auto sizes = assignments();
    if (!sizes) return false;
    add(root, "sizes", std::move(*sizes));
    return true;
  }

  bool options_of(Node& root) {
    ++at_;
    const std::size_t start = at_;
    auto options = assignments();
    if (!options) return false;
    for (std::size_t i = 0; i < options->entry_count(); ++i) {
      if (options->key(i).text != "bits") {
        at_ = start;
        complain(fmt::format("\"{}\" cannot be set here", options->key(i).text),
                 "write bits=16 or leave it out");
        return false;
      }
      root.children.push_back(options->key(i));
      root.children.push_back(options->value(i));
    }
    return true;
  }

  // "m=512 n=1024", with spaces or commas between, up to a semicolon.
  std::optional<Node> assignments() {
    skip_spaces();
    Node map = Node::container(Node::Kind::Map, 1, column(at_));
    while (at_ < text_.size() && peek() != ';') {
      const std::size_t start = at_;
      const std::string name(leading_identifier(text_.substr(at_)));
      at_ += name.size();
      skip_spaces();
      if (name.empty() || peek() != '=') {
        complain("expected a name and its value, such as m=512");
        return std::nullopt;
      }
      ++at_;
      map.children.push_back(Node::scalar(name, 1, column(start)));
      map.children.push_back(value());
      skip_spaces();
      if (peek() == ',') ++at_;
      skip_spaces();
    }
    return map;
  }

  // A word, or a list of words in brackets.
  Node value() {
    skip_spaces();
    if (peek() != '[') return word();
    Node list = Node::container(Node::Kind::List, 1, column(at_));
    ++at_;
    while (at_ < text_.size() && peek() != ']') {
      list.children.push_back(word());
      skip_spaces();
      if (peek() == ',') ++at_;
      skip_spaces();
      if (peek() == ';' || peek() == '=') break;
    }
    if (peek() == ']') {
      ++at_;
    } else {
      complain("expected \"]\" after the list");
    }
    return list;
  }

  Node word() {
    skip_spaces();
    const std::size_t start = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) &&
           std::string_view(",;[]=").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    // A character that can start no word is taken as one, to get ahead.
    if (at_ == start && at_ < text_.size() && text_[at_] == '[') ++at_;
    return Node::scalar(std::string(text_.substr(start, at_ - start)), 1, column(start));
  }

  static void add(Node& map, const std::string& key, Node value) {
    map.children.push_back(Node::scalar(key, value.line, value.column));
    map.children.push_back(std::move(value));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  static int column(std::size_t offset) { return static_cast<int>(offset) + 1; }
  void complain(const std::string& message, const std::string& hint = "") {
    context_.complain(Node::scalar("", 1, column(at_)), message, hint);
  }

  Context& context_;
  std::string_view text_;
  std::size_t at_ = 0;
};

// "gemm_512x1024x768"; a contraction is named after its output.
std::string name_for(const Node& root, const Workload& workload) {
  for (const char* form : {"conv2d", "gemm", "matmul"}) {
    if (root.find(form) == nullptr) continue;
    std::vector<std::string> sizes;
    for (const Dimension& dim : workload.dims) sizes.push_back(fmt::format("{}", dim.size));
    return fmt::format("{}_{}", form, join(sizes, "x"));
  }
  return workload.tensors.back().name;
}

}  // namespace

Checked<Workload> read_workload_line(std::string_view text, const std::string& file) {
  if (auto problem = check_text(text, file)) return {std::nullopt, {std::move(*problem)}};
  Context context(file);
  if (text.find_first_of("\n\r") != std::string_view::npos) {
    context.complain_about_file("a workload on one line cannot have line breaks",
                                "put it into a file");
    return {std::nullopt, context.take_problems()};
  }
  if (text.find_first_not_of(" \t") == std::string_view::npos) {
    context.complain_about_file("the workload is empty",
                                fmt::format("write {}", kWorkloadLineForm));
    return {std::nullopt, context.take_problems()};
  }
  const auto root = WorkloadLineReader(context, text).read();
  if (!root) return {std::nullopt, context.take_problems()};
  auto workload = workload_from(context, *root);
  if (workload) workload->name = name_for(*root, *workload);
  return {std::move(workload), context.take_problems()};
}

}  // namespace tilewright::io
