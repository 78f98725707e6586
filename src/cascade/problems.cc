// What is wrong with cascades and plans.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cascade/geometry.h"

namespace tilewright {
namespace {

class CascadeChecker {
 public:
  explicit CascadeChecker(const Cascade& cascade) : cascade_(cascade) {}

  std::vector<CascadeProblem> check() {
    if (cascade_.einsums.empty()) add(0, "the cascade has no einsum");
    for (int e = 0; e < cascade_.einsum_count(); ++e) check_einsum(e);
    for (const Intermediate& one : intermediates_of(cascade_)) check_intermediate(one);
    return std::move(problems_);
  }

 private:
  void add(int einsum, std::string message, std::string hint = "") {
    problems_.push_back({einsum, std::move(message), std::move(hint)});
  }

  void check_einsum(int e) {
    const Workload& workload = cascade_.workload(e);
    const std::vector<std::string> problems = problems_of(workload);
    for (const std::string& problem : problems) add(e, problem);
    // Plans are counted in 64 bits.
    if (problems.empty() && largest_count(workload) > kCountLimit) {
      add(e, "counts could pass 2^60, which plans of several einsums do not support",
          "write smaller sizes, or map the einsum alone");
    }
    if (!names_.insert(workload.name).second) {
      add(e, fmt::format("two einsums are named {}", workload.name), "rename one of them");
    }
    for (const Dimension& dim : workload.dims) {
      const auto [known, is_new] = sizes_.emplace(dim.name, dim.size);
      if (is_new || known->second == dim.size) continue;
      add(e, fmt::format("{} is {} here and {} before", dim.name, dim.size, known->second),
          "a dimension has one size throughout");
    }
    if (workload.tensors.empty()) return;
    const std::string& output = workload.tensors.back().name;
    if (read_.contains(output)) {
      add(e, fmt::format("{} is read before it is written", output),
          "put einsums behind those whose output they read");
    }
    if (!written_.insert(output).second) {
      add(e, fmt::format("{} is written twice", output), "rename one of the tensors");
    }
    for (std::size_t t = 0; t + 1 < workload.tensors.size(); ++t) {
      read_.insert(workload.tensors[t].name);
    }
    check_then(e);
  }

  void check_then(int e) {
    const auto& then = cascade_.einsums[at(e)].then;
    if (!then || !then->reduces) return;
    const Workload& workload = cascade_.workload(e);
    const auto dim = workload.find_dim(*then->reduces);
    if (dim && is_relevant(workload.tensors.back(), *dim)) return;
    add(e, fmt::format("{} has no dimension {} to reduce", workload.tensors.back().name,
                       *then->reduces));
  }

  void check_intermediate(const Intermediate& one) {
    const Workload& writer = cascade_.workload(one.writer);
    std::set<DimId> seen;
    for (const Rank& rank : writer.tensors.back().ranks) {
      if (rank.size() == 1 && rank[0].coefficient == 1 && seen.insert(rank[0].dim).second) continue;
      add(one.writer,
          fmt::format("{} is read by another einsum: its indices must be dimensions", one.name));
      return;
    }
    for (const IntermediateReader& reader : one.readers) check_reader(one, reader);
  }

  void check_reader(const Intermediate& one, const IntermediateReader& by) {
    const Workload& writer = cascade_.workload(one.writer);
    const Workload& reader = cascade_.workload(by.einsum);
    const Tensor &made = writer.tensors.back(), &seen = reader.tensor(by.tensor);
    if (made.ranks.size() != seen.ranks.size()) {
      add(by.einsum, fmt::format("{} has {} indices here and {} where it is written", one.name,
                                 seen.ranks.size(), made.ranks.size()));
      return;
    }
    if (made.bits != seen.bits) add(by.einsum, fmt::format("{} has two widths", one.name));
    for (std::size_t r = 0; r < seen.ranks.size(); ++r) {
      bool backwards = false;
      for (const Term& term : seen.ranks[r]) {
        if (term.coefficient < 1) {
          backwards = true;
          add(by.einsum, fmt::format("{} runs backwards through {}",
                                     rank_text(reader, seen.ranks[r]), one.name));
        }
      }
      const Dimension& dim = writer.dim(made.ranks[r][0].dim);
      const Padding padding = padding_of(reader, seen.ranks[r], dim.size);
      if (backwards || (padding.zeros >= 0 && padding.zeros <= padding.most)) continue;
      const std::int64_t extent = dim.size + padding.zeros;
      add(by.einsum,
          fmt::format("{} of {} reaches {} values and {} has {}", rank_text(reader, seen.ranks[r]),
                      one.name, extent, dim.name, dim.size),
          fmt::format("let {} be {}{}", dim.name, extent,
                      padding.most > 0
                          ? fmt::format(", or {} at least with padding", extent - padding.most)
                          : ""));
    }
  }

  const Cascade& cascade_;
  std::vector<CascadeProblem> problems_;
  std::map<std::string, std::int64_t> sizes_;
  std::set<std::string> names_, written_, read_;
};

}  // namespace

std::vector<CascadeProblem> problems_of(const Cascade& cascade) {
  return CascadeChecker(cascade).check();
}

}  // namespace tilewright
