// The paper's accelerator and layers, for tests of flexion.
#pragma once

#include <stdexcept>
#include <string>

#include "tilewright/flexibility.h"
#include "tilewright/io.h"

namespace tilewright::testing {

// 1024 PEs and a buffer of so many words, set to what the line says.
inline Architecture flexible_arch(const std::string& line, std::int64_t words = 102400) {
  Architecture arch = io::load_architecture("flex_1024").value.value();
  std::get<Memory>(arch.levels[1]).capacity = {Capacity::Unit::Words, words};
  const auto flexibility = io::read_flexibility_line(line, "test", arch);
  if (!flexibility.ok()) throw std::logic_error(to_string(flexibility.problems.front()));
  arch.flexibility = *flexibility.value;
  return arch;
}

// The flexion of something sound.
inline AxisFlexion flexion(const Workload& workload, const Architecture& arch, TopsAxis axis,
                           const FlexionOptions& options = {}) {
  const Checked<AxisFlexion> result = flexion_of(workload, arch, axis, options);
  if (!result.ok()) throw std::logic_error(to_string(result.problems.front()));
  return *result.value;
}

}  // namespace tilewright::testing
