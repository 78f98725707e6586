// The fused mapping of least energy of a cascade (docs/fusion.md): over all cuts into groups,
// trees of shared loops, places of tensors and private nests.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/cascade.h"

namespace tilewright {

struct FuseOptions {
  std::optional<std::string> shared;  // a memory; nothing: the second from the outside
  int longest_group = 6;              // einsums of a group, at most
  std::optional<double> seconds;
  const std::atomic<bool>* cancelled = nullptr;
};

struct FuseOutcome {
  enum class Status { Found, BadInput, Infeasible };
  Status status = Status::BadInput;
  std::vector<Diagnostic> problems;
  Plan plan;
  double energy_pj = 0;          // of the plan
  double unfused_pj = 0;         // of the best plan without fusion
  std::vector<double> group_pj;  // by group of the plan
  bool proven = false;           // no plan of the searched kind has less energy
  double bound_pj = 0;           // no plan has less, proven or not
  double seconds = 0;

  bool found() const { return status == Status::Found; }
};

FuseOutcome fuse(const Cascade& cascade, const Architecture& arch, const FuseOptions& options = {});

}  // namespace tilewright
