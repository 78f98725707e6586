#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/flexibility.h"

namespace tilewright {

namespace {

// What a dimension is to a convolution.
enum class Part { Filter, Sliding, Group, Kernel, Channel, Batch, Other };

Part part_of(const Workload& workload, DimId dim) {
  bool weight = false, input = false, output = false;
  bool window = false;  // an index adds another dimension to it
  for (const Tensor& tensor : workload.tensors) {
    if (!is_relevant(tensor, dim)) continue;
    weight = weight || tensor.role == Role::Weight;
    input = input || tensor.role == Role::Input;
    output = output || tensor.role == Role::Output;
    for (const Rank& rank : tensor.ranks) {
      const bool here =
          std::any_of(rank.begin(), rank.end(), [&](const Term& term) { return term.dim == dim; });
      window = window || (here && rank.size() > 1);
    }
  }
  if (window) return weight ? Part::Filter : Part::Sliding;
  if (weight && input && output) return Part::Group;
  if (weight && output) return Part::Kernel;
  if (weight && input) return Part::Channel;
  return input && output ? Part::Batch : Part::Other;
}

bool is_one_product(const Workload& workload) {
  const auto has_one = [&](Role role) {
    return std::count_if(workload.tensors.begin(), workload.tensors.end(),
                         [&](const Tensor& tensor) { return tensor.role == role; }) == 1;
  };
  return has_one(Role::Input) && has_one(Role::Weight) && workload.tensor_count() == 3;
}

}  // namespace

std::vector<DimId> ConvView::unrolled_with(ConvDim loop) const {
  std::vector<DimId> dims = dims_[index_of(loop)];
  if (loop == ConvDim::K) append(dims, groups_);
  return dims;
}

std::vector<DimId> ConvView::dims_in(const ConvOrder& order) const {
  std::vector<DimId> dims = others_;
  for (const ConvDim loop : order) append(dims, this->dims(loop));
  return dims;
}

Checked<ConvView> ConvView::create(const Workload& workload) {
  if (!is_one_product(workload)) {
    return {std::nullopt,
            {{{},
              fmt::format("{} is not the product of one weight and one input, which is what "
                          "flexible accelerators for convolutions run",
                          workload.name),
              "describe the accelerator with constraints instead of a flexibility"}}};
  }
  std::map<Part, std::vector<DimId>> parts;
  for (int d = 0; d < workload.dim_count(); ++d) {
    parts[part_of(workload, DimId{d})].push_back(DimId{d});
  }
  ConvView view;
  const auto of = [&](ConvDim loop) -> std::vector<DimId>& { return view.dims_[index_of(loop)]; };
  // The first stands for one loop, all others for another.
  const auto deal = [](const std::vector<DimId>& dims, auto& first, auto& others) {
    for (const DimId dim : dims) (first.empty() ? first : others).push_back(dim);
  };
  view.groups_ = parts[Part::Group];
  view.others_ = parts[Part::Other];
  of(ConvDim::K) = parts[Part::Kernel];
  of(ConvDim::C) = view.groups_;
  append(of(ConvDim::C), parts[Part::Channel]);
  deal(parts[Part::Filter], of(ConvDim::R), of(ConvDim::S));
  deal(parts[Part::Sliding], of(ConvDim::Y), of(ConvDim::X));
  // Where nothing slides, the batch takes the place of rows and columns.
  for (const DimId dim : parts[Part::Batch]) {
    const bool taken = !parts[Part::Sliding].empty() || !view.dims(ConvDim::X).empty();
    deal({dim}, taken ? view.others_ : of(ConvDim::Y), taken ? view.others_ : of(ConvDim::X));
  }
  for (const ConvDim loop : kAllConvDims) {
    std::int64_t& size = view.sizes_[index_of(loop)];
    for (const DimId dim : view.dims(loop)) {
      size = narrowed(Int128{size} * workload.dim(dim).size);
    }
  }
  return {std::move(view), {}};
}

}  // namespace tilewright
