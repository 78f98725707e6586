#include <algorithm>
#include <cctype>

#include "tilewright/workload.h"

namespace tilewright {

namespace {

using Candidates = std::vector<std::size_t>;  // positions among the tensors

bool is_one_of(std::string name, std::initializer_list<const char*> words) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return name == word; });
}

// Keeps the candidates that have a property, if any has it.
template <typename Has>
void narrow(Candidates& candidates, const Has& has) {
  Candidates kept;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(kept), has);
  if (!kept.empty()) candidates = std::move(kept);
}

class WeightFinder {
 public:
  explicit WeightFinder(const Workload& workload) : workload_(workload) {}

  std::size_t find(Candidates candidates) const {
    narrow(candidates, [&](std::size_t t) {
      return is_one_of(workload_.tensors[t].name, {"w", "weight", "weights"});
    });
    narrow(candidates, [&](std::size_t t) {
      return !is_one_of(workload_.tensors[t].name, {"i", "input", "inputs"});
    });
    narrow(candidates, [&](std::size_t t) { return has_features(t); });
    keep_most_reused(candidates);
    keep_first_of_output(candidates);
    const bool second = std::find(candidates.begin(), candidates.end(), 1U) != candidates.end();
    return second ? 1 : candidates.front();
  }

 private:
  bool has(std::size_t tensor, int dim) const {
    return is_relevant(workload_.tensors[tensor], DimId{dim});
  }

  // M counts output features in every short form, and only weights have it.
  bool has_features(std::size_t tensor) const {
    for (int d = 0; d < workload_.dim_count(); ++d) {
      if (has(tensor, d) && is_one_of(workload_.dim(DimId{d}).name, {"m"})) return true;
    }
    return false;
  }

  // A weight is used again for all of the batch and at all positions, so it has
  // few of the output's dimensions.
  void keep_most_reused(Candidates& candidates) const {
    const auto shared = [&](std::size_t tensor) {
      int count = 0;
      for (int d = 0; d < workload_.dim_count(); ++d) {
        count += is_relevant(workload_.tensors.back(), DimId{d}) && has(tensor, d) ? 1 : 0;
      }
      return count;
    };
    int fewest = kMaxDims;
    for (const std::size_t t : candidates) fewest = std::min(fewest, shared(t));
    narrow(candidates, [&](std::size_t t) { return shared(t) == fewest; });
  }

  // As in O[m,n] += W[m,k] * I[k,n], whatever the letters.
  void keep_first_of_output(Candidates& candidates) const {
    for (const Rank& rank : workload_.tensors.back().ranks) {
      for (const Term& term : rank) {
        const int dim = index_of(term.dim);
        const auto having = std::count_if(candidates.begin(), candidates.end(),
                                          [&](std::size_t t) { return has(t, dim); });
        if (having == 0 || having == static_cast<std::ptrdiff_t>(candidates.size())) continue;
        narrow(candidates, [&](std::size_t t) { return has(t, dim); });
        return;
      }
    }
  }

  const Workload& workload_;
};

}  // namespace

void assign_roles(Workload& workload) {
  Candidates candidates;
  bool weight_known = workload.tensors.size() < 3;  // a single input is an input
  for (std::size_t t = 0; t + 1 < workload.tensors.size(); ++t) {
    Tensor& tensor = workload.tensors[t];
    if (tensor.role_by_rule) {
      tensor.role = Role::Input;
      candidates.push_back(t);
    } else if (tensor.role == Role::Weight) {
      weight_known = true;
    }
  }
  if (weight_known || candidates.empty()) return;
  workload.tensors[WeightFinder(workload).find(std::move(candidates))].role = Role::Weight;
}

std::vector<Workload> role_assignments(const Workload& workload) {
  std::vector<Workload> all = {workload};
  if (workload.tensors.empty()) return all;
  for (Tensor& tensor : all.front().tensors) tensor.role_by_rule = false;
  std::vector<Role> roles;
  for (const Tensor& tensor : workload.tensors) roles.push_back(tensor.role);
  const std::vector<Role> given = roles;
  const auto inputs_end = roles.end() - 1;
  std::sort(roles.begin(), inputs_end);
  do {
    if (roles == given) continue;
    Workload other = all.front();
    for (std::size_t t = 0; t < roles.size(); ++t) other.tensors[t].role = roles[t];
    all.push_back(std::move(other));
  } while (std::next_permutation(roles.begin(), inputs_end));
  return all;
}

}  // namespace tilewright
