#include "expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "values.h"

namespace tilewright::io {

namespace {

// Deeper parentheses are nobody's formula; the limit keeps recursion harmless.
constexpr int kMaxNesting = 40;

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

// The name that a text begins with; empty if it begins with none.
std::string_view name_at_front(std::string_view text) {
  if (text.empty() || !starts_name(text.front())) return {};
  const auto end = std::find_if_not(text.begin(), text.end(), continues_name);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::vector<std::string> names_in(const Variables& variables) {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) names.push_back(name);
  return names;
}

// What a part of a formula comes to is thrown only inside this file.
struct Refused {
  std::size_t at;
  std::string message, hint;
};

// The functions that formulas may call.
const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = {"min", "max", "ceil"};
  return names;
}

bool is_less(const Fraction& a, const Fraction& b) {
  const auto gap = difference(a, b);
  return gap ? gap->above < 0 : a.above / a.below < b.above / b.below;
}

// The smallest whole number that is not below it; terms below the line are positive.
Fraction rounded_up(const Fraction& value) {
  const Int128 whole = value.above / value.below;
  return {whole + (value.above % value.below > 0 ? 1 : 0), 1};
}

// sum := product {(+|-) product}; product := factor {(*|/) factor};
// factor := number | variable | "(" sum ")" | function "(" sum {"," sum} ")"
class SumReader {
 public:
  SumReader(std::string_view text, const Variables& variables)
      : text_(text), variables_(variables) {}

  Fraction sum_of_products(int depth) {
    Fraction total = product_of_factors(depth);
    while (const char sign = take_operator("+-")) {
      const std::size_t start = at_;
      const Fraction more = product_of_factors(depth);
      total = kept(sign == '+' ? sum(total, more) : difference(total, more), start);
    }
    return total;
  }
  std::size_t length() const { return at_; }

 private:
  Fraction product_of_factors(int depth) {
    Fraction total = factor(depth);
    while (const char sign = take_operator("*/")) {
      const std::size_t start = at_;
      const Fraction more = factor(depth);
      if (sign == '/' && more.above == 0) throw Refused{start, "this divides by zero", ""};
      total = kept(sign == '*' ? product(total, more) : quotient(total, more), start);
    }
    return total;
  }

  Fraction factor(int depth) {
    skip_spaces();
    const std::size_t start = at_;
    std::string_view rest = text_.substr(at_);
    if (rest.starts_with('(')) return in_parentheses(depth);
    if (const std::string_view name = name_at_front(rest); !name.empty()) {
      at_ += name.size();
      if (text_.substr(at_).starts_with('(')) return call(std::string(name), start, depth);
      return variable(std::string(name), start);
    }
    const auto number = take_decimal(rest);
    if (!number) {
      throw Refused{start, "a number or a variable is missing here", "such as \"2 * rows\""};
    }
    at_ = text_.size() - rest.size();
    return kept(to_fraction(*number), start);
  }

  Fraction in_parentheses(int depth) {
    const std::size_t open = at_++;
    if (depth >= kMaxNesting) throw Refused{open, "parentheses are nested too deeply", ""};
    const Fraction inside = sum_of_products(depth + 1);
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != ')') {
      throw Refused{open, "this parenthesis is not closed", "add \")\""};
    }
    ++at_;
    return inside;
  }

  Fraction call(const std::string& name, std::size_t start, int depth) {
    if (!contains(function_names(), name)) {
      throw Refused{start, fmt::format("\"{}\" is no function", abbreviated(name)),
                    suggestion(name, function_names(), "the functions are")};
    }
    const std::size_t open = at_;
    if (depth >= kMaxNesting) throw Refused{open, "parentheses are nested too deeply", ""};
    std::vector<Fraction> values;
    do {
      ++at_;
      values.push_back(sum_of_products(depth + 1));
      skip_spaces();
    } while (at_ < text_.size() && text_[at_] == ',');
    if (at_ >= text_.size() || text_[at_] != ')') {
      throw Refused{open, "this parenthesis is not closed", "add \")\""};
    }
    ++at_;
    if (name == "ceil") {
      if (values.size() == 1) return rounded_up(values.front());
      throw Refused{open, "ceil rounds up one number", "such as \"ceil(tokens / 8)\""};
    }
    if (values.size() < 2)
      throw Refused{open, fmt::format("{} chooses among numbers", name),
                    fmt::format("such as \"{}(8, rows)\"", name)};
    return name == "min" ? *std::min_element(values.begin(), values.end(), is_less)
                         : *std::max_element(values.begin(), values.end(), is_less);
  }

  Fraction variable(const std::string& name, std::size_t start) {
    const auto found = variables_.find(name);
    if (found == variables_.end()) {
      throw Refused{start, fmt::format("\"{}\" is not a {}", abbreviated(name), variables_.noun),
                    variables_.empty() ? fmt::format("give it a value, such as \"{}: {{{}: 2}}\"",
                                                     variables_.key, abbreviated(name))
                                       : suggestion(name, names_in(variables_),
                                                    fmt::format("the {} are", variables_.key))};
    }
    if (!found->second) throw Refused{start, "", ""};
    return *found->second;
  }

  static Fraction kept(const std::optional<Fraction>& value, std::size_t start) {
    if (!value) throw Refused{start, "this number is too large or too long to be kept exactly", ""};
    return *value;
  }

  // Takes one of these signs; 0 if none of them comes next.
  char take_operator(std::string_view signs) {
    const std::size_t before = at_;
    skip_spaces();
    if (at_ < text_.size() && signs.find(text_[at_]) != std::string_view::npos) return text_[at_++];
    at_ = before;
    return 0;
  }
  void skip_spaces() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }

  std::string_view text_;
  const Variables& variables_;
  std::size_t at_ = 0;
};

// Whether what follows a number or a variable goes on with the sum.
bool continues(std::string_view rest) {
  const std::size_t next = rest.find_first_not_of(' ');
  if (next == std::string_view::npos) return false;
  if (rest[next] != '/') return rest[next] == '*' || rest[next] == '+' || rest[next] == '-';
  // "3/cycle" is a unit that lacks its first half.
  const std::string_view after = trimmed(rest.substr(next + 1));
  return !after.empty() && (is_digit(after.front()) || after.front() == '(');
}

}  // namespace

bool is_variable_name(std::string_view text) {
  return !text.empty() && name_at_front(text).size() == text.size();
}

bool starts_with_arithmetic(std::string_view text, const Variables& variables) {
  if (text.starts_with('(')) return true;
  if (const std::string name(name_at_front(text)); !name.empty()) {
    return variables.contains(name) || text.substr(name.size()).starts_with('(') ||
           continues(text.substr(name.size())) ||
           closest_match(name, names_in(variables)).has_value();
  }
  std::string_view rest = text;
  if (!take_decimal(rest)) return false;
  if (rest.starts_with('/')) {
    std::string_view after = rest.substr(1);
    if (take_decimal(after)) rest = after;
  }
  if (continues(rest)) return true;
  // "2 / rows": a variable may be below the line, a unit may not.
  const std::string_view below = trimmed(rest).substr(0, 1) == "/" ? trimmed(rest).substr(1) : "";
  return variables.contains(name_at_front(trimmed(below)));
}

void read_variables(Context& context, const Node& map, ReadNumber read, Variables& variables) {
  for (const std::size_t entry : context.usable_entries(map)) {
    const Node& name = map.key(entry);
    if (!is_variable_name(name.text)) {
      context.complain(
          name, fmt::format("\"{}\" is no name of a {}", abbreviated(name.text), variables.noun),
          "write letters, digits and \"_\", a letter first");
      continue;
    }
    variables[name.text] = read(context, map.value(entry), variables);
  }
}

void complain_about(Context& context, const Node& node, std::size_t offset,
                    const Arithmetic& arithmetic) {
  if (arithmetic.message.empty()) return;
  context.complain_inside(node, offset + arithmetic.error_at, arithmetic.message, arithmetic.hint);
}

Arithmetic evaluate_arithmetic(std::string_view text, const Variables& variables) {
  SumReader reader(text, variables);
  try {
    Arithmetic result;
    result.value = reader.sum_of_products(0);
    result.length = reader.length();
    return result;
  } catch (const Refused& refused) {
    return {std::nullopt, 0, refused.at, refused.message, refused.hint};
  }
}

}  // namespace tilewright::io
