#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "tilewright/workload.h"

namespace tilewright {

namespace {

using Problems = std::vector<std::string>;

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void check_name(const std::string& what, const std::string& name, std::set<std::string>& seen,
                Problems& problems) {
  if (!is_identifier(name)) {
    add_text(problems, "the {} name '{}' is not a letter or '_' followed by letters, digits or '_'",
             what, name);
  } else if (!seen.insert(name).second) {
    add_text(problems, "two {}s are named {}", what, name);
  }
}

void check_dims(const Workload& workload, Problems& problems) {
  if (workload.dims.empty()) problems.push_back("the workload has no dimension");
  if (workload.dim_count() > kMaxDims) {
    add_text(problems, "the workload has {} dimensions; at most {} are possible",
             workload.dim_count(), kMaxDims);
  }
  std::set<std::string> seen;
  for (const Dimension& dim : workload.dims) {
    check_name("dimension", dim.name, seen, problems);
    if (dim.size < 1) {
      add_text(problems, "dimension {} has size {}; sizes are at least 1", dim.name, dim.size);
    }
    if (dim.size > kCountLimit) {
      add_text(problems, "dimension {} has size {}; sizes are at most 2^60", dim.name, dim.size);
    }
  }
  for (int d = 0; d < workload.dim_count(); ++d) {
    const bool used =
        std::any_of(workload.tensors.begin(), workload.tensors.end(),
                    [&](const Tensor& tensor) { return is_relevant(tensor, DimId{d}); });
    if (!used) add_text(problems, "dimension {} is used by no tensor", workload.dim(DimId{d}).name);
  }
}

void check_rank(const Workload& workload, const Tensor& tensor, const Rank& rank,
                Problems& problems) {
  if (rank.empty()) add_text(problems, "an index of tensor {} names no dimension", tensor.name);
  std::set<int> seen;
  for (const Term& term : rank) {
    const int d = index_of(term.dim);
    if (d < 0 || d >= workload.dim_count()) {
      add_text(problems, "tensor {} uses dimension number {}, which does not exist", tensor.name,
               d);
      continue;
    }
    const std::string& name = workload.dim(term.dim).name;
    if (!seen.insert(d).second) {
      add_text(problems, "an index of tensor {} names dimension {} twice", tensor.name, name);
    }
    if (term.coefficient == 0) {
      add_text(problems, "an index of tensor {} has dimension {} with coefficient 0", tensor.name,
               name);
    }
  }
}

void check_tensors(const Workload& workload, Problems& problems) {
  if (workload.tensor_count() > kMaxTensors) {
    add_text(problems, "the workload has {} tensors; at most {} are possible",
             workload.tensor_count(), kMaxTensors);
  }
  std::set<std::string> seen;
  for (const Tensor& tensor : workload.tensors) {
    check_name("tensor", tensor.name, seen, problems);
    if (tensor.bits < 1) {
      add_text(problems, "tensor {} has {} bits per element; it needs at least 1", tensor.name,
               tensor.bits);
    }
    for (const Rank& rank : tensor.ranks) check_rank(workload, tensor, rank, problems);
  }
}

void check_roles(const Workload& workload, Problems& problems) {
  if (workload.tensors.empty()) {
    problems.push_back("the workload has no tensor");
    return;
  }
  const Tensor& last = workload.tensors.back();
  if (last.role != Role::Output) {
    add_text(problems, "tensor {} is the last and must have the role output, not {}", last.name,
             to_string(last.role));
  }
  if (workload.tensors.size() < 2) problems.push_back("the workload has no input tensor");
  for (int t = 0; t + 1 < workload.tensor_count(); ++t) {
    const Tensor& tensor = workload.tensor(TensorId{t});
    if (tensor.role == Role::Output) {
      add_text(problems, "tensor {} has the role output; only the last tensor can have it",
               tensor.name);
    }
  }
}

// An upper limit of every count about the tensor, also of its bits: all
// iterations, times how far each rank's bounding box can stretch.
Int128 largest_count(const Workload& workload, const Tensor& tensor) {
  // Room to add up reads, fills and updates of all tensors.
  Int128 product = wide_product(multiply_accumulates(workload), 3 * kMaxTensors);
  std::set<DimId> seen;
  for (const Rank& rank : tensor.ranks) {
    Int128 reach = 0;
    for (const Term& term : rank) {
      reach += term.coefficient < 0 ? -Int128{term.coefficient} : Int128{term.coefficient};
      // The bounding box of a diagonal has its dimension as a side twice.
      if (!seen.insert(term.dim).second) {
        product = wide_product(product, workload.dim(term.dim).size);
      }
    }
    product = wide_product(product, std::max<Int128>(1, reach));
  }
  return wide_product(product, tensor.bits);
}

// The ranks that share dimensions with one of a tensor's, directly or by others; itself, too.
std::vector<const Rank*> ranks_with(const Tensor& tensor, const Rank& rank) {
  std::vector<const Rank*> together = {&rank};
  std::set<DimId> dims;
  for (std::size_t known = 0; known != together.size();) {
    for (; known < together.size(); ++known) {
      for (const Term& term : *together[known]) dims.insert(term.dim);
    }
    for (const Rank& other : tensor.ranks) {
      const bool meets = std::any_of(other.begin(), other.end(),
                                     [&](const Term& term) { return dims.contains(term.dim); });
      if (meets && !contains(together, &other)) together.push_back(&other);
    }
  }
  return together;
}

// What one index reaches over, with those that share its dimensions, is counted in 64 bits.
bool reaches_too_far(const Workload& workload, const Tensor& tensor, const Rank& rank) {
  Int128 product = 1;
  for (const Rank* other : ranks_with(tensor, rank)) {
    Int128 side = 1;
    for (const Term& term : *other) {
      const Int128 coefficient = term.coefficient;
      side += (coefficient < 0 ? -coefficient : coefficient) * (workload.dim(term.dim).size - 1);
    }
    product = wide_product(product, side);
  }
  return product > kCountLimit;
}

void check_counts(const Workload& workload, Problems& problems) {
  if (multiply_accumulates(workload) > kMostMacs) {
    problems.push_back("the workload has more than 2^100 multiply-accumulates");
    return;
  }
  for (const Tensor& tensor : workload.tensors) {
    if (std::any_of(tensor.ranks.begin(), tensor.ranks.end(),
                    [&](const Rank& rank) { return reaches_too_far(workload, tensor, rank); })) {
      add_text(problems, "an index of tensor {} reaches over more than 2^60 places", tensor.name);
      return;
    }
    if (largest_count(workload, tensor) == kWideLimit) {
      add_text(problems,
               "sums of counts about tensor {} could pass 2^124: all sizes times its "
               "coefficients and bits",
               tensor.name);
      return;
    }
  }
}

}  // namespace

Int128 largest_count(const Workload& workload) {
  Int128 most = 0;
  for (const Tensor& tensor : workload.tensors) {
    most = std::max(most, largest_count(workload, tensor));
  }
  return most;
}

std::vector<std::string> problems_of(const Workload& workload) {
  Problems problems;
  check_dims(workload, problems);
  check_tensors(workload, problems);
  check_roles(workload, problems);
  // The estimate multiplies numbers that the checks above found positive.
  if (problems.empty()) check_counts(workload, problems);
  return problems;
}

}  // namespace tilewright
