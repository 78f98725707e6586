#include "workload_fields.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "einsum.h"
#include "member_fields.h"

namespace tilewright::io {

namespace {

using MaybeText = std::optional<std::string>;

MaybeText not_written(const WorkloadFile&) { return std::nullopt; }

// --- writing ----------------------------------------------------------------

MaybeText einsum_to_write(const WorkloadFile& file) { return einsum_text(file.workload); }

MaybeText sizes_to_write(const WorkloadFile& file) {
  std::vector<std::string> sizes;
  for (const Dimension& dim : file.workload.dims) {
    add_text(sizes, "{}: {}", quoted_if_needed(dim.name), dim.size);
  }
  return fmt::format("{{{}}}", join(sizes, ", "));
}

MaybeText bits_to_write(const WorkloadFile& file) {
  const std::vector<Tensor>& tensors = file.workload.tensors;
  if (tensors.empty()) return std::nullopt;
  const std::int64_t first = tensors.front().bits;
  const bool same = std::all_of(tensors.begin(), tensors.end(),
                                [&](const Tensor& tensor) { return tensor.bits == first; });
  if (same && first == kDefaultBits) return std::nullopt;
  if (same) return fmt::format("{}", first);
  std::vector<std::string> bits;
  for (const Tensor& tensor : tensors) {
    add_text(bits, "{}: {}", quoted_if_needed(tensor.name), tensor.bits);
  }
  return fmt::format("{{{}}}", join(bits, ", "));
}

// Also where the rule would give the same: whoever reads the file need not know it.
MaybeText roles_to_write(const WorkloadFile& file) {
  const std::vector<Tensor>& tensors = file.workload.tensors;
  std::vector<std::string> roles;
  for (std::size_t t = 0; t + 1 < tensors.size(); ++t) {
    add_text(roles, "{}: {}", quoted_if_needed(tensors[t].name), to_string(tensors[t].role));
  }
  const bool single = tensors.size() == 2 && tensors.front().role == Role::Input;
  if (roles.empty() || single) return std::nullopt;
  return fmt::format("{{{}}}", join(roles, ", "));
}

// --- tables -----------------------------------------------------------------

template <auto Member>
constexpr Field<WorkloadFile> part(FieldText text, MaybeText (*write)(const WorkloadFile&)) {
  return node_field<WorkloadFile, Member>(text, write);
}

constexpr Field<WorkloadFile> workload_name_field() {
  return {
      {"workload", kNameForm, nullptr, "its name"},
      [](Context& context, const Node& node, WorkloadFile& file) {
        if (auto name = read_name(context, node)) file.workload.name = *name;
      },
      [](const WorkloadFile& file) -> MaybeText { return quoted_if_needed(file.workload.name); }};
}

constexpr auto kWorkloadFields = std::to_array<Field<WorkloadFile>>({
    workload_name_field(),
    part<&WorkloadFile::einsum>({"einsum", kEinsumForm, "one of the short forms",
                                 "what is computed; an index is a sum such as 2*p + r, a role "
                                 "may stand behind a name: A:weight[m,k]"},
                                einsum_to_write),
    part<&WorkloadFile::sizes>(
        {"sizes", "a map such as \"{m: 512, n: 512, k: 64}\"", "none; an einsum needs it",
         "the size of every dimension, in the order to be used"},
        sizes_to_write),
    part<&WorkloadFile::conv2d>({"conv2d", "a map of the keys below", "an einsum instead",
                                 "short form of a two-dimensional convolution"},
                                not_written),
    part<&WorkloadFile::gemm>({"gemm", "a map of the keys below", "an einsum instead",
                               "short form of O[M,N] += W[M,K] * I[K,N]"},
                              not_written),
    part<&WorkloadFile::matmul>({"matmul", "a map of the keys below", "an einsum instead",
                                 "short form of O[B,M,N] += W[B,M,K] * I[B,K,N]"},
                                not_written),
    part<&WorkloadFile::bits>({"bits", "a number, or a map such as \"{I: 8, W: 8, O: 16}\"", "8",
                               "width of one element of a tensor"},
                              bits_to_write),
    part<&WorkloadFile::roles>(
        {"roles", "a map such as \"{W: weight}\"", "by the rule below",
         "what a tensor is to the hardware: input or weight; the output is output"},
        roles_to_write),
});

template <auto Member>
constexpr Field<Conv2dForm> conv_count(const char* key, const char* fallback, const char* help) {
  return form_count<Conv2dForm, Member>(key, fallback, help);
}

constexpr const char* kTwoSizesForm = "a whole number from 1 on, or two such as \"[2, 1]\"";

template <auto High, auto Wide>
constexpr Field<Conv2dForm> conv_pair(const char* key, const char* help) {
  return {{key, kTwoSizesForm, "1", help},
          [](Context& context, const Node& node, Conv2dForm& form) {
            const bool pair = node.is_list() && node.children.size() == 2;
            if (!pair && !context.expect_scalar(node, kTwoSizesForm)) return;
            const auto high = read_count(context, pair ? node.children[0] : node);
            if (high) form.*High = form.*Wide = *high;
            if (!pair) return;
            if (const auto wide = read_count(context, node.children[1])) form.*Wide = *wide;
          },
          nullptr};
}

constexpr auto kConv2dFields = std::to_array<Field<Conv2dForm>>({
    conv_count<&Conv2d::batch>("batch", "1", "images, N"),
    conv_count<&Conv2d::in_channels>("in_channels", nullptr, "input channels of all groups"),
    conv_count<&Conv2d::out_channels>("out_channels",
                                      "in_channels if depthwise, otherwise required",
                                      "output channels of all groups"),
    conv_count<&Conv2d::p>("p", nullptr, "height of the output (transposed: of the input)"),
    conv_count<&Conv2d::q>("q", nullptr, "width of the output (transposed: of the input)"),
    conv_count<&Conv2d::r>("r", nullptr, "height of the filter"),
    conv_count<&Conv2d::s>("s", nullptr, "width of the filter"),
    conv_pair<&Conv2d::stride_h, &Conv2d::stride_w>("stride", "step of the window"),
    conv_pair<&Conv2d::dilation_h, &Conv2d::dilation_w>("dilation",
                                                        "distance of the filter's points"),
    conv_count<&Conv2d::groups>("groups", "1", "groups of channels, dividing both numbers"),
    form_flag<Conv2dForm, &Conv2dForm::depthwise>("depthwise", "as many groups as input channels"),
    form_flag<Conv2dForm, &Conv2d::transposed>("transposed", "the window slides over the output"),
});

template <auto Member>
constexpr auto size_field(const char* key, const char* fallback, const char* help) {
  return form_count<OwnerOf<Member>, Member>(key, fallback, help);
}

constexpr auto kGemmFields = std::to_array<Field<GemmForm>>({
    size_field<&GemmForm::m>("m", nullptr, "output features"),
    size_field<&GemmForm::n>("n", nullptr, "columns of the batch"),
    size_field<&GemmForm::k>("k", nullptr, "input features, summed over"),
});

constexpr auto kMatmulFields = std::to_array<Field<MatmulForm>>({
    size_field<&MatmulForm::batch>("batch", "1", "independent products, B"),
    size_field<&MatmulForm::m>("m", nullptr, "rows of the output"),
    size_field<&MatmulForm::n>("n", nullptr, "columns of the output"),
    size_field<&MatmulForm::k>("k", nullptr, "summed over"),
});

}  // namespace

FieldTable<WorkloadFile> workload_fields() { return kWorkloadFields; }
FieldTable<Conv2dForm> conv2d_fields() { return kConv2dFields; }
FieldTable<GemmForm> gemm_fields() { return kGemmFields; }
FieldTable<MatmulForm> matmul_fields() { return kMatmulFields; }

}  // namespace tilewright::io
