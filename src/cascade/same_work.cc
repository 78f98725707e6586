#include "cascade/same_work.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tilewright {
namespace {

// Numbers in the order in which names come up.
class Numbers {
 public:
  std::string of(const std::string& name) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    const auto number = known - names_.begin();
    if (known == names_.end()) names_.push_back(name);
    return std::to_string(number);
  }

 private:
  std::vector<std::string> names_;
};

void add_names(const Level& level, std::set<std::string>& names) {
  if (const auto* fanout = std::get_if<Fanout>(&level)) names.insert(fanout->stationary);
  const auto* memory = std::get_if<Memory>(&level);
  if (memory == nullptr) return;
  if (memory->keep) names.insert(memory->keep->begin(), memory->keep->end());
  names.insert(memory->bypass.begin(), memory->bypass.end());
  names.insert(memory->free.begin(), memory->free.end());
  for (const auto& [tensor, room] : memory->partitions) names.insert(tensor);
}

// What an architecture calls tensors: roles, and perhaps names.
std::set<std::string> tensors_named_by(const Architecture& arch) {
  std::set<std::string> names;
  for (const Level& level : arch.levels) add_names(level, names);
  for (const Constraint& constraint : arch.constraints) {
    const auto* rule = std::get_if<ResidenceRule>(&constraint.rule);
    if (rule == nullptr) continue;
    names.insert(rule->keep.begin(), rule->keep.end());
    names.insert(rule->bypass.begin(), rule->bypass.end());
  }
  return names;
}

Cascade without_names_but(Cascade cascade, const std::set<std::string>& named) {
  Numbers tensors, dims;
  cascade.name = cascade.source = "";
  for (CascadeEinsum& einsum : cascade.einsums) {
    einsum.workload.name = "";
    for (Tensor& tensor : einsum.workload.tensors) {
      if (named.count(tensor.name) == 0) tensor.name = tensors.of(tensor.name);
    }
    for (Dimension& dim : einsum.workload.dims) {
      if (dim.known_as.empty()) dim.known_as = dim.name;
      dim.name = dims.of(dim.name);
    }
    if (einsum.then && einsum.then->reduces) einsum.then->reduces = dims.of(*einsum.then->reduces);
  }
  return cascade;
}

}  // namespace

Cascade without_names(Cascade cascade) { return without_names_but(std::move(cascade), {}); }

Cascade without_names(Cascade cascade, const Architecture& arch) {
  return without_names_but(std::move(cascade), tensors_named_by(arch));
}

}  // namespace tilewright
