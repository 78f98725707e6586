#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "roles.h"
#include "tilewright/arch.h"

namespace tilewright {

namespace {

using Problems = std::vector<std::string>;

const char* sign_of(FactorRule::Relation relation) {
  constexpr std::array<const char*, 3> kSigns = {"=", "<=", ">="};
  return kSigns[static_cast<std::size_t>(relation)];
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

std::string text_of(const UseRule& rule) { return "use >= " + to_string(rule.least); }

// --- what is wrong with a rule ----------------------------------------------

void check_dims(const std::string& rule, const std::vector<std::string>& dims, Problems& problems) {
  std::set<std::string> seen;
  for (const std::string& dim : dims) {
    if (dim.empty()) add_text(problems, "{} names a dimension without a name", rule);
    if (!seen.insert(dim).second) add_text(problems, "{} names {} twice", rule, dim);
  }
}

void check_rule(const Level& level, const FactorRule& rule, Problems& problems) {
  if (std::holds_alternative<Compute>(level)) {
    problems.push_back("the compute level has no loops");
  }
  if (rule.dim.empty()) problems.push_back("a factor names no dimension");
  if (rule.value && (*rule.value < 1 || *rule.value > kCountLimit)) {
    add_text(problems, "the factor of {} is {}; it must be from 1 to 2^60", rule.dim, *rule.value);
  }
}

void check_rule(const Level& level, const OrderRule& rule, Problems& problems) {
  if (!std::holds_alternative<Memory>(level)) {
    problems.push_back("only memories have a loop order");
  }
  std::vector<std::string> all = rule.outermost;
  append(all, rule.innermost);
  if (all.empty()) problems.push_back("the order names no dimension");
  check_dims("the order", all, problems);
}

void check_rule(const Level& level, const DimsRule& rule, Problems& problems) {
  if (std::holds_alternative<Compute>(level)) {
    problems.push_back("the compute level has no loops");
  }
  check_dims("dims", rule.dims, problems);
}

void check_tensor(const std::string& name, Problems& problems) {
  if (name.empty()) {
    problems.push_back("a tensor has no name");
  } else if (const auto role = misspelt_role(name)) {
    add_text(problems, "unknown tensor role '{}'; did you mean {}?", name, *role);
  }
}

void check_rule(const Level& level, const ResidenceRule& rule, Problems& problems) {
  if (!std::holds_alternative<Memory>(level)) {
    problems.push_back("only memories keep tensors or let them pass by");
  }
  if (rule.keep.empty() && rule.bypass.empty()) problems.push_back("no tensor is named");
  for (const std::string& name : rule.keep) check_tensor(name, problems);
  const std::set<std::string> kept(rule.keep.begin(), rule.keep.end());
  for (const std::string& name : rule.bypass) {
    check_tensor(name, problems);
    if (kept.contains(name)) add_text(problems, "{} is both kept and bypassed", name);
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

std::string place_of(const Constraint& constraint) {
  if (!constraint.axis) return constraint.level;
  return constraint.level + (*constraint.axis == Axis::X ? ".x" : ".y");
}

std::string to_string(const Constraint& constraint) {
  return fmt::format("{}: {}", place_of(constraint),
                     std::visit([](const auto& rule) { return text_of(rule); }, constraint.rule));
}

std::vector<std::string> problems_of(const Architecture& arch, const Constraint& constraint) {
  const auto id = arch.find_level(constraint.level);
  if (!id) return {fmt::format("{} has no level {}", arch.name, constraint.level)};
  const Level& level = arch.level(*id);
  Problems problems;
  const bool per_axis = constraint.is_per_axis();
  const bool fanout = std::holds_alternative<Fanout>(level);
  if (constraint.axis && !(per_axis && fanout)) {
    problems.push_back("only factors and dims of a fan-out belong to one axis; leave it out");
  }
  if (!constraint.axis && per_axis && fanout) {
    add_text(problems, "{0} is a fan-out; name its axis, {0}.x or {0}.y", constraint.level);
  }
  std::visit([&](const auto& rule) { check_rule(level, rule, problems); }, constraint.rule);
  return problems;
}

}  // namespace tilewright
