#include "network_fields.h"

#include <array>

#include "member_fields.h"

namespace tilewright::io {

namespace {

constexpr Field<LayerRow> op_field() {
  return {{"op", "conv, dwconv or gemm", nullptr,
           "what the layer is; dwconv is a convolution with as many groups as C"},
          [](Context& context, const Node& node, LayerRow& row) {
            const auto choice = read_choice(context, node, {"conv", "dwconv", "gemm"});
            if (choice) row.op = static_cast<LayerRow::Op>(*choice);
          },
          nullptr};
}

template <auto Member>
constexpr Field<LayerRow> count_column(const char* key, const char* fallback, const char* help) {
  return form_count<LayerRow, Member>(key, fallback, help);
}

constexpr auto kLayerFields = std::to_array<Field<LayerRow>>({
    name_field<&LayerRow::network>("model", "name of the network, the same in all rows"),
    name_field<&LayerRow::layer>("layer", "name of the layer, different in all rows"),
    op_field(),
    count_column<&Conv2d::batch>("N", nullptr, "images of the batch"),
    count_column<&Conv2d::out_channels>("M", nullptr,
                                        "output channels of all groups; of a gemm, its M"),
    count_column<&Conv2d::in_channels>("C", nullptr,
                                       "input channels of all groups; of a gemm, its K"),
    count_column<&Conv2d::p>(
        "P", nullptr, "height of the output (transposed: of the input); a gemm has N*P*Q columns"),
    count_column<&Conv2d::q>("Q", nullptr, "width of the output (transposed: of the input)"),
    count_column<&Conv2d::r>("R", nullptr, "height of the filter; of a gemm 1"),
    count_column<&Conv2d::s>("S", nullptr, "width of the filter; of a gemm 1"),
    count_column<&Conv2d::stride_h>("stride_h", "1", "step of the window along P"),
    count_column<&Conv2d::stride_w>("stride_w", "1", "step of the window along Q"),
    count_column<&Conv2d::dilation_h>("dilation_h", "1", "distance of the filter's points along R"),
    count_column<&Conv2d::dilation_w>("dilation_w", "1", "distance of the filter's points along S"),
    count_column<&Conv2d::groups>("groups", "1", "groups of channels, dividing M and C"),
    form_flag<LayerRow, &Conv2d::transposed>("transposed", "the window slides over the output"),
    count_column<&LayerRow::count>("count", "1", "how often the network has the layer"),
    count_column<&LayerRow::input_bits>("input_bits", "8", "width of an element of the input"),
    count_column<&LayerRow::weight_bits>("weight_bits", "8", "width of a weight"),
    count_column<&LayerRow::output_bits>("output_bits", "8", "width of an element of the output"),
    note_field<&LayerRow::source>("source", "where the numbers come from"),
    note_field<&LayerRow::note>("note", "what else a reader should know"),
});

}  // namespace

FieldTable<LayerRow> layer_fields() { return kLayerFields; }

}  // namespace tilewright::io
