#include "mappers/genetic/habitats.h"

#include <algorithm>

#include "mappers/genetic/operators.h"

namespace tilewright::genetic {

namespace {

Restrictions without_misfits(const MappingTask& task) {
  Restrictions fitting = task.restrictions;
  fitting.exclude_misfits(task.evaluator.problem());
  return fitting;
}

// What a setting has apart from its shape, its pair, its order.
std::vector<std::string> keys_of(const Setting& setting) {
  const std::string shape = to_string(setting.shape);
  const std::string pair = to_string(setting.pair);
  const std::string order = setting.order ? to_string(*setting.order) : "";
  return {pair + order, shape + order, pair + shape};
}

// Unrolled bounds that an axis has no room for, or no right to, become smaller.
void clip_to_axes(const GeneSpace& genes, Mapping& mapping) {
  for (int s = 0; s < genes.slots; ++s) {
    if (!genes.is_spatial(s)) continue;
    std::int64_t room = genes.instances[at(s)];
    for (int d = 0; d < mapping.dim_count(); ++d) {
      const std::int64_t most = std::min(room, genes.limits(s, d).most);
      const std::int64_t bound = std::clamp<std::int64_t>(mapping.bound(s, DimId{d}), 1, most);
      mapping.set_bound(s, DimId{d}, bound);
      room /= bound;
    }
  }
}

// The same order as far as constraints leave it free.
void put_in_order(const GeneSpace& genes, Mapping& mapping) {
  for (std::size_t m = 0; m < genes.memories().size(); ++m) {
    const GeneSpace::OfMemory& memory = genes.memories()[m];
    const MemoryId id{static_cast<int>(m)};
    std::vector<DimId> order = memory.outermost;
    for (int i = 0; i < mapping.dim_count(); ++i) {
      const DimId dim{mapping.order(id)[i]};
      if (!contains(memory.outermost, dim) && !contains(memory.innermost, dim)) {
        order.push_back(dim);
      }
    }
    append(order, memory.innermost);
    mapping.set_order(id, order);
  }
}

}  // namespace

Habitat::Habitat(const MappingTask& task)
    : evaluator(task.evaluator),
      fitting(without_misfits(task)),
      genes(task.evaluator.problem(), task.space, fitting),
      founders(genes, task.evaluator, task.space, fitting),
      scorer(task.evaluator) {}

Habitats::Habitats(const MappingTask& only) : only_(&only), made_(1) {}

Habitats::Habitats(SettingTasks& tasks)
    : tasks_(&tasks), made_(tasks.settings().size()), alike_(3) {
  for (std::size_t i = 0; i < made_.size(); ++i) {
    keys_.push_back(keys_of(tasks.settings()[i]));
    for (std::size_t axis = 0; axis < alike_.size(); ++axis) {
      alike_[axis][keys_[i][axis]].push_back(i);
    }
  }
}

Habitat* Habitats::find(std::size_t number) {
  std::optional<std::unique_ptr<Habitat>>& made = made_[number];
  if (!made) {
    made.emplace();
    auto habitat = std::make_unique<Habitat>(only_ != nullptr ? *only_ : tasks_->task(number));
    if (habitat->founders.exist()) *made = std::move(habitat);
  }
  return made->get();
}

std::size_t Habitats::visited() const {
  return static_cast<std::size_t>(std::count_if(
      made_.begin(), made_.end(), [](const auto& made) { return made && *made != nullptr; }));
}

std::size_t Habitats::draw(Rng& rng) const {
  if (count() == 1) return 0;
  const std::size_t most = rng.below(count()) + 1;
  return rng.below(most);
}

std::size_t Habitats::draw_neighbour(std::size_t number, Rng& rng) const {
  const std::size_t axis = rng.below(alike_.size());
  const std::vector<std::size_t>& others = alike_[axis].at(keys_[number][axis]);
  return others.size() > 1 ? others[rng.below(others.size())] : draw(rng);
}

bool move_in(const GeneSpace& genes, Rng& rng, Mapping& mapping) {
  clip_to_axes(genes, mapping);
  for (int d = 0; d < mapping.dim_count(); ++d) {
    Chain bounds = chain_of(mapping, d);
    if (!genes.settle(d, -1, bounds)) return false;
    set_chain(bounds, d, mapping);
  }
  put_in_order(genes, mapping);
  if (!genes.holds(mapping) || !genes.keeps_all(mapping)) return false;
  // What may be unrolled now was a loop before.
  for (std::size_t i = 0; i < genes.parallel_slots().size(); ++i) grow(genes, rng, mapping);
  return true;
}

}  // namespace tilewright::genetic
