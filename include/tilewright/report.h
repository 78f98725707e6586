// Results for people (text) and for machines (JSON). Nothing here prints.
#pragma once

#include <string>
#include <vector>

#include "tilewright/arch.h"
#include "tilewright/mapping.h"
#include "tilewright/model.h"
#include "tilewright/workload.h"

namespace tilewright::report {

// A mapping with what it costs.
struct Result {
  const Problem& problem;
  const Mapping& mapping;
  const Evaluation& evaluation;
};

// The loop nest, with `for` and `par_for`, remainders as "17 (last: 4)".
std::string nest_text(const Problem& problem, const Mapping& mapping);

// The nest, then tables of traffic, energy and time, then the totals.
std::string evaluation_text(const Result& result);
// Where the energy and the time go, in words.
std::string explanation_text(const Result& result);
// The same figures by the schema in docs/json.md.
std::string evaluation_json(const Result& result);

// What was understood of a file.
std::string architecture_text(const Architecture& arch);
std::string architecture_json(const Architecture& arch);
// One line each.
std::string architecture_list(const std::vector<Architecture>& archs, bool json);
std::string workload_text(const Workload& workload);
std::string workload_json(const Workload& workload);
std::string network_text(const Network& network);
std::string network_json(const Network& network);
// One line each.
std::string network_list(const std::vector<Network>& networks, bool json);

}  // namespace tilewright::report
