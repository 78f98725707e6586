// Counts of all axes against trying everything, on random small problems.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "flexibility/setup.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "tilewright/flexibility.h"

namespace tilewright {
namespace {

using testing::flexion;
using testing::make_arch;
using testing::make_fanout;
using testing::make_memory;
using testing::TestRng;

Workload random_layer(TestRng& rng) {
  if (rng.chance(20)) {
    return make_gemm("gemm", rng.between(1, 6), rng.between(1, 6), rng.between(1, 6));
  }
  Conv2d conv;
  conv.groups = rng.chance(40) ? rng.between(1, 3) : 1;
  conv.in_channels = conv.groups * rng.between(1, 3);
  conv.out_channels = conv.groups * rng.between(1, 4);
  conv.batch = rng.between(1, 2);
  conv.p = rng.between(1, 4);
  conv.q = rng.between(1, 4);
  conv.r = rng.between(1, 3);
  conv.s = rng.between(1, 2);
  conv.stride_h = rng.between(1, 3);
  conv.stride_w = rng.between(1, 2);
  conv.dilation_h = rng.between(1, 2);
  conv.transposed = rng.chance(20);
  return make_conv2d("conv", conv);
}

// Loops larger than 1 of an order.
std::string without_ones(const ConvView& view, const ConvOrder& order) {
  std::string text;
  for (const ConvDim loop : order) {
    if (view.size(loop) > 1) text += letter_of(loop);
  }
  return text;
}

template <typename T>
std::vector<T> some_of(TestRng& rng, const std::vector<T>& all) {
  std::vector<T> some;
  for (const T& one : all) {
    const bool known = std::find(some.begin(), some.end(), one) != some.end();
    if (!known && rng.chance(300 / static_cast<int>(all.size()))) some.push_back(one);
  }
  return some.empty() ? std::vector<T>{rng.pick(all)} : some;
}

std::vector<ConvOrder> all_orders() {
  std::vector<ConvOrder> orders;
  ConvOrder order = kAllConvDims;
  do {
    orders.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

Architecture random_arch(TestRng& rng) {
  Memory buffer = make_memory("buffer", rng.between(6, 60));
  if (rng.chance(40)) {
    buffer.capacity = {Capacity::Unit::Bits, rng.between(60, 500)};
    buffer.word_bits = rng.pick(std::vector<std::int64_t>{1, 4, 8});
  }
  buffer.double_buffered = rng.chance(20);
  if (rng.chance(20)) buffer.bypass = {rng.chance(50) ? "weight" : "input"};
  Architecture arch = make_arch(
      {make_memory("dram"), buffer, make_fanout("array", rng.between(2, 6), rng.between(2, 6))});
  Flexibility flexibility;
  flexibility.orders = rng.chance(20) ? std::vector<ConvOrder>{} : some_of(rng, all_orders());
  flexibility.pairs = rng.chance(20) ? std::vector<ConvPair>{} : some_of(rng, all_pairs());
  using Shape = ShapeFreedom::Kind;
  flexibility.shape.kind =
      rng.pick(std::vector<Shape>{Shape::Fixed, Shape::Blocks, Shape::Bands, Shape::Any});
  const std::int64_t unit = rng.between(1, 2);
  flexibility.shape.unit = {unit, flexibility.shape.kind == Shape::Bands ? unit : 2};
  if (flexibility.shape.kind == Shape::Any) flexibility.shape.unit = {1, 1};
  if (rng.chance(40)) {
    flexibility.tile.kind = TileFreedom::Kind::Hard;
    flexibility.tile.shares = {Rational{1, rng.between(3, 5)}, Rational{1, 3}, Rational{1, 3}};
  }
  arch.flexibility = flexibility;
  return arch;
}

// --- naive counts -------------------------------------------------------------

// Different elements of a tensor in a tile, one by one.
std::int64_t elements(const Tensor& tensor, const std::vector<std::int64_t>& tile) {
  std::set<std::vector<std::int64_t>> seen;
  std::vector<std::int64_t> at(tile.size(), 0);
  while (true) {
    std::vector<std::int64_t> element;
    for (const Rank& rank : tensor.ranks) {
      element.push_back(0);
      for (const Term& term : rank) {
        element.back() += term.coefficient * at[static_cast<std::size_t>(index_of(term.dim))];
      }
    }
    seen.insert(element);
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == tile[d]) at[d++] = 0;
    if (d == at.size()) break;
  }
  return static_cast<std::int64_t>(seen.size());
}

// What the buffer does with numbers of elements, weight, input, output.
class Buffer {
 public:
  Buffer(const Architecture& arch, const Workload& workload, bool hard)
      : memory_(std::get<Memory>(arch.levels[1])),
        tile_(arch.flexibility->tile),
        hard_(hard),
        workload_(workload) {}

  bool keeps(const Tensor& tensor) const {
    return std::find(memory_.bypass.begin(), memory_.bypass.end(), to_string(tensor.role)) ==
           memory_.bypass.end();
  }

  bool fits(const std::vector<std::int64_t>& counts) const {
    std::int64_t sum = 0;
    bool good = true;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      const Tensor& tensor = workload_.tensors[t];
      if (!keeps(tensor)) continue;
      const std::int64_t words = ceil_div(tensor.bits, memory_.word_bits) * memory_.word_bits;
      const bool bits = memory_.capacity.unit == Capacity::Unit::Bits;
      const std::int64_t taken = counts[t] * (bits ? words : 1);
      sum += taken;
      const Rational share = tile_.shares[tensor.role == Role::Weight  ? 0
                                          : tensor.role == Role::Input ? 1
                                                                       : 2];
      const std::int64_t part =
          hard_ ? memory_.capacity.amount * share.numerator / share.denominator : 0;
      if (hard_) good = good && taken <= usable(part);
    }
    return hard_ ? good : sum <= usable(memory_.capacity.amount);
  }

  std::int64_t footprints() const {
    std::int64_t count = 0;
    constexpr std::int64_t kMost = 520;
    const std::vector<std::int64_t> least = {1, 1, 1};
    std::vector<std::int64_t> counts = least;
    const auto most = [&](std::size_t t) { return keeps(workload_.tensors[t]) ? kMost : 1; };
    for (counts[0] = 1; counts[0] <= most(0); ++counts[0]) {
      counts[1] = counts[2] = 1;
      if (!fits(counts)) break;
      for (; counts[1] <= most(1); ++counts[1]) {
        counts[2] = 1;
        if (!fits(counts)) break;
        for (; counts[2] <= most(2) && fits(counts); ++counts[2]) ++count;
      }
    }
    return count;
  }

 private:
  std::int64_t usable(std::int64_t amount) const {
    return memory_.double_buffered ? amount / 2 : amount;
  }

  const Memory& memory_;
  const TileFreedom& tile_;
  bool hard_;
  const Workload& workload_;
};

// Tiles of the six loops, and those of them that fit.
std::pair<std::int64_t, std::int64_t> tiles(const Workload& workload, const ConvView& view,
                                            const Buffer& buffer) {
  std::int64_t all = 0;
  std::int64_t fit = 0;
  std::vector<std::int64_t> tile(workload.dims.size(), 1);
  const auto is_batch = [&](std::size_t d) {
    const auto& others = view.others();
    return std::find(others.begin(), others.end(), DimId{static_cast<int>(d)}) != others.end();
  };
  while (true) {
    std::vector<std::int64_t> counts;
    for (const Tensor& tensor : workload.tensors) {
      counts.push_back(elements(tensor, tile));
    }
    ++all;
    fit += buffer.fits(counts) ? 1 : 0;
    std::size_t d = 0;
    for (; d < tile.size(); ++d) {
      if (is_batch(d)) continue;
      if (++tile[d] <= workload.dims[d].size) break;
      tile[d] = 1;
    }
    if (d == tile.size()) return {all, fit};
  }
}

// --- comparisons ----------------------------------------------------------------

void check_orders(const Workload& workload, const Architecture& arch) {
  const ConvView view = *ConvView::create(workload).value;
  const std::vector<ConvOrder> every = all_orders();
  const std::vector<ConvOrder>& listed = arch.flexibility->orders;
  const auto& supported = listed.empty() ? every : listed;
  const auto different = [&](const std::vector<ConvOrder>& orders) {
    std::set<std::string> texts;
    for (const ConvOrder& order : orders) texts.insert(without_ones(view, order));
    return texts.size();
  };
  const AxisFlexion counted = flexion(workload, arch, TopsAxis::Order);
  EXPECT_EQ(counted.of_class, every.size());
  EXPECT_EQ(counted.supported, supported.size());
  EXPECT_EQ(counted.of_workload, different(every));
  EXPECT_EQ(counted.class_both.count, different(every));
  EXPECT_EQ(counted.both.count, different(supported));
}

void check_pairs(const Workload& workload, const Architecture& arch) {
  const ConvView view = *ConvView::create(workload).value;
  const auto useful = [&](const std::vector<ConvPair>& pairs) {
    std::uint64_t count = 0;
    for (const ConvPair& pair : pairs) {
      count += view.size(pair.rows) > 1 && view.size(pair.columns) > 1 ? 1 : 0;
    }
    return count;
  };
  const std::vector<ConvPair>& listed = arch.flexibility->pairs;
  const std::uint64_t all = useful(all_pairs());
  const std::uint64_t some = listed.empty() ? all : useful(listed);
  const AxisFlexion counted = flexion(workload, arch, TopsAxis::Parallel);
  EXPECT_EQ(counted.of_class, 30U);
  EXPECT_EQ(counted.supported, listed.empty() ? 30 : listed.size());
  EXPECT_EQ(counted.of_workload, all);
  EXPECT_EQ(counted.class_both.count, all);
  EXPECT_EQ(counted.both.count, all == 0 ? 0 : std::max<std::uint64_t>(1, some));
}

void check_shapes(const Workload& workload, const Architecture& arch) {
  const ConvView view = *ConvView::create(workload).value;
  const Flexibility& flexibility = *arch.flexibility;
  const std::int64_t pes = parts_of(arch, flexibility)->pes;
  const ConvDim rows = flexibility.pairs.empty() ? ConvDim::K : flexibility.pairs.front().rows;
  const auto useful = [&](const ShapeFreedom& freedom) {
    std::uint64_t count = 0;
    for (const ArrayShape& shape : shapes_of(freedom, pes)) {
      const bool fixed = freedom.kind == ShapeFreedom::Kind::Fixed;
      count += fixed || shape.rows - freedom.unit.rows < view.size(rows) ? 1 : 0;
    }
    return count;
  };
  const AxisFlexion counted = flexion(workload, arch, TopsAxis::Shape);
  EXPECT_EQ(counted.of_class, static_cast<std::uint64_t>(pes));
  EXPECT_EQ(counted.supported, shapes_of(flexibility.shape, pes).size());
  EXPECT_EQ(counted.of_workload, static_cast<std::uint64_t>(view.size(rows)));
  EXPECT_EQ(counted.class_both.count, useful({ShapeFreedom::Kind::Any, {1, 1}}));
  EXPECT_EQ(counted.both.count, useful(flexibility.shape));
}

// Pairs with the numbers of rows that they can fill, one by one.
void check_joint(const Workload& workload, const Architecture& arch) {
  const ConvView view = *ConvView::create(workload).value;
  const Flexibility& flexibility = *arch.flexibility;
  const std::int64_t pes = parts_of(arch, flexibility)->pes;
  std::array<AxisFlexion, 4> axes;
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = flexion(workload, arch, kTopsAxes[i]);
  const auto is_listed = [&](const ConvPair& pair) {
    return flexibility.pairs.empty() || contains(flexibility.pairs, pair);
  };
  std::uint64_t all = 0, possible = 0, supported = 0;
  for (const ConvPair& pair : all_pairs()) {
    if (view.size(pair.rows) == 1 || view.size(pair.columns) == 1) continue;
    for (std::int64_t rows = 1; rows <= view.size(pair.rows); ++rows) {
      ++all;
      possible += rows <= pes ? 1 : 0;
    }
    for (const ArrayShape& shape : shapes_of(flexibility.shape, pes)) {
      const bool fixed = flexibility.shape.kind == ShapeFreedom::Kind::Fixed;
      const bool useful = fixed || shape.rows - flexibility.shape.unit.rows < view.size(pair.rows);
      supported += is_listed(pair) && useful ? 1 : 0;
    }
  }
  const auto times = [&](std::uint64_t arrays, auto count) {
    return BigUint(arrays == 0 ? 1 : arrays) * count(axes[0]) * count(axes[1]);
  };
  const JointFlexion joint = joint_flexion_of(workload, arch, axes);
  EXPECT_EQ(joint.of_workload, times(all, [](const AxisFlexion& a) { return a.of_workload; }));
  EXPECT_EQ(joint.class_both,
            times(possible, [](const AxisFlexion& a) { return a.class_both.count; }));
  EXPECT_EQ(joint.both, times(supported, [](const AxisFlexion& a) { return a.both.count; }));
  BigUint of_class = 1, of_this = 1;
  for (const AxisFlexion& axis : axes) {
    of_class *= axis.of_class;
    of_this *= axis.supported;
  }
  EXPECT_EQ(joint.of_class, of_class);
  EXPECT_EQ(joint.supported, of_this);
  EXPECT_NEAR(joint.workload, joint.both.value() / joint.of_workload.value(), 1e-12);
}

// False if there is no tile axis to speak of.
bool check_tiles(const Workload& workload, const Architecture& arch) {
  const ConvView view = *ConvView::create(workload).value;
  const bool hard = arch.flexibility->tile.kind == TileFreedom::Kind::Hard;
  const Buffer whole(arch, workload, false);
  const Buffer shared(arch, workload, hard);
  const std::int64_t footprints = whole.footprints();
  const Checked<AxisFlexion> parsed = flexion_of(workload, arch, TopsAxis::Tile);
  EXPECT_EQ(parsed.ok(), footprints > 0);
  if (!parsed.ok()) return false;
  const auto [all, fit_whole] = tiles(workload, view, whole);
  const auto [same, fit_shared] = tiles(workload, view, shared);
  EXPECT_EQ(all, same);
  const AxisFlexion& counted = *parsed.value;
  EXPECT_EQ(counted.of_class, static_cast<std::uint64_t>(footprints));
  EXPECT_EQ(counted.supported, static_cast<std::uint64_t>(shared.footprints()));
  EXPECT_EQ(counted.of_workload, static_cast<std::uint64_t>(all));
  EXPECT_EQ(counted.class_both.count, static_cast<std::uint64_t>(fit_whole));
  EXPECT_EQ(counted.both.count, static_cast<std::uint64_t>(fit_shared));
  EXPECT_FALSE(counted.both.estimated || counted.class_both.estimated);
  return true;
}

Workload with_random_widths(TestRng& rng, Workload workload) {
  for (Tensor& tensor : workload.tensors) {
    tensor.bits = rng.pick(std::vector<std::int64_t>{4, 8, 9, 16, 24});
  }
  return workload;
}

TEST(FlexionAgainstBruteForce, OrdersPairsAndShapes) {
  TestRng rng(11);
  for (int i = 0; i < 150; ++i) {
    const Workload workload = random_layer(rng);
    const Architecture arch = random_arch(rng);
    SCOPED_TRACE(to_string(*arch.flexibility) + " " + einsum_text(workload));
    check_orders(workload, arch);
    check_pairs(workload, arch);
    check_shapes(workload, arch);
    if (HasFailure()) break;
  }
}

TEST(FlexionAgainstBruteForce, Tiles) {
  TestRng rng(12);
  const int cases = testing::slow_build() ? 12 : 60;
  int checked = 0;
  for (int i = 0; i < cases; ++i) {
    const Workload workload = with_random_widths(rng, random_layer(rng));
    const Architecture arch = random_arch(rng);
    SCOPED_TRACE(to_string(*arch.flexibility) + " " + einsum_text(workload));
    const bool has_tiles = check_tiles(workload, arch);
    if (has_tiles) check_joint(workload, arch);
    checked += has_tiles ? 1 : 0;
    if (HasFailure()) break;
  }
  EXPECT_GT(checked, cases / 2);
}

}  // namespace
}  // namespace tilewright
