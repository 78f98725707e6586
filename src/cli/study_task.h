// What the studies of flexibility do apart from reading files and printing. The Python
// package does the same.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "tilewright/report.h"
#include "tilewright/study.h"

namespace tilewright::cli {

// What both studies work on.
struct Study {
  Architecture arch;  // as flexible as can be
  std::optional<Flexibility> baseline;
  std::vector<Network> networks;
  std::int64_t pes = 1;
  double seconds = 0;  // for each layer; 0: no limit
};

// Completes a study of these networks: the architecture, if it could be read, with every freedom,
// the baseline on it, the layer of the first network if one is named, the time. Notes complaints.
void complete_study(std::optional<Architecture> arch, const FlexStudyOptions& options,
                    bool needs_baseline, Study& study, std::vector<Diagnostic>& problems);

// How to map; the caller says who may cancel it and who hears of progress.
StudyOptions study_options(const FlexStudyOptions& options, double seconds);

// Says what is done now.
using OnStage = std::function<void(const std::string& what)>;

// Frees one axis after the other. The study has a baseline. Complaints are about what could
// not be counted.
report::StudyReport isolate(const Study& study, const StudyOptions& how, std::int64_t seed,
                            const OnStage& on_stage, std::vector<Diagnostic>& problems);

// What `flex design` does beside a study: restricts what there is to choose from.
void restrict_design(const std::string& flex, Study& study, std::vector<Diagnostic>& problems);
DesignLimits design_limits(const FlexDesignOptions& options, const Study& study);

// Designs a fixed accelerator, unless the study has one, and compares the classes.
struct Futureproof {
  std::optional<report::StudyReport> report;
  std::string problem;  // why there is no design
  bool interrupted = false;
};
Futureproof futureproof(const Study& study, StudyOptions how, const OnStage& on_stage);

// Layers without a mapping, a line for each network on each variant.
std::vector<std::string> gaps_of(const report::StudyReport& report);

}  // namespace tilewright::cli
