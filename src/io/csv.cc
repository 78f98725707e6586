#include "csv.h"

#include <algorithm>
#include <optional>

namespace tilewright::io {

namespace {

constexpr std::string_view kBlanks = " \t\r";
// Cells take much more memory than their text does; networks have some thousands.
constexpr std::size_t kMostCells = 100'000;

// Takes the cells off a line, one after the other.
class Line {
 public:
  // The cells of the file, all lines together, are counted on.
  Line(Context& context, std::string_view text, int number, std::size_t& cells)
      : context_(context), text_(text), number_(number), cells_(cells) {}

  // Nothing after a complaint.
  std::optional<Node> row() {
    Node row = Node::container(Node::Kind::List, number_, 1);
    while (true) {
      skip_blanks();
      if (++cells_ > kMostCells) {
        context_.complain(Node::scalar("", number_, static_cast<int>(at_) + 1),
                          "the file has more than 100,000 cells", "");
        return std::nullopt;
      }
      auto cell = at_ < text_.size() && text_[at_] == '"' ? quoted_cell() : plain_cell();
      if (!cell) return std::nullopt;
      row.children.push_back(std::move(*cell));
      if (at_ == text_.size()) return row;
      ++at_;
    }
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  std::optional<Node> plain_cell() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find(',', at_), text_.size());
    std::string_view cell = text_.substr(begin, at_ - begin);
    cell = cell.substr(0, cell.find_last_not_of(kBlanks) + 1);
    return Node::scalar(std::string(cell), number_, static_cast<int>(begin) + 1);
  }

  std::optional<Node> quoted_cell() {
    Node cell = Node::scalar("", number_, static_cast<int>(at_) + 1);
    cell.text_column = 0;
    bool closed = false;
    for (++at_; at_ < text_.size() && !closed; ++at_) {
      const bool quote = text_[at_] == '"';
      const bool twice = quote && at_ + 1 < text_.size() && text_[at_ + 1] == '"';
      closed = quote && !twice;
      if (!closed) cell.text += text_[at_];
      if (twice) ++at_;
    }
    if (!closed) {
      context_.complain(cell, "the quote is not closed on this line", "end the cell with a quote");
      return std::nullopt;
    }
    skip_blanks();
    if (at_ == text_.size() || text_[at_] == ',') return cell;
    context_.complain(Node::scalar("", number_, static_cast<int>(at_) + 1),
                      "text after the closing quote", "write a quote inside quotes twice");
    return std::nullopt;
  }

  Context& context_;
  std::string_view text_;
  int number_;
  std::size_t at_ = 0;
  std::size_t& cells_;
};

}  // namespace

Csv read_csv(Context& context, std::string_view text) {
  // Spreadsheets put a byte order mark before UTF-8.
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  Csv csv;
  std::size_t cells = 0;
  for (int number = 1; !text.empty() && cells <= kMostCells; ++number) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (line.find_first_not_of(kBlanks) == std::string_view::npos) continue;
    if (line.starts_with('#')) {
      if (csv.rows.empty()) csv.comments.emplace_back(line.substr(1));
    } else if (auto row = Line(context, line, number, cells).row()) {
      csv.rows.push_back(std::move(*row));
    }
  }
  return csv;
}

}  // namespace tilewright::io
