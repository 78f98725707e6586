// Plans: trees of shared loops, what stays where, and a private nest for each einsum.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "mapping_fields.h"
#include "plan_fields.h"
#include "tilewright/io.h"
#include "values.h"
#include "yaml.h"

namespace tilewright::io {

namespace {

class PlanReader {
 public:
  PlanReader(Context& context, const Cascade& cascade, const Architecture& arch)
      : context_(context), cascade_(cascade), arch_(arch) {}

  std::optional<Plan> read(const Node& root) {
    PlanFile file;
    read_fields(context_, root, plan_fields(), file, "the plan");
    if (!context_.clean()) return std::nullopt;
    plan_ = unfused(cascade_,
                    file.shared.empty() ? default_shared_memory(arch_).value_or("") : file.shared);
    plan_.groups.clear();
    leaf_nodes_.resize(cascade_.einsums.size(), nullptr);
    loop_nodes_.resize(cascade_.einsums.size());
    check_shared(root);
    if (!context_.expect_list(*file.plan, kPlanForm)) return std::nullopt;
    for (const Node& item : file.plan->children) {
      PlanNode node = read_node(item, 0, /*is_group=*/true);
      if (context_.clean()) plan_.groups.push_back(std::move(node));
    }
    if (!context_.clean()) return std::nullopt;
    make_intermediates_local();
    for (const PlanProblem& problem : located_problems_of(cascade_, plan_)) {
      context_.complain(place_of(problem, *file.plan), problem.message);
    }
    if (!context_.clean()) return std::nullopt;
    if (file.nests != nullptr) read_nests(*file.nests);
    if (!context_.clean()) return std::nullopt;
    return std::move(plan_);
  }

 private:
  void check_shared(const Node& root) {
    const Node* where = root.find("shared");
    check_memory(where != nullptr ? *where : root, plan_.shared);
  }

  // Complains if the architecture has no such memory.
  void check_memory(const Node& where, const std::string& name) {
    const auto level = arch_.find_level(name);
    if (level && std::holds_alternative<Memory>(arch_.level(*level))) return;
    std::vector<std::string> memories;
    for (const Level& one : arch_.levels) {
      if (std::holds_alternative<Memory>(one)) memories.push_back(name_of(one));
    }
    context_.complain(where, fmt::format("the architecture has no memory \"{}\"", name),
                      suggestion(name, memories, "its memories are"));
  }

  // The node of a problem: of the loop, of the leaf, or of the whole plan.
  const Node& place_of(const PlanProblem& problem, const Node& whole) const {
    if (!problem.einsum || leaf_nodes_[at(*problem.einsum)] == nullptr) return whole;
    const std::vector<const Node*>& loops = loop_nodes_[at(*problem.einsum)];
    if (problem.loop && at(*problem.loop) < loops.size()) return *loops[at(*problem.loop)];
    return *leaf_nodes_[at(*problem.einsum)];
  }

  std::vector<std::string> einsum_names() const {
    std::vector<std::string> names;
    for (const CascadeEinsum& einsum : cascade_.einsums) names.push_back(einsum.workload.name);
    return names;
  }

  PlanNode read_leaf(const Node& item) {
    PlanNode node;
    const auto einsum = cascade_.find_einsum(item.text);
    node.einsum = einsum.value_or(0);
    if (!einsum) {
      context_.complain(item,
                        fmt::format("the cascade has no einsum \"{}\"", abbreviated(item.text)),
                        suggestion(item.text, einsum_names(), "its einsums are"));
    } else if (leaf_nodes_[at(*einsum)] != nullptr) {
      context_.complain(item, fmt::format("{} is done a second time", abbreviated(item.text)),
                        "each einsum stands in the plan once");
    } else {
      leaf_nodes_[at(*einsum)] = &item;
      loop_nodes_[at(*einsum)] = above_;
    }
    return node;
  }

  PlanNode read_node(const Node& item, int depth, bool is_group = false) {
    if (item.is_scalar()) return read_leaf(item);
    PlanNode node;
    PlanNodeFile file;
    const std::size_t before = context_.problem_count();
    read_fields(context_, item, plan_node_fields(), file, "a node");
    if (context_.problem_count() != before) return node;
    if (!file.shared.empty()) read_shared(*item.find("shared"), file.shared, is_group, node);
    const std::size_t loops_above = above_.size();
    if (file.loops != nullptr) node.loops = read_loops_of(*file.loops);
    const int inside = depth + static_cast<int>(node.loops.size());
    if (context_.expect_list(*file.inside, kPlanForm)) {
      for (const Node& child : file.inside->children) {
        node.children.push_back(read_node(child, inside));
      }
      if (node.children.empty()) context_.complain(*file.inside, "nothing is inside");
    }
    above_.resize(loops_above);
    if (!context_.clean()) return node;
    if (file.local != nullptr) read_local(*file.local, node);
    if (file.keep != nullptr) read_keep(*file.keep, node, depth);
    if (file.homes != nullptr) read_homes(*file.homes, node);
    // Loops around a single leaf are its own.
    if (node.children.size() == 1) {
      PlanNode only = std::move(node.children.front());
      only.loops.insert(only.loops.begin(), node.loops.begin(), node.loops.end());
      only.shared = std::move(node.shared);
      return only;
    }
    return node;
  }

  void read_shared(const Node& where, const std::string& name, bool is_group, PlanNode& node) {
    if (!is_group) {
      context_.complain(where, "a group shares one memory as a whole",
                        "write \"shared\" beside its outermost loops, or say of single tensors "
                        "where they are by \"homes\"");
    }
    check_memory(where, name);
    node.shared = name;
  }

  // A loop over pieces of this length. A dimension has one size in all einsums.
  SharedLoop loop_by(const std::string& name, std::int64_t tile) const {
    for (const CascadeEinsum& einsum : cascade_.einsums) {
      const auto dim = einsum.workload.find_dim(name);
      if (!dim) continue;
      const std::int64_t size = einsum.workload.dim(*dim).size;
      return {name, (size - 1) / tile + 1, size % tile == 0 ? 0 : tile};
    }
    return {name, 2, tile};  // which is complained about, as other loops without a dimension
  }

  std::vector<SharedLoop> read_loops_of(const Node& list) {
    std::vector<SharedLoop> loops;
    if (!context_.expect_list(list, kSharedLoopsForm)) return loops;
    for (const Node& item : list.children) {
      if (!context_.expect_scalar(item, "a loop such as \"m 4\"")) continue;
      const std::vector<std::string> words = words_of(item.text);
      const bool by = words.size() == 3 && words[1] == "by";
      if (words.size() != 2 && !by) {
        context_.complain(item, fmt::format("\"{}\" is no loop", abbreviated(item.text)),
                          "write a dimension and a count, such as \"m 4\", or the length of its "
                          "pieces, such as \"m by 50\"");
        continue;
      }
      const auto number = read_count(context_, Node::scalar(words.back(), item.line, item.column));
      if (!number) continue;
      loops.push_back(by ? loop_by(words[0], *number) : SharedLoop{words[0], *number});
      above_.push_back(&item);
    }
    if (above_.size() > kMostLoops) {
      context_.complain(list, fmt::format("more than {} loops are around each other", kMostLoops));
    }
    return loops;
  }

  void collect(const PlanNode& node, std::vector<int>& einsums) const {
    if (node.is_leaf()) einsums.push_back(node.einsum);
    for (const PlanNode& child : node.children) collect(child, einsums);
  }

  // Changes the placement of a tensor in all leaves of a node that have it.
  template <class Change>
  void place(const Node& where, const std::string& name, const PlanNode& node, Change change) {
    std::vector<int> einsums;
    std::vector<std::string> names;
    collect(node, einsums);
    bool found = false;
    for (const int e : einsums) {
      for (const std::string& one : names_of(cascade_.workload(e).tensors)) {
        if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
      }
      const auto tensor = cascade_.workload(e).find_tensor(name);
      if (!tensor) continue;
      change(plan_.leaves[at(e)].tensors[at(*tensor)]);
      found = true;
    }
    if (found) return;
    context_.complain(where, fmt::format("no einsum under this node has a tensor \"{}\"", name),
                      suggestion(name, names, "their tensors are"));
  }

  void read_local(const Node& list, const PlanNode& node) {
    if (!context_.expect_list(list, kLocalForm)) return;
    for (const Node& item : list.children) {
      if (const auto name = read_text(context_, item, "the name of a tensor")) {
        place(item, *name, node, [](Placement& one) {
          one.kind = Placement::Kind::Local;
          one.depth = 0;
        });
      }
    }
  }

  void read_keep(const Node& map, const PlanNode& node, int depth) {
    if (!context_.expect_map(map, kKeepForm)) return;
    for (const std::size_t entry : context_.usable_entries(map)) {
      const Node& value = map.value(entry);
      if (!context_.expect_scalar(value, "a loop of this node, or a number of loops")) continue;
      const auto below = depth_in(value, node, depth);
      if (!below) continue;
      place(map.key(entry), map.key(entry).text, node, [&](Placement& one) {
        one.kind = Placement::Kind::Kept;
        one.depth = *below;
      });
    }
  }

  void read_homes(const Node& map, const PlanNode& node) {
    if (!context_.expect_map(map, kHomesForm)) return;
    for (const std::size_t entry : context_.usable_entries(map)) {
      const auto memory = read_text(context_, map.value(entry), "the name of a memory");
      if (!memory) continue;
      check_memory(map.value(entry), *memory);
      place(map.key(entry), map.key(entry).text, node, [&](Placement& one) { one.home = *memory; });
    }
  }

  // Below the innermost loop over a dimension, or below so many loops.
  std::optional<int> depth_in(const Node& value, const PlanNode& node, int depth) {
    const auto number = number_in<int>(value.text);
    if (number && *number >= 0) return number;
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
        placement.kind = Placement::Kind::Local;
      }
    }
  }

  void read_nests(const Node& map) {
    if (!context_.expect_map(map, kNestsForm)) return;
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
  }

  void read_nests_of(int einsum, const Node& value) {
    const std::vector<Execution> executions = executions_of(cascade_, plan_, einsum);
    const std::size_t given = value.is_list() ? value.children.size() : 1;
    if (given != executions.size()) {
      context_.complain(
          value,
          fmt::format("{} is executed in {} size{}: {}", cascade_.workload(einsum).name,
                      executions.size(), executions.size() == 1 ? "" : "s",
                      sizes_of(einsum, executions)),
          "write a list of mappings, one for each in this order");
      return;
    }
    for (std::size_t i = 0; i < executions.size(); ++i) {
      const Node& node = value.is_list() ? value.children[i] : value;
      const Checked<Problem> problem =
          leaf_problem(cascade_.workload(einsum), arch_, homes_of(cascade_, plan_, einsum),
                       executions[i].extents);
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

  // Each loop halves a dimension at least.
  static constexpr std::size_t kMostLoops = 256;
  Context& context_;
  const Cascade& cascade_;
  const Architecture& arch_;
  Plan plan_;
  std::vector<const Node*> above_;                    // the loops that are around what is read
  std::vector<const Node*> leaf_nodes_;               // by einsum; null if it has none yet
  std::vector<std::vector<const Node*>> loop_nodes_;  // by einsum: those of its path
};

}  // namespace

Checked<Plan> read_plan(std::string_view text, const std::string& file, const Cascade& cascade,
                        const Architecture& arch) {
  Checked<Node> document = parse_document(text, file, "\"plan:\"");
  if (!document.value) return {std::nullopt, std::move(document.problems)};
  Context context(file);
  auto plan = PlanReader(context, cascade, arch).read(*document.value);
  return {std::move(plan), context.take_problems()};
}

}  // namespace tilewright::io
