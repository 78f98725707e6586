// What a flexible architecture can be set to for a workload, derived from its file without
// the module that does so for mappers (docs/flexibility.md). Every mapping that it can run is
// one of some setting here, or costs the same as one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certificate/loops.h"
#include "certificate/rules.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

struct ArraySetting {
  // How far rows and columns unroll a dimension that a fixed tile cuts.
  struct Share {
    int dim = 0;
    std::int64_t rows = 1, columns = 1;

    auto operator<=>(const Share&) const = default;
  };
  ConvPair pair;
  ArrayShape shape;
  std::optional<ConvOrder> order;  // nothing: any
  std::vector<Share> shares;
  // Shapes of settings that stand before this one and differ in nothing else: what fits
  // into these was looked at.
  std::vector<ArrayShape> before;
};

class Settings {
 public:
  // The workload, the architecture and the constraints must outlive it. Throws Unverifiable.
  Settings(const Workload& workload, const Architecture& arch,
           const std::vector<Constraint>& constraints);

  const std::vector<ArraySetting>& all() const { return all_; }
  // "P=CK,S=16x64,O=KCYXRS"; with shares, such as "; M 1x4" after it.
  static std::string name_of(const ArraySetting& setting);
  std::string text_of(const ArraySetting& setting) const;
  // What the architecture is set to by a text without shares, once for each way to share out
  // a fixed tile. Empty if it cannot be set to that.
  std::vector<ArraySetting> named(const std::string& text) const;

  // A problem without freedom. Throws Unverifiable.
  struct SetUpProblem {
    Problem problem;
    Rules rules;
  };
  SetUpProblem set_up(const ArraySetting& setting, SpaceKind kind, Among among) const;

 private:
  bool is_longer_than_one(int dim) const;
  std::vector<int> looped(std::vector<int> dims) const;  // without those of size 1
  std::int64_t points_of(const std::vector<int>& dims) const;
  bool has_rule_for_use() const;
  bool nests() const;  // what runs on a shape runs as well on one that contains it
  bool turns() const;  // ... on the shape turned round
  std::vector<ConvPair> pairs() const;
  std::vector<std::optional<ConvOrder>> orders() const;
  std::vector<ArrayShape> shapes(const ConvPair& pair) const;
  // All ways to share out a fixed tile.
  std::vector<std::vector<ArraySetting::Share>> shares(const ConvPair& pair,
                                                       const ArrayShape& shape) const;
  void add_all(const ConvPair& pair, const std::optional<ConvOrder>& order);

  const Workload& workload_;
  const Architecture& arch_;
  const std::vector<Constraint>& constraints_;
  const Flexibility& freedom_;
  FlexibleParts parts_;
  Loops loops_;
  std::vector<TiledDim> tile_;
  std::vector<ArraySetting> all_;
};

}  // namespace tilewright::certificate
