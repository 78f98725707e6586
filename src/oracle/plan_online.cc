#include "oracle/plan_online.h"

#include <algorithm>

namespace tilewright::oracle {

OnlineWalk::OnlineWalk(const Cascade& cascade, const PlanState& state)
    : cascade_(cascade), state_(state), rescaled_(cascade.einsums.size()) {
  for (int e = 0; e < cascade.einsum_count(); ++e) loops_.push_back(first_loop(e));
}

std::size_t OnlineWalk::reduced_rank(int writer) const {
  const Workload& workload = cascade_.workload(writer);
  const auto dim = workload.find_dim(*cascade_.einsums[at(writer)].then->reduces);
  const std::vector<Rank>& ranks = workload.tensors.back().ranks;
  return static_cast<std::size_t>(
      std::find_if(ranks.begin(), ranks.end(),
                   [&](const Rank& rank) { return rank.front().dim == *dim; }) -
      ranks.begin());
}

std::optional<int> OnlineWalk::first_loop(int writer) const {
  const auto& then = cascade_.einsums[at(writer)].then;
  if (!then || !then->reduces || state_.readers(writer).empty()) return std::nullopt;
  const int loops = state_.common(writer);
  const std::size_t rank = reduced_rank(writer);
  const Digits start(at(loops), 0);
  for (int k = 0; k < loops; ++k) {
    Digits next = start;
    next[at(k)] = 1;
    const bool cuts = state_.needed(writer, next, loops)[rank].begin !=
                      state_.needed(writer, start, loops)[rank].begin;
    if (cuts) return k;
  }
  return std::nullopt;
}

void OnlineWalk::execute(int einsum, const Region& region, const Digits& digits, std::size_t now) {
  const auto touched = [&](TensorId tensor) {
    return elements_of(cascade_.workload(einsum).tensor(tensor), region, Accounting::Exact);
  };
  if (loops_[at(einsum)]) {
    note_state(einsum, touched(cascade_.workload(einsum).output()), digits, now);
  }
  for (int w = 0; w < einsum; ++w) {
    if (!loops_[at(w)]) continue;
    for (const IntermediateReader& reader : state_.readers(w)) {
      if (reader.einsum != einsum) continue;
      note_state(w, touched(reader.tensor), digits, now);
      note_part(w, reader, region, digits);
    }
  }
}

void OnlineWalk::note_state(int writer, const Elements& elements, const Digits& digits,
                            std::size_t now) {
  const Digits outside(digits.begin(), digits.begin() + *loops_[at(writer)]);
  State& state = states_.try_emplace({writer, outside}, State{{}, now, now}).first->second;
  state.last = now;
  const auto rank = static_cast<std::ptrdiff_t>(reduced_rank(writer));
  for (Element row : elements) {
    row.erase(row.begin() + rank);
    state.rows.insert(std::move(row));
  }
}

// A sum that was scaled for another part is rescaled.
void OnlineWalk::note_part(int writer, const IntermediateReader& reader, const Region& region,
                           const Digits& digits) {
  const Workload& workload = cascade_.workload(reader.einsum);
  Sums& sums = sums_[{writer, reader.einsum}];
  const bool is_made = !state_.readers(reader.einsum).empty();
  Digits begun;
  if (is_made) begun.assign(digits.begin(), digits.begin() + state_.common(reader.einsum));
  if (begun != sums.begun) sums = {begun, {}};
  // What was made before the reader runs, whatever its own loops take of it at a time.
  const Interval part = state_.needed(writer, digits, state_.common(writer))[reduced_rank(writer)];
  for (const Element& sum : elements_of(workload.tensors.back(), region, Accounting::Exact)) {
    const auto [known, is_new] = sums.parts.try_emplace(sum, part);
    if (is_new || known->second == part) continue;
    known->second = part;
    ++rescaled_[at(writer)];
  }
}

void OnlineWalk::add_live(int writer, std::vector<std::int64_t>& live) const {
  for (const auto& [key, state] : states_) {
    if (key.first != writer) continue;
    const std::int64_t words = *cascade_.einsums[at(key.first)].then->online_words;
    for (std::size_t t = state.first; t <= state.last; ++t) live[t] += words * size_of(state.rows);
  }
}

}  // namespace tilewright::oracle
