#include "mappers/optimal/price.h"

#include <algorithm>
#include <array>

namespace tilewright::optimal {
namespace {

// The price of a link at each vector of the extents that it depends on.
class Prices {
 public:
  Prices(const Subproblem& sub, const Link& link, int block, const std::vector<AxisExtents>& axes,
         int moving_dim)
      : sub_(sub),
        link_(link),
        block_(block),
        axes_(axes),
        moving_dim_(moving_dim),
        tensor_(sub.solver().tensor(link.tensor)),
        kinds_(sub.count_kinds(link)),
        depends_(axes.size(), false) {
    LinkCounts fixed;
    std::fill_n(fixed.begin(), kinds_, 1);
    std::size_t size = 1;
    for (int d = 0; d < dims(); ++d) {
      if (contains(tensor_.alone, d)) multiply(fixed, sub.solver().size(d));
      if (!contains(tensor_.relevant, d)) add_irrelevant(d);
    }
    for (const Window& window : tensor_.windows) add_window(window);
    for (int d = 0; d < dims(); ++d) {
      if (depends_[at(d)]) size *= length(d);
    }
    prices_.reserve(size);
    visit(0, fixed);
  }

  // Adds the price to every element of an array over all axes.
  void add_to(std::span<Units> array) const {
    std::vector<Run> runs = {{1, true}};
    for (int d = 0; d < dims(); ++d) {
      const std::size_t n = length(d);
      const bool depends = depends_[at(d)];
      if (n == 1) continue;
      if (runs.back().depends == depends) {
        runs.back().length *= n;
      } else {
        runs.push_back({n, depends});
      }
    }
    const Units* price = prices_.data();
    add_from(runs, 0, array, price, prices_.size());
  }

 private:
  // Neighbouring axes that all matter to the price, or do not.
  struct Run {
    std::size_t length = 1;
    bool depends = true;
  };

  // Factors that become known at an axis: per position there, and per position
  // on earlier axes of the same window.
  struct Table {
    int axis = 0;                     // the last axis that it depends on
    std::vector<int> dims;            // all of them
    std::vector<LinkCounts> factors;  // the last one fastest
  };

  int dims() const { return static_cast<int>(axes_.size()); }
  std::size_t length(int d) const { return axes_[at(d)].extents.size(); }
  void multiply(LinkCounts& counts, std::int64_t factor) const {
    for (int k = 0; k < kinds_; ++k) counts[at(k)] = times(counts[at(k)], factor);
  }
  void add_irrelevant(int d) {
    Table table;
    table.axis = d;
    table.dims = {d};
    depends_[at(d)] = true;
    for (const std::int64_t extent : axes_[at(d)].extents) {
      LinkCounts factors{};
      for (int k = 0; k < kinds_; ++k) {
        factors[at(k)] = sub_.irrelevant(link_, k, d, block_, extent);
      }
      table.factors.push_back(factors);
    }
    tables_.push_back(std::move(table));
  }

  void add_window(const Window& window) {
    Table table;
    std::vector<int> position;  // of each of the table's dimensions in the window
    for (int d = 0; d < dims(); ++d) {
      if (window.position_of(d) < 0) continue;
      table.dims.push_back(d);
      position.push_back(window.position_of(d));
      table.axis = d;
      depends_[at(d)] = true;
    }
    std::vector<std::size_t> index(table.dims.size(), 0);
    Extents inside{};
    Mover mover;
    mover.dim = moving_dim_;
    for (bool more = true; more;) {
      for (std::size_t i = 0; i < index.size(); ++i) {
        const AxisExtents& axis = axes_[at(table.dims[i])];
        inside[at(position[i])] = axis.extents[index[i]];
        if (table.dims[i] == moving_dim_) mover.bound = axis.bounds[index[i]];
      }
      LinkCounts factors{};
      const std::int64_t words = sub_.window_words(link_, window, block_, inside, mover);
      for (int k = 0; k < kinds_; ++k) {
        factors[at(k)] = sub_.window_shared(link_, k, window, block_, inside, words);
      }
      table.factors.push_back(factors);
      more = advance(table, index);
    }
    tables_.push_back(std::move(table));
  }

  bool advance(const Table& table, std::vector<std::size_t>& index) const {
    for (std::size_t i = index.size(); i-- > 0;) {
      if (++index[i] < length(table.dims[i])) return true;
      index[i] = 0;
    }
    return false;
  }

  void visit(int axis, const LinkCounts& counts) {
    while (axis < dims() && !depends_[at(axis)]) ++axis;
    if (axis == dims()) {
      prices_.push_back(sub_.energy(link_, counts));
      return;
    }
    for (std::size_t i = 0; i < length(axis); ++i) {
      index_[at(axis)] = i;
      LinkCounts here = counts;
      for (const Table& table : tables_) {
        if (table.axis != axis) continue;
        std::size_t place = 0;
        for (const int d : table.dims) {
          place = place * length(d) + index_[at(d)];
        }
        const LinkCounts& factors = table.factors[place];
        for (int k = 0; k < kinds_; ++k) {
          here[at(k)] = times(here[at(k)], factors[at(k)]);
        }
      }
      visit(axis + 1, here);
    }
  }

  void add_from(const std::vector<Run>& runs, std::size_t first, std::span<Units> array,
                const Units* price, std::size_t prices) const {
    const Run& run = runs[first];
    if (first + 1 == runs.size()) {
      if (run.depends) {
        for (std::size_t i = 0; i < array.size(); ++i) array[i] = sum(array[i], price[i]);
      } else {
        for (Units& value : array) value = sum(value, *price);
      }
      return;
    }
    const std::size_t part = array.size() / run.length;
    const std::size_t part_prices = run.depends ? prices / run.length : prices;
    for (std::size_t i = 0; i < run.length; ++i) {
      add_from(runs, first + 1, array.subspan(i * part, part),
               run.depends ? price + i * part_prices : price, part_prices);
    }
  }

  const Subproblem& sub_;
  const Link& link_;
  int block_;
  const std::vector<AxisExtents>& axes_;
  int moving_dim_;
  const TensorShape& tensor_;
  int kinds_;
  std::vector<bool> depends_;  // per dimension
  std::vector<Table> tables_;
  std::vector<Units> prices_;
  std::array<std::size_t, kMaxDims> index_{};
};

}  // namespace

void add_price(const Subproblem& sub, const Link& link, int block,
               const std::vector<AxisExtents>& axes, int moving_dim, std::span<Units> array) {
  Prices(sub, link, block, axes, moving_dim).add_to(array);
}

}  // namespace tilewright::optimal
