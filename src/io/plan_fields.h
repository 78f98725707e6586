// The fields of a plan file.
#pragma once

#include "fields.h"

namespace tilewright::io {

// Parts are nodes for the reader, which needs the cascade to make sense of them.
struct PlanFile {
  std::string shared;
  const Node* plan = nullptr;
  const Node* nests = nullptr;
};

struct PlanNodeFile {
  std::string shared;
  const Node* loops = nullptr;
  const Node* keep = nullptr;
  const Node* local = nullptr;
  const Node* homes = nullptr;
  const Node* inside = nullptr;
};

FieldTable<PlanFile> plan_fields();
FieldTable<PlanNodeFile> plan_node_fields();

inline constexpr const char* kPlanForm = "a list of einsums and of maps with \"for\" and \"do\"";
inline constexpr const char* kNestsForm = "a map from einsums to mappings";
inline constexpr const char* kSharedLoopsForm = "a list such as \"[h 16, m 4]\" or \"[m by 50]\"";
inline constexpr const char* kKeepForm = "a map such as \"{K: h, V: 1}\"";
inline constexpr const char* kLocalForm = "a list such as \"[Q, O]\"";
inline constexpr const char* kHomesForm = "a map such as \"{S: L1}\"";

}  // namespace tilewright::io
