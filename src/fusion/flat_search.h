// The best plan whose groups are those of flat_candidates.h.
#pragma once

#include <optional>
#include <string>

#include "tilewright/fusion.h"

namespace tilewright::fusion {

struct FlatAim {
  Evenness evenness = Evenness::Even;  // of private nests
  // Plans that take more are of no use; where none takes less, any may come out.
  std::optional<double> to_beat_pj = {};
};

// For the least energy alone.
FuseOutcome fuse_flat(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
                      const std::string& shared, const FlatAim& aim = {});

}  // namespace tilewright::fusion
