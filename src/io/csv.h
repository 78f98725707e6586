// Comma-separated values as nodes with positions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "context.h"

namespace tilewright::io {

struct Csv {
  std::vector<std::string> comments;  // those before the first row, without their '#'
  std::vector<Node> rows;             // lists of scalars
};

// A row is a line; lines that are blank or start with '#' are none. A cell may
// stand in quotes, in which a quote is written twice. Complains about quotes.
Csv read_csv(Context& context, std::string_view text);

}  // namespace tilewright::io
