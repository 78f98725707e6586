#include "certificate/flat_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"

namespace tilewright::certificate {

namespace {

void refuse_flat_tensor(const Tensor& tensor, bool output) {
  for (const Rank& rank : tensor.ranks) {
    if (rank.size() > 2) {
      throw Unverifiable(
          fmt::format("plans where {} has an index of three dimensions or more", tensor.name));
    }
    const bool alone = rank.size() == 1 && rank.front().coefficient == 1;
    if (output && !alone) {
      throw Unverifiable(fmt::format("plans where {} is written through a window", tensor.name));
    }
  }
}

}  // namespace

void refuse_flat_cascade(const Cascade& cascade) {
  for (const CascadeEinsum& einsum : cascade.einsums) {
    const std::vector<Tensor>& tensors = einsum.workload.tensors;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      refuse_flat_tensor(tensors[t], t + 1 == tensors.size());
    }
    if (einsum.then && einsum.then->reduces) {
      throw Unverifiable(fmt::format("plans of flat groups where {} is normalised along {}",
                                     tensors.back().name, *einsum.then->reduces));
    }
  }
}

FlatGroup::FlatGroup(const Cascade& cascade, const EinsumRun& run)
    : cascade_(&cascade), run_(run), einsums_(at(run.length())) {
  // Readers are behind their writers.
  for (int e = run.last; e >= run.first; --e) {
    add_readers(e);
    add_moved(e);
  }
  const int dims = workload(run.last).dim_count();
  for (int d = 0; d < dims && run.length() > 1; ++d) {
    if (workload(run.last).dims[at(d)].size == 1) continue;
    bool possible = true;
    for (int e = run.first; e <= run.last; ++e) possible = possible && may_have_loop(e, d);
    if (possible) loop_dims_.push_back(d);
  }
}

void FlatGroup::add_readers(int einsum) {
  Einsum& made = einsums_[at(einsum - run_.first)];
  const std::string& output = workload(einsum).tensors.back().name;
  bool behind = cascade_->einsums[at(einsum)].leaves;
  for (int e = einsum + 1; e < cascade_->einsum_count(); ++e) {
    const std::vector<Tensor>& tensors = workload(e).tensors;
    for (std::size_t t = 0; t + 1 < tensors.size(); ++t) {
      if (tensors[t].name != output) continue;
      behind = behind || !run_.has(e);
      if (run_.has(e)) made.readers.push_back({e, static_cast<int>(t)});
    }
  }
  made.also_leaves = behind && !made.readers.empty();
  for (const Tensor& tensor : workload(einsum).tensors) {
    bool inside = &tensor == &workload(einsum).tensors.back() && !made.readers.empty();
    for (int w = run_.first; w < einsum; ++w) {
      inside = inside || workload(w).tensors.back().name == tensor.name;
    }
    made.outside.push_back(!inside);
  }
}

void FlatGroup::add_moved(int einsum) {
  Einsum& made = einsums_[at(einsum - run_.first)];
  const Workload &own = workload(einsum), &last = workload(run_.last);
  made.output_ranks.assign(own.dims.size(), -1);
  const std::vector<Rank>& written = own.tensors.back().ranks;
  for (std::size_t r = 0; r < written.size(); ++r) {
    made.output_ranks[at(index_of(written[r].front().dim))] = static_cast<int>(r);
  }
  for (std::size_t d = 0; d < own.dims.size(); ++d) {
    const int rank = made.output_ranks[d];
    std::uint32_t by = 0;
    if (made.readers.empty() || rank < 0) {
      const auto same = last.find_dim(own.dims[d].name);
      if (same) by = 1U << static_cast<unsigned>(index_of(*same));
    } else {
      const Reader& reader = made.readers.front();
      const Workload& reading = workload(reader.einsum);
      for (const Term& term : reading.tensors[at(reader.tensor)].ranks[at(rank)]) {
        by |= moved_by(reader.einsum, index_of(term.dim));
      }
    }
    made.dims_moved_by.push_back(by);
  }
  for (const Tensor& tensor : own.tensors) {
    std::uint32_t by = 0;
    for (const Rank& rank : tensor.ranks) {
      for (const Term& term : rank) by |= made.dims_moved_by[at(index_of(term.dim))];
    }
    made.tensors_moved_by.push_back(by);
  }
}

// The loop moves the einsum, and its own dimension of that name if it has one; and it cuts no sums
// of what is handed on.
bool FlatGroup::may_have_loop(int einsum, int dim) const {
  const Workload& own = workload(einsum);
  const auto same = own.find_dim(workload(run_.last).dims[at(dim)].name);
  bool moves = false;
  for (int d = 0; d < own.dim_count(); ++d) {
    const bool moved = contains(moved_by(einsum, d), dim);
    moves = moves || moved;
    if (moved && hands_on(einsum) && output_rank(einsum, d) < 0) return false;
  }
  return moves && (!same || contains(moved_by(einsum, index_of(*same)), dim));
}

}  // namespace tilewright::certificate
