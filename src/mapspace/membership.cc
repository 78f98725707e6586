// Whether a mapping keeps to what a space allows. Looks at the mapping alone,
// not at what the space has counted.
#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "base/text.h"
#include "mapspace/tables.h"

namespace tilewright {

namespace {

using Problems = std::vector<std::string>;

std::string names_of(const Problem& problem, const std::vector<DimId>& dims) {
  std::string text;
  for (const DimId dim : dims) {
    if (!text.empty()) text += ' ';
    text += problem.workload().dim(dim).name;
  }
  return text.empty() ? "none" : text;
}

void check_limits(const Problem& problem, const Restrictions& restrictions, const Mapping& mapping,
                  Problems& problems) {
  for (int s = 0; s < problem.slot_count(); ++s) {
    for (int d = 0; d < problem.dim_count(); ++d) {
      const BoundLimits& limits = restrictions.limits(s, DimId{d});
      const std::int64_t bound = mapping.bound(s, DimId{d});
      const bool too_large = bound > limits.most && limits.most_by_constraint;
      if (bound >= limits.least && !too_large) continue;
      add_text(problems, "{} has bound {} for {}, which breaks {}", problem.slot_name(s), bound,
               problem.workload().dim(DimId{d}).name,
               too_large ? limits.most_from : limits.least_from);
    }
  }
}

void check_extents(const Problem& problem, const Restrictions& restrictions, const Mapping& mapping,
                   Problems& problems) {
  for (int d = 0; d < problem.dim_count(); ++d) {
    const Dimension& dim = problem.workload().dim(DimId{d});
    std::int64_t left = dim.size;
    int memory = problem.memory_count();
    for (int s = problem.slot_count() - 1; s >= 0; --s) {
      left = ceil_div(left, mapping.bound(s, DimId{d}));
      if (!problem.slots()[at(s)].is_temporal()) continue;
      const ExtentLimit& limit = restrictions.extent_limit(MemoryId{--memory}, DimId{d});
      const std::int64_t extent = ceil_div(dim.size, left);
      if (extent <= limit.most || extent == 1) continue;
      add_text(problems, "the tiles of {} extend over {} of {}; {} has room for {}",
               problem.memory(MemoryId{memory}).name, extent, dim.name,
               problem.workload().tensor(limit.tensor).name, limit.most);
    }
  }
}

void check_order(const Problem& problem, const Restrictions& restrictions, MemoryId memory,
                 const Mapping& mapping, Problems& problems) {
  const int slot = problem.use(memory).slot;
  std::vector<DimId> loops;
  for (int i = 0; i < problem.dim_count(); ++i) {
    const DimId dim{mapping.order(memory)[i]};
    if (mapping.bound(slot, dim) > 1) loops.push_back(dim);
  }
  const auto looped = [&](std::vector<DimId> dims) {
    std::erase_if(dims, [&](DimId dim) { return mapping.bound(slot, dim) <= 1; });
    return dims;
  };
  const std::vector<DimId> outermost = looped(restrictions.outermost(memory));
  const std::vector<DimId> innermost = looped(restrictions.innermost(memory));
  const bool begins = std::equal(outermost.begin(), outermost.end(), loops.begin());
  const bool ends = std::equal(innermost.rbegin(), innermost.rend(), loops.rbegin());
  if (begins && ends) return;
  add_text(problems, "{} has the loops {}, which must start with {} and end with {}",
           problem.memory(memory).name, names_of(problem, loops), names_of(problem, outermost),
           names_of(problem, innermost));
}

void check_residence(const Problem& problem, const Restrictions& restrictions, MemoryId memory,
                     const Mapping& mapping, Problems& problems) {
  const std::uint32_t kept = mapping.kept(memory);
  const std::uint32_t wrong =
      (kept & ~restrictions.keep_allowed(memory)) | (restrictions.keep_always(memory) & ~kept);
  for (int t = 0; t < problem.tensor_count(); ++t) {
    if (!contains(wrong, t)) continue;
    add_text(problems, "{} must {} {}", problem.memory(memory).name,
             mapping.keeps(memory, TensorId{t}) ? "not keep" : "keep",
             problem.workload().tensor(TensorId{t}).name);
  }
}

void check_use(const Problem& problem, const Restrictions& restrictions, LevelId level,
               const Mapping& mapping, Problems& problems) {
  std::int64_t used = 1;
  for (int s = 0; s < problem.slot_count(); ++s) {
    if (problem.slots()[at(s)].level != level) continue;
    for (int d = 0; d < problem.dim_count(); ++d) {
      used = narrowed(Int128{used} * mapping.bound(s, DimId{d}));
    }
  }
  const std::int64_t least = restrictions.least_instances(level);
  if (used >= least) return;
  add_text(problems, "{} uses {} instances; {} must take part",
           name_of(problem.arch().level(level)), used, least);
}

}  // namespace

std::vector<std::string> Restrictions::broken_by(const Problem& problem,
                                                 const Mapping& mapping) const {
  Problems problems;
  check_limits(problem, *this, mapping, problems);
  check_extents(problem, *this, mapping, problems);
  for (int m = 0; m < problem.memory_count(); ++m) {
    check_order(problem, *this, MemoryId{m}, mapping, problems);
    check_residence(problem, *this, MemoryId{m}, mapping, problems);
  }
  for (int i = 0; i < problem.arch().level_count(); ++i) {
    if (std::holds_alternative<Fanout>(problem.arch().level(LevelId{i}))) {
      check_use(problem, *this, LevelId{i}, mapping, problems);
    }
  }
  return problems;
}

std::vector<std::string> mapspace::forbidden_remainders(const Problem& problem, SpaceKind kind,
                                                        const Mapping& mapping) {
  Problems problems;
  for (int d = 0; d < problem.dim_count(); ++d) {
    const Dimension& dim = problem.workload().dim(DimId{d});
    std::int64_t left = dim.size;
    for (int s = problem.slot_count() - 1; s >= 0; --s) {
      const std::int64_t bound = mapping.bound(s, DimId{d});
      if (left % bound != 0 && !may_leave_remainder(kind, problem.slots()[at(s)])) {
        add_text(problems, "{} of the {} iterations left of {} leave a remainder at {}", bound,
                 left, dim.name, problem.slot_name(s));
      }
      left = ceil_div(left, bound);
    }
  }
  return problems;
}

}  // namespace tilewright
