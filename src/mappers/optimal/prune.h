// States of a relaxation that lead to nothing.
#pragma once

#include <vector>

#include "mappers/optimal/relax.h"

namespace tilewright::optimal {

// Takes away states just inside the loops of a memory from which every mapping
// costs `limit` or more, and tables that have no other. Of the links that are
// open, only those of tensors that the next loop does not move can still save
// anything.
void leave_out_hopeless(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                        std::vector<Relaxation::Table>& tables);

}  // namespace tilewright::optimal
