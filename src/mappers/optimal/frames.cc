#include "mappers/optimal/frames.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tilewright::optimal {
namespace {

void add_links(const Setting& setting, Placement& placement) {
  for (int t = 0; t < setting.tensor_count; ++t) {
    int parent = -1;
    for (int m = 0; m < setting.memory_count; ++m) {
      if (((placement.kept[static_cast<std::size_t>(m)] >> t) & 1U) == 0) continue;
      if (parent >= 0) {
        placement.links.push_back({t, parent, m, setting.memory(parent).fanouts_outside,
                                   setting.memory(m).fanouts_outside});
      }
      parent = m;
    }
    placement.compute_links.push_back({t, parent, setting.memory_count,
                                       setting.memory(parent).fanouts_outside,
                                       setting.fanout_count});
  }
}

class Spreads {
 public:
  Spreads(const Setting& setting, std::size_t most, const Deadline& deadline)
      : setting_(setting),
        most_(most),
        deadline_(deadline),
        spread_(setting.fanout_count, setting.dim_count) {}

  std::optional<std::vector<Spread>> take() {
    visit(setting_.fanout_count, setting_.sizes);
    if (all_.size() > most_) return std::nullopt;
    return std::move(all_);
  }

 private:
  struct Choice {
    PerDim unrolled{}, along_x{};
  };

  // From the innermost fan-out to the outermost.
  void visit(int fanouts, const PerDim& left) {
    if (all_.size() > most_) return;
    if (fanouts == 0) {
      all_.push_back(spread_);
      return;
    }
    const int f = fanouts - 1;
    std::vector<Choice> choices;
    Choice choice;
    choice.unrolled.fill(1);
    choice.along_x.fill(1);
    std::set<PerDim> seen;
    choose(f, false, 0, setting_.fanout(f).size_x, left, choice, seen, choices);
    for (const Choice& each : choices) {
      PerDim rest = left;
      for (int d = 0; d < setting_.dim_count; ++d) {
        const auto at = static_cast<std::size_t>(d);
        spread_.set(f, d, each.unrolled[at], each.along_x[at]);
        rest[at] =
            ceil_div(ceil_div(left[at], each.along_x[at]), each.unrolled[at] / each.along_x[at]);
      }
      visit(f, rest);
    }
  }

  // Whether only the product of the axes counts: they act as one, and where
  // each must divide, both orders do or neither.
  bool products_only(int slot) const { return !setting_.may_leave_remainder(slot); }

  void choose(int f, bool y_axis, int d, std::int64_t room, const PerDim& left, Choice& choice,
              std::set<PerDim>& seen, std::vector<Choice>& choices) {
    if (choices.size() > most_) return;
    deadline_.check();
    const FanoutShape& fanout = setting_.fanout(f);
    if (d == setting_.dim_count) {
      if (!y_axis) {
        choose(f, true, 0, fanout.size_y, left, choice, seen, choices);
        return;
      }
      std::int64_t used = 1;
      for (int i = 0; i < setting_.dim_count; ++i)
        used *= choice.unrolled[static_cast<std::size_t>(i)];
      if (used < setting_.restrictions->least_instances(fanout.level)) return;
      if (products_only(fanout.slot) && !seen.insert(choice.unrolled).second) return;
      choices.push_back(choice);
      return;
    }
    const int slot = fanout.slot + (y_axis ? 0 : 1);
    const auto at = static_cast<std::size_t>(d);
    const BoundLimits& limits = setting_.limits(slot, d);
    const std::int64_t inside = choice.unrolled[at];
    const std::int64_t now = ceil_div(left[at], inside);
    const std::int64_t most = std::min({limits.most, room, now});
    for (std::int64_t bound = limits.least; bound <= most; ++bound) {
      if (setting_.is_perfect() && now % bound != 0) continue;
      choice.unrolled[at] = inside * bound;
      if (!y_axis) choice.along_x[at] = bound;
      choose(f, y_axis, d + 1, room / bound, left, choice, seen, choices);
    }
    choice.unrolled[at] = inside;
    if (!y_axis) choice.along_x[at] = 1;
  }

  const Setting& setting_;
  std::size_t most_;
  const Deadline& deadline_;
  Spread spread_;
  std::vector<Spread> all_;
};

}  // namespace

std::vector<Placement> list_placements(const Setting& setting) {
  std::vector<Placement> all(1);
  for (int m = 0; m < setting.memory_count; ++m) {
    const std::uint32_t always = setting.restrictions->keep_always(MemoryId{m});
    const std::uint32_t free = setting.restrictions->keep_allowed(MemoryId{m}) & ~always;
    std::vector<Placement> more;
    for (const Placement& placement : all) {
      for (std::uint32_t choice = free;; choice = (choice - 1) & free) {
        more.push_back(placement);
        more.back().kept[static_cast<std::size_t>(m)] = always | choice;
        if (choice == 0) break;
      }
    }
    all = std::move(more);
  }
  const std::uint32_t tensors = (1U << setting.tensor_count) - 1U;
  std::erase_if(all, [&](const Placement& placement) {
    std::uint32_t kept = 0;
    for (const std::uint32_t bits : placement.kept) kept |= bits;
    return kept != tensors;
  });
  for (Placement& placement : all) add_links(setting, placement);
  return all;
}

std::optional<std::vector<Spread>> list_spreads(const Setting& setting, std::size_t most,
                                                const Deadline& deadline) {
  const Problem& problem = setting.problem();
  for (int s = 0; s < problem.slot_count(); ++s) {
    for (int d = 0; d < problem.dim_count(); ++d) {
      const bool has_size_one = problem.workload().dim(DimId{d}).size == 1;
      // Dimensions of size 1 are not among the solver's.
      if (has_size_one && setting.restrictions->limits(s, DimId{d}).least > 1) {
        return std::vector<Spread>{};
      }
    }
  }
  return Spreads(setting, most, deadline).take();
}

}  // namespace tilewright::optimal
