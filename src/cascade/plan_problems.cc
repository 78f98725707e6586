// Why a plan cannot be executed.
#include <fmt/format.h>

#include <algorithm>

#include "cascade/geometry.h"

namespace tilewright {
namespace {

class PlanChecker {
 public:
  PlanChecker(const Cascade& cascade, const Plan& plan) : cascade_(cascade), plan_(plan) {}

  std::vector<PlanProblem> check() {
    for (const PlanNode& group : plan_.groups) {
      check_node(group, 0);
      for (const PlanNode& child : group.children) check_inner(child);
    }
    if (next_ != cascade_.einsum_count()) {
      add(fmt::format("the plan has {} of {} einsums", next_, cascade_.einsum_count()));
    }
    if (plan_.leaves.size() != cascade_.einsums.size()) add("each einsum needs a leaf");
    for (std::size_t e = 0; problems_.empty() && e < cascade_.einsums.size(); ++e) {
      const std::size_t tensors = cascade_.einsums[e].workload.tensors.size();
      if (plan_.leaves[e].tensors.size() != tensors) add("each tensor needs a placement");
    }
    if (!problems_.empty()) return std::move(problems_);
    return check_inside(Geometry(cascade_, plan_));
  }

  // Loops and places of sound trees.
  std::vector<PlanProblem> check_inside(const Geometry& geometry) {
    for (int e = 0; e < cascade_.einsum_count(); ++e) check_depths(geometry, e);
    if (!problems_.empty()) return std::move(problems_);
    for (int e = 0; e < cascade_.einsum_count(); ++e) check_leaf(geometry, e);
    return std::move(problems_);
  }

  bool covers_loads(const Geometry& geometry, int einsum, TensorId tensor) {
    check_windows(geometry, einsum, tensor);
    return problems_.empty();
  }

 private:
  // A message is about the first place that it is found at.
  void add(std::string message, std::optional<int> einsum = {}, std::optional<int> loop = {}) {
    const bool known = std::any_of(problems_.begin(), problems_.end(),
                                   [&](const PlanProblem& one) { return one.message == message; });
    if (!known) problems_.push_back({std::move(message), einsum, loop});
  }
  const std::string& name(int einsum) const { return cascade_.workload(einsum).name; }

  // `depth` is the number of loops above the node.
  void check_node(const PlanNode& node, int depth) {
    const int inside = depth + static_cast<int>(node.loops.size());
    for (const PlanNode& child : node.children) check_node(child, inside);
    if (node.is_leaf()) {
      if (node.einsum != next_) add("the leaves are not the einsums in their order", node.einsum);
      ++next_;
    }
    if (!problems_.empty() || next_ > cascade_.einsum_count()) return;
    const Workload& last = cascade_.workload(next_ - 1);
    for (const SharedLoop& loop : node.loops) {
      if (loop.count < 2) {
        add(fmt::format("the loop {} is none", to_string(loop)), next_ - 1, depth);
      }
      if (!last.find_dim(loop.dim)) {
        add(fmt::format("{}, the last einsum under the loop over {}, has no such dimension",
                        last.name, loop.dim),
            next_ - 1, depth);
      }
      ++depth;
    }
  }

  // A memory is shared by whole groups.
  void check_inner(const PlanNode& node) {
    if (!node.shared.empty()) {
      add(fmt::format("{} is shared by a part of a group; a group shares one memory", node.shared));
    }
    for (const PlanNode& child : node.children) check_inner(child);
  }

  void check_leaf(const Geometry& geometry, int e) {
    const Workload& workload = cascade_.workload(e);
    const int depth = static_cast<int>(geometry.path(e).size());
    for (int d = 0; d < workload.dim_count(); ++d) {
      for (int k = 0; k <= depth; ++k) {
        const DimPieces& pieces = geometry.pieces(e, DimId{d}, k);
        if (pieces.problem.empty()) continue;
        add(pieces.problem, e, k == 0 ? std::nullopt : std::optional(k - 1));
      }
    }
    for (int k = 0; k < depth; ++k) check_loop(geometry, e, k);
    check_work(geometry, e);
    for (int t = 0; t < workload.tensor_count(); ++t) check_tensor(geometry, e, TensorId{t});
    check_readers(geometry, e);
    check_online(geometry, e);
  }

  // Work that is done again may be more than can be counted.
  void check_work(const Geometry& geometry, int e) {
    const Workload& workload = cascade_.workload(e);
    const int depth = static_cast<int>(geometry.path(e).size());
    // Room for sums of words of all tensors, also in bits.
    double macs = 3.0 * kMaxTensors;
    for (const Tensor& tensor : workload.tensors) {
      macs = std::max(macs, 3.0 * kMaxTensors * static_cast<double>(tensor.bits));
    }
    for (int k = 0; k < depth; ++k) {
      if (geometry.moves_any(e, k)) continue;
      macs *= static_cast<double>(geometry.path(e)[at(k)].loop.count);
    }
    for (int d = 0; d < workload.dim_count(); ++d) {
      const DimPieces& pieces = geometry.pieces(e, DimId{d}, depth);
      double indices = 0;
      for (std::size_t kind = 0; kind < pieces.lengths.size(); ++kind) {
        indices += static_cast<double>(pieces.lengths[kind] * pieces.times(kind));
      }
      macs *= indices;
    }
    if (macs > static_cast<double>(kCountLimit)) {
      add(fmt::format("{} is done again too often: its work cannot be counted", name(e)), e);
    }
  }

  void check_loop(const Geometry& geometry, int e, int k) {
    const SharedLoop& loop = geometry.path(e)[at(k)].loop;
    // Above all readers it means that the einsum is done again for each of its steps.
    const bool for_readers = geometry.is_intermediate(e) && k < geometry.common(e);
    if (!geometry.moves_any(e, k) && !for_readers) {
      add(fmt::format("the loop {} would do {} again for nothing", to_string(loop), name(e)), e, k);
    }
    const auto dim = cascade_.workload(e).find_dim(loop.dim);
    if (dim && !geometry.moves(e, *dim, k)) {
      add(fmt::format("{} has a dimension {} that the loop around its readers does not move",
                      name(e), loop.dim),
          e, k);
    }
  }

  // Everything else looks at the loops outside the place where a tensor is kept.
  void check_depths(const Geometry& geometry, int e) {
    const Workload& workload = cascade_.workload(e);
    for (int t = 0; t < workload.tensor_count(); ++t) {
      const Placement& placement = plan_.leaves[at(e)].tensors[at(t)];
      const bool made = TensorId{t} == workload.output() && geometry.is_intermediate(e);
      const int most = made ? geometry.common(e) : static_cast<int>(geometry.path(e).size());
      if (placement.kind != Placement::Kind::Kept || geometry.writer(e, TensorId{t}) ||
          (placement.depth >= 0 && placement.depth <= most)) {
        continue;
      }
      add(fmt::format("{} cannot be kept below {} loops of {}", workload.tensor(TensorId{t}).name,
                      placement.depth, most),
          e);
    }
  }

  void check_tensor(const Geometry& geometry, int e, TensorId t) {
    const Workload& workload = cascade_.workload(e);
    const Tensor& tensor = workload.tensor(t);
    const Placement& placement = plan_.leaves[at(e)].tensors[at(t)];
    const bool made = t == workload.output() && geometry.is_intermediate(e);
    if (geometry.writer(e, t)) return;
    const bool streamed = placement.kind == Placement::Kind::Streamed;
    if (made && streamed) {
      add(fmt::format("{} stays on the chip: it is local or kept", tensor.name), e);
    }
    if (!made && streamed && !placement.home.empty()) {
      add(fmt::format("{} is streamed, so that it is at home in no shared memory", tensor.name), e);
    }
    if (!made) check_windows(geometry, e, t);
  }

  // What the closed forms of loads cover.
  void check_windows(const Geometry& geometry, int e, TensorId t) {
    const Workload& workload = cascade_.workload(e);
    const Tensor& tensor = workload.tensor(t);
    const int depth = static_cast<int>(geometry.path(e).size());
    for (int d = 0; d < workload.dim_count(); ++d) {
      std::size_t ranks = 0;
      bool window = false;
      for (const Rank& rank : tensor.ranks) {
        for (const Term& term : rank) {
          ranks += term.dim == DimId{d} ? 1U : 0U;
          window = window || (term.dim == DimId{d} && rank.size() > 1);
        }
      }
      const DimPieces& pieces = geometry.pieces(e, DimId{d}, depth);
      if (pieces.loops.empty() || ranks == 0) continue;
      const bool output = t == workload.output();
      if (ranks > 1 || (output && window)) {
        add(fmt::format("loops over {} are not covered: {} has it in {}", workload.dims[at(d)].name,
                        tensor.name, output ? "a window of the output" : "several indices"),
            e);
      }
    }
    for (const Rank& rank : tensor.ranks) check_rank(geometry, e, t, rank);
  }

  void check_rank(const Geometry& geometry, int e, TensorId t, const Rank& rank) {
    const int depth = static_cast<int>(geometry.path(e).size());
    const int stays = geometry.stays_from(e, t);
    std::size_t moved = 0;
    bool uniform = true;
    for (const Term& term : rank) {
      const DimPieces& pieces = geometry.pieces(e, term.dim, depth);
      moved += pieces.loops.empty() ? 0U : 1U;
      uniform = uniform && pieces.is_uniform();
      for (std::size_t i = 0; i < pieces.ordered_from; ++i) {
        if (pieces.loops[i] >= stays) {
          add(fmt::format("{} cannot stay across a loop whose overlap is cut inside",
                          cascade_.workload(e).tensor(t).name),
              e);
        }
      }
    }
    if (moved > 1 && !uniform) {
      add(fmt::format("loops over two dimensions of {} are not covered where pieces of it overlap",
                      rank_text(cascade_.workload(e), rank)),
          e);
    }
  }

  // Whether what the readers of an intermediate need has no gaps, wherever loops cut it.
  bool is_made_whole(const Geometry& geometry, int e) const {
    const std::size_t ranks = cascade_.workload(e).tensors.back().ranks.size();
    for (std::size_t r = 0; r < ranks; ++r) {
      for (int depth = 0; depth <= geometry.common(e); ++depth) {
        const DimPieces pieces = geometry.needed(e, r, geometry.readers(e).front(), depth);
        // Nothing is before the first piece, which may be shorter than the others.
        const auto first = pieces.lengths.begin() + (pieces.loops.empty() ? 0 : 1);
        if (*std::min_element(first, pieces.lengths.end()) < pieces.step) return false;
      }
    }
    return true;
  }

  void check_readers(const Geometry& geometry, int e) {
    const auto& readers = geometry.readers(e);
    const Workload& workload = cascade_.workload(e);
    if (geometry.leaves(e) && !is_made_whole(geometry, e)) {
      add(fmt::format("{} also leaves its group, where loops leave out parts of it: that is not "
                      "covered",
                      workload.tensors.back().name),
          e);
    }
    for (std::size_t i = 1; i < readers.size(); ++i) {
      for (std::size_t r = 0; r < workload.tensors.back().ranks.size(); ++r) {
        const int depth = geometry.common(e);
        const DimPieces first = geometry.needed(e, r, readers[0], depth);
        const DimPieces other = geometry.needed(e, r, readers[i], depth);
        const bool same_padding = geometry.needed(e, r, readers[0], 0).lengths ==
                                  geometry.needed(e, r, readers[i], 0).lengths;
        if (first.lengths == other.lengths && first.loops == other.loops &&
            first.step == other.step && same_padding) {
          continue;
        }
        add(fmt::format("the readers of {} need different parts of it: that is not covered",
                        workload.tensors.back().name),
            e);
      }
    }
  }

  void check_online(const Geometry& geometry, int e) {
    const auto& then = cascade_.einsums[at(e)].then;
    if (!then || !geometry.online_loop(e)) return;
    // What leaves has to be final.
    if (then->online_words && !geometry.leaves(e)) return;
    add(fmt::format("{} of {}{} needs all of {}: its readers cannot share a loop over it",
                    then->function, cascade_.workload(e).tensors.back().name,
                    then->online_words ? ", which also leaves," : "", *then->reduces),
        e, geometry.online_loop(e));
  }

  const Cascade& cascade_;
  const Plan& plan_;
  int next_ = 0;
  std::vector<PlanProblem> problems_;
};

}  // namespace

std::vector<PlanProblem> located_problems_of(const Cascade& cascade, const Plan& plan) {
  return PlanChecker(cascade, plan).check();
}

std::vector<PlanProblem> located_problems_of(const Geometry& geometry) {
  return PlanChecker(geometry.cascade(), geometry.plan()).check_inside(geometry);
}

bool covers_loads(const Geometry& geometry, int einsum, TensorId tensor) {
  return PlanChecker(geometry.cascade(), geometry.plan()).covers_loads(geometry, einsum, tensor);
}

std::vector<std::string> problems_of(const Cascade& cascade, const Plan& plan) {
  std::vector<std::string> messages;
  for (PlanProblem& problem : located_problems_of(cascade, plan)) {
    messages.push_back(std::move(problem.message));
  }
  return messages;
}

}  // namespace tilewright
