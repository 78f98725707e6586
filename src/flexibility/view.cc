#include <fmt/format.h>

#include "tilewright/flexibility.h"

namespace tilewright {

namespace {

// Which tensors a dimension belongs to, and whether an index of one of them
// adds another dimension to it.
struct Place {
  bool weight = false, input = false, output = false, window = false;
};

Place place_of(const Workload& workload, DimId dim) {
  Place place;
  for (const Tensor& tensor : workload.tensors) {
    if (!is_relevant(tensor, dim)) continue;
    if (tensor.role == Role::Weight) place.weight = true;
    if (tensor.role == Role::Input) place.input = true;
    if (tensor.role == Role::Output) place.output = true;
    for (const Rank& rank : tensor.ranks) {
      bool here = false;
      for (const Term& term : rank) here = here || term.dim == dim;
      place.window = place.window || (here && rank.size() > 1);
    }
  }
  return place;
}

bool is_one_product(const Workload& workload) {
  int inputs = 0;
  int weights = 0;
  for (const Tensor& tensor : workload.tensors) {
    inputs += tensor.role == Role::Input ? 1 : 0;
    weights += tensor.role == Role::Weight ? 1 : 0;
  }
  return inputs == 1 && weights == 1 && workload.tensor_count() == 3;
}

}  // namespace

std::vector<DimId> ConvView::unrolled_with(ConvDim loop) const {
  std::vector<DimId> dims = dims_[index_of(loop)];
  if (loop == ConvDim::K) dims.insert(dims.end(), groups_.begin(), groups_.end());
  return dims;
}

std::vector<DimId> ConvView::dims_in(const ConvOrder& order) const {
  std::vector<DimId> dims = others_;
  for (const ConvDim loop : order) {
    dims.insert(dims.end(), this->dims(loop).begin(), this->dims(loop).end());
  }
  return dims;
}

Parsed<ConvView> ConvView::create(const Workload& workload) {
  if (!is_one_product(workload)) {
    return {std::nullopt,
            {{{},
              fmt::format("{} is not the product of one weight and one input, which is what "
                          "flexible accelerators for convolutions run",
                          workload.name),
              "describe the accelerator with constraints instead of a flexibility"}}};
  }
  ConvView view;
  std::vector<DimId> columns;  // of the batch, where there is no window
  std::vector<DimId> channels;
  const auto put = [&](ConvDim first, ConvDim second, DimId dim) {
    const ConvDim loop = view.dims(first).empty() ? first : second;
    view.dims_[index_of(loop)].push_back(dim);
  };
  for (int d = 0; d < workload.dim_count(); ++d) {
    const DimId dim{d};
    const Place place = place_of(workload, dim);
    if (place.window) {
      place.weight ? put(ConvDim::R, ConvDim::S, dim) : put(ConvDim::Y, ConvDim::X, dim);
    } else if (place.weight && place.input && place.output) {
      view.groups_.push_back(dim);
    } else if (place.weight && place.output) {
      view.dims_[index_of(ConvDim::K)].push_back(dim);
    } else if (place.weight && place.input) {
      channels.push_back(dim);
    } else if (place.input && place.output) {
      columns.push_back(dim);
    } else {
      view.others_.push_back(dim);
    }
  }
  auto& all_channels = view.dims_[index_of(ConvDim::C)];
  all_channels = view.groups_;
  all_channels.insert(all_channels.end(), channels.begin(), channels.end());
  const bool windows = !view.dims(ConvDim::Y).empty();
  for (const DimId dim : columns) {
    if (windows || !view.dims(ConvDim::X).empty()) {
      view.others_.push_back(dim);
    } else {
      put(ConvDim::Y, ConvDim::X, dim);
    }
  }
  for (const ConvDim loop : kAllConvDims) {
    for (const DimId dim : view.dims(loop)) view.sizes_[index_of(loop)] *= workload.dim(dim).size;
  }
  return {std::move(view), {}};
}

}  // namespace tilewright
