// Options as Python gives them: texts by name, as on the command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bindings.h"
#include "cli/commands.h"
#include "cli/inputs.h"

namespace tilewright::python {

using Texts = std::map<std::string, std::string>;

// Whether a text is one of several.
void check_choice(const std::string& option, const std::string& text,
                  const std::vector<std::string>& choices, std::vector<Diagnostic>& problems);
// A whole number between two others, or a complaint.
std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least,
                          std::int64_t most, std::vector<Diagnostic>& problems);
// Threads of the checker: as many as "threads" says, or as the machine has. Throws Refused.
int checker_threads(const Texts& texts);
// Power is for searches that prove nothing.
void check_objective(const std::string& text, std::vector<Diagnostic>& problems,
                     bool search = false);

// What to work on, with what the texts say of it: "accounting", "bits", "flex", "layer",
// "rename".
struct Asked {
  const Architecture& arch;
  const Workload* workload = nullptr;
  const Network* network = nullptr;
  const Texts& texts;
  const std::vector<std::string>& constrain;  // lines
  const Constraints& constraints;
};
// Takes the names that it knows out of the texts; throws Refused.
cli::Inputs inputs_of(const Asked& asked);

// The options of `map`; those of the inputs are passed over. Throws Refused.
// Whether uneven mappings are searched, too; nothing: as the architecture says.
std::optional<bool> uneven_of(const Texts& texts);
cli::MapCommandOptions map_command(const Texts& texts);

}  // namespace tilewright::python
