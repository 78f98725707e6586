// What the commands of the command line are made of. Only for the files that see the parsing
// library, which is slow to compile.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/reproduce_options.h"

namespace tilewright::cli {

// Options live as long as the program. Parsing only notes what to run.
struct Commands {
  EvalOptions eval;
  MapCommandOptions map;
  ParetoOptions pareto;
  CompareOptions compare;
  SpaceOptions space;
  FuseCommandOptions fuse;
  ClassifyOptions classify;
  MeasureOptions measure;
  FlexStudyOptions isolate, futureproof;
  FlexDesignOptions design;
  ArenaOptions arena;
  ReproduceOptions reproduce;
  ShowOptions arch, workload;
  ModelsOptions models;
  GoldenOptions golden;
  CheckOptions check;
  OutputOptions archs;
  std::string format, shell;
  const ProofCommands* proofs = nullptr;  // null: another program has them
  char** arguments = nullptr;             // as they were given
  std::function<int()> run;
};

// Notes that this is what to run, should the command line name the command.
template <typename Options>
void runs(CLI::App& command, int (*run)(const Options&), const Options& options, Commands& c) {
  command.callback([&c, &options, run] { c.run = [&options, run] { return run(options); }; });
}

// What runs a command of plans or certificates: it reads nothing before another program does.
template <typename Options>
std::function<int()> proof_command(const Commands& c,
                                   int (*ProofCommands::*command)(const Options&),
                                   const Options& options) {
  if (c.proofs == nullptr) {
    return [&c] { return run_beside("full", "check", c.arguments); };
  }
  return [&options, run = c.proofs->*command] { return run(options); };
}

// --- commands ----------------------------------------------------------------------

// Each adds a command, or a group of them, to the tool.
void add_eval(CLI::App& app, Commands& c);
void add_map(CLI::App& app, Commands& c);
void add_compare(CLI::App& app, Commands& c);
void add_pareto(CLI::App& app, Commands& c);
void add_space(CLI::App& app, Commands& c);
void add_fuse(CLI::App& app, Commands& c);
void add_flex(CLI::App& app, Commands& c);
void add_arena(CLI::App& app, Commands& c);
// That of another program, which the tool only knows by name.
inline constexpr const char* kReproduceHelp = "Compute the tables and figures of a paper again";
void add_reproduce_options(CLI::App& command, ReproduceOptions& options);

// --- options that several have -----------------------------------------------------

inline void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "default: as many as the machine has")
      ->check(CLI::Range(1, 1024));
}
inline void add_seed(CLI::App& command, std::int64_t& seed, const char* help) {
  // Texts such as "-1" would otherwise be taken for large numbers.
  command.add_option("--seed", seed, help)
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 60))
      ->capture_default_str();
}
inline void add_quiet(CLI::App& command, bool& quiet) {
  command.add_flag("--quiet,-q", quiet, "no progress line");
}
// --json, and for what it leaves as text --wide.
CLI::Option* add_output(CLI::App& command, OutputOptions& output);
// `what` says what the file has: "a row per layer".
void add_csv(CLI::App& command, const char* what, OutputOptions& output);
void add_explain(CLI::App& command, CLI::Option* json, OutputOptions& output);
// A text that must be one of these; the help shows what it is by default.
void add_choice(CLI::App& command, const char* name, std::string& choice, const std::string& help,
                const std::vector<std::string>& choices);
void add_space_kind(CLI::App& command, std::string& mapspace);
// Values in place of those that an architecture has.
void add_set(CLI::App& command, std::vector<std::string>& set);
// Sizes in place of those that networks have.
CLI::Option* add_sizes(CLI::App& command, std::vector<std::string>& sizes);
// The options that say what to work on. A command that takes whole networks
// needs no layer.
void add_work(CLI::App& command, InputOptions& input, bool whole_networks);
// The same, and what mappings must keep to.
void add_inputs(CLI::App& command, InputOptions& input, bool whole_networks);
// That of a search, which need not prove anything.
void add_search_objective(CLI::App& command, std::string& objective, const std::string& help);
void add_objective(CLI::App& command, std::string& objective, const std::string& help,
                   const std::string& name = "--objective,-o");

}  // namespace tilewright::cli
