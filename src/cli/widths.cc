#include "cli/widths.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace tilewright::cli {
namespace {

constexpr const char* kForm =
    "write a whole number from 1 to 65536, or widths such as I=8,W=4,O=32";

Diagnostic complaint(const std::string& message, const std::string& hint) {
  return {{"--bits"}, message, hint};
}

// The tensors that a name stands for: the one of that name, or else those of that role.
std::vector<Tensor*> tensors_named(const std::string& name, Workload& workload) {
  std::vector<Tensor*> named, of_role;
  for (Tensor& tensor : workload.tensors) {
    if (tensor.name == name) named.push_back(&tensor);
    if (to_string(tensor.role) == name) of_role.push_back(&tensor);
  }
  return named.empty() ? of_role : named;
}

std::vector<std::string> known_names(const std::vector<Workload*>& workloads) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!contains(names, name)) names.push_back(name);
  };
  for (const Workload* workload : workloads) {
    for (const Tensor& tensor : workload->tensors) add(tensor.name);
  }
  for (const Role role : {Role::Input, Role::Weight, Role::Output}) add(to_string(role));
  return names;
}

// Sets one "W=4"; a complaint if it means nothing.
std::vector<Diagnostic> set_width(std::string_view text, const std::vector<Workload*>& workloads) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string name(text.substr(0, equals));
  const auto bits =
      equals < text.size() ? number_in<std::int64_t>(text.substr(equals + 1)) : std::nullopt;
  if (name.empty() || !bits || *bits < 1 || *bits > kMostBits) {
    return {complaint(fmt::format("'{}' is no width", text), kForm)};
  }
  bool found = false;
  for (Workload* workload : workloads) {
    for (Tensor* tensor : tensors_named(name, *workload)) {
      tensor->bits = *bits;
      found = true;
    }
  }
  if (found) return {};
  return {complaint(fmt::format("there is no tensor '{}'", name),
                    suggestion(name, known_names(workloads), "the tensors and roles are"))};
}

}  // namespace

std::vector<Diagnostic> set_widths(const std::string& widths,
                                   const std::vector<Workload*>& workloads) {
  if (widths.empty()) return {};
  if (const auto bits = number_in<std::int64_t>(widths)) {
    if (*bits < 1 || *bits > kMostBits) {
      return {complaint(fmt::format("'{}' is no width", widths), kForm)};
    }
    for (Workload* workload : workloads) {
      for (Tensor& tensor : workload->tensors) tensor.bits = *bits;
    }
    return {};
  }
  std::vector<Diagnostic> problems;
  for (const std::string_view one : split(widths, ',')) append(problems, set_width(one, workloads));
  return problems;
}

std::vector<Diagnostic> set_widths(const std::string& widths, Network& network) {
  std::vector<Workload*> works;
  for (Layer& layer : network.layers) works.push_back(&layer.workload);
  for (Operator& op : network.graph.operators) {
    if (auto* contraction = std::get_if<Contraction>(&op.what)) {
      works.push_back(&contraction->workload);
    }
  }
  std::vector<Diagnostic> problems = set_widths(widths, works);
  if (widths.empty() || !problems.empty()) return problems;
  const auto bits = number_in<std::int64_t>(widths);
  for (Edge& edge : network.graph.edges) edge.bits = bits.value_or(edge.bits);
  take_widths_from_contractions(network.graph);
  return problems;
}

}  // namespace tilewright::cli
