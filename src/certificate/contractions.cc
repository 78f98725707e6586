#include "certificate/contractions.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "certificate/refused.h"

namespace tilewright::certificate {

namespace {

class ContractionKey {
 public:
  explicit ContractionKey(const Workload& workload) : workload_(with_known_names(workload)) {
    std::set<std::string> sizes;
    for (const Dimension& dim : workload_.dims) {
      if (dim.size > 1) sizes.insert(fmt::format("{}={} ", dim.name, dim.size));
    }
    for (const std::string& size : sizes) text_ += size;
    for (const Tensor& tensor : workload_.tensors) add(tensor);
  }
  const std::string& text() const { return text_; }

 private:
  std::string rank_text(const Rank& rank) const {
    std::set<std::string> terms;
    for (const Term& term : rank) {
      const Dimension& dim = workload_.dim(term.dim);
      if (dim.size > 1) terms.insert(fmt::format("+{}*{}", term.coefficient, dim.name));
    }
    std::string text;
    for (const std::string& term : terms) text += term;
    return text;
  }

  // Indices may stand in another order in a cascade.
  void add(const Tensor& tensor) {
    std::multiset<std::string> ranks;
    for (const Rank& rank : tensor.ranks) ranks.insert(rank_text(rank));
    ranks.erase("");
    text_ += fmt::format("{}:{}[", to_string(tensor.role), tensor.bits);
    for (const std::string& rank : ranks) text_ += rank + ",";
    text_ += "]";
  }

  Workload workload_;
  std::string text_;
};

// Whether a tensor has the dimension as an index of its own; it may have it in no other way.
bool has_index(const Workload& workload, const Tensor& tensor, DimId dim) {
  int plain = 0;
  for (const Rank& rank : tensor.ranks) {
    for (const Term& term : rank) {
      if (term.dim != dim) continue;
      if (rank.size() > 1 || term.coefficient != 1 || plain > 0) {
        refuse("{} is cut, and {} has it in a window or twice", workload.dim(dim).name,
               tensor.name);
      }
      ++plain;
    }
  }
  return plain > 0;
}

// Puts the factors of dimensions together again.
class Uncut {
 public:
  Uncut(const Workload& einsum, const CutContraction& cut) : einsum_(einsum) {
    for (const auto& [whole, names] : cut.factors) {
      const std::vector<DimId> factors = factors_of(whole, names);
      for (const Tensor& tensor : einsum.tensors) expect_all_or_none(tensor, whole, factors);
      join(whole, factors);
    }
    expect_different_names();
  }
  const Workload& workload() const { return einsum_; }

 private:
  std::vector<DimId> factors_of(const std::string& whole, const std::vector<std::string>& names) {
    if (names.size() < 2) refuse("{} of {} is cut into one piece", whole, einsum_.name);
    std::vector<DimId> factors;
    for (const std::string& name : names) {
      const auto factor = einsum_.find_dim(name);
      if (!factor) refuse("{} has no dimension {}", einsum_.name, name);
      const Dimension& dim = einsum_.dim(*factor);
      if ((dim.known_as.empty() ? dim.name : dim.known_as) != whole) {
        refuse("{} of {} is no factor of {}", name, einsum_.name, whole);
      }
      if (!taken_.insert(name).second) refuse("{} of {} stands twice", name, einsum_.name);
      factors.push_back(*factor);
    }
    return factors;
  }

  void expect_all_or_none(const Tensor& tensor, const std::string& whole,
                          const std::vector<DimId>& factors) const {
    const auto count = std::count_if(factors.begin(), factors.end(), [&](DimId factor) {
      return has_index(einsum_, tensor, factor);
    });
    if (count == 0 || count == static_cast<std::ptrdiff_t>(factors.size())) return;
    refuse("{} of {} has some of the factors of {}, and not the others", tensor.name, einsum_.name,
           whole);
  }

  // The first one stands for all.
  void join(const std::string& whole, const std::vector<DimId>& factors) {
    Count size = 1;
    for (const DimId factor : factors) {
      size *= std::exchange(einsum_.dims[at(factor)].size, 1);
      if (size > kCountLimit) refuse("{} of {} has too many values", whole, einsum_.name);
    }
    einsum_.dims[at(factors.front())].size = static_cast<std::int64_t>(size);
  }

  void expect_different_names() const {
    std::set<std::string> names;
    for (const Dimension& dim : with_known_names(einsum_).dims) {
      if (dim.size > 1 && !names.insert(dim.name).second) {
        refuse("{} has two dimensions that architectures know as {}", einsum_.name, dim.name);
      }
    }
  }

  Workload einsum_;
  std::set<std::string> taken_;
};

// A dimension by the name that architectures know.
Dimension* known_dim(Workload& workload, const std::string& name) {
  for (Dimension& dim : workload.dims) {
    if (dim.size > 1 && (dim.known_as.empty() ? dim.name : dim.known_as) == name) return &dim;
  }
  return nullptr;
}

// Whether a contraction is the einsum, if of the dimensions that the network takes one by one those
// that are named have as many values at a time as the einsum's.
bool is_taken_together(const Contraction& contraction, Workload einsum,
                       const std::vector<std::string>& together) {
  Workload whole = contraction.workload;
  std::size_t found = 0;
  for (const DimId each : contraction.each) {
    Dimension& dim = whole.dims[at(each)];
    const std::string& name = dim.known_as.empty() ? dim.name : dim.known_as;
    const Dimension* own = contains(together, name) ? known_dim(einsum, name) : nullptr;
    if (own != nullptr && dim.size % own->size != 0) return false;
    found += own == nullptr ? 0 : 1;
    dim.size = own == nullptr ? 1 : own->size;
  }
  return found == together.size() && contraction_key(whole) == contraction_key(einsum);
}

void expect_taken_together(const Network& network, const Workload& einsum,
                           const std::vector<std::string>& together) {
  for (const Operator& op : network.graph.operators) {
    const auto* contraction = std::get_if<Contraction>(&op.what);
    if (contraction != nullptr && is_taken_together(*contraction, einsum, together)) return;
  }
  refuse("the network has no contraction that {} is, with {} taken together", einsum.name,
         fmt::join(together, ", "));
}

}  // namespace

std::string contraction_key(const Workload& workload) { return ContractionKey(workload).text(); }

WholeContraction whole_contraction(const Workload& einsum, const CutContraction& cut,
                                   const Network& network) {
  Workload whole = Uncut(einsum, cut).workload();
  if (!cut.together.empty()) expect_taken_together(network, whole, cut.together);
  Count times = 1;
  for (const std::string& name : cut.together) {
    // Named twice, it would not be there again.
    times *= std::exchange(known_dim(whole, name)->size, 1);
    if (times > kCountLimit) refuse("{} has too many values", name);
  }
  return {contraction_key(whole), static_cast<std::int64_t>(times)};
}

void expect_no_loop_rules(const Architecture& arch) {
  const auto* outermost = std::get_if<Memory>(&arch.levels.front());
  const bool none =
      outermost != nullptr && !outermost->dims &&
      std::all_of(arch.constraints.begin(), arch.constraints.end(), [](const Constraint& one) {
        return std::holds_alternative<ResidenceRule>(one.rule) ||
               std::holds_alternative<UseRule>(one.rule);
      });
  if (!none) refuse("dimensions are cut, and the architecture has rules for loops over whole ones");
}

}  // namespace tilewright::certificate
