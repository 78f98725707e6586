// All axes together.
#include <algorithm>

#include "tilewright/flexibility.h"

namespace tilewright {

namespace {

// Pairs with shapes: which shapes make a difference depends on the loop on the rows.
struct Arrays {
  BigUint of_class, supported, of_workload, class_both, both;
};

bool is_useful(const ConvView& view, const ConvPair& pair) {
  return view.size(pair.rows) > 1 && view.size(pair.columns) > 1;
}

// Shapes with as many units of rows as the loop on them fills, or fewer.
std::uint64_t useful_shapes(const ShapeFreedom& freedom, std::int64_t pes, std::int64_t rows) {
  if (freedom.kind == ShapeFreedom::Kind::Fixed) return 1;
  const auto all = static_cast<std::int64_t>(shapes_of(freedom, pes).size());
  return static_cast<std::uint64_t>(std::min(all, ceil_div(rows, freedom.unit.rows)));
}

Arrays count_arrays(const ConvView& view, const Flexibility& flexibility, std::int64_t pes) {
  const std::vector<ConvPair> pairs = flexibility.pairs.empty() ? all_pairs() : flexibility.pairs;
  const ShapeFreedom any{ShapeFreedom::Kind::Any, {1, 1}};
  Arrays arrays;
  arrays.of_class = static_cast<std::uint64_t>(kAllPairs) * static_cast<std::uint64_t>(pes);
  arrays.supported = pairs.size() * shapes_of(flexibility.shape, pes).size();
  for (const ConvPair& pair : all_pairs()) {
    if (!is_useful(view, pair)) continue;
    const std::int64_t rows = view.size(pair.rows);
    arrays.of_workload += static_cast<std::uint64_t>(rows);
    arrays.class_both += useful_shapes(any, pes, rows);
    if (contains(pairs, pair)) arrays.both += useful_shapes(flexibility.shape, pes, rows);
  }
  // A layer that fills no pair is run by some pair all the same; see the single axis.
  if (arrays.of_workload.is_zero()) arrays.of_workload = arrays.class_both = 1;
  if (arrays.both.is_zero()) arrays.both = 1;
  return arrays;
}

double ratio(const BigUint& part, const BigUint& all) {
  return all.is_zero() ? 1 : part.value() / all.value();
}

}  // namespace

JointFlexion joint_flexion_of(const Workload& workload, const Architecture& arch,
                              const std::array<AxisFlexion, 4>& axes) {
  const ConvView view = *ConvView::create(workload).value;
  const Arrays arrays =
      count_arrays(view, *arch.flexibility, parts_of(arch, *arch.flexibility)->pes);
  const AxisFlexion& tile = axes[static_cast<std::size_t>(TopsAxis::Tile)];
  const AxisFlexion& order = axes[static_cast<std::size_t>(TopsAxis::Order)];
  JointFlexion joint;
  joint.of_class = tile.of_class * order.of_class * arrays.of_class;
  joint.supported = tile.supported * order.supported * arrays.supported;
  joint.of_workload = tile.of_workload * order.of_workload * arrays.of_workload;
  joint.class_both = tile.class_both.count * order.class_both.count * arrays.class_both;
  joint.both = tile.both.count * order.both.count * arrays.both;
  joint.hardware = ratio(joint.supported, joint.of_class);
  const double others = order.workload() * ratio(arrays.both, arrays.of_workload);
  joint.workload = tile.workload() * others;
  if (tile.both.estimated) {
    joint.estimated =
        Interval{tile.both.estimated->low * others, tile.both.estimated->high * others};
  }
  return joint;
}

}  // namespace tilewright
