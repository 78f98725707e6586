#include "certificate/closing.h"

#include <algorithm>

#include "certificate/frame_bound.h"

namespace tilewright::certificate {

Int128 carried(const Measure& port, const PortWords& words) {
  const Count writes = words.fills + words.updates;
  if (port.kind == Measure::Kind::Reads) return words.reads;
  return port.kind == Measure::Kind::Writes ? writes : words.reads + writes;
}

Closing::Closing(const Context& context, const Measure& measure, int tensor, int innermost,
                 int outermost, int block, int shift)
    : measure_(measure), shift_(shift), context_(&context) {
  for (const LinkPlace& link : context.links()) {
    if (link.tensor != tensor || link.child < outermost || link.child > innermost) continue;
    links_.emplace_back(context, link, block);
    const LinkBound& added = links_.back();
    if (link.child == context.memories()) {
      least_ += least_link(context, link).energy;
      continue;
    }
    const LinkBound::Words least = added.least_words();
    least_ += measure.kind == Measure::Kind::Energy ? added.least_energy(least)
                                                    : words_at_port(added, least);
  }
  const Parts& parts = context.terms().parts[at(tensor)];
  for (int d = 0; d < context.dims(); ++d) {
    const bool alone = std::count(parts.alone.begin(), parts.alone.end(), d) != 0;
    const std::size_t classes = context.chain(d).classes.size();
    if (alone || classes == 1) continue;
    strides_.emplace_back(d, volume_);
    volume_ *= classes;
  }
}

Int128 Closing::words_at_port(const LinkBound& link, const LinkBound::Words& words) const {
  if (measure_.kind == Measure::Kind::StandingStill) return link.standing_still(words);
  Count sum = 0;
  const auto has_port = [&](int memory) {
    return memory == measure_.memory ||
           (memory < context_->memories() && context_->is_part(memory) &&
            first_point(context_->problem(), memory) == measure_.memory);
  };
  if (has_port(link.link().parent)) sum += carried(measure_, link.at_parent(words));
  if (has_port(link.link().child)) sum += carried(measure_, link.at_child(words));
  return sum;
}

std::int64_t Closing::cost(const int* extents, const Move& move) {
  std::size_t place = 0;
  for (const auto& [dim, stride] : strides_) place += stride * at(extents[dim]);
  if (move.dim >= 0) {
    known_moved_.resize(at(context_->dims()));
    place += volume_ * at(move.to);
  }
  std::vector<std::int64_t>& known = move.dim < 0 ? known_ : known_moved_[at(move.dim)];
  if (known.empty()) {
    known.assign(move.dim < 0 ? volume_ : volume_ * context_->chain(move.dim).classes.size(), -1);
  }
  std::int64_t& value = known[place];
  if (value >= 0) return value;
  Int128 sum = 0;
  for (const LinkBound& link : links_) {
    sum += measure_.kind == Measure::Kind::Energy ? link.energy(extents, move)
                                                  : words_at_port(link, link.words(extents, move));
  }
  value = static_cast<std::int64_t>(std::clamp<Int128>((sum - least_) >> shift_, 0, kNever));
  return value;
}

std::size_t Closings::place(int kind, int tensor, int innermost, int block) const {
  const int memories = context_->memories();
  const int of_kind = kind * context_->problem().tensor_count() + tensor;
  return at((of_kind * (memories + 1) + innermost) * (memories + 1) + block + 1);
}

Closing& Closings::get(Kind kind, int tensor, int innermost, int block) {
  std::unique_ptr<Closing>& made = made_[place(static_cast<int>(kind), tensor, innermost, block)];
  if (made == nullptr) {
    const int outermost = kind == Kind::Passing   ? innermost
                          : kind == Kind::AtPoint ? block
                                                  : block + 1;
    made =
        std::make_unique<Closing>(*context_, measure_, tensor, innermost, outermost, block, shift_);
  }
  return *made;
}

}  // namespace tilewright::certificate
