#include "cascade/geometry.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {

std::int64_t DimPieces::times(std::size_t kind) const {
  if (kind == 0) return 1;
  std::int64_t times = counts[kind - 1] - 1;
  for (std::size_t i = 0; i + 1 < kind; ++i) times *= counts[i];
  return times;
}

bool DimPieces::is_uniform() const {
  return ordered_from == 0 && std::all_of(lengths.begin(), lengths.end(),
                                          [&](std::int64_t length) { return length == step; });
}

std::optional<std::size_t> output_rank(const Workload& workload, DimId dim) {
  const Tensor& output = workload.tensors.back();
  for (std::size_t r = 0; r < output.ranks.size(); ++r) {
    for (const Term& term : output.ranks[r]) {
      if (term.dim == dim) return r;
    }
  }
  return std::nullopt;
}

Padding padding_of(const Workload& reader, const Rank& seen, std::int64_t written) {
  Padding padding{1 - written, 0};
  for (const Term& term : seen) {
    const std::int64_t reach = term.coefficient * (reader.dim(term.dim).size - 1);
    padding.zeros += reach;
    const bool filter = seen.size() > 1 && !is_relevant(reader.tensors.back(), term.dim);
    if (filter) padding.most += reach;
  }
  return padding;
}

Geometry::Geometry(const Cascade& cascade, const Plan& plan) : cascade_(cascade), plan_(plan) {
  const auto count = static_cast<std::size_t>(cascade.einsum_count());
  readers_.resize(count);
  leaves_.resize(count);
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    paths_.push_back(path_of(plan, e));
    groups_.push_back(group_of(plan, e));
    shared_.push_back(shared_of(plan, e));
  }
  for (const Intermediate& one : intermediates_of(cascade)) {
    for (const IntermediateReader& reader : one.readers) {
      if (group(one.writer).has(reader.einsum)) readers_[at(one.writer)].push_back(reader);
    }
    const std::size_t inside = readers(one.writer).size();
    leaves_[at(one.writer)] =
        inside > 0 && (cascade.einsums[at(one.writer)].leaves || inside < one.readers.size());
  }
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    const int last = readers(e).empty() ? e : readers(e).back().einsum;
    const auto shared = std::count_if(path(e).begin(), path(e).end(),
                                      [&](const PathLoop& loop) { return loop.last >= last; });
    common_.push_back(static_cast<int>(shared));
    ranks_.emplace_back();
    for (int d = 0; d < cascade.workload(e).dim_count(); ++d) {
      ranks_.back().push_back(output_rank(cascade.workload(e), DimId{d}));
    }
  }
  // Readers are behind their writers.
  moved_.resize(count);
  for (int e = cascade.einsum_count() - 1; e >= 0; --e) find_moved(e);
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    known_.emplace_back(at(cascade.workload(e).dim_count()) * (path(e).size() + 1));
  }
}

std::optional<int> Geometry::writer(int einsum, TensorId tensor) const {
  for (int w = group(einsum).first; w < einsum; ++w) {
    if (contains(readers(w), {einsum, tensor})) return w;
  }
  return std::nullopt;
}

std::vector<int> Geometry::stays_of(int einsum) const {
  std::vector<int> stays;
  for (; is_intermediate(einsum); einsum = readers(einsum).front().einsum) {
    stays.push_back(stays_from(einsum, cascade_.workload(einsum).output()));
  }
  return stays;
}

bool Geometry::stays_so(int einsum, const std::vector<int>& stays) const {
  for (const int from : stays) {
    if (stays_from(einsum, cascade_.workload(einsum).output()) != from) return false;
    einsum = readers(einsum).front().einsum;
  }
  return true;
}

const DimPieces& Geometry::pieces(int einsum, DimId dim, int depth) const {
  std::forward_list<KnownPieces>& known =
      known_[at(einsum)][at(dim) * (path(einsum).size() + 1) + at(depth)];
  for (const KnownPieces& one : known) {
    if (stays_so(einsum, one.stays)) return one.pieces;
  }
  const bool is_made = is_intermediate(einsum) && rank_of(einsum, dim);
  known.push_front(
      {is_made ? stays_of(einsum) : std::vector<int>{}, find_pieces(einsum, dim, depth)});
  return known.front().pieces;
}

DimPieces Geometry::find_pieces(int einsum, DimId dim, int depth) const {
  const Workload& workload = cascade_.workload(einsum);
  const auto rank = rank_of(einsum, dim);
  if (rank && is_intermediate(einsum)) {
    const int shared = std::min(depth, common(einsum));
    DimPieces pieces = from_reader(einsum, *rank, shared);
    cut(einsum, dim, shared, depth, pieces);
    return pieces;
  }
  const std::int64_t size = workload.dim(dim).size;
  DimPieces pieces{{}, {}, {size}, size, 0, ""};
  cut(einsum, dim, 0, depth, pieces);
  const bool shared_reduction =
      is_intermediate(einsum) && !pieces.loops.empty() && pieces.loops.front() < common(einsum);
  if (shared_reduction) {
    pieces.problem =
        fmt::format("{} sums over {}: readers of {} cannot share a loop over it", workload.name,
                    workload.dim(dim).name, workload.tensors.back().name);
  }
  return pieces;
}

namespace {

// Why a loop cannot cut pieces of this length; 0: their lengths differ. Empty if it can.
std::string problem_of(const SharedLoop& loop, std::int64_t length, bool is_second,
                       const std::string& einsum) {
  const bool fits = loop.tile == 0 ? length % loop.count == 0
                                   : !is_second && loop.count == (length - 1) / loop.tile + 1;
  if (length != 0 && fits) return "";
  const std::string name = "the loop " + to_string(loop);
  if (length == 0)
    return fmt::format("{} would cut pieces of different lengths of {}", name, einsum);
  if (loop.tile == 0) {
    return fmt::format("{} does not divide the {} that {} has there", name, length, einsum);
  }
  if (is_second) return name + " leaves a remainder: it has to be the only one over " + loop.dim;
  return fmt::format("{} does not cut the {} that {} has there into {}", name, length, einsum,
                     loop.count);
}

}  // namespace

// Cuts pieces of one length by the loops over the dimension itself.
void Geometry::cut(int einsum, DimId dim, int from, int depth, DimPieces& pieces) const {
  const Workload& workload = cascade_.workload(einsum);
  const Dimension& cut_dim = workload.dim(dim);
  for (int k = from; k < depth; ++k) {
    const SharedLoop& loop = path(einsum)[at(k)].loop;
    if (loop.dim != cut_dim.name) continue;
    const std::int64_t length = pieces.lengths.front();
    const bool same = std::all_of(pieces.lengths.begin(), pieces.lengths.end(),
                                  [&](std::int64_t other) { return other == length; });
    std::string problem = problem_of(loop, same ? length : 0, !pieces.loops.empty(), workload.name);
    if (!problem.empty()) pieces.problem = std::move(problem);
    if (pieces.step != length) pieces.ordered_from = pieces.loops.size();
    pieces.loops.push_back(k);
    pieces.counts.push_back(loop.count);
    pieces.step = std::max<std::int64_t>(1, loop.tile == 0 ? length / loop.count : loop.tile);
    pieces.lengths.assign(pieces.loops.size() + 1, pieces.step);
    // What is left over comes first.
    if (loop.tile != 0) pieces.lengths.front() = (length - 1) % loop.tile + 1;
  }
}

DimPieces Geometry::needed(int writer, std::size_t rank, const IntermediateReader& reader,
                           int depth) const {
  const Workload& workload = cascade_.workload(reader.einsum);
  DimPieces moved{{}, {}, {1}, 1, 0, ""};
  std::int64_t coefficient = 1, reach = 1;
  for (const Term& term : workload.tensor(reader.tensor).ranks[rank]) {
    const DimPieces& own = pieces(reader.einsum, term.dim, depth);
    if (!own.problem.empty()) return own;
    if (own.loops.empty()) {
      reach += term.coefficient * (own.lengths.front() - 1);
    } else if (moved.loops.empty()) {
      moved = own;
      coefficient = term.coefficient;
    } else {
      moved.problem = fmt::format("loops over two dimensions move one index of {}",
                                  cascade_.workload(writer).tensors.back().name);
      return moved;
    }
  }
  for (std::int64_t& length : moved.lengths) length = coefficient * (length - 1) + reach;
  moved.step *= coefficient;
  return moved;
}

// What has to be made of a rank of an intermediate: what the reader needs and is not there.
DimPieces Geometry::from_reader(int einsum, std::size_t rank, int depth) const {
  const TensorId output = cascade_.workload(einsum).output();
  DimPieces pieces = needed(einsum, rank, readers(einsum).front(), depth);
  if (!pieces.problem.empty()) return pieces;
  const int stays = stays_from(einsum, output);
  leave_out_zeros(einsum, rank, stays, pieces);
  for (std::size_t i = 0; i < pieces.loops.size(); ++i) {
    if (pieces.loops[i] < stays) continue;
    if (i < pieces.ordered_from) {
      pieces.problem = fmt::format("{} cannot stay across a loop whose overlap is cut inside",
                                   cascade_.workload(einsum).tensors.back().name);
    }
    pieces.lengths[i + 1] = std::min(pieces.lengths[i + 1], pieces.step);
  }
  return pieces;
}

// Nobody makes the zeros. Only the first piece may have some: those that follow it and are made
// whole must begin behind them, and those of which new parts are made do.
void Geometry::leave_out_zeros(int einsum, std::size_t rank, int stays, DimPieces& pieces) const {
  const Workload& workload = cascade_.workload(einsum);
  const IntermediateReader& reader = readers(einsum).front();
  const Workload& reading = cascade_.workload(reader.einsum);
  const std::int64_t written = workload.dim(workload.tensors.back().ranks[rank][0].dim).size;
  const std::int64_t zeros =
      padding_of(reading, reading.tensor(reader.tensor).ranks[rank], written).zeros;
  if (zeros <= 0) return;
  bool covered = pieces.ordered_from == 0 && pieces.lengths.front() > zeros;
  std::int64_t behind = pieces.step;  // how far the end of a piece is from that of the first
  for (std::size_t i = pieces.loops.size(); i-- > 0;) {
    const std::int64_t begin = pieces.lengths.front() + behind - pieces.lengths[i + 1];
    covered = covered && (pieces.loops[i] >= stays || begin >= zeros);
    behind *= pieces.counts[i];
  }
  pieces.lengths.front() -= zeros;
  if (covered) return;
  pieces.problem = fmt::format("a loop cuts {} into pieces that are not longer than its padding",
                               workload.tensors.back().name);
}

}  // namespace tilewright
