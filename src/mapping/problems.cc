#include <fmt/format.h>

#include "base/text.h"
#include "tilewright/mapping.h"

namespace tilewright {

namespace {

using Problems = std::vector<std::string>;

std::string product_text(const std::vector<std::int64_t>& factors) {
  const auto product = checked_product(factors);
  return product ? fmt::format("{}", *product) : "more than 2^60";
}

// "DRAM 4 x array.x 7", the bounds of a dimension that are not 1.
struct BoundList {
  std::string text;
  std::vector<std::int64_t> factors;
};

BoundList bounds_of(const Problem& problem, const Mapping& mapping, DimId dim) {
  BoundList list;
  for (int slot = 0; slot < problem.slot_count(); ++slot) {
    const std::int64_t bound = mapping.bound(slot, dim);
    if (bound == 1) continue;
    if (!list.text.empty()) list.text += " x ";
    list.text += fmt::format("{} {}", problem.slot_name(slot), bound);
    list.factors.push_back(bound);
  }
  if (list.factors.empty()) list.text = "all 1";
  return list;
}

void check_dimension(const Problem& problem, const Mapping& mapping, DimId dim,
                     Problems& problems) {
  const Dimension& dimension = problem.workload().dim(dim);
  std::int64_t left = dimension.size;
  for (int slot = problem.slot_count() - 1; slot >= 0; --slot) {
    const std::int64_t bound = mapping.bound(slot, dim);
    if (bound < 1) {
      add_text(problems, "{} has bound {} for {}; bounds are at least 1", problem.slot_name(slot),
               bound, dimension.name);
      return;
    }
    if (bound > left) {
      add_text(problems,
               "{} has bound {} for {}, but the levels inside it leave {} of its {} "
               "iterations",
               problem.slot_name(slot), bound, dimension.name, left, dimension.size);
      return;
    }
    left = left / bound + (left % bound != 0 ? 1 : 0);
  }
  if (left > 1) {
    const BoundList list = bounds_of(problem, mapping, dim);
    add_text(problems,
             "the bounds of {} ({}) multiply to {}, but its size is {}: {} times more is needed",
             dimension.name, list.text, product_text(list.factors), dimension.size, left);
  }
}

void check_kept_tensors(const Problem& problem, const Mapping& mapping, Problems& problems) {
  for (int t = 0; t < problem.tensor_count(); ++t) {
    const std::string& tensor = problem.workload().tensor(TensorId{t}).name;
    bool kept = false;
    for (int m = 0; m < problem.memory_count(); ++m) {
      const MemoryUse& use = problem.use(MemoryId{m});
      const bool here = mapping.keeps(MemoryId{m}, TensorId{t});
      const Residence hardware = use.residence[at(t)];
      const std::string& name = problem.memory(MemoryId{m}).name;
      if (here && hardware == Residence::Bypass) {
        add_text(problems, "the mapping keeps {} in {}, which the architecture makes it bypass",
                 tensor, name);
      }
      if (!here && hardware == Residence::Keep) {
        add_text(problems, "the mapping lets {} bypass {}, which the architecture makes keep it",
                 tensor, name);
      }
      kept = kept || here;
    }
    if (!kept) add_text(problems, "no memory keeps {}", tensor);
  }
}

// The outermost keeper of a tensor holds all that it ever serves, wherever its point stands.
// So it stands at the outer end of its memory.
void check_homes(const Problem& problem, const Mapping& mapping, Problems& problems) {
  for (int t = 0; t < problem.tensor_count(); ++t) {
    int home = 0;
    while (home < problem.memory_count() && !mapping.keeps(MemoryId{home}, TensorId{t})) ++home;
    if (home == 0 || home == problem.memory_count()) continue;
    const Memory& memory = problem.memory(MemoryId{home});
    const Memory& outside = problem.memory(MemoryId{home - 1});
    if (memory.point_of.empty() || memory.point_of != outside.point_of) continue;
    add_text(problems, "{} is the outermost memory that keeps {}, so {} must be at its first point",
             memory.point_of, problem.workload().tensor(TensorId{t}).name,
             problem.workload().tensor(TensorId{t}).name);
  }
}

void check_allowed(const Problem& problem, const Mapping& mapping, int slot, Problems& problems) {
  const Slot& where = problem.slots()[at(slot)];
  std::string allowed;
  for (int d = 0; d < problem.dim_count(); ++d) {
    if (((where.allowed_dims >> d) & 1U) == 0) continue;
    if (!allowed.empty()) allowed += ", ";
    allowed += problem.workload().dim(DimId{d}).name;
  }
  for (int d = 0; d < problem.dim_count(); ++d) {
    const std::int64_t bound = mapping.bound(slot, DimId{d});
    if (bound <= 1 || ((where.allowed_dims >> d) & 1U) != 0) continue;
    add_text(problems, "{} has bound {} for {}, but it allows {}", problem.slot_name(slot), bound,
             problem.workload().dim(DimId{d}).name,
             allowed.empty() ? "no dimension" : "only " + allowed);
  }
}

void check_fanout(const Problem& problem, const Mapping& mapping, int slot, Problems& problems) {
  const std::int64_t available = problem.instances_along(slot);
  std::vector<std::int64_t> bounds;
  std::string text;
  for (int d = 0; d < problem.dim_count(); ++d) {
    const std::int64_t bound = mapping.bound(slot, DimId{d});
    if (bound == 1) continue;
    bounds.push_back(bound);
    if (!text.empty()) text += " x ";
    text += fmt::format("{} {}", problem.workload().dim(DimId{d}).name, bound);
  }
  const auto used = checked_product(bounds);
  if (used && *used <= available) return;
  const std::string surplus = used ? fmt::format(": {} too many", *used - available) : "";
  add_text(problems, "fan-out {} has {} instances, the mapping uses {} = {}{}",
           problem.slot_name(slot), available, text, product_text(bounds), surplus);
}

bool has_shape_of(const Problem& problem, const Mapping& mapping) {
  return mapping.dim_count() == problem.dim_count() &&
         mapping.slot_count() == problem.slot_count() &&
         mapping.memory_count() == problem.memory_count();
}

}  // namespace

std::vector<std::string> structural_problems(const Problem& problem, const Mapping& mapping) {
  if (!has_shape_of(problem, mapping)) return {"the mapping was made for another problem"};
  Problems problems;
  for (int d = 0; d < problem.dim_count(); ++d) {
    check_dimension(problem, mapping, DimId{d}, problems);
  }
  check_kept_tensors(problem, mapping, problems);
  check_homes(problem, mapping, problems);
  return problems;
}

std::vector<std::string> hardware_problems(const Problem& problem, const Mapping& mapping) {
  if (!has_shape_of(problem, mapping)) return {"the mapping was made for another problem"};
  Problems problems;
  for (int slot = 0; slot < problem.slot_count(); ++slot) {
    check_allowed(problem, mapping, slot, problems);
    if (!problem.slots()[at(slot)].is_temporal()) {
      check_fanout(problem, mapping, slot, problems);
    }
  }
  return problems;
}

}  // namespace tilewright
