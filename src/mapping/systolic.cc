#include "mapping/systolic.h"

#include <fmt/format.h>

#include "base/bits.h"

namespace tilewright {

namespace {

// The tensors that a name means: the one called so, otherwise those of the role.
std::vector<TensorId> tensors_named(const Workload& workload, const std::string& name) {
  std::vector<TensorId> by_role;
  for (int t = 0; t < workload.tensor_count(); ++t) {
    const Tensor& tensor = workload.tensor(TensorId{t});
    if (tensor.name == name) return {TensorId{t}};
    if (names_tensor(name, tensor)) by_role.push_back(TensorId{t});
  }
  return by_role;
}

class ArrayFinder {
 public:
  ArrayFinder(const Workload& workload, const Architecture& arch,
              const std::vector<MemoryUse>& memories, std::vector<Diagnostic>& problems)
      : workload_(workload), arch_(arch), memories_(memories), problems_(problems) {}

  std::optional<SystolicArray> find() {
    SystolicArray array;
    for (int l = 0; l < arch_.level_count(); ++l) {
      const auto* fanout = std::get_if<Fanout>(&arch_.level(LevelId{l}));
      if (fanout == nullptr || !fanout->is_systolic()) continue;
      innermost_ = fanout;
      level_ = LevelId{l};
      array.fill_cycles += fanout->fill_cycles();
      array.preload_cycles += fanout->preload_cycles();
    }
    if (innermost_ == nullptr || !find_tensor(array) || !find_memory(array)) return std::nullopt;
    return array;
  }

 private:
  void complain(std::string message, std::string hint) {
    problems_.push_back({{}, std::move(message), std::move(hint)});
  }

  bool find_tensor(SystolicArray& array) {
    const std::string& name = innermost_->stationary;
    const std::vector<TensorId> found = tensors_named(workload_, name);
    if (found.size() == 1) {
      array.tensor = found.front();
      return true;
    }
    complain(fmt::format("{} holds {} still, {} {}", innermost_->name, name,
                         found.empty() ? "but there is no such tensor in"
                                       : "which is the role of several tensors of",
                         workload_.name),
             "name one of its tensors after \"stationary:\", or leave out fill and preload");
    return false;
  }

  // The tile must stand somewhere in the array, and come from somewhere outside.
  bool find_memory(SystolicArray& array) {
    const std::string& tensor = workload_.tensor(array.tensor).name;
    const int t = index_of(array.tensor);
    bool outside = false;
    int m = 0;
    for (; m < static_cast<int>(memories_.size()); ++m) {
      const bool inside = index_of(memories_[at(m)].level) > index_of(level_);
      if (inside && contains(memories_[at(m)].keep_allowed, t)) break;
      outside = outside || contains(memories_[at(m)].keep_always, t);
    }
    array.memory = MemoryId{m};
    const bool found = m < static_cast<int>(memories_.size());
    if (found && contains(memories_[at(m)].keep_always, t) && outside) return true;
    const std::string memory = found ? name_of(arch_.level(memories_[at(m)].level)) : "";
    complain(fmt::format("{} holds {} still, but no memory {} always keeps it", innermost_->name,
                         tensor, found && !outside ? "outside " + memory : "inside"),
             found && outside ? fmt::format("list {} under keep of {}", tensor, memory)
                              : "let one keep it, or leave out fill and preload");
    return false;
  }

  const Workload& workload_;
  const Architecture& arch_;
  const std::vector<MemoryUse>& memories_;
  std::vector<Diagnostic>& problems_;
  const Fanout* innermost_ = nullptr;
  LevelId level_{};
};

}  // namespace

std::optional<SystolicArray> find_systolic_array(const Workload& workload, const Architecture& arch,
                                                 const std::vector<MemoryUse>& memories,
                                                 std::vector<Diagnostic>& problems) {
  return ArrayFinder(workload, arch, memories, problems).find();
}

}  // namespace tilewright
