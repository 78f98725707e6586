// Why the best plan does not fuse more.
#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "tilewright/fusion.h"

namespace tilewright {

namespace {

using Reason = NotFused::Reason;

void add_leaves(const PlanNode& node, int group, std::vector<int>& group_of) {
  if (node.is_leaf()) group_of[at(node.einsum)] = group;
  for (const PlanNode& child : node.children) add_leaves(child, group, group_of);
}

class Reasons {
 public:
  Reasons(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
          const FuseOutcome& outcome)
      : cascade_(cascade),
        arch_(arch),
        options_(options),
        outcome_(outcome),
        group_of_(cascade.einsums.size(), 0),
        used_seconds_(outcome.seconds) {
    for (std::size_t g = 0; g < outcome.plan.groups.size(); ++g) {
      add_leaves(outcome.plan.groups[g], static_cast<int>(g), group_of_);
    }
  }

  std::vector<NotFused> list() {
    std::vector<NotFused> all;
    for (const Intermediate& one : intermediates_of(cascade_)) {
      NotFused found{one.name, one.writer, one.readers.back().einsum};
      if (group_of(found.writer) == group_of(found.reader)) continue;
      explain(one, found);
      all.push_back(std::move(found));
    }
    return all;
  }

 private:
  int group_of(int einsum) const { return group_of_[at(einsum)]; }

  bool is_read_behind(int writer, const NotFused& of) const {
    const std::vector<Intermediate> all = intermediates_of(cascade_);
    return std::any_of(all.begin(), all.end(), [&](const Intermediate& one) {
      return one.writer == writer && group_of(one.readers.back().einsum) > group_of(of.reader);
    });
  }

  // The einsums of the groups that would be one.
  Cascade together(const NotFused& of) const {
    Cascade part{cascade_.name, cascade_.source, {}, {}};
    for (int e = 0; e < cascade_.einsum_count(); ++e) {
      const int group = group_of(e);
      if (group < group_of(of.writer) || group > group_of(of.reader)) continue;
      part.einsums.push_back(cascade_.einsums[at(e)]);
      part.einsums.back().leaves = part.einsums.back().leaves || is_read_behind(e, of);
    }
    return part;
  }

  void explain(const Intermediate& one, NotFused& found) {
    if (const auto einsum = not_keeping(one)) {
      found.reason = Reason::NotKept;
      found.detail = cascade_.workload(*einsum).name;
      return;
    }
    found.detail = other_form(one);
    if (!found.detail.empty()) {
      found.reason = Reason::OtherForm;
      return;
    }
    const Cascade whole = together(found);
    if (whole.einsum_count() > options_.longest_group) {
      found.reason = Reason::LongGroup;
    } else if (outcome_.searched == FuseOutcome::Searched::Trees &&
               options_.objective == Objective::Energy && options_.cycle_pj == 0) {
      compare(whole, found);
    }
  }

  // The first einsum on whose behalf the shared memory may not keep it.
  std::optional<int> not_keeping(const Intermediate& one) const {
    const auto may_keep = [&](int einsum, TensorId tensor) {
      const auto problem = Problem::create(cascade_.workload(einsum), arch_);
      if (!problem.ok()) return true;
      std::vector<std::string> memories = outcome_.shared;
      if (memories.empty()) memories = {outcome_.plan.shared};
      return std::any_of(memories.begin(), memories.end(), [&](const std::string& name) {
        const MemoryId memory = problem.value->memory_at(*arch_.find_level(name));
        return tilewright::contains(problem.value->use(memory).keep_allowed, index_of(tensor));
      });
    };
    if (!may_keep(one.writer, cascade_.workload(one.writer).output())) return one.writer;
    for (const IntermediateReader& reader : one.readers) {
      if (!may_keep(reader.einsum, reader.tensor)) return reader.einsum;
    }
    return std::nullopt;
  }

  // "T[m,n], T[k,m]": how it is written, and how it is read in another way; windows slide along
  // the same dimension.
  std::string other_form(const Intermediate& one) const {
    const Workload& writer = cascade_.workload(one.writer);
    const std::string written = form(writer, writer.output());
    for (const IntermediateReader& reader : one.readers) {
      const std::string read = form(cascade_.workload(reader.einsum), reader.tensor);
      if (!read.empty() && read != written) {
        return fmt::format("{0}{1}, {0}{2}", one.name, written, read);
      }
    }
    return "";
  }

  static std::string form(const Workload& workload, TensorId tensor) {
    std::string text;
    for (const Rank& rank : workload.tensor(tensor).ranks) {
      if (rank.size() != 1) return "";
      text += text.empty() ? '[' : ',';
      text += workload.dim(rank.front().dim).name;
    }
    return text + "]";
  }

  std::optional<FuseOutcome> best_of(const Cascade& whole, const Architecture& arch) {
    FuseOptions options = options_;
    options.one_group = true;
    options.uneven_nests = false;
    options.shared = outcome_.plan.shared;
    options.also_shared.clear();
    if (options.seconds) {
      options.seconds = *options.seconds - used_seconds_;
      if (*options.seconds <= 0) return std::nullopt;
    }
    FuseOutcome found = fuse(whole, arch, options);
    used_seconds_ += found.seconds;
    if (!found.proven || found.status == FuseOutcome::Status::BadInput) return std::nullopt;
    return found;
  }

  void compare(const Cascade& whole, NotFused& found) {
    const auto best = best_of(whole, arch_);
    if (!best) return;
    if (!best->found()) {
      found.reason = Reason::NoRoom;
      find_room(whole, found);
      return;
    }
    double apart = 0;
    for (int g = group_of(found.writer); g <= group_of(found.reader); ++g) {
      apart += outcome_.group_pj[at(g)];
    }
    found.reason = Reason::NoGain;
    found.more_pj = std::max(0.0, best->energy_pj - apart);
  }

  void find_room(const Cascade& whole, NotFused& found) {
    Architecture larger = arch_;
    const auto level = larger.find_level(outcome_.plan.shared);
    auto& memory = std::get<Memory>(larger.levels[at(index_of(*level))]);
    for (int factor = 2; factor <= 1024; factor *= 2) {
      if (memory.capacity.amount > kCountLimit / 2) return;
      memory.capacity.amount *= 2;
      const auto best = best_of(whole, larger);
      if (!best) return;
      if (!best->found()) continue;
      found.room_factor = factor;
      return;
    }
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  const FuseOptions& options_;
  const FuseOutcome& outcome_;
  std::vector<int> group_of_;  // by einsum
  double used_seconds_;
};

}  // namespace

std::vector<NotFused> why_not_fused(const Cascade& cascade, const Architecture& arch,
                                    const FuseOptions& options, const FuseOutcome& outcome) {
  return Reasons(cascade, arch, options, outcome).list();
}

}  // namespace tilewright
