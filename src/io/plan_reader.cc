// Plans: trees of shared loops, what stays where, and a private nest for each einsum.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "mapping_fields.h"
#include "member_fields.h"
#include "tilewright/io.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

struct PlanFile {
  std::string shared;
  const Node* plan = nullptr;
  const Node* nests = nullptr;
};
struct PlanNodeFile {
  const Node* loops = nullptr;
  const Node* keep = nullptr;
  const Node* local = nullptr;
  const Node* inside = nullptr;
};

template <typename T>
std::optional<std::string> not_written_here(const T&) {
  return std::nullopt;
}

constexpr const char* kPlanForm = "a list of einsums and of maps with \"for\" and \"do\"";

constexpr auto kPlanFields = std::to_array<Field<PlanFile>>({
    member_field<&PlanFile::shared, read_name, quoted_if_needed>("shared", "the name of a memory",
                                                                 "the second memory from outside",
                                                                 "where intermediates stay"),
    node_field<PlanFile, &PlanFile::plan>({"plan", kPlanForm, nullptr, "the groups, in order"},
                                          not_written_here<PlanFile>),
    node_field<PlanFile, &PlanFile::nests>({"nests", "a map from einsums to mappings", nullptr,
                                            "a mapping for each einsum, or a list of several where "
                                            "its executions have different sizes, "
                                            "the largest first"},
                                           not_written_here<PlanFile>),
});
constexpr auto kPlanNodeFields = std::to_array<Field<PlanNodeFile>>({
    node_field<PlanNodeFile, &PlanNodeFile::loops>(
        {"for", "a list such as \"[h 16, m 4]\"", "no loop", "shared loops, outermost first"},
        not_written_here<PlanNodeFile>),
    node_field<PlanNodeFile, &PlanNodeFile::keep>(
        {"keep", "a map such as \"{K: h, V: 1}\"", "none",
         "tensors that stay below a loop of this node, or below so many loops of the path"},
        not_written_here<PlanNodeFile>),
    node_field<PlanNodeFile, &PlanNodeFile::local>(
        {"local", "a list such as \"[Q, O]\"", "intermediates",
         "tensors that are whole in the shared memory for one execution"},
        not_written_here<PlanNodeFile>),
    node_field<PlanNodeFile, &PlanNodeFile::inside>({"do", kPlanForm, nullptr, "what is inside"},
                                                    not_written_here<PlanNodeFile>),
});

class PlanReader {
 public:
  PlanReader(Context& context, const Cascade& cascade, const Architecture& arch)
      : context_(context), cascade_(cascade), arch_(arch) {}

  std::optional<Plan> read(const Node& root) {
    PlanFile file;
    read_fields(context_, root, FieldTable<PlanFile>(kPlanFields), file, "the plan");
    if (!context_.clean()) return std::nullopt;
    plan_ = unfused(cascade_,
                    file.shared.empty() ? default_shared_memory(arch_).value_or("") : file.shared);
    plan_.groups.clear();
    read_shared(root);
    if (!context_.expect_list(*file.plan, kPlanForm)) return std::nullopt;
    for (const Node& item : file.plan->children) {
      PlanNode node = read_node(item, 0);
      if (context_.clean()) plan_.groups.push_back(std::move(node));
    }
    if (!context_.clean()) return std::nullopt;
    make_intermediates_local();
    for (const std::string& problem : problems_of(cascade_, plan_)) {
      context_.complain(*file.plan, problem);
    }
    if (!context_.clean()) return std::nullopt;
    read_nests(*file.nests);
    if (!context_.clean()) return std::nullopt;
    return std::move(plan_);
  }

 private:
  void read_shared(const Node& root) {
    const auto level = arch_.find_level(plan_.shared);
    if (level && std::holds_alternative<Memory>(arch_.level(*level))) return;
    const Node* where = root.find("shared");
    std::vector<std::string> memories;
    for (const Level& one : arch_.levels) {
      if (std::holds_alternative<Memory>(one)) memories.push_back(name_of(one));
    }
    context_.complain(where != nullptr ? *where : root,
                      fmt::format("the architecture has no memory \"{}\"", plan_.shared),
                      suggestion(plan_.shared, memories, "its memories are"));
  }

  std::vector<std::string> einsum_names() const {
    std::vector<std::string> names;
    for (const CascadeEinsum& einsum : cascade_.einsums) names.push_back(einsum.workload.name);
    return names;
  }

  PlanNode read_node(const Node& item, int depth) {
    PlanNode node;
    if (item.is_scalar()) {
      const auto einsum = cascade_.find_einsum(item.text);
      if (!einsum) {
        context_.complain(item, fmt::format("the cascade has no einsum \"{}\"", item.text),
                          suggestion(item.text, einsum_names(), "its einsums are"));
      }
      node.einsum = einsum.value_or(0);
      return node;
    }
    PlanNodeFile file;
    if (depth > kDeepest) {
      context_.complain(item, "loops are nested too deeply");
      return node;
    }
    const std::size_t before = context_.problem_count();
    read_fields(context_, item, FieldTable<PlanNodeFile>(kPlanNodeFields), file, "a node");
    if (context_.problem_count() != before) return node;
    if (file.loops != nullptr) node.loops = read_loops_of(*file.loops);
    if (!context_.expect_list(*file.inside, kPlanForm)) return node;
    const int inside = depth + static_cast<int>(node.loops.size());
    for (const Node& child : file.inside->children) {
      node.children.push_back(read_node(child, inside));
    }
    if (node.children.empty()) context_.complain(*file.inside, "nothing is inside");
    if (!context_.clean()) return node;
    if (file.local != nullptr) read_local(*file.local, node);
    if (file.keep != nullptr) read_keep(*file.keep, node, depth);
    // Loops around a single leaf are its own.
    if (node.children.size() == 1) {
      PlanNode only = std::move(node.children.front());
      only.loops.insert(only.loops.begin(), node.loops.begin(), node.loops.end());
      return only;
    }
    return node;
  }

  std::vector<SharedLoop> read_loops_of(const Node& list) {
    std::vector<SharedLoop> loops;
    if (!context_.expect_list(list, "a list such as \"[h 16, m 4]\"")) return loops;
    for (const Node& item : list.children) {
      if (!context_.expect_scalar(item, "a loop such as \"m 4\"")) continue;
      const std::vector<std::string> words = words_of(item.text);
      const Node count = Node::scalar(words.size() == 2 ? words[1] : "", item.line, item.column);
      if (words.size() != 2) {
        context_.complain(item, fmt::format("\"{}\" is no loop", abbreviated(item.text)),
                          "write a dimension and a count, such as \"m 4\"");
      } else if (const auto number = read_count(context_, count)) {
        loops.push_back({words[0], *number});
      }
    }
    return loops;
  }

  void collect(const PlanNode& node, std::vector<int>& einsums) const {
    if (node.is_leaf()) einsums.push_back(node.einsum);
    for (const PlanNode& child : node.children) collect(child, einsums);
  }

  // Sets the placement of a tensor in all leaves of a node that have it.
  void place(const Node& where, const std::string& name, const PlanNode& node,
             const Placement& placement) {
    std::vector<int> einsums;
    std::vector<std::string> names;
    collect(node, einsums);
    bool found = false;
    for (const int e : einsums) {
      append(names, names_of(cascade_.workload(e).tensors));
      const auto tensor = cascade_.workload(e).find_tensor(name);
      if (!tensor) continue;
      plan_.leaves[at(e)].tensors[at(*tensor)] = placement;
      found = true;
    }
    if (found) return;
    context_.complain(where, fmt::format("no einsum under this node has a tensor \"{}\"", name),
                      suggestion(name, names, "their tensors are"));
  }

  void read_local(const Node& list, const PlanNode& node) {
    if (!context_.expect_list(list, "a list such as \"[Q, O]\"")) return;
    for (const Node& item : list.children) {
      if (const auto name = read_text(context_, item, "the name of a tensor")) {
        place(item, *name, node, {Placement::Kind::Local, 0});
      }
    }
  }

  void read_keep(const Node& map, const PlanNode& node, int depth) {
    if (!context_.expect_map(map, "a map such as \"{K: h, V: 1}\"")) return;
    for (const std::size_t entry : context_.usable_entries(map)) {
      const Node& value = map.value(entry);
      if (!context_.expect_scalar(value, "a loop of this node, or a number of loops")) continue;
      const auto below = depth_in(value, node, depth);
      if (below) place(map.key(entry), map.key(entry).text, node, {Placement::Kind::Kept, *below});
    }
  }

  // Below the innermost loop over a dimension, or below so many loops.
  std::optional<int> depth_in(const Node& value, const PlanNode& node, int depth) {
    int number = 0;
    const char* end = value.text.data() + value.text.size();
    const auto [rest, error] = std::from_chars(value.text.data(), end, number);
    if (error == std::errc() && rest == end && number >= 0) return number;
    for (std::size_t k = node.loops.size(); k-- > 0;) {
      if (node.loops[k].dim == value.text) return depth + static_cast<int>(k) + 1;
    }
    std::vector<std::string> dims;
    for (const SharedLoop& loop : node.loops) dims.push_back(loop.dim);
    context_.complain(value,
                      fmt::format("this node has no loop over \"{}\"", abbreviated(value.text)),
                      suggestion(value.text, dims, "its loops are over"));
    return std::nullopt;
  }

  void make_intermediates_local() {
    for (const Intermediate& one : intermediates_of(cascade_)) {
      const EinsumRange group = group_of(plan_, one.writer);
      Placement& placement = plan_.leaves[at(one.writer)].tensors.back();
      const bool inside = group.has(one.readers.front().einsum);
      if (inside && placement.kind == Placement::Kind::Streamed) {
        placement = {Placement::Kind::Local, 0};
      }
    }
  }

  void read_nests(const Node& map) {
    if (!context_.expect_map(map, "a map from einsums to mappings")) return;
    for (const std::size_t entry : context_.usable_entries(map)) {
      const auto einsum = cascade_.find_einsum(map.key(entry).text);
      if (einsum) {
        read_nests_of(*einsum, map.value(entry));
      } else {
        context_.complain(map.key(entry),
                          fmt::format("the cascade has no einsum \"{}\"", map.key(entry).text),
                          suggestion(map.key(entry).text, einsum_names(), "its einsums are"));
      }
    }
    for (const std::string& name : einsum_names()) {
      if (map.find(name) == nullptr) {
        context_.complain(map, fmt::format("{} has no nest", name),
                          fmt::format("add \"{}: {{levels: ...}}\"", name));
      }
    }
  }

  void read_nests_of(int einsum, const Node& value) {
    const std::vector<Execution> executions = executions_of(cascade_, plan_, einsum);
    const std::size_t given = value.is_list() ? value.children.size() : 1;
    if (given != executions.size()) {
      context_.complain(
          value,
          fmt::format("{} is executed in {} sizes: {}", cascade_.workload(einsum).name,
                      executions.size(), sizes_of(einsum, executions)),
          "write a list of mappings, one for each in this order");
      return;
    }
    for (std::size_t i = 0; i < executions.size(); ++i) {
      const Node& node = value.is_list() ? value.children[i] : value;
      const Checked<Problem> problem =
          leaf_problem(cascade_.workload(einsum), arch_, plan_.shared,
                       residents_of(cascade_, plan_, einsum), executions[i].extents);
      for (const Diagnostic& one : problem.problems) context_.complain(node, one.message, one.hint);
      if (!problem.ok()) continue;
      if (auto mapping = mapping_from(context_, node, *problem.value)) {
        plan_.leaves[at(einsum)].nests.push_back(
            {std::move(mapping->problem), std::move(mapping->mapping)});
      }
    }
  }

  std::string sizes_of(int einsum, const std::vector<Execution>& executions) const {
    std::vector<std::string> texts;
    for (const Execution& execution : executions) {
      Workload reduced = cascade_.workload(einsum);
      for (std::size_t d = 0; d < execution.extents.size(); ++d) {
        reduced.dims[d].size = execution.extents[d];
      }
      texts.push_back(sizes_text(reduced));
    }
    return join(texts, "; ");
  }

  static constexpr int kDeepest = 40;
  Context& context_;
  const Cascade& cascade_;
  const Architecture& arch_;
  Plan plan_;
};

// --- writing ----------------------------------------------------------------------

std::string node_text(const Cascade& cascade, const Plan& plan, const PlanNode& node, int indent) {
  const std::string margin(at(indent), ' ');
  std::vector<std::string> loops, keep, local, einsums;
  for (const SharedLoop& loop : node.loops) {
    loops.push_back(fmt::format("{} {}", loop.dim, loop.count));
  }
  if (!node.is_leaf()) {
    std::string text = fmt::format("{}- for: [{}]\n{}  do:\n", margin, join(loops, ", "), margin);
    for (const PlanNode& child : node.children) {
      text += node_text(cascade, plan, child, indent + 4);
    }
    return text;
  }
  const Workload& workload = cascade.workload(node.einsum);
  for (std::size_t t = 0; t < workload.tensors.size(); ++t) {
    const Placement& one = plan.leaves[at(node.einsum)].tensors[t];
    const std::string name = quoted_if_needed(workload.tensors[t].name);
    if (one.kind == Placement::Kind::Local) local.push_back(name);
    if (one.kind == Placement::Kind::Kept) keep.push_back(fmt::format("{}: {}", name, one.depth));
  }
  return fmt::format("{0}- for: [{1}]\n{0}  keep: {{{2}}}\n{0}  local: [{3}]\n{0}  do: [{4}]\n",
                     margin, join(loops, ", "), join(keep, ", "), join(local, ", "),
                     quoted_if_needed(workload.name));
}

std::string indented(const std::string& text, const std::string& first, const std::string& rest) {
  std::string out;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1);
    out += (start == 0 ? first : rest) + text.substr(start, end - start + 1);
    start = end + 1;
  }
  return out;
}

}  // namespace

Checked<Plan> read_plan(std::string_view text, const std::string& file, const Cascade& cascade,
                        const Architecture& arch) {
  Checked<Node> document = parse_document(text, file, "\"plan:\"");
  if (!document.value) return {std::nullopt, std::move(document.problems)};
  Context context(file);
  auto plan = PlanReader(context, cascade, arch).read(*document.value);
  return {std::move(plan), context.take_problems()};
}

std::string write_plan(const Cascade& cascade, const Plan& plan) {
  std::string text = fmt::format("shared: {}\nplan:\n", quoted_if_needed(plan.shared));
  for (const PlanNode& group : plan.groups) text += node_text(cascade, plan, group, 2);
  text += "nests:\n";
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    const std::vector<PrivateNest>& nests = plan.leaves[at(e)].nests;
    text += fmt::format("  {}:\n", quoted_if_needed(cascade.workload(e).name));
    for (const PrivateNest& nest : nests) {
      const bool list = nests.size() > 1;
      text += indented(write_mapping(nest.problem, nest.mapping), list ? "    - " : "    ",
                       list ? "      " : "    ");
    }
  }
  return text;
}

}  // namespace tilewright::io
