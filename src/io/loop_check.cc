#include <fmt/format.h>

#include "loop_text.h"

namespace tilewright::io {

namespace {

// The loops of one dimension, outermost first.
class DimensionCheck {
 public:
  DimensionCheck(Context& context, const Node& levels, const Problem& problem,
                 const Mapping& mapping, DimId dim, const std::vector<LoopText>& all_loops)
      : context_(context), levels_(levels), problem_(problem), mapping_(mapping), dim_(dim) {
    loop_at_.resize(static_cast<std::size_t>(problem.slot_count()), nullptr);
    for (const LoopText& loop : all_loops) {
      if (loop.dim == dim) loop_at_[at(loop.slot)] = &loop;
    }
  }

  void run() {
    if (covers()) check_last_passes();
  }

 private:
  const Dimension& dimension() const { return problem_.workload().dim(dim_); }

  const Node& outermost_loop() const {
    for (const LoopText* loop : loop_at_) {
      if (loop != nullptr) return *loop->node;
    }
    return levels_;
  }

  // "17 x 4 = 68"
  std::string product_text() const {
    std::vector<std::int64_t> bounds;
    for (const LoopText* loop : loop_at_) {
      if (loop != nullptr && loop->bound > 1) bounds.push_back(loop->bound);
    }
    const auto product = checked_product(bounds);
    const std::string total = product ? fmt::format("{}", *product) : "more than 2^60";
    return bounds.size() < 2 ? total : fmt::format("{} = {}", fmt::join(bounds, " x "), total);
  }

  bool covers() {
    std::int64_t left = dimension().size;
    for (int slot = problem_.slot_count() - 1; slot >= 0; --slot) {
      const std::int64_t bound = mapping_.bound(slot, dim_);
      if (bound > left) {
        context_.complain(
            *loop_at_[at(slot)]->node,
            fmt::format("the bound {} of {} at {} is more than the {} that the levels inside "
                        "leave of its size {}",
                        bound, dimension().name, problem_.slot_name(slot), left, dimension().size),
            fmt::format("write at most {}", left));
        return false;
      }
      left = left / bound + (left % bound != 0 ? 1 : 0);
    }
    if (left == 1) return true;
    complain_uncovered(left);
    return false;
  }

  void complain_uncovered(std::int64_t left) {
    const Node& place = outermost_loop();
    if (&place == &levels_) {
      context_.complain(
          levels_,
          fmt::format("dimension {} of size {} has no loop", dimension().name, dimension().size),
          fmt::format("add \"{} {}\" to a level", dimension().name, dimension().size));
      return;
    }
    context_.complain(place,
                      fmt::format("the bounds of {} ({}) do not reach its size {}",
                                  dimension().name, product_text(), dimension().size),
                      fmt::format("add another loop, such as \"{} {}\" at a level outside",
                                  dimension().name, left));
  }

  void check_last_passes() {
    const std::vector<std::int64_t> passes = last_passes(problem_, mapping_, dim_);
    std::vector<std::string> missing;
    const Node* first_missing = nullptr;
    for (std::size_t slot = 0; slot < loop_at_.size(); ++slot) {
      const LoopText* loop = loop_at_[slot];
      if (loop == nullptr) continue;
      if (loop->last) {
        if (*loop->last != passes[slot]) complain_wrong_last(*loop, passes[slot]);
      } else if (passes[slot] != loop->bound) {
        if (first_missing == nullptr) first_missing = loop->node;
        missing.push_back(fmt::format("\"{}\" at {}",
                                      loop_text(dimension().name, loop->bound, passes[slot]),
                                      problem_.slot_name(static_cast<int>(slot))));
      }
    }
    if (first_missing == nullptr) return;
    context_.complain(*first_missing,
                      fmt::format("the bounds of {} ({}) do not multiply to its size {}",
                                  dimension().name, product_text(), dimension().size),
                      fmt::format("for perfect factors choose bounds that do, or write {}",
                                  join(missing, " and ")));
  }

  void complain_wrong_last(const LoopText& loop, std::int64_t pass) {
    context_.complain(
        *loop.node,
        fmt::format("{} at {} says \"last {}\", but with these bounds the last "
                    "pass runs {}",
                    dimension().name, problem_.slot_name(loop.slot), *loop.last, pass),
        fmt::format("write \"last {}\"", pass));
  }

  Context& context_;
  const Node& levels_;
  const Problem& problem_;
  const Mapping& mapping_;
  DimId dim_;
  std::vector<const LoopText*> loop_at_;  // per slot
};

}  // namespace

void check_loops(Context& context, const Node& levels, const Problem& problem,
                 const Mapping& mapping, const std::vector<LoopText>& loops) {
  for (int d = 0; d < problem.dim_count(); ++d) {
    DimensionCheck(context, levels, problem, mapping, DimId{d}, loops).run();
  }
}

}  // namespace tilewright::io
