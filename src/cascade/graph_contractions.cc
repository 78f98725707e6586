#include "cascade/graph_contractions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cascade/geometry.h"

namespace tilewright {

bool GraphContractions::is_dropped(std::size_t op, DimId dim) const {
  return contains(contraction(op).each, dim) || workload(op).dim(dim).size == 1;
}

Rank GraphContractions::kept_terms(std::size_t op, const Rank& rank) const {
  Rank kept;
  for (const Term& term : rank) {
    if (!is_dropped(op, term.dim)) kept.push_back(term);
  }
  return kept;
}

std::vector<DimId> GraphContractions::kept_norms(const GraphLink& link) const {
  std::vector<DimId> dims;
  for (const AxisPiece& piece : link.normalized) {
    const Rank& rank = workload(link.writer).tensors.back().ranks[at(piece.axis)];
    for (const Term& term : kept_terms(link.writer, rank)) dims.push_back(term.dim);
  }
  return dims;
}

std::optional<std::size_t> GraphContractions::input_of(std::size_t op, EdgeId edge) const {
  const std::vector<EdgeId>& reads = operator_at(op).reads;
  if (std::count(reads.begin(), reads.end(), edge) != 1) return std::nullopt;
  return static_cast<std::size_t>(std::find(reads.begin(), reads.end(), edge) - reads.begin());
}

std::string GraphContractions::misfit_of(const GraphLink& link, std::size_t reader) const {
  const auto input = input_of(reader, link.read);
  if (!input) return fmt::format("{} reads it twice", name(reader));
  if (const auto known = link.misfits.find(reader); known != link.misfits.end()) {
    return known->second;
  }
  if (std::any_of(link.normalized.begin(), link.normalized.end(),
                  [](const AxisPiece& piece) { return piece.axis < 0; })) {
    return "it is normalised along a part of an index";
  }
  if (layer(link.writer).count != layer(reader).count) {
    return fmt::format("{} counts {} times and {} {} times", name(link.writer),
                       layer(link.writer).count, name(reader), layer(reader).count);
  }
  const Tensor& made = workload(link.writer).tensors.back();
  const Tensor& seen = workload(reader).tensors[*input];
  if (made.bits != seen.bits) return fmt::format("{} reads it in another width", name(reader));
  std::vector<bool> met(seen.ranks.size(), false);
  for (std::size_t a = 0; a < made.ranks.size(); ++a) {
    if (const auto axis = read_axis(link, a)) met[at(*axis)] = true;
    const std::string misfit = misfit_of_axis(link, reader, a, seen);
    if (!misfit.empty()) return misfit;
  }
  for (std::size_t r = 0; r < met.size(); ++r) {
    if (!met[r] && !kept_terms(reader, seen.ranks[r]).empty()) {
      return fmt::format("{} reads more than is written", name(reader));
    }
  }
  return "";
}

std::string GraphContractions::misfit_of_axis(const GraphLink& link, std::size_t reader,
                                              std::size_t axis, const Tensor& seen) const {
  const Workload& writer = workload(link.writer);
  const Rank& written = writer.tensors.back().ranks[axis];
  if (written.size() != 1 || written[0].coefficient != 1) {
    return "its indices are windows";
  }
  const bool dropped = is_dropped(link.writer, written[0].dim);
  const auto read_as = read_axis(link, axis);
  const Rank read = read_as ? kept_terms(reader, seen.ranks[at(*read_as)]) : Rank{};
  if (dropped != read.empty()) {
    return fmt::format("{} takes other dimensions one by one", name(reader));
  }
  for (const Term& term : read) {
    if (term.coefficient < 1) return fmt::format("{} reads it backwards", name(reader));
  }
  const std::int64_t size = writer.dim(written[0].dim).size;
  const Padding padding = padding_of(workload(reader), read, size);
  if (dropped || (padding.zeros >= 0 && padding.zeros <= padding.most)) return "";
  return fmt::format("the window of {} reaches {} values of {}{}", name(reader),
                     size + padding.zeros, size,
                     padding.zeros < 0 ? " (a stride with a rest)" : "");
}

std::optional<SameDims> same_dims(const GraphContractions& of, const std::vector<GraphLink>& links,
                                  const std::vector<std::size_t>& ops) {
  SameDims same;
  for (const GraphLink& link : links) {
    if (!contains(ops, link.writer)) continue;
    const Tensor& made = of.workload(link.writer).tensors.back();
    for (const std::size_t reader : link.readers) {
      const Tensor& seen = of.workload(reader).tensors[*of.input_of(reader, link.read)];
      for (std::size_t a = 0; a < made.ranks.size(); ++a) {
        if (of.is_dropped(link.writer, made.ranks[a][0].dim)) continue;
        const Rank read = of.kept_terms(reader, seen.ranks[at(*read_axis(link, a))]);
        if (read.size() != 1) continue;  // seen through a window
        const GraphDim one{link.writer, index_of(made.ranks[a][0].dim)};
        const GraphDim other{reader, index_of(read[0].dim)};
        if (same.root(one) != same.root(other)) same.join(one, other);
      }
    }
  }
  for (const std::size_t op : ops) {
    std::set<GraphDim> roots;
    for (int d = 0; d < of.workload(op).dim_count(); ++d) {
      if (!roots.insert(same.root({op, d})).second) return std::nullopt;
    }
  }
  return same;
}

}  // namespace tilewright
