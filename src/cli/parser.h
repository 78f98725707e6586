// The command line as others see it: its commands as data, and what is said about
// arguments that were not understood.
#pragma once

#include "cli/command_tree.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
class ParseError;
}  // namespace CLI

namespace tilewright::cli {

// Says in help and complaints what a value is, where "TEXT" says too little.
void name_values(CLI::App& command);

// The tool with all its commands.
CommandEntry described(const CLI::App& app);

// Complains, unless help or version was asked for; returns the exit code.
int report_parse_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tilewright::cli
