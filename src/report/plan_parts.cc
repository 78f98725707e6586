#include "report/plan_parts.h"

#include <fmt/format.h>

#include "base/text.h"

namespace tilewright::report {
namespace {

std::string placement_text(const Placement& placement) {
  switch (placement.kind) {
    case Placement::Kind::Streamed:
      return "streamed";
    case Placement::Kind::Local:
      return "local";
    case Placement::Kind::Kept:
      break;
  }
  if (placement.depth == 0) return "kept throughout";
  return placement.depth == 1 ? "kept below the first loop"
                              : fmt::format("kept below the first {} loops", placement.depth);
}

// That of an intermediate stands with its writer.
const Placement& placement_of(const PlanView& view, int einsum, int tensor) {
  const EinsumRange group = group_of(view.plan, einsum);
  const std::string& name = view.cascade.workload(einsum).tensors[at(tensor)].name;
  for (int writer = group.first; writer < einsum; ++writer) {
    if (view.cascade.workload(writer).tensors.back().name != name) continue;
    return view.plan.leaves[at(writer)].tensors.back();
  }
  return view.plan.leaves[at(einsum)].tensors[at(tensor)];
}

// The memory that a resident is in, where its group shares another one; else empty.
std::string other_home(const PlanView& view, int einsum, int tensor) {
  const Placement& placement = placement_of(view, einsum, tensor);
  const bool streamed = placement.kind == Placement::Kind::Streamed;
  return streamed || placement.home == shared_of(view.plan, einsum) ? "" : placement.home;
}

// The memories in which something stays: those that groups share, and other homes.
std::vector<std::string> shared_memories(const PlanView& view) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && !contains(names, name)) names.push_back(name);
  };
  for (int e = 0; e < view.cascade.einsum_count(); ++e) add(shared_of(view.plan, e));
  for (int e = 0; e < view.cascade.einsum_count(); ++e) {
    for (int t = 0; t < view.cascade.workload(e).tensor_count(); ++t) add(other_home(view, e, t));
  }
  return names;
}

// Words that are live, by memory where there are several.
std::string live_text(const PlanView& view, int einsum, bool with_names) {
  const LeafReport& leaf = view.evaluation.leaves[at(einsum)];
  if (!with_names) return grouped(leaf.live_words);
  std::string text =
      fmt::format("{} in {}", grouped(leaf.live_words), shared_of(view.plan, einsum));
  for (const LiveRoom& room : leaf.elsewhere) {
    text += fmt::format(", {} in {}", grouped(room.words), room.memory);
  }
  return text;
}

Int128 outer_words(const LeafReport& leaf, int tensor) {
  const Traffic& outside = leaf.memories.front().total[at(tensor)];
  return outside.reads + outside.updates;
}

void add_node(const PlanNode& node, const Cascade& cascade, int indent, std::string& text) {
  const std::string margin(at(2 * indent), ' ');
  for (const SharedLoop& loop : node.loops) {
    text += fmt::format("{}for {} in {}{}\n", margin, loop.dim, loop.count,
                        loop.tile == 0 ? "" : fmt::format(", by {}", loop.tile));
  }
  const int inside = indent + (node.loops.empty() ? 0 : 1);
  for (const PlanNode& child : node.children) add_node(child, cascade, inside, text);
  if (!node.is_leaf()) return;
  text +=
      fmt::format("{}{}\n", std::string(at(2 * inside), ' '), cascade.workload(node.einsum).name);
}

double group_pj(const PlanView& view, const EinsumRange& group) {
  double pj = 0;
  for (int e = group.first; e <= group.last; ++e) pj += view.evaluation.leaves[at(e)].energy_pj;
  return pj;
}

// In order.
std::vector<EinsumRange> groups_of(const Plan& plan) {
  std::vector<EinsumRange> groups;
  const int einsums = static_cast<int>(plan.leaves.size());
  for (int e = 0; e < einsums; e = groups.back().last + 1) groups.push_back(group_of(plan, e));
  return groups;
}

const char* kind_text(Placement::Kind kind) {
  if (kind == Placement::Kind::Streamed) return "streamed";
  return kind == Placement::Kind::Local ? "local" : "kept";
}

Json tensors_json(const PlanView& view, int einsum) {
  const Workload& workload = view.cascade.workload(einsum);
  Json tensors = Json::array();
  for (int t = 0; t < workload.tensor_count(); ++t) {
    const Placement& placement = placement_of(view, einsum, t);
    const bool kept = placement.kind == Placement::Kind::Kept;
    Json tensor = {{"name", workload.tensors[at(t)].name},
                   {"placement", kind_text(placement.kind)},
                   {"below_loops", kept ? Json(placement.depth) : Json(nullptr)},
                   {"outer_words", outer_words(view.evaluation.leaves[at(einsum)], t)}};
    const std::string home = other_home(view, einsum, t);
    if (!home.empty()) tensor["home"] = home;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Json memories_json(const PlanView& view, int einsum) {
  const Workload& workload = view.cascade.workload(einsum);
  return array_of(view.evaluation.leaves[at(einsum)].memories, [&](const LeafMemory& memory) {
    Json tensors = Json::array();
    for (std::size_t t = 0; t < workload.tensors.size(); ++t) {
      tensors.push_back({{"name", workload.tensors[t].name},
                         {"reads", memory.total[t].reads},
                         {"fills", memory.total[t].fills},
                         {"updates", memory.total[t].updates},
                         {"energy_pj", memory.energy_pj[t]}});
    }
    return Json{{"name", memory.name},
                {"instances", memory.instances},
                {"leakage_pj", memory.leakage_pj},
                {"tensors", std::move(tensors)}};
  });
}

Json live_json(const PlanView& view, const std::vector<LiveTensor>& live) {
  return array_of(live, [&](const LiveTensor& tensor) {
    return Json{{"name", tensor.name},
                {"einsum", view.cascade.workload(tensor.einsum).name},
                {"is_state", tensor.is_state},
                {"words", tensor.words}};
  });
}

Json loops_json(const PlanView& view, int einsum) {
  return array_of(path_of(view.plan, einsum), [&](const PathLoop& one) {
    Json loop{{"dim", one.loop.dim},
              {"count", one.loop.count},
              {"first", view.cascade.workload(one.first).name},
              {"last", view.cascade.workload(one.last).name}};
    if (one.loop.tile != 0) loop["tile"] = one.loop.tile;
    return loop;
  });
}

std::int64_t executions(const LeafReport& leaf) {
  std::int64_t count = 0;
  for (const Execution& execution : leaf.executions) count += execution.count;
  return count;
}

Json einsum_json(const PlanView& view, int einsum) {
  const LeafReport& leaf = view.evaluation.leaves[at(einsum)];
  Json json{{"name", view.cascade.workload(einsum).name},
            {"group_first", view.cascade.workload(group_of(view.plan, einsum).first).name},
            {"executions", executions(leaf)},
            {"macs", leaf.macs},
            {"energy_pj", leaf.energy_pj},
            {"compute_pj", leaf.compute_pj},
            {"network_pj", leaf.network_pj},
            {"afterwards_pj", leaf.afterwards_pj},
            {"cycles", leaf.cycles},
            {"limited_by", leaf.limit},
            {"live_words", leaf.live_words},
            {"live", live_json(view, leaf.live)},
            {"shared_loops", loops_json(view, einsum)},
            {"tensors", tensors_json(view, einsum)},
            {"memories", memories_json(view, einsum)}};
  const std::string& shared = shared_of(view.plan, einsum);
  if (shared != view.plan.shared) json["shared"] = shared;
  if (leaf.elsewhere.empty()) return json;
  json["live_elsewhere"] = array_of(leaf.elsewhere, [&](const LiveRoom& room) {
    return Json{
        {"memory", room.memory}, {"words", room.words}, {"live", live_json(view, room.live)}};
  });
  return json;
}

}  // namespace

std::string energies_text(const Architecture& arch) {
  if (takes_energy(arch)) return "";
  return fmt::format("  all energies of {} are 0: cycles alone tell plans apart\n", arch.name);
}

std::string times_less(double before, double after) {
  return fmt::format("{:.2f}", before == after ? 1.0 : before / after);
}

std::string shared_text(const PlanView& view) { return list_of(shared_memories(view)); }

std::string groups_text(const PlanView& view) {
  std::string text;
  const std::vector<EinsumRange> groups = groups_of(view.plan);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    text += fmt::format("Group {}: {}\n", g + 1, energy(group_pj(view, groups[g])));
    add_node(view.plan.groups[g], view.cascade, 1, text);
  }
  return text;
}

Table einsum_table(const PlanView& view) {
  const std::vector<std::string> shared = shared_memories(view);
  const bool several = shared.size() > 1;
  Table table({{"einsum", Align::Left},
               {"energy"},
               {"cycles"},
               {"limited by", Align::Left},
               {several ? "words live" : fmt::format("words live in {}", shared.front())}});
  for (int e = 0; e < view.cascade.einsum_count(); ++e) {
    const LeafReport& leaf = view.evaluation.leaves[at(e)];
    table.add({view.cascade.workload(e).name, energy(leaf.energy_pj), grouped(leaf.cycles),
               leaf.limit, live_text(view, e, several)});
  }
  return table;
}

Table tensor_table(const PlanView& view) {
  const std::string& outermost = view.evaluation.leaves.front().memories.front().name;
  const std::vector<std::string> shared = shared_memories(view);
  const bool several = shared.size() > 1;
  Table table({{"einsum", Align::Left},
               {"tensor", Align::Left},
               {several ? "on the chip" : fmt::format("in {}", shared.front()), Align::Left},
               {fmt::format("words to and from {}", outermost)}});
  for (int e = 0; e < view.cascade.einsum_count(); ++e) {
    const Workload& workload = view.cascade.workload(e);
    for (int t = 0; t < workload.tensor_count(); ++t) {
      const Placement& placement = placement_of(view, e, t);
      const std::string home = other_home(view, e, t);
      const bool streamed = placement.kind == Placement::Kind::Streamed;
      const std::string where =
          several && !streamed ? " in " + (home.empty() ? shared_of(view.plan, e) : home) : "";
      table.add({workload.name, workload.tensors[at(t)].name, placement_text(placement) + where,
                 grouped(outer_words(view.evaluation.leaves[at(e)], t))});
    }
  }
  return table;
}

Table memory_table(const PlanView& view) {
  Table table({{"einsum", Align::Left},
               {"memory", Align::Left},
               {"tensor", Align::Left},
               {"reads"},
               {"fills"},
               {"updates"},
               {"energy"}});
  for (int e = 0; e < view.cascade.einsum_count(); ++e) {
    const Workload& workload = view.cascade.workload(e);
    for (const LeafMemory& memory : view.evaluation.leaves[at(e)].memories) {
      for (std::size_t t = 0; t < workload.tensors.size(); ++t) {
        const Traffic& words = memory.total[t];
        if (words.reads + words.fills + words.updates == 0) continue;
        table.add({workload.name, memory.name, workload.tensors[t].name, grouped(words.reads),
                   grouped(words.fills), grouped(words.updates), energy(memory.energy_pj[t])});
      }
    }
  }
  return table;
}

Json group_energies(const PlanView& view) {
  return array_of(groups_of(view.plan),
                  [&](const EinsumRange& group) { return Json(group_pj(view, group)); });
}

Json einsums_json(const PlanView& view) {
  Json einsums = Json::array();
  for (int e = 0; e < view.cascade.einsum_count(); ++e) einsums.push_back(einsum_json(view, e));
  return einsums;
}

}  // namespace tilewright::report
