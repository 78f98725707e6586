#include "oracle/plan.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "oracle/plan_online.h"

namespace tilewright::oracle {
namespace {

// A tensor of a leaf that comes from outside, or goes there, and stays for a while.
struct Resident {
  std::optional<Digits> visit;  // the digits outside it when it was loaded last
  Elements held;
  Elements ever;  // of an output: what has left before
};

// Room that is taken from the first to the last use.
struct Reservation {
  std::size_t first = 0, last = 0;
  std::int64_t words = 0;
};

class PlanWalker {
 public:
  PlanWalker(const Cascade& cascade, const Plan& plan)
      : cascade_(cascade), plan_(plan), state_(cascade, plan), online_(cascade, state_) {
    counts_.resize(cascade.einsums.size());
    finished_.resize(cascade.einsums.size());
    for (const CascadeEinsum& einsum : cascade.einsums) {
      residents_.emplace_back(einsum.workload.tensors.size());
    }
  }

  std::vector<LeafCounts> run() {
    for (const PlanNode& group : plan_.groups) walk(group, 0);
    for (int e = 0; e < cascade_.einsum_count(); ++e) {
      if (state_.readers(e).empty()) counts_[at(e)].finished = size_of(finished_[at(e)]);
      counts_[at(e)].rescaled = online_.rescaled(e);
    }
    sum_up_live();
    return std::move(counts_);
  }

 private:
  void walk(const PlanNode& node, std::size_t loop) {
    if (loop < node.loops.size()) {
      const int place = static_cast<int>(digits_.size());
      digits_.push_back(0);
      for (std::int64_t i = 0; i < node.loops[loop].count; ++i) {
        digits_.resize(at(place) + 1);
        digits_.back() = i;
        if (i > 0) go_on(node, place);
        walk(node, loop + 1);
      }
      digits_.resize(at(place));
      return;
    }
    for (const PlanNode& child : node.children) walk(child, 0);
    if (node.is_leaf()) execute_leaf(node.einsum);
  }

  static int first_of(const PlanNode& node) {
    return node.is_leaf() ? node.einsum : first_of(node.children.front());
  }
  static int last_of(const PlanNode& node) {
    return node.is_leaf() ? node.einsum : last_of(node.children.back());
  }

  // Residents are dropped, unless they stay across the loop.
  void go_on(const PlanNode& node, int loop) {
    Digits digits = digits_;
    digits.resize(64, 0);  // loops inside start again
    const int first = first_of(node), last = last_of(node);
    state_.step(digits, loop, first, last);
    for (int e = first; e <= last; ++e) {
      for (std::size_t t = 0; t < residents_[at(e)].size(); ++t) {
        const TensorId tensor{static_cast<int>(t)};
        const bool stays = state_.is_kept(e, tensor) && loop >= state_.moving_loop(e, tensor);
        if (!stays) residents_[at(e)][t] = {{}, {}, std::move(residents_[at(e)][t].ever)};
      }
    }
  }

  void execute_leaf(int e) {
    const Workload& workload = cascade_.workload(e);
    const auto region = state_.executed(e, digits_, static_cast<int>(digits_.size()));
    if (!region) {
      note_uses(e, std::nullopt);
      return;
    }
    std::vector<std::int64_t> extents;
    for (const Interval& side : *region) extents.push_back(side.length());
    const Elements output = elements_of(workload.tensors.back(), *region, Accounting::Exact);
    const bool old = is_old(e, output);
    LeafCounts& counts = counts_[at(e)];
    ++counts.executions[extents];
    if (!old) ++counts.first_touches[extents];
    if (!old && !state_.readers(e).empty()) counts.finished += size_of(output);
    const Streamed streamed = run_nest(e, extents, old);
    for (int t = 0; t < workload.tensor_count(); ++t) load(e, TensorId{t});
    online_.execute(e, *region, digits_, times_.size());
    note_uses(e, streamed);
    if (!state_.readers(e).empty()) {
      state_.made(e, output);
      if (state_.leaves(e)) send_out(e, output);
    }
    finished_[at(e)].insert(output.begin(), output.end());
  }

  // Each element of an intermediate leaves once; what is made again is there already.
  void send_out(int e, const Elements& output) {
    Elements first;
    std::set_difference(output.begin(), output.end(), finished_[at(e)].begin(),
                        finished_[at(e)].end(), std::inserter(first, first.end()));
    add(e, memory_name(first_memory(e)), cascade_.workload(e).output(), {0, 0, size_of(first)});
  }

  // Whether the sums were begun before. Those of an intermediate begin anew when its loops go on.
  bool is_old(int e, const Elements& output) {
    const bool made = !state_.readers(e).empty();
    const Digits begun =
        made ? Digits(digits_.begin(), digits_.begin() + state_.common(e)) : Digits{};
    auto& [when, elements] = begun_[e];
    if (made && when != begun) elements.clear();
    when = begun;
    const bool old = elements.contains(*output.begin());
    elements.insert(output.begin(), output.end());
    return old;
  }

  // Words of streamed tiles, by memory.
  using Streamed = std::map<std::string, std::int64_t>;

  // Runs the private nest; gives the words of its streamed tiles.
  Streamed run_nest(int e, const std::vector<std::int64_t>& extents, bool old) {
    const PrivateNest& nest = nest_of(e, extents);
    const auto key = std::make_tuple(e, extents, old);
    if (!nests_.contains(key)) nests_[key] = execute(nest.problem, nest.mapping, old);
    const Counts& run = nests_[key];
    LeafCounts& counts = counts_[at(e)];
    counts.macs += run.macs;
    const std::uint32_t residents = residents_of(cascade_, plan_, e);
    Streamed streamed;
    for (int m = 0; m < nest.problem.memory_count(); ++m) {
      const std::string& name = memory_name(nest.problem.memory(MemoryId{m}));
      for (int t = 0; t < nest.problem.tensor_count(); ++t) {
        const TensorCounts& tensor = run.memories[at(m)].tensors[at(t)];
        add(e, name, TensorId{t}, tensor.total);
        const bool resident = ((residents >> static_cast<unsigned>(t)) & 1U) != 0;
        // What is at home further out comes in tiles.
        const bool at_home = resident && name == home_of(e, TensorId{t});
        if (tensor.kept && !at_home) streamed[name] += tensor.tile_words;
      }
    }
    return streamed;
  }

  const PrivateNest& nest_of(int e, const std::vector<std::int64_t>& extents) const {
    for (const PrivateNest& nest : plan_.leaves[at(e)].nests) {
      std::vector<std::int64_t> sizes;
      for (const Dimension& dim : nest.problem.workload().dims) sizes.push_back(dim.size);
      if (sizes == extents) return nest;
    }
    return plan_.leaves[at(e)].nests.at(plan_.leaves[at(e)].nests.size());  // there is none
  }

  void add(int e, const std::string& memory, TensorId tensor, const Words& words) {
    std::vector<Words>& all = counts_[at(e)].memories[memory];
    all.resize(cascade_.workload(e).tensors.size());
    all[at(tensor)].reads += words.reads;
    all[at(tensor)].fills += words.fills;
    all[at(tensor)].updates += words.updates;
  }

  bool comes_from_outside(int e, TensorId tensor) const {
    const bool made = tensor == cascade_.workload(e).output() && !state_.readers(e).empty();
    const bool resident =
        ((residents_of(cascade_, plan_, e) >> static_cast<unsigned>(tensor)) & 1U) != 0;
    return resident && !made && !state_.is_made_inside(e, tensor);
  }

  void load(int e, TensorId tensor) {
    if (!comes_from_outside(e, tensor)) return;
    const int depth = state_.depth_of(e, tensor);
    Resident& resident = residents_[at(e)][at(tensor)];
    const Digits visit(digits_.begin(), digits_.begin() + depth);
    if (resident.visit == visit) return;
    resident.visit = visit;
    const Elements tile = state_.tile(e, tensor, digits_, depth);
    Elements missing;
    std::set_difference(tile.begin(), tile.end(), resident.held.begin(), resident.held.end(),
                        std::inserter(missing, missing.end()));
    resident.held = tile;
    const std::int64_t words = size_of(missing);
    const std::string& outside = memory_name(first_memory(e));
    if (tensor != cascade_.workload(e).output()) {
      add(e, outside, tensor, {words, 0, 0});
      add(e, home_of(e, tensor), tensor, {0, words, 0});
      return;
    }
    std::int64_t back = 0;
    for (const Element& element : missing) back += resident.ever.insert(element).second ? 0 : 1;
    if (first_memory(e).accumulates_in_place) back = 0;
    add(e, outside, tensor, {back, 0, words});
    add(e, home_of(e, tensor), tensor, {0, back, 0});
  }

  // The memory that a group shares, or that a tensor of it says; of an intermediate its writer
  // does.
  const std::string& shared_by(int e) const {
    for (const PlanNode& group : plan_.groups) {
      if (first_of(group) > e || last_of(group) < e) continue;
      return group.shared.empty() ? plan_.shared : group.shared;
    }
    return plan_.shared;
  }
  const std::string& home_of(int e, TensorId tensor) const {
    for (int w = 0; w < e; ++w) {
      if (contains(state_.readers(w), {e, tensor}))
        return home_of(w, cascade_.workload(w).output());
    }
    const std::string& home = plan_.leaves[at(e)].tensors[at(tensor)].home;
    return home.empty() ? shared_by(e) : home;
  }

  const Memory& first_memory(int e) const {
    return plan_.leaves[at(e)].nests.front().problem.memory(MemoryId{0});
  }

  // --- room ---------------------------------------------------------------------

  // Notes that a leaf was at work, or could have been, and what it used.
  void note_uses(int e, const std::optional<Streamed>& streamed) {
    const std::size_t now = times_.size();
    times_.push_back({e, streamed});
    const Workload& workload = cascade_.workload(e);
    for (int t = 0; t < workload.tensor_count(); ++t) {
      const TensorId tensor{t};
      const bool made = tensor == workload.output() && !state_.readers(e).empty();
      if (streamed && (made || comes_from_outside(e, tensor))) use(e, tensor, now);
      for (int w = 0; streamed && w < e; ++w) {
        if (contains(state_.readers(w), {e, tensor})) use(w, cascade_.workload(w).output(), now);
      }
    }
  }

  void use(int e, TensorId tensor, std::size_t now) {
    const int depth = state_.depth_of(e, tensor), moving = state_.moving_loop(e, tensor);
    int alike = depth;  // visits with these digits in common are one
    if (state_.is_kept(e, tensor)) {
      alike = moving < 0 ? 0 : moving + (state_.overlaps(e, tensor) ? 0 : 1);
    }
    Digits visit(digits_.begin(), digits_.begin() + alike);
    const bool made = tensor == cascade_.workload(e).output() && !state_.readers(e).empty();
    const std::int64_t words =
        size_of(made ? state_.tile(e, tensor, digits_, depth) : residents_[at(e)][at(tensor)].held);
    const auto [place, is_new] =
        reservations_.emplace(std::make_tuple(e, tensor, visit), Reservation{now, now, words});
    place->second.last = now;
    place->second.words = std::max(place->second.words, words);
  }

  void sum_up_live() {
    std::map<std::string, std::vector<std::int64_t>> live;
    const auto in = [&](const std::string& memory) -> std::vector<std::int64_t>& {
      return live.try_emplace(memory, times_.size(), 0).first->second;
    };
    for (int e = 0; e < cascade_.einsum_count(); ++e) online_.add_live(e, in(shared_by(e)));
    for (const auto& [key, one] : reservations_) {
      std::vector<std::int64_t>& words = in(home_of(std::get<0>(key), std::get<1>(key)));
      for (std::size_t t = one.first; t <= one.last; ++t) words[t] += one.words;
    }
    for (const auto& [memory, words] : live) {
      for (std::size_t t = 0; t < times_.size(); ++t) {
        const auto& streamed = times_[t].streamed;
        if (!streamed) continue;
        const auto tiles = streamed->find(memory);
        std::int64_t& most = counts_[at(times_[t].einsum)].live_words[memory];
        most = std::max(most, words[t] + (tiles == streamed->end() ? 0 : tiles->second));
      }
    }
  }

  struct Time {
    int einsum = 0;
    std::optional<Streamed> streamed;  // nothing if the leaf had nothing to do
  };

  const Cascade& cascade_;
  const Plan& plan_;
  PlanState state_;
  OnlineWalk online_;
  Digits digits_;
  std::vector<LeafCounts> counts_;
  std::vector<std::vector<Resident>> residents_;  // [einsum][tensor]
  std::vector<Elements> finished_;
  std::map<int, std::pair<Digits, Elements>> begun_;
  std::map<std::tuple<int, std::vector<std::int64_t>, bool>, Counts> nests_;
  std::map<std::tuple<int, TensorId, Digits>, Reservation> reservations_;
  std::vector<Time> times_;
};

}  // namespace

std::vector<LeafCounts> execute_plan(const Cascade& cascade, const Plan& plan) {
  return PlanWalker(cascade, plan).run();
}

}  // namespace tilewright::oracle
