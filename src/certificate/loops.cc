#include "certificate/loops.h"

#include <algorithm>

namespace tilewright::certificate {

namespace {

// The tensors whose indices have a dimension, and whether another one is added to it there.
struct Occurrence {
  bool weight = false, input = false, output = false;
  bool slides = false;
};

Occurrence occurrence_of(const Workload& workload, int dim) {
  Occurrence found;
  for (const Tensor& tensor : workload.tensors) {
    for (const Rank& rank : tensor.ranks) {
      const bool here = std::any_of(rank.begin(), rank.end(),
                                    [&](const Term& term) { return term.dim == DimId{dim}; });
      if (!here) continue;
      found.slides = found.slides || rank.size() > 1;
      (tensor.role == Role::Weight  ? found.weight
       : tensor.role == Role::Input ? found.input
                                    : found.output) = true;
    }
  }
  return found;
}

void refuse_other_products(const Workload& workload) {
  std::array<int, 3> seen{};
  for (const Tensor& tensor : workload.tensors) {
    ++seen[tensor.role == Role::Weight ? 0 : tensor.role == Role::Input ? 1 : 2];
  }
  if (seen != std::array<int, 3>{1, 1, 1}) {
    throw Unverifiable("flexible architectures run products of one weight and one input");
  }
}

std::vector<int>& of(Loops& loops, ConvDim loop) { return loops.dims[index_of(loop)]; }

// One dimension takes the first loop, all further ones take the second.
void deal_out(const std::vector<int>& dims, std::vector<int>& first, std::vector<int>& second) {
  for (const int d : dims) (first.empty() ? first : second).push_back(d);
}

}  // namespace

std::vector<int> Loops::unrolled_with(ConvDim loop) const {
  std::vector<int> all = dims[index_of(loop)];
  if (loop == ConvDim::K) all.insert(all.end(), groups.begin(), groups.end());
  return all;
}

std::vector<int> Loops::in_order(const ConvOrder& order) const {
  std::vector<int> all = others;
  for (const ConvDim loop : order) {
    const std::vector<int>& own = dims[index_of(loop)];
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

Loops loops_of(const Workload& workload) {
  refuse_other_products(workload);
  Loops loops;
  std::vector<int> channels, filter, sliding, batch;
  for (int d = 0; d < workload.dim_count(); ++d) {
    const Occurrence in = occurrence_of(workload, d);
    if (in.slides) {
      (in.weight ? filter : sliding).push_back(d);
    } else if (in.weight && in.input) {
      (in.output ? loops.groups : channels).push_back(d);
    } else if (in.output && in.weight) {
      of(loops, ConvDim::K).push_back(d);
    } else {
      (in.output && in.input ? batch : loops.others).push_back(d);
    }
  }
  of(loops, ConvDim::C) = loops.groups;
  of(loops, ConvDim::C).insert(of(loops, ConvDim::C).end(), channels.begin(), channels.end());
  deal_out(filter, of(loops, ConvDim::R), of(loops, ConvDim::S));
  deal_out(sliding, of(loops, ConvDim::Y), of(loops, ConvDim::X));
  // Without a window the first two dimensions of a batch stand for rows and columns.
  const std::size_t as_rows = sliding.empty() ? std::min<std::size_t>(batch.size(), 2) : 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    (i >= as_rows ? loops.others : of(loops, i == 0 ? ConvDim::Y : ConvDim::X)).push_back(batch[i]);
  }
  return loops;
}

std::vector<TiledDim> tiled_dims(const Workload& workload, const Loops& loops,
                                 const TileFreedom& tile) {
  if (tile.kind != TileFreedom::Kind::Fixed) return {};
  std::vector<TiledDim> found;
  const auto add = [&](int dim, std::int64_t extent) {
    const std::int64_t size = workload.dims[at(dim)].size;
    if (size > 1) found.push_back({dim, std::min(size, extent), extent < size});
  };
  for (const ConvDim loop : kAllConvDims) {
    // The innermost dimension of a loop takes what it can of the loop's extent.
    std::vector<int> dims = loops.dims[index_of(loop)];
    std::int64_t extent = tile.fixed[index_of(loop)];
    for (; !dims.empty(); dims.pop_back()) {
      add(dims.back(), extent);
      extent = std::max<std::int64_t>(1, extent / workload.dims[at(dims.back())].size);
    }
  }
  for (const int dim : loops.others) add(dim, 1);
  return found;
}

}  // namespace tilewright::certificate
