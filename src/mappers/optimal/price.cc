#include "mappers/optimal/price.h"

#include <algorithm>
#include <array>

namespace tilewright::optimal {

class LinkPricing {
 public:
  LinkPricing(const Subproblem& sub, const Link& link, int block,
              const std::vector<AxisExtents>& axes, int moving_dim)
      : sub_(sub),
        link_(link),
        block_(block),
        moving_dim_(moving_dim),
        tensor_(sub.solver().tensor(link.tensor)),
        kinds_(sub.count_kinds(link)),
        dims_(static_cast<int>(axes.size())) {
    for (int d = 0; d < dims(); ++d) lengths_[at(d)] = axes[at(d)].extents.size();
    tables_.reserve(axes.size());
    for (int d = 0; d < dims(); ++d) {
      if (contains(tensor_.alone, d)) fixed_ = times(fixed_, sub.solver().size(d));
      if (!contains(tensor_.relevant, d)) add_irrelevant(d, axes);
    }
    for (std::size_t w = 0; w < tensor_.windows.size(); ++w) add_window(w, axes);
    for (int d = 0; d < dims(); ++d) {
      if (depends(d)) last_axis_ = d;
    }
  }

  bool depends(int d) const { return contains(depends_, d); }
  // Of each dimension along the array of prices; 0 if they do not depend on it.
  std::vector<std::size_t> strides() const {
    std::vector<std::size_t> strides(at(dims()), 0);
    std::size_t stride = 1;
    for (int d = dims(); d-- > 0;) {
      if (!depends(d)) continue;
      strides[at(d)] = stride;
      stride *= length(d);
    }
    return strides;
  }

  // At all places.
  void find_all(std::vector<Units>& prices) {
    next_ = prices.data();
    if (sub_.solver().wide) {
      visit_all(fixed_);
    } else {
      visit_all(static_cast<std::int64_t>(fixed_));
    }
  }
  // At one of them.
  Units find(std::size_t place) {
    for (int d = dims(); d-- > 0;) {
      if (!depends(d)) continue;
      index_[at(d)] = place % length(d);
      place /= length(d);
    }
    return sub_.solver().wide ? price_here(fixed_) : price_here(static_cast<std::int64_t>(fixed_));
  }

 private:
  // A factor of each kind of count. What lies along one dimension or in one window has 64 bits.
  using Factors = CountsOf<std::int64_t>;

  using WindowDims = std::array<int, kMaxWindowDims>;
  using Places = std::array<std::size_t, kMaxWindowDims>;

  // Factors that become known at an axis: per position there, and per position
  // on earlier axes of the same window.
  struct Table {
    int axis = 0;  // the last axis that it depends on
    int dim_count = 0;
    WindowDims dims{};             // all of them
    std::vector<Factors> factors;  // the last one fastest
  };

  int dims() const { return dims_; }
  std::size_t length(int d) const { return lengths_[at(d)]; }
  void add_irrelevant(int d, const std::vector<AxisExtents>& axes) {
    Table table;
    table.axis = d;
    table.dims[0] = d;
    table.dim_count = 1;
    depends_ |= 1U << d;
    table.factors.reserve(length(d));
    for (const std::int64_t extent : axes[at(d)].extents) {
      Factors factors{};
      for (int k = 0; k < kinds_; ++k) {
        factors[at(k)] = sub_.irrelevant(link_, k, d, block_, extent);
      }
      table.factors.push_back(factors);
    }
    tables_.push_back(std::move(table));
  }

  // Gives the position of each of the table's dimensions in the window.
  WindowDims add_dims(const Window& window, Table& table) {
    WindowDims position{};
    std::size_t number = 1;
    for (int d = 0; d < dims(); ++d) {
      if (window.position_of(d) < 0) continue;
      number *= length(d);
      position[at(table.dim_count)] = window.position_of(d);
      table.dims[at(table.dim_count++)] = d;
      table.axis = d;
      depends_ |= 1U << d;
    }
    table.factors.reserve(number);
    return position;
  }

  void add_window(std::size_t place, const std::vector<AxisExtents>& axes) {
    const Window& window = tensor_.windows[place];
    Table table;
    const WindowDims position = add_dims(window, table);
    Places index{};
    Extents inside{};
    Extents least{};
    Mover mover;
    mover.dim = moving_dim_;
    std::int64_t passes = 1;
    const bool uneven = sub_.is_uneven(window, moving_dim_);
    const bool ranges = !axes.front().least.empty();
    const bool is_exact = !ranges && !sub_.solver().is_perfect();  // also with a moving loop
    for (bool more = true; more;) {
      for (std::size_t i = 0; i < at(table.dim_count); ++i) {
        const AxisExtents& axis = axes[at(table.dims[i])];
        inside[at(position[i])] = axis.extents[index[i]];
        if (ranges) least[at(position[i])] = axis.least[index[i]];
        if (table.dims[i] != moving_dim_) continue;
        (ranges ? passes : mover.bound) = (ranges ? axis.passes : axis.bounds)[index[i]];
      }
      Factors factors{};
      const auto words_inside = [&](int fanout) {
        return ranges ? sub_.least_window_words(link_, place, block_, fanout, least, inside,
                                                {moving_dim_, passes})
                      : sub_.window_words(link_, window, block_, fanout, inside, mover);
      };
      const std::int64_t entering = words_inside(link_.end_fanout);
      for (int k = 0; k < kinds_; ++k) {
        const int from = sub_.counted_from(link_, k, block_);
        const std::int64_t words = from == link_.end_fanout ? entering : words_inside(from);
        factors[at(k)] = is_exact
                             ? sub_.window_shared(link_, k, window, block_, inside, mover, words)
                             : sub_.window_shared(link_, k, window, block_, inside, uneven, words);
      }
      table.factors.push_back(factors);
      more = advance(table, index);
    }
    tables_.push_back(std::move(table));
  }

  bool advance(const Table& table, Places& index) const {
    for (std::size_t i = at(table.dim_count); i-- > 0;) {
      if (++index[i] < length(table.dims[i])) return true;
      index[i] = 0;
    }
    return false;
  }

  // All factors of a table that belong to the present place on its other axes.
  const Factors* factors_here(const Table& table) const {
    std::size_t place = 0;
    for (int i = 0; i < table.dim_count; ++i) {
      const int d = table.dims[at(i)];
      place = place * length(d) + (d == table.axis ? 0 : index_[at(d)]);
    }
    return table.factors.data() + place;
  }

  template <typename Number>
  Units price_here(Number fixed) const {
    CountsOf<Number> counts;
    std::fill_n(counts.begin(), kinds_, fixed);
    for (const Table& table : tables_) {
      const Factors& factors = factors_here(table)[index_[at(table.axis)]];
      for (int k = 0; k < kinds_; ++k) counts[at(k)] = times(counts[at(k)], factors[at(k)]);
    }
    return price_of(counts);
  }

  // In numbers that are wide enough.
  template <typename Number>
  void visit_all(Number fixed) {
    CountsOf<Number> counts;
    std::fill_n(counts.begin(), kinds_, fixed);
    visit(0, counts);
  }

  template <typename Number>
  Units price_of(const CountsOf<Number>& counts) const {
    LinkCounts all;
    std::copy_n(counts.begin(), kinds_, all.begin());
    return sub_.energy(link_, all);
  }

  template <typename Number>
  void visit(int axis, const CountsOf<Number>& counts) {
    while (axis < dims() && !depends(axis)) ++axis;
    if (axis == dims()) {
      *next_++ = price_of(counts);
      return;
    }
    // Those that become known here.
    std::array<const Factors*, kMaxDims> known{};
    std::size_t number = 0;
    for (const Table& table : tables_) {
      if (table.axis == axis) known[number++] = factors_here(table);
    }
    const bool is_last = axis == last_axis_;
    for (std::size_t i = 0; i < length(axis); ++i) {
      CountsOf<Number> here;
      std::copy_n(counts.begin(), kinds_, here.begin());
      for (std::size_t n = 0; n < number; ++n) {
        const Factors& factors = known[n][i];
        for (int k = 0; k < kinds_; ++k) here[at(k)] = times(here[at(k)], factors[at(k)]);
      }
      if (is_last) {
        *next_++ = price_of(here);
        continue;
      }
      index_[at(axis)] = i;
      visit(axis + 1, here);
    }
  }

  const Subproblem& sub_;
  const Link& link_;
  int block_;
  int moving_dim_;
  const TensorShape& tensor_;
  int kinds_;
  int dims_;
  std::uint32_t depends_ = 0;                    // on these dimensions
  int last_axis_ = -1;                           // that matters
  std::array<std::size_t, kMaxDims> lengths_{};  // of the axes
  Int128 fixed_ = 1;
  std::vector<Table> tables_;
  Units* next_ = nullptr;  // the price that is worked out next
  std::array<std::size_t, kMaxDims> index_{};
};

namespace {

constexpr Units kUnknownPrice = -1;

}  // namespace

LinkPrices::LinkPrices(const Subproblem& sub, const Link& link, int block,
                       const std::vector<AxisExtents>& axes, int moving_dim, When when) {
  LinkPricing pricing(sub, link, block, axes, moving_dim);
  std::size_t prices = 1;
  for (int d = 0; at(d) < axes.size(); ++d) {
    const std::size_t length = axes[at(d)].extents.size();
    const bool depends = pricing.depends(d);
    places_ *= length;
    if (length == 1) continue;
    prices *= depends ? length : 1;
    if (runs_.back().depends == depends) {
      runs_.back().length *= length;
    } else {
      runs_.push_back({length, depends});
    }
  }
  if (when == When::Now) {
    prices_.resize(prices);
    pricing.find_all(prices_);
  } else {
    prices_.resize(prices, kUnknownPrice);
    strides_ = pricing.strides();
    pricing_ = std::make_unique<LinkPricing>(std::move(pricing));
  }
}

LinkPrices::LinkPrices(LinkPrices&&) noexcept = default;
LinkPrices& LinkPrices::operator=(LinkPrices&&) noexcept = default;
LinkPrices::~LinkPrices() = default;

Units LinkPrices::find(std::size_t place) { return prices_[place] = pricing_->find(place); }

void LinkPrices::add_to(std::span<Units> array) const {
  add_from(0, array, prices_.data(), prices_.size());
}

void LinkPrices::add_from(std::size_t first_run, std::span<Units> array, const Units* price,
                          std::size_t prices) const {
  const Run& run = runs_[first_run];
  if (first_run + 1 == runs_.size()) {
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
    add_from(first_run + 1, array.subspan(i * part, part),
             run.depends ? price + i * part_prices : price, part_prices);
  }
}

void LinkPrices::add_to_part(std::size_t first, std::span<Units> part) const {
  add_part_from(0, {places_, prices_.size()}, first, part, prices_.data());
}

void LinkPrices::add_part_from(std::size_t first_run, const Rest& rest, std::size_t first,
                               std::span<Units> part, const Units* price) const {
  const Run& run = runs_[first_run];
  const Rest inner{rest.places / run.length, run.depends ? rest.prices / run.length : rest.prices};
  if (first_run + 1 == runs_.size()) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      part[i] = sum(part[i], run.depends ? price[first + i] : *price);
    }
    return;
  }
  while (!part.empty()) {
    const std::size_t index = first / inner.places;
    const std::size_t begin = first % inner.places;
    const std::size_t number = std::min(part.size(), inner.places - begin);
    add_part_from(first_run + 1, inner, begin, part.first(number),
                  run.depends ? price + index * inner.prices : price);
    part = part.subspan(number);
    first += number;
  }
}

void add_price(const Subproblem& sub, const Link& link, int block,
               const std::vector<AxisExtents>& axes, int moving_dim, std::span<Units> array) {
  LinkPrices(sub, link, block, axes, moving_dim).add_to(array);
}

}  // namespace tilewright::optimal
