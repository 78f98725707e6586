// The commands of the tool. Each returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace tilewright::cli {

inline constexpr int kGood = 0;
inline constexpr int kDiffers = 1;  // a check that was asked for does not hold
inline constexpr int kBadInput = 2;
inline constexpr int kInfeasible = 3;

struct EvalOptions {
  std::string arch, workload, mapping;
  std::string accounting;  // empty: what the architecture says
  bool json = false;
  bool explain = false;
};
int run_eval(const EvalOptions& options);

struct ShowOptions {
  std::string what;  // a built-in name, a file, a workload on one line
  bool json = false;
  bool yaml = false;
};
int run_arch_show(const ShowOptions& options);
int run_workload_show(const ShowOptions& options);
int run_archs(bool json);

struct ModelsOptions {
  std::string network;  // a built-in name or a file; empty: list the built-in ones
  std::string layer;    // by name or number; empty: all
  bool json = false;
  bool yaml = false;
};
int run_models(const ModelsOptions& options);

struct GoldenOptions {
  std::vector<std::string> files;
  int shown = 5;  // differing cases printed per file
};
int run_golden(const GoldenOptions& options);

// Describes a file format.
int run_explain(const std::string& kind);

}  // namespace tilewright::cli
