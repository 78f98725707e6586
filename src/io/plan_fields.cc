#include "plan_fields.h"

#include "member_fields.h"

namespace tilewright::io {

namespace {

constexpr auto kPlanFields = std::to_array<Field<PlanFile>>({
    member_field<&PlanFile::shared, read_name, quoted_if_needed>("shared", "the name of a memory",
                                                                 "the second memory from outside",
                                                                 "where intermediates stay"),
    node_field<PlanFile, &PlanFile::plan>({"plan", kPlanForm, nullptr, "the groups, in order"}),
    node_field<PlanFile, &PlanFile::nests>(
        {"nests", kNestsForm, "those of least energy",
         "a mapping for each einsum, or a list of several where its executions have different "
         "sizes, the largest first; for einsums without one the best is looked for"}),
});

constexpr auto kPlanNodeFields = std::to_array<Field<PlanNodeFile>>({
    member_field<&PlanNodeFile::shared, read_name, quoted_if_needed>(
        "shared", "the name of a memory", "that of the plan",
        "of a whole group: where its intermediates stay"),
    node_field<PlanNodeFile, &PlanNodeFile::loops>(
        {"for", kSharedLoopsForm, "no loop", "shared loops, outermost first"}),
    node_field<PlanNodeFile, &PlanNodeFile::keep>(
        {"keep", kKeepForm, "none",
         "tensors that stay below a loop of this node, or below so many loops of the path"}),
    node_field<PlanNodeFile, &PlanNodeFile::local>(
        {"local", kLocalForm, "intermediates",
         "tensors that are whole in the shared memory for one execution"}),
    node_field<PlanNodeFile, &PlanNodeFile::homes>(
        {"homes", kHomesForm, "what the group shares",
         "memories that local or kept tensors are in instead"}),
    node_field<PlanNodeFile, &PlanNodeFile::inside>({"do", kPlanForm, nullptr, "what is inside"}),
});

}  // namespace

FieldTable<PlanFile> plan_fields() { return kPlanFields; }
FieldTable<PlanNodeFile> plan_node_fields() { return kPlanNodeFields; }

}  // namespace tilewright::io
