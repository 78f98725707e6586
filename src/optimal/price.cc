#include "optimal/price.h"

#include <algorithm>
#include <array>

namespace tilewright::optimal {
namespace {

class Sweep {
 public:
  Sweep(const Frame& frame, const Link& link, int block, const std::vector<AxisExtents>& axes,
        int moving_dim)
      : frame_(frame),
        link_(link),
        block_(block),
        axes_(axes),
        moving_dim_(moving_dim),
        tensor_(frame.setting().tensor(link.tensor)),
        kinds_(frame.count_kinds(link)) {
    LinkCounts fixed;
    std::fill_n(fixed.begin(), kinds_, 1);
    for (int d = 0; d < dims(); ++d) {
      if (((tensor_.alone >> d) & 1U) != 0) multiply(fixed, frame.setting().size(d));
      if (((tensor_.relevant >> d) & 1U) == 0) add_irrelevant(d);
    }
    for (const Window& window : tensor_.windows) add_window(window);
    start_ = fixed;
  }

  void run(std::span<Units> array) { at(0, start_, array); }

 private:
  // Factors that become known at an axis: per position there, and per position
  // on earlier axes of the same window.
  struct Table {
    int axis = 0;                     // the last axis that it depends on
    std::vector<int> dims;            // all of them
    std::vector<LinkCounts> factors;  // the last one fastest
  };

  int dims() const { return static_cast<int>(axes_.size()); }
  std::int64_t length(int d) const {
    return static_cast<std::int64_t>(axes_[static_cast<std::size_t>(d)].extents.size());
  }
  void multiply(LinkCounts& counts, std::int64_t factor) const {
    for (int k = 0; k < kinds_; ++k) scale(counts[static_cast<std::size_t>(k)], factor);
  }
  static void scale(std::int64_t& count, std::int64_t factor) {
    const Int128 product = static_cast<Int128>(count) * factor;
    count = product < kCountLimit ? static_cast<std::int64_t>(product) : kCountLimit;
  }

  void add_irrelevant(int d) {
    Table table;
    table.axis = d;
    table.dims = {d};
    bool varies = false;
    for (const std::int64_t extent : axes_[static_cast<std::size_t>(d)].extents) {
      LinkCounts factors{};
      for (int k = 0; k < kinds_; ++k) {
        factors[static_cast<std::size_t>(k)] = frame_.irrelevant(link_, k, d, block_, extent);
        varies = varies || factors[static_cast<std::size_t>(k)] != 1;
      }
      table.factors.push_back(factors);
    }
    if (varies) tables_.push_back(std::move(table));
  }

  void add_window(const Window& window) {
    Table table;
    std::vector<int> position;  // in the window, of each of the table's dimensions
    for (int d = 0; d < dims(); ++d) {
      if (window.position_of(d) < 0) continue;
      table.dims.push_back(d);
      position.push_back(window.position_of(d));
      table.axis = d;
    }
    std::vector<std::size_t> at(table.dims.size(), 0);
    Extents inside{};
    Mover mover;
    mover.dim = moving_dim_;
    for (bool more = true; more;) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        const AxisExtents& axis = axes_[static_cast<std::size_t>(table.dims[i])];
        inside[static_cast<std::size_t>(position[i])] = axis.extents[at[i]];
        if (table.dims[i] == moving_dim_) mover.bound = axis.bounds[at[i]];
      }
      LinkCounts factors{};
      const std::int64_t words = frame_.window_words(link_, window, block_, inside, mover);
      for (int k = 0; k < kinds_; ++k) {
        factors[static_cast<std::size_t>(k)] =
            frame_.window_shared(link_, k, window, block_, inside, words);
      }
      table.factors.push_back(factors);
      more = advance(table, at);
    }
    tables_.push_back(std::move(table));
  }

  bool advance(const Table& table, std::vector<std::size_t>& at) const {
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < static_cast<std::size_t>(length(table.dims[i]))) return true;
      at[i] = 0;
    }
    return false;
  }

  bool depends_from(int axis) const {
    return std::any_of(tables_.begin(), tables_.end(),
                       [&](const Table& table) { return table.axis >= axis; });
  }

  void at(int axis, const LinkCounts& counts, std::span<Units> array) {
    if (!depends_from(axis)) {
      const Units energy = frame_.energy(link_, counts);
      for (Units& value : array) value = sum(value, energy);
      return;
    }
    const std::size_t part = array.size() / static_cast<std::size_t>(length(axis));
    for (std::int64_t i = 0; i < length(axis); ++i) {
      index_[static_cast<std::size_t>(axis)] = i;
      LinkCounts here = counts;
      for (const Table& table : tables_) {
        if (table.axis != axis) continue;
        std::int64_t place = 0;
        for (const int d : table.dims) {
          place = place * length(d) + index_[static_cast<std::size_t>(d)];
        }
        const LinkCounts& factors = table.factors[static_cast<std::size_t>(place)];
        for (int k = 0; k < kinds_; ++k) {
          scale(here[static_cast<std::size_t>(k)], factors[static_cast<std::size_t>(k)]);
        }
      }
      at(axis + 1, here, array.subspan(static_cast<std::size_t>(i) * part, part));
    }
  }

  const Frame& frame_;
  const Link& link_;
  int block_;
  const std::vector<AxisExtents>& axes_;
  int moving_dim_;
  const TensorShape& tensor_;
  int kinds_;
  LinkCounts start_;
  std::vector<Table> tables_;
  std::array<std::int64_t, kMaxDims> index_{};
};

}  // namespace

void add_price(const Frame& frame, const Link& link, int block,
               const std::vector<AxisExtents>& axes, int moving_dim, std::span<Units> array) {
  Sweep(frame, link, block, axes, moving_dim).run(array);
}

}  // namespace tilewright::optimal
