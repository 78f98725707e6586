#include "certificate/layout.h"

#include <algorithm>

#include "certificate/points.h"

namespace tilewright::certificate {

const Layout* Layouts::at_points(const std::vector<StoragePoints>& points) {
  const auto [found, is_new] = known_.try_emplace(points);
  if (is_new) found->second = make(points);
  return found->second.get();
}

std::unique_ptr<Layout> Layouts::make(const std::vector<StoragePoints>& points) const {
  auto layout = std::make_unique<Layout>();
  layout->problem = &context_.problem();
  layout->rules = &context_.rules();
  layout->terms = &context_.terms();
  if (std::any_of(points.begin(), points.end(), [](const auto& own) { return !own.empty(); })) {
    Checked<Problem> apart = with_points(without_constraints(context_.problem()), points);
    if (!apart.ok()) return nullptr;
    layout->apart = std::make_shared<const Problem>(std::move(*apart.value));
    layout->problem = layout->apart.get();
    layout->rules = &layout->own_rules.emplace(rules_at(context_.rules(), *layout->problem));
    layout->terms = &layout->own_terms.emplace(*layout->problem);
  }
  layout->fanout_slots = fanout_slots(*layout->problem);
  return layout;
}

}  // namespace tilewright::certificate
