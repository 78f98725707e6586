#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/workload.h"

namespace tilewright {

namespace {

const Renaming* renaming_of(const std::vector<Renaming>& renamings, const std::string& name) {
  const auto found = std::find_if(renamings.begin(), renamings.end(),
                                  [&](const Renaming& one) { return one.from == name; });
  return found == renamings.end() ? nullptr : &*found;
}

Diagnostic unknown(const Renaming& renaming, const std::string& whose,
                   const std::vector<std::string>& names) {
  return {renaming.where, fmt::format("{} has no dimension {}", whose, renaming.from),
          suggestion(renaming.from, names, "its dimensions are")};
}

// Names that the workload lacks are left alone.
std::vector<Diagnostic> rename_known(Workload& workload, const std::vector<Renaming>& renamings) {
  std::vector<Diagnostic> problems;
  Workload renamed = workload;
  std::map<std::string, std::string> former;  // of a new name
  for (Dimension& dim : renamed.dims) {
    const std::string before = dim.name;
    const Renaming* renaming = renaming_of(renamings, before);
    if (renaming != nullptr) dim.name = renaming->to;
    const auto [known, inserted] = former.emplace(dim.name, before);
    if (inserted) continue;
    const Renaming* culprit =
        renaming != nullptr ? renaming : renaming_of(renamings, known->second);
    problems.push_back(
        {culprit->where,
         fmt::format("{} and {} would both be named {}", known->second, before, dim.name),
         fmt::format("give each of the dimensions {} a name of its own",
                     fmt::join(names_of(workload.dims), ", "))});
  }
  if (!problems.empty()) return problems;
  assign_roles(renamed);
  workload = std::move(renamed);
  return {};
}

}  // namespace

std::vector<Diagnostic> rename_dims(Workload& workload, const std::vector<Renaming>& renamings) {
  std::vector<Diagnostic> problems;
  for (const Renaming& renaming : renamings) {
    if (!workload.find_dim(renaming.from)) {
      problems.push_back(unknown(renaming, workload.name, names_of(workload.dims)));
    }
  }
  return problems.empty() ? rename_known(workload, renamings) : problems;
}

std::vector<Diagnostic> rename_dims(Network& network, const std::vector<Renaming>& renamings) {
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) {
    for (const Dimension& dim : layer.workload.dims) {
      if (!contains(names, dim.name)) names.push_back(dim.name);
    }
  }
  std::vector<Diagnostic> problems;
  for (const Renaming& renaming : renamings) {
    if (!contains(names, renaming.from)) problems.push_back(unknown(renaming, network.name, names));
  }
  Network renamed = network;
  for (Layer& layer : renamed.layers) {
    if (!problems.empty()) return problems;  // the same would be said of many layers
    problems = rename_known(layer.workload, renamings);
  }
  for (Operator& op : renamed.graph.operators) {
    auto* contraction = std::get_if<Contraction>(&op.what);
    if (contraction == nullptr) continue;
    if (!problems.empty()) return problems;
    problems = rename_known(contraction->workload, renamings);
  }
  if (problems.empty()) network = std::move(renamed);
  return problems;
}

}  // namespace tilewright
