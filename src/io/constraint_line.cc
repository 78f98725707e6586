// Constraints of one place on one line:
//   Rows.y: S = all, M <= 4, dims S M
//   Buffer: order M C ... P Q, keep input, bypass weight output
//   Array: use >= 0.5
#include <fmt/format.h>

#include <algorithm>

#include "constraint_fields.h"
#include "text_check.h"
#include "tilewright/io.h"
#include "values.h"

namespace tilewright::io {

namespace {

constexpr const char* kConstraintLineForm = "\"Rows.y: S = all, M <= 4\"";
constexpr const char* kRuleForm =
    "\"M = 4\", \"order M ... P\", \"dims M C\", \"keep input\", \"bypass weight\" or "
    "\"use >= 0.5\"";

class ConstraintLineReader {
 public:
  ConstraintLineReader(Context& context, std::string_view text) : context_(context), text_(text) {}

  // Nothing, after a complaint, if the line names no place.
  std::optional<ConstraintEntry> read() {
    const std::size_t colon = text_.find(':');
    const Node place = part(0, std::min(colon, text_.size()));
    if (colon == std::string_view::npos || place.text.empty()) {
      context_.complain(place, "the line does not start with a level and a colon",
                        fmt::format("write constraints such as {}", kConstraintLineForm));
      return std::nullopt;
    }
    entry_.place = place.text;
    entry_.where = context_.position_of(place);
    for (std::size_t start = colon + 1; start <= text_.size();) {
      const std::size_t end = std::min(text_.find(',', start), text_.size());
      read_clause(part(start, end));
      start = end + 1;
    }
    return std::move(entry_);
  }

 private:
  // The text between two offsets, without spaces at its ends.
  Node part(std::size_t start, std::size_t end) const {
    constexpr std::string_view kSpaces = " \t";
    while (start < end && kSpaces.find(text_[start]) != std::string_view::npos) ++start;
    while (start < end && kSpaces.find(text_[end - 1]) != std::string_view::npos) --end;
    return Node::scalar(std::string(text_.substr(start, end - start)), 1,
                        static_cast<int>(start) + 1);
  }

  void read_clause(const Node& clause) {
    const std::size_t sign = clause.text.find_first_of("<>=");
    if (clause.text.empty()) {
      context_.complain(clause, "a rule is missing here", fmt::format("write {}", kRuleForm));
    } else if (sign != std::string::npos) {
      read_comparison(clause, sign);
    } else {
      read_words(clause);
    }
  }

  // "M <= 4" or "use >= 0.5", with the sign at an offset.
  void read_comparison(const Node& clause, std::size_t sign) {
    const auto start = static_cast<std::size_t>(clause.column) - 1;
    const Node left = part(start, start + sign);
    const Node right = part(start + sign, start + clause.text.size());
    if (words_of(left.text).size() != 1) {
      context_.complain(clause, "expected one dimension before the sign",
                        fmt::format("write {}", kRuleForm));
    } else if (left.text != "use") {
      read_factor(context_, left, right, entry_);
    } else if (!right.text.starts_with(">=")) {
      context_.complain(right, "the use of a fan-out has a lower bound alone",
                        "write \"use >= 0.5\"");
    } else {
      const std::size_t value = start + sign + 2;
      read_least_use(context_, part(value, start + clause.text.size()), entry_);
    }
  }

  // A word that says what the others are.
  void read_words(const Node& clause) {
    std::vector<std::string> words = words_of(clause.text);
    const std::string kind = words.front();
    words.erase(words.begin());
    if (kind == "order") {
      read_order(clause, words);
    } else if (kind == "dims") {
      read_dims(clause, std::move(words));
    } else if (kind == "keep" || kind == "bypass") {
      read_tensors(clause, kind, words);
    } else {
      complain_unknown(clause, kind);
    }
  }

  void complain_unknown(const Node& clause, const std::string& word) {
    const auto match = closest_match(word, {"order", "dims", "keep", "bypass", "use"});
    context_.complain(clause, fmt::format("\"{}\" is not a rule", clause.text),
                      match ? fmt::format("did you mean {}?", *match)
                            : fmt::format("write {}, names with spaces between", kRuleForm));
  }

  void read_tensors(const Node& clause, const std::string& kind,
                    const std::vector<std::string>& words) {
    if (words.empty()) {
      context_.complain(clause, fmt::format("\"{}\" names no tensor", kind),
                        fmt::format("write them after it, such as \"{} input\"", kind));
      return;
    }
    ResidenceRule& rule = residence_of(entry_, context_.position_of(clause));
    TensorNames& names = kind == "keep" ? rule.keep : rule.bypass;
    append(names, words);
  }

  void read_order(const Node& clause, const std::vector<std::string>& words) {
    const auto dots = std::find(words.begin(), words.end(), "...");
    OrderRule rule{{words.begin(), dots}, {}};
    if (dots != words.end()) rule.innermost.assign(dots + 1, words.end());
    if (contains(rule.innermost, "...")) {
      context_.complain(clause, "the order has dots twice",
                        "write the outermost loops, dots, the innermost loops");
      return;
    }
    add(std::move(rule), clause);
  }

  void read_dims(const Node& clause, std::vector<std::string> words) {
    if (words.empty()) {
      context_.complain(clause, "\"dims\" names no dimension",
                        "write them after it, or \"dims none\"");
      return;
    }
    if (words == std::vector<std::string>{"none"}) words.clear();
    add(DimsRule{std::move(words)}, clause);
  }

  template <typename Rule>
  void add(Rule rule, const Node& clause) {
    entry_.rules.push_back({"", {}, std::move(rule), context_.position_of(clause)});
  }

  Context& context_;
  std::string_view text_;
  ConstraintEntry entry_;
};

}  // namespace

Checked<std::vector<Constraint>> read_constraint_line(std::string_view text,
                                                      const std::string& file,
                                                      const Architecture& arch) {
  if (auto problem = check_text(text, file)) return {std::nullopt, {std::move(*problem)}};
  Context context(file);
  if (text.find_first_of("\n\r") != std::string_view::npos) {
    context.complain_about_file("constraints on one line cannot have line breaks",
                                "put them into a file");
    return {std::nullopt, context.take_problems()};
  }
  std::vector<Constraint> constraints;
  if (auto entry = ConstraintLineReader(context, text).read()) {
    constraints = settle(context, arch, {std::move(*entry)});
  }
  return context.checked(std::move(constraints));
}

}  // namespace tilewright::io
