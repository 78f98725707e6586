#include "constraint_fields.h"

#include <algorithm>
#include <array>

#include "member_fields.h"

namespace tilewright::io {

namespace {

using Relation = FactorRule::Relation;

// The first rule of a kind in an entry, or null.
template <typename Rule, typename Entry>
auto* find_rule(Entry& entry) {
  const auto found = std::find_if(entry.rules.begin(), entry.rules.end(), [](const Constraint& c) {
    return std::holds_alternative<Rule>(c.rule);
  });
  return found == entry.rules.end() ? nullptr : &std::get<Rule>(found->rule);
}

// --- factors ----------------------------------------------------------------

struct Sign {
  std::string_view text;
  Relation relation;
};
constexpr std::array kSigns = {Sign{"<=", Relation::AtMost}, Sign{">=", Relation::AtLeast},
                               Sign{"=", Relation::Equal}};

// Takes the sign off the front; without one, equality is meant.
Relation take_relation(std::string_view& text) {
  for (const Sign& sign : kSigns) {
    if (!text.starts_with(sign.text)) continue;
    text.remove_prefix(sign.text.size());
    return sign.relation;
  }
  return Relation::Equal;
}

// The end of a scalar as a node of its own, for complaints about that part.
Node tail_of(const Node& scalar, std::string_view tail) {
  Node node = Node::scalar(std::string(tail), scalar.line, scalar.column);
  if (scalar.text_column != 0) {
    node.column = scalar.text_column + static_cast<int>(scalar.text.find(tail));
  }
  return node;
}

std::string factor_text(const FactorRule& rule) {
  std::string text = rule.value ? fmt::format("{}", *rule.value) : "all";
  if (rule.relation == Relation::Equal) return text;
  return fmt::format("{} {}", rule.relation == Relation::AtMost ? "<=" : ">=", text);
}

void read_factors(Context& context, const Node& node, ConstraintEntry& entry) {
  if (!context.expect_map(node, "bounds such as \"{S: all, M: 4}\"")) return;
  for (const std::size_t i : context.usable_entries(node)) {
    if (read_name(context, node.key(i))) read_factor(context, node.key(i), node.value(i), entry);
  }
}

std::optional<std::string> write_factors(const ConstraintEntry& entry) {
  std::vector<std::string> factors;
  for (const Constraint& constraint : entry.rules) {
    const auto* rule = std::get_if<FactorRule>(&constraint.rule);
    if (rule == nullptr) continue;
    factors.push_back(
        fmt::format("{}: {}", quoted_if_needed(rule->dim), quoted_if_needed(factor_text(*rule))));
  }
  if (factors.empty()) return std::nullopt;
  return fmt::format("{{{}}}", join(factors, ", "));
}

// --- order and dims ---------------------------------------------------------

constexpr const char* kOrderRuleForm = "a map such as \"{outermost: [C], innermost: [R]}\"";

template <auto Member>
constexpr Field<OrderRule> order_part(const char* key, const char* help) {
  return member_field<Member, read_dim_names, names_text>(key, kDimsForm, "none", help);
}

constexpr auto kOrderFields = std::to_array<Field<OrderRule>>({
    order_part<&OrderRule::outermost>("outermost", "loops outside all others, from the outside in"),
    order_part<&OrderRule::innermost>("innermost", "loops inside all others, from the outside in"),
});

void read_order_rule(Context& context, const Node& node, ConstraintEntry& entry) {
  if (!context.expect_map(node, kOrderRuleForm)) return;
  OrderRule rule;
  const std::size_t before = context.problem_count();
  read_fields(context, node, FieldTable<OrderRule>(kOrderFields), rule, "an order");
  if (context.problem_count() != before) return;
  entry.rules.push_back({"", {}, std::move(rule), context.position_of(node)});
}

std::optional<std::string> write_order(const ConstraintEntry& entry) {
  const auto* rule = find_rule<OrderRule>(entry);
  if (rule == nullptr) return std::nullopt;
  return fmt::format("{{{}}}",
                     join(write_fields(FieldTable<OrderRule>(kOrderFields), *rule), ", "));
}

void read_dims_rule(Context& context, const Node& node, ConstraintEntry& entry) {
  if (auto dims = read_dim_names(context, node)) {
    entry.rules.push_back({"", {}, DimsRule{std::move(*dims)}, context.position_of(node)});
  }
}

std::optional<std::string> write_dims(const ConstraintEntry& entry) {
  const auto* rule = find_rule<DimsRule>(entry);
  if (rule == nullptr) return std::nullopt;
  return names_text(rule->dims);
}

// --- keep and bypass --------------------------------------------------------

template <auto Member>
constexpr Field<ConstraintEntry> residence_field(const char* key, const char* help) {
  return {{key, kTensorsForm, "none", help},
          [](Context& context, const Node& node, ConstraintEntry& entry) {
            const auto names = read_tensor_names(context, node);
            if (names) residence_of(entry, context.position_of(node)).*Member = *names;
          },
          [](const ConstraintEntry& entry) -> std::optional<std::string> {
            const auto* rule = find_rule<ResidenceRule>(entry);
            if (rule == nullptr || (rule->*Member).empty()) return std::nullopt;
            return names_text(rule->*Member);
          }};
}

// --- the tables -------------------------------------------------------------

void read_place(Context& context, const Node& node, ConstraintEntry& entry) {
  entry.where = context.position_of(node);
  if (auto place = read_name(context, node)) entry.place = std::move(*place);
}

std::optional<std::string> write_place(const ConstraintEntry& entry) {
  return quoted_if_needed(entry.place);
}

std::optional<std::string> write_least_use(const ConstraintEntry& entry) {
  const auto* rule = find_rule<UseRule>(entry);
  if (rule == nullptr) return std::nullopt;
  return to_string(rule->least);
}

// The rules stand in the order of the variant, on which the writer relies.
constexpr auto kEntryFields = std::to_array<Field<ConstraintEntry>>({
    {{"level", "the name of a level, with the axis of a fan-out such as \"Rows.y\"", nullptr,
      "where the rules hold; the axis may be left out where the other has one instance"},
     read_place,
     write_place},
    {{"factors", "a map such as \"{S: all, M: 4, C: '<= 8'}\"", "none",
      "bounds of dimensions here; \"all\" is the whole dimension"},
     read_factors,
     write_factors},
    {{"order", kOrderRuleForm, "any", "of the loops of a memory; loops of bound 1 do not count"},
     read_order_rule,
     write_order},
    {{"dims", kDimsForm, "all dimensions", "dimensions that may have a bound above 1"},
     read_dims_rule,
     write_dims},
    residence_field<&ResidenceRule::keep>("keep", "tensors that a memory keeps"),
    residence_field<&ResidenceRule::bypass>("bypass", "tensors that pass by a memory"),
    {{"least_use", kShareForm, "0", "share of a fan-out's instances that must take part"},
     read_least_use,
     write_least_use},
});

constexpr auto kFileFields = std::to_array<Field<std::vector<Constraint>>>({
    {{kConstraintsKey, kConstraintsForm, nullptr, kConstraintsHelp},
     [](Context&, const Node&, std::vector<Constraint>&) {},
     [](const std::vector<Constraint>& constraints) -> std::optional<std::string> {
       return constraints_text(constraints).value_or("[]");
     }},
});

}  // namespace

FieldTable<std::vector<Constraint>> constraint_file_fields() { return kFileFields; }
FieldTable<ConstraintEntry> constraint_entry_fields() { return kEntryFields; }
FieldTable<OrderRule> order_fields() { return kOrderFields; }

void read_factor(Context& context, const Node& dim, const Node& value, ConstraintEntry& entry) {
  if (!context.expect_scalar(value, kFactorForm)) return;
  std::string_view rest = trimmed(value.text);
  FactorRule rule{dim.text, take_relation(rest), {}};
  rest = trimmed(rest);
  if (rest != "all") {
    const bool numeric = !rest.empty() && (rest[0] == '-' || (rest[0] >= '0' && rest[0] <= '9'));
    if (!numeric) {
      context.complain(value, fmt::format("\"{}\" is not a bound", value.text),
                       fmt::format("write {}", kFactorForm));
      return;
    }
    rule.value = read_count(context, tail_of(value, rest));
    if (!rule.value) return;
  }
  entry.rules.push_back({"", {}, std::move(rule), context.position_of(value)});
}

void read_least_use(Context& context, const Node& node, ConstraintEntry& entry) {
  if (const auto share = read_share(context, node)) {
    entry.rules.push_back({"", {}, UseRule{*share}, context.position_of(node)});
  }
}

ResidenceRule& residence_of(ConstraintEntry& entry, const SourcePosition& where) {
  if (auto* rule = find_rule<ResidenceRule>(entry)) return *rule;
  entry.rules.push_back({"", {}, ResidenceRule{}, where});
  return std::get<ResidenceRule>(entry.rules.back().rule);
}

}  // namespace tilewright::io
