// New names for dimensions on one line: "h=N,i=M,j=P,d=C".
#include <fmt/format.h>

#include <algorithm>

#include "context.h"
#include "einsum.h"
#include "text_check.h"
#include "tilewright/io.h"

namespace tilewright::io {

namespace {

constexpr const char* kForm = "write old and new names such as h=N,i=M";

class RenameReader {
 public:
  RenameReader(Context& context, std::string_view text) : context_(context), text_(text) {}

  std::vector<Renaming> read() {
    skip_separators();
    if (at_ == text_.size()) context_.complain_about_file("no dimension is renamed", kForm);
    while (at_ < text_.size() && read_one()) skip_separators();
    return std::move(renamings_);
  }

 private:
  bool read_one() {
    const std::size_t start = at_;
    const std::string from = name();
    if (from.empty()) return complain(at_, "expected the name of a dimension");
    if (at_ == text_.size() || text_[at_] != '=') {
      return complain(at_, fmt::format("expected \"=\" after {}", from));
    }
    ++at_;
    const std::size_t to_start = at_;
    const std::string to = name();
    if (to.empty()) return complain(to_start, fmt::format("expected a new name for {}", from));
    if (at_ < text_.size() && kSeparators.find(text_[at_]) == std::string_view::npos) {
      return complain(at_, fmt::format("expected a comma after {}={}", from, to));
    }
    const bool twice = std::any_of(renamings_.begin(), renamings_.end(),
                                   [&](const Renaming& one) { return one.from == from; });
    if (twice) return complain(start, fmt::format("{} is renamed twice", from));
    renamings_.push_back({from, to, position(start)});
    return true;
  }

  std::string name() {
    skip(" \t");
    const std::string found(leading_identifier(text_.substr(at_)));
    at_ += found.size();
    skip_before_sign();
    return found;
  }

  // "h = N" is one pair, "h=N i=M" are two.
  void skip_before_sign() {
    const std::size_t next = text_.find_first_not_of(" \t", at_);
    if (next != std::string_view::npos && text_[next] == '=') at_ = next;
  }
  void skip(std::string_view characters) {
    at_ = std::min(text_.find_first_not_of(characters, at_), text_.size());
  }
  void skip_separators() { skip(kSeparators); }

  static Node node_at(std::size_t offset) {
    return Node::scalar("", 1, static_cast<int>(offset) + 1);
  }
  SourcePosition position(std::size_t offset) const {
    return context_.position_of(node_at(offset));
  }
  // The rest of the line has no meaning after a complaint.
  bool complain(std::size_t offset, const std::string& message) {
    context_.complain(node_at(offset), message, kForm);
    return false;
  }

  static constexpr std::string_view kSeparators = ", \t";
  Context& context_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Renaming> renamings_;
};

}  // namespace

Checked<std::vector<Renaming>> read_rename_line(std::string_view text, const std::string& file) {
  if (auto problem = check_text(text, file)) return {std::nullopt, {std::move(*problem)}};
  Context context(file);
  return context.checked(RenameReader(context, text).read());
}

}  // namespace tilewright::io
