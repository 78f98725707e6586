#include "certificate/closing.h"

#include <algorithm>

namespace tilewright::certificate {

Closing::Closing(const Context& context, int tensor, int innermost, int block)
    : context_(&context) {
  for (const LinkPlace& link : context.links()) {
    if (link.tensor != tensor || link.child <= block || link.child > innermost) continue;
    links_.emplace_back(context, link, block);
    least_ += links_.back().least_energy();
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

std::int64_t Closing::energy(const int* extents, const Move& move) {
  std::size_t place = 0;
  for (const auto& [dim, stride] : strides_) place += stride * at(extents[dim]);
  std::vector<std::int64_t>& known = known_[move.dim];
  if (known.empty()) {
    known.assign(move.dim < 0 ? volume_ : volume_ * context_->chain(move.dim).classes.size(), -1);
  }
  if (move.dim >= 0) place += volume_ * at(move.to);
  std::int64_t& value = known[place];
  if (value >= 0) return value;
  Int128 sum = 0;
  for (const LinkBound& link : links_) sum += link.energy(extents, move);
  value = static_cast<std::int64_t>(std::clamp<Int128>(sum - least_, 0, kNever));
  return value;
}

Closing& Closings::get(int tensor, int innermost, int block) {
  std::unique_ptr<Closing>& made = made_[{tensor, innermost, block}];
  if (made == nullptr) made = std::make_unique<Closing>(*context_, tensor, innermost, block);
  return *made;
}

}  // namespace tilewright::certificate
