// What every flexibility that was read must hold to.
#pragma once

#include <cstdlib>

#include "tilewright/io.h"

// It is sound, has a class, and survives being printed.
inline void check_flexibility(const tilewright::Architecture& arch,
                              const tilewright::Flexibility& flexibility) {
  if (!tilewright::problems_of(arch, flexibility).empty()) std::abort();
  const auto parts = tilewright::parts_of(arch, flexibility);
  if (!parts || tilewright::class_of(flexibility, parts->pes).empty()) std::abort();
  tilewright::Architecture same = arch;
  same.flexibility = flexibility;
  const auto again = tilewright::io::read_flexibility_line(to_string(flexibility), "again", same);
  if (!again.ok() || !(*again.value == flexibility)) std::abort();
}
