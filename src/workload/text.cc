#include <fmt/format.h>

#include <array>

#include "tilewright/workload.h"

namespace tilewright {

std::string rank_text(const Workload& workload, const Rank& rank) {
  std::string text;
  for (const Term& term : rank) {
    const std::string& name = workload.dim(term.dim).name;
    if (term.coefficient >= 0 && !text.empty()) text += '+';
    if (term.coefficient == 1) {
      text += name;
    } else if (term.coefficient == -1) {
      text += '-' + name;
    } else {
      text += fmt::format("{}*{}", term.coefficient, name);
    }
  }
  return text;
}

std::string tensor_text(const Workload& workload, const Tensor& tensor, std::optional<Role> role) {
  std::string indices;
  for (const Rank& rank : tensor.ranks) {
    if (!indices.empty()) indices += ',';
    indices += rank_text(workload, rank);
  }
  return fmt::format("{}{}[{}]", tensor.name, role ? ":" + to_string(*role) : "", indices);
}

std::string roles_text(const Workload& workload) {
  std::string text;
  for (const Tensor& tensor : workload.tensors) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", tensor.name, to_string(tensor.role));
  }
  return text;
}

std::string sizes_text(const Workload& workload) {
  std::string text;
  for (const Dimension& dim : workload.dims) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", dim.name, dim.size);
  }
  return text;
}

std::string einsum_text(const Workload& workload) {
  if (workload.tensors.empty()) return "";
  std::string inputs;
  for (int t = 0; t + 1 < workload.tensor_count(); ++t) {
    if (!inputs.empty()) inputs += '*';
    inputs += tensor_text(workload, workload.tensor(TensorId{t}));
  }
  return fmt::format("{} += {}", tensor_text(workload, workload.tensors.back()), inputs);
}

std::string to_string(Role role) {
  constexpr std::array<const char*, 3> kNames = {"input", "weight", "output"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string to_string(Unmapped::Kind kind) {
  constexpr std::array<const char*, 5> kNames = {"elementwise", "normalize", "reshape", "transpose",
                                                 "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace tilewright
