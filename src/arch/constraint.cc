#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "tilewright/arch.h"

namespace tilewright {

namespace {

using Problems = std::vector<std::string>;

const char* sign_of(FactorRule::Relation relation) {
  switch (relation) {
    case FactorRule::Relation::AtMost:
      return "<=";
    case FactorRule::Relation::AtLeast:
      return ">=";
    case FactorRule::Relation::Equal:
      break;
  }
  return "=";
}

std::string text_of(const FactorRule& rule) {
  const std::string value = rule.value ? fmt::format("{}", *rule.value) : "all";
  return fmt::format("{} {} {}", rule.dim, sign_of(rule.relation), value);
}

std::string text_of(const OrderRule& rule) {
  std::string text = "order";
  for (const std::string& dim : rule.outermost) text += " " + dim;
  text += " ...";
  for (const std::string& dim : rule.innermost) text += " " + dim;
  return text;
}

std::string text_of(const DimsRule& rule) {
  return rule.dims.empty() ? "dims none" : fmt::format("dims {}", fmt::join(rule.dims, " "));
}

std::string text_of(const ResidenceRule& rule) {
  std::string text;
  if (!rule.keep.empty()) text = fmt::format("keep {}", fmt::join(rule.keep, " "));
  if (!rule.bypass.empty()) {
    text += fmt::format("{}bypass {}", text.empty() ? "" : ", ", fmt::join(rule.bypass, " "));
  }
  return text;
}

std::string text_of(const UseRule& rule) { return fmt::format("use >= {}", rule.least.value()); }

// --- what is wrong with a rule ----------------------------------------------

void check_rule(const Level& level, const FactorRule& rule, Problems& problems) {
  if (std::holds_alternative<Compute>(level)) {
    problems.push_back("the compute level has no loops");
  }
  if (rule.dim.empty()) problems.push_back("a factor names no dimension");
  if (rule.value && (*rule.value < 1 || *rule.value > kCountLimit)) {
    problems.push_back(
        fmt::format("the factor of {} is {}; it must be from 1 to 2^60", rule.dim, *rule.value));
  }
}

void check_rule(const Level& level, const OrderRule& rule, Problems& problems) {
  if (!std::holds_alternative<Memory>(level)) {
    problems.push_back("only memories have a loop order");
  }
  std::set<std::string> seen;
  for (const auto* list : {&rule.outermost, &rule.innermost}) {
    for (const std::string& dim : *list) {
      if (!seen.insert(dim).second) {
        problems.push_back(fmt::format("the order names {} twice", dim));
      }
    }
  }
}

void check_rule(const Level& level, const DimsRule& /*rule*/, Problems& problems) {
  if (std::holds_alternative<Compute>(level)) {
    problems.push_back("the compute level has no loops");
  }
}

void check_rule(const Level& level, const ResidenceRule& rule, Problems& problems) {
  if (!std::holds_alternative<Memory>(level)) {
    problems.push_back("only memories keep tensors or let them pass by");
  }
  const std::set<std::string> kept(rule.keep.begin(), rule.keep.end());
  for (const std::string& name : rule.bypass) {
    if (kept.contains(name)) problems.push_back(fmt::format("{} is both kept and bypassed", name));
  }
}

void check_rule(const Level& level, const UseRule& rule, Problems& problems) {
  if (!std::holds_alternative<Fanout>(level)) {
    problems.push_back("only fan-outs have instances to use");
  }
  if (rule.least.denominator < 1 || rule.least.numerator < 0 ||
      rule.least.numerator > rule.least.denominator) {
    problems.push_back("the least use must be from 0 to 1");
  }
}

}  // namespace

std::string to_string(const Constraint& constraint) {
  const char* axis = !constraint.axis ? "" : *constraint.axis == Axis::X ? ".x" : ".y";
  return fmt::format("{}{}: {}", constraint.level, axis,
                     std::visit([](const auto& rule) { return text_of(rule); }, constraint.rule));
}

std::vector<std::string> problems_of(const Architecture& arch, const Constraint& constraint) {
  const auto id = arch.find_level(constraint.level);
  if (!id) return {fmt::format("{} has no level {}", arch.name, constraint.level)};
  const Level& level = arch.level(*id);
  Problems problems;
  const bool per_axis = std::holds_alternative<FactorRule>(constraint.rule) ||
                        std::holds_alternative<DimsRule>(constraint.rule);
  const bool fanout = std::holds_alternative<Fanout>(level);
  if (constraint.axis && !(per_axis && fanout)) {
    problems.push_back("only factors and dims of a fan-out belong to one axis");
  }
  if (!constraint.axis && per_axis && fanout) {
    problems.push_back(fmt::format("{} is a fan-out; name its axis", constraint.level));
  }
  std::visit([&](const auto& rule) { check_rule(level, rule, problems); }, constraint.rule);
  return problems;
}

}  // namespace tilewright
