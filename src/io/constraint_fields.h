// The fields of a list of constraints, in an architecture file or by itself.
#pragma once

#include "fields.h"
#include "tilewright/arch.h"

namespace tilewright::io {

// One entry of the list: rules for one place. The rules have no level and no
// axis yet; which are meant is known once the architecture is.
struct ConstraintEntry {
  std::string place;     // "Buffer", "Rows.y"
  SourcePosition where;  // of the place
  std::vector<Constraint> rules;
};

// A file with constraints and nothing else.
FieldTable<std::vector<Constraint>> constraint_file_fields();
FieldTable<ConstraintEntry> constraint_entry_fields();
FieldTable<OrderRule> order_fields();

// "all", "4" or "<= 4" for a dimension. Adds nothing after a complaint.
void read_factor(Context& context, const Node& dim, const Node& value, ConstraintEntry& entry);
void read_least_use(Context& context, const Node& node, ConstraintEntry& entry);
// The rule on what is kept, of which an entry has one; made where it lacks.
ResidenceRule& residence_of(ConstraintEntry& entry, const SourcePosition& where);

// Complaints about the form alone.
std::vector<ConstraintEntry> read_entries(Context& context, const Node& list);
// Gives the rules their places, and complains where they do not fit them.
std::vector<Constraint> settle(Context& context, const Architecture& arch,
                               std::vector<ConstraintEntry> entries);
// The list as a block; nothing if there are no constraints.
std::optional<std::string> constraints_text(const std::vector<Constraint>& constraints);

// For the tables of both kinds of file. A list is read when the levels are
// known, by read_entries and settle; the table only knows the key.
inline constexpr const char* kConstraintsKey = "constraints";
inline constexpr const char* kConstraintsForm =
    "a list of rules such as \"- {level: Buffer, factors: {M: 4}}\"";
inline constexpr const char* kConstraintsHelp = "what mappings must keep to, level by level";

inline constexpr const char* kFactorForm = "a bound such as \"4\", \"<= 4\", \">= 2\" or \"all\"";

}  // namespace tilewright::io
