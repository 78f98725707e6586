#include <fmt/format.h>

#include <set>

#include "constraint_fields.h"
#include "tilewright/io.h"
#include "values.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

struct Place {
  std::string level;
  std::optional<Axis> axis;
};

Place place_from(const Architecture& arch, const std::string& text) {
  const bool has_axis = text.ends_with(".x") || text.ends_with(".y");
  if (!has_axis || arch.find_level(text)) return {text, {}};
  return {text.substr(0, text.size() - 2), text.back() == 'x' ? Axis::X : Axis::Y};
}

void complain_unknown_level(Context& context, const Architecture& arch, const std::string& level,
                            const SourcePosition& where) {
  context.add({{where, fmt::format("the architecture has no level \"{}\"", level),
                suggestion_and_list(level, looping_levels(arch), "its levels are")}});
}

// The axis that is meant where none is named.
std::optional<Axis> only_axis(const Level& level) {
  const auto* fanout = std::get_if<Fanout>(&level);
  if (fanout == nullptr || (fanout->x.size > 1) == (fanout->y.size > 1)) return std::nullopt;
  return fanout->x.size > 1 ? Axis::X : Axis::Y;
}

// Rules of one place share an entry as long as reading the entry gives them in
// the same order, and no dimension stands there twice.
std::vector<ConstraintEntry> entries_of(const std::vector<Constraint>& constraints) {
  std::vector<ConstraintEntry> entries;
  std::set<std::string> dims;  // of the factors of the last entry
  for (const Constraint& constraint : constraints) {
    const auto* factor = std::get_if<FactorRule>(&constraint.rule);
    const bool same_place = !entries.empty() && entries.back().place == place_of(constraint);
    const std::size_t last = same_place ? entries.back().rules.back().rule.index() : 0;
    const bool follows = constraint.rule.index() > last ||
                         (factor != nullptr && last == 0 && !dims.contains(factor->dim));
    if (!same_place || !follows) {
      entries.push_back({place_of(constraint), {}, {}});
      dims.clear();
    }
    if (factor != nullptr) dims.insert(factor->dim);
    entries.back().rules.push_back(constraint);
  }
  return entries;
}

}  // namespace

std::vector<ConstraintEntry> read_entries(Context& context, const Node& list) {
  std::vector<ConstraintEntry> entries;
  if (!context.expect_list(list, kConstraintsForm)) return entries;
  for (const Node& item : list.children) {
    ConstraintEntry entry;
    const std::size_t before = context.problem_count();
    read_fields(context, item, constraint_entry_fields(), entry, "an entry of the constraints");
    if (entry.rules.empty() && context.problem_count() == before) {
      context.complain(item, "this entry has no rule",
                       "add factors, order, dims, keep, bypass or least_use");
    }
    if (!entry.place.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Constraint> settle(Context& context, const Architecture& arch,
                               std::vector<ConstraintEntry> entries) {
  std::vector<Constraint> constraints;
  for (ConstraintEntry& entry : entries) {
    const Place place = place_from(arch, entry.place);
    const auto id = arch.find_level(place.level);
    if (!id) {
      complain_unknown_level(context, arch, place.level, entry.where);
      continue;
    }
    for (Constraint& rule : entry.rules) {
      rule.level = place.level;
      rule.axis = place.axis;
      if (!rule.axis && rule.is_per_axis()) rule.axis = only_axis(arch.level(*id));
      for (std::string& problem : problems_of(arch, rule)) {
        context.add({{rule.where, std::move(problem), ""}});
      }
      constraints.push_back(std::move(rule));
    }
  }
  return constraints;
}

std::optional<std::string> constraints_text(const std::vector<Constraint>& constraints) {
  if (constraints.empty()) return std::nullopt;
  std::string text;
  for (const ConstraintEntry& entry : entries_of(constraints)) {
    text += "\n  - " + join(write_fields(constraint_entry_fields(), entry), "\n    ");
  }
  return text;
}

Checked<std::vector<Constraint>> read_constraints(std::string_view text, const std::string& file,
                                                  const Architecture& arch) {
  Checked<Node> document = parse_document(text, file, "\"constraints:\" and a list");
  if (!document.value) return {std::nullopt, std::move(document.problems)};
  const Node& root = *document.value;
  Context context(file);
  std::vector<Constraint> constraints;
  read_fields(context, root, constraint_file_fields(), constraints, "the file of constraints");
  if (const Node* list = root.find(kConstraintsKey)) {
    constraints = settle(context, arch, read_entries(context, *list));
  }
  return context.checked(std::move(constraints));
}

std::string write_constraints(const std::vector<Constraint>& constraints) {
  return join(write_fields(constraint_file_fields(), constraints), "\n") + "\n";
}

}  // namespace tilewright::io
