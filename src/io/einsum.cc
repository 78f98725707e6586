#include "einsum.h"

#include <fmt/format.h>

#include <charconv>

#include "decimal.h"

namespace tilewright::io {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Recursive descent. Functions give nothing after a complaint that leaves the
// rest of the text without meaning.
class EinsumParser {
 public:
  EinsumParser(Context& context, const Node& scalar)
      : context_(context), scalar_(scalar), text_(scalar.text) {}

  std::optional<Einsum> parse() {
    Einsum einsum;
    auto output = tensor();
    if (!output || !plus_equals()) return std::nullopt;
    einsum.output = std::move(*output);
    do {
      auto input = tensor();
      if (!input) return std::nullopt;
      einsum.inputs.push_back(std::move(*input));
    } while (take('*'));
    if (at_ < text_.size()) {
      complain_here("expected \"*\" and another tensor, or the end");
      return std::nullopt;
    }
    if (failed_) return std::nullopt;
    return einsum;
  }

 private:
  std::optional<EinsumTensor> tensor() {
    EinsumTensor tensor;
    skip_spaces();
    tensor.offset = at_;
    tensor.name = identifier();
    if (tensor.name.empty()) {
      complain_here("expected the name of a tensor");
      return std::nullopt;
    }
    if (take(':')) {
      tensor.role_offset = at_;
      tensor.role = identifier();
      if (tensor.role.empty()) {
        complain_here("expected a role after the colon", "write input, weight or output");
        return std::nullopt;
      }
    }
    skip_spaces();
    const std::size_t indices = at_;
    if (!take('[')) {
      complain_here(fmt::format("expected \"[\" after {}", tensor.name));
      return std::nullopt;
    }
    if (!take(']') && !read_indices(tensor)) return std::nullopt;
    if (at_ < text_.size() && text_[at_] == ':') {
      complain_about_late_role(tensor, text_.substr(indices, at_ - indices));
      return std::nullopt;
    }
    return tensor;
  }

  bool read_indices(EinsumTensor& tensor) {
    do {
      auto rank = index();
      if (!rank) return false;
      tensor.ranks.push_back(std::move(*rank));
    } while (take(','));
    if (take(']')) return true;
    complain_here(fmt::format("expected \",\" or \"]\" in the indices of {}", tensor.name));
    return false;
  }

  // "A[m,k]:weight": the indices are shown as they are written.
  void complain_about_late_role(const EinsumTensor& tensor, std::string_view indices) {
    const std::size_t colon = at_;
    take(':');
    const std::string role = identifier();
    complain(colon, fmt::format("the role of {} stands before its indices", tensor.name),
             fmt::format("write \"{}:{}{}\"", tensor.name, role.empty() ? "weight" : role,
                         indices.substr(0, indices.find(']') + 1)));
  }

  // A sum of terms; each dimension ends up in one term.
  std::optional<std::vector<EinsumTerm>> index() {
    std::vector<EinsumTerm> rank;
    bool negative = take('-');
    while (true) {
      auto summand = term();
      if (!summand) return std::nullopt;
      if (negative) summand->coefficient = -summand->coefficient;
      if (!summand->dim.empty() && !merge(rank, *summand)) return std::nullopt;
      // In "O[m += ..." the bracket is missing, not a dimension.
      skip_spaces();
      if (text_.substr(at_).starts_with("+=")) break;
      if (take('+')) {
        negative = false;
      } else if (take('-')) {
        negative = true;
      } else {
        break;
      }
    }
    check_coefficients(rank);
    return rank;
  }

  // 2*p, p*2 or p. A constant is complained about and has no dimension.
  std::optional<EinsumTerm> term() {
    EinsumTerm result;
    skip_spaces();
    result.offset = at_;
    if (at_ < text_.size() && is_digit(text_[at_])) {
      const auto factor = integer();
      if (!factor) return std::nullopt;
      if (!leading_identifier(text_.substr(at_)).empty()) {
        complain_here(fmt::format("expected \"*\" after {}", *factor));
        return std::nullopt;
      }
      if (!take('*')) return constant(result, *factor);
      result.coefficient = *factor;
      skip_spaces();
      result.dim = identifier();
    } else {
      result.dim = identifier();
      if (!result.dim.empty() && take('*')) {
        skip_spaces();
        const auto factor = integer();
        if (!factor) return std::nullopt;
        result.coefficient = *factor;
      }
    }
    if (result.dim.empty()) {
      complain_here("expected the name of a dimension");
      return std::nullopt;
    }
    return result;
  }

  EinsumTerm constant(EinsumTerm term, std::int64_t value) {
    complain(term.offset,
             fmt::format("the constant {} shifts the tensor and changes no count", value),
             "leave it out");
    return term;
  }

  bool merge(std::vector<EinsumTerm>& rank, const EinsumTerm& summand) {
    for (EinsumTerm& term : rank) {
      if (term.dim != summand.dim) continue;
      if (__builtin_add_overflow(term.coefficient, summand.coefficient, &term.coefficient)) {
        complain(summand.offset, "the coefficients add up to too large a number");
        return false;
      }
      return true;
    }
    // Workloads have few dimensions; the limit keeps the search above short.
    if (rank.size() >= 64) {
      complain(summand.offset, "an index has too many terms");
      return false;
    }
    rank.push_back(summand);
    return true;
  }

  void check_coefficients(const std::vector<EinsumTerm>& rank) {
    for (const EinsumTerm& term : rank) {
      if (term.coefficient != 0) continue;
      complain(term.offset, fmt::format("dimension {} has the coefficient 0 here", term.dim),
               "leave it out");
    }
  }

  bool plus_equals() {
    skip_spaces();
    if (text_.substr(at_, 2) == "+=") {
      at_ += 2;
      return true;
    }
    const bool equals = text_.substr(at_, 1) == "=";
    complain_here("expected \"+=\" after the output",
                  equals ? "write \"+=\", since every element of the output is a sum" : "");
    return false;
  }

  std::optional<std::int64_t> integer() {
    std::int64_t value = 0;
    const char* first = text_.data() + at_;
    const auto [stop, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) {
      if (error == std::errc::result_out_of_range) {
        complain(at_, "the number is too large");
      } else {
        complain_here("expected a whole number");
      }
      return std::nullopt;
    }
    at_ += static_cast<std::size_t>(stop - first);
    return value;
  }

  std::string identifier() {
    const std::string_view name = leading_identifier(text_.substr(at_));
    at_ += name.size();
    return std::string(name);
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
  }

  // Spaces before and after the character belong to it.
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_spaces();
    return true;
  }

  // The name or the single character that comes next.
  std::string_view next_word() const {
    const std::string_view rest = text_.substr(at_);
    if (const auto name = leading_identifier(rest); !name.empty()) return name;
    std::size_t length = rest.empty() ? 0 : 1;
    while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0U) == 0x80U) {
      ++length;  // the rest of a UTF-8 sequence
    }
    return rest.substr(0, length);
  }

  void complain(std::size_t offset, const std::string& message, const std::string& hint = "") {
    failed_ = true;
    context_.complain_inside(scalar_, offset, message, hint);
  }
  void complain_here(const std::string& message, const std::string& hint = "") {
    skip_spaces();
    // What comes next helps where the position cannot be shown.
    const std::string_view shown = next_word();
    complain(at_,
             shown.empty() ? message + ", but the text ends"
                           : fmt::format("{}, found \"{}\"", message, shown),
             hint);
  }

  Context& context_;
  const Node& scalar_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

std::string_view leading_identifier(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return {};
  std::size_t length = 1;
  while (length < text.size() && (is_letter(text[length]) || is_digit(text[length]))) ++length;
  return text.substr(0, length);
}

std::optional<Einsum> parse_einsum(Context& context, const Node& scalar) {
  if (!context.expect_scalar(scalar, kEinsumForm)) return std::nullopt;
  return EinsumParser(context, scalar).parse();
}

}  // namespace tilewright::io
