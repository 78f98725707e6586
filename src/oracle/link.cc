#include "oracle/link.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace tilewright::oracle {
namespace {

// What a child asks for in one step.
struct Request {
  InstanceKey instance;  // digits of the spatial loops outside the child
  Region region;         // the child's tile
  Elements elements;     // the part of it that must be moved
};

// What a child remembers between steps.
struct ChildState {
  bool visited = false;
  std::vector<std::int64_t> digits;  // of the temporal loops, at its last active step
  Elements tile;
};

class LinkRun {
 public:
  LinkRun(const Problem& problem, const Mapping& mapping, const Link& link)
      : problem_(problem),
        link_(link),
        tensor_(problem.workload().tensor(link.tensor)),
        nest_(problem, mapping),
        times_(nest_.temporal_loops(0, link.child_slot)),
        places_(nest_.spatial_loops(0, link.child_slot)),
        moving_(find_moving_loop()) {
    log_.fanout_words.resize(link.fanout_slots.size());
  }

  LinkLog run() {
    std::vector<std::int64_t> time(times_.size(), 0);
    do {
      step(time);
    } while (advance(time, times_));
    return std::move(log_);
  }

 private:
  static constexpr int kNone = -1;

  // The innermost temporal loop that moves the tensor.
  int find_moving_loop() const {
    for (int i = static_cast<int>(times_.size()); i-- > 0;) {
      if (is_relevant(tensor_, times_[at(i)].dim)) return i;
    }
    return kNone;
  }

  void step(const std::vector<std::int64_t>& time) {
    std::map<InstanceKey, std::vector<Request>> by_parent;
    std::vector<std::int64_t> place(places_.size(), 0);
    do {
      const std::optional<Region> region = region_at(time, place);
      if (!region) continue;  // this instance has no index to work on in this step
      Request request{place, *region, wanted(time, place, *region)};
      if (!request.elements.empty()) by_parent[parent_of(place)].push_back(std::move(request));
    } while (advance(place, places_));
    for (auto& [parent, requests] : by_parent) {
      ParentLog& log = log_.parents[parent];
      log.served += serve(requests, 0);
      log.ever_served.merge(wanted_by(requests));
    }
  }

  std::optional<Region> region_at(const std::vector<std::int64_t>& time,
                                  const std::vector<std::int64_t>& place) const {
    std::vector<Loop> loops = times_;
    loops.insert(loops.end(), places_.begin(), places_.end());
    std::vector<std::int64_t> digits = time;
    digits.insert(digits.end(), place.begin(), place.end());
    return nest_.region(link_.child_slot, loops, digits);
  }

  // What the child lacks of its tile in this step, by the rule of the moving
  // loop: nothing while only loops inside it advance, the new part when it
  // advances itself, all when a loop outside it does.
  Elements wanted(const std::vector<std::int64_t>& time, const InstanceKey& place,
                  const Region& region) {
    ChildState& state = states_[place];
    const int changed = outermost_change(state, time);
    const bool first = !state.visited;
    state.visited = true;
    state.digits = time;
    const bool restart = first || link_.child_is_compute || (moving_ != kNone && changed < moving_);
    if (!restart && (moving_ == kNone || changed > moving_)) return {};

    Elements tile = elements_of(tensor_, region, problem_.arch().accounting);
    Elements missing;
    if (restart) {
      missing = tile;
    } else {
      std::set_difference(tile.begin(), tile.end(), state.tile.begin(), state.tile.end(),
                          std::inserter(missing, missing.end()));
    }
    state.tile = std::move(tile);
    ChildLog& log = log_.children[place];
    log.entering += static_cast<std::int64_t>(missing.size());
    ++log.changes;
    log.ever_held.insert(state.tile.begin(), state.tile.end());
    return missing;
  }

  int outermost_change(const ChildState& state, const std::vector<std::int64_t>& time) const {
    for (std::size_t i = 0; state.visited && i < time.size(); ++i) {
      if (state.digits[i] != time[i]) return static_cast<int>(i);
    }
    return static_cast<int>(time.size());
  }

  InstanceKey parent_of(const InstanceKey& place) const {
    InstanceKey key;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].slot < link_.parent_slot) key.push_back(place[i]);
    }
    return key;
  }

  // The part of an instance's name that a fan-out decides.
  InstanceKey branch_of(const InstanceKey& place, std::size_t fanout) const {
    const int slot = link_.fanout_slots[fanout];
    InstanceKey key;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].slot == slot || places_[i].slot == slot + 1) key.push_back(place[i]);
    }
    return key;
  }

  // Where the tile of a branch starts and which part of it is there: two
  // branches with the same footmark hold identical tiles.
  struct Footmark {
    Element origin;
    std::vector<std::set<Interval>> pieces;  // per dimension, relative to the first
    auto operator<=>(const Footmark&) const = default;
  };

  Footmark footmark(const std::vector<Request>& requests) const {
    Region first = requests.front().region;
    for (const Request& request : requests) {
      for (std::size_t d = 0; d < first.size(); ++d) {
        first[d].begin = std::min(first[d].begin, request.region[d].begin);
      }
    }
    Footmark mark{origin_of(tensor_, first), std::vector<std::set<Interval>>(first.size())};
    for (const Request& request : requests) {
      for (std::size_t d = 0; d < first.size(); ++d) {
        if (!is_relevant(tensor_, DimId{static_cast<int>(d)})) continue;
        const Interval& piece = request.region[d];
        mark.pieces[d].insert({piece.begin - first[d].begin, piece.end - first[d].begin});
      }
    }
    return mark;
  }

  // Words that a fan-out's outer side carries for these requests, which stand
  // below it. Branches with identical tiles share what the largest one needs; where halos are
  // shared, each element passes once.
  std::int64_t serve(const std::vector<Request>& requests, std::size_t fanout) {
    if (fanout == link_.fanout_slots.size()) {
      return static_cast<std::int64_t>(requests.front().elements.size());
    }
    std::map<InstanceKey, std::vector<Request>> branches;
    for (const Request& request : requests) {
      branches[branch_of(request.instance, fanout)].push_back(request);
    }
    std::map<Footmark, std::int64_t> shared;
    std::int64_t unshared = 0;
    for (const auto& [key, inside] : branches) {
      const std::int64_t words = serve(inside, fanout + 1);
      log_.fanout_words[fanout] += words;
      unshared += words;
      std::int64_t& most = shared[footmark(inside)];
      most = std::max(most, words);
    }
    if (shares_halos(fanout)) return size_of(wanted_by(requests));
    if (!shares(fanout)) return unshared;
    std::int64_t sum = 0;
    for (const auto& [mark, words] : shared) sum += words;
    return sum;
  }

  static Elements wanted_by(const std::vector<Request>& requests) {
    Elements all;
    for (const Request& request : requests) {
      all.insert(request.elements.begin(), request.elements.end());
    }
    return all;
  }

  const Fanout& level(std::size_t fanout) const {
    const Slot& slot = problem_.slots()[at(link_.fanout_slots[fanout])];
    return std::get<Fanout>(problem_.arch().level(slot.level));
  }
  bool shares(std::size_t fanout) const {
    return tensor_.role == Role::Output ? level(fanout).reduction : level(fanout).multicast;
  }
  bool shares_halos(std::size_t fanout) const {
    return tensor_.role != Role::Output && level(fanout).shares_halos;
  }

  const Problem& problem_;
  const Link& link_;
  const Tensor& tensor_;
  Nest nest_;
  std::vector<Loop> times_;
  std::vector<Loop> places_;
  int moving_;
  std::map<InstanceKey, ChildState> states_;
  LinkLog log_;
};

}  // namespace

LinkLog run_link(const Problem& problem, const Mapping& mapping, const Link& link) {
  return LinkRun(problem, mapping, link).run();
}

}  // namespace tilewright::oracle
