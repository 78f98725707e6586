// The command line. The only file that sees the parsing library, which is slow
// to compile.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.h"
#include "cli/output.h"

namespace {

using namespace tilewright::cli;

constexpr const char* kDescription =
    "Tilewright: what mappings of tensor contractions on accelerators cost.";
constexpr const char* kFooter =
    "Exit codes: 0 good, 1 a comparison differs, 2 bad input, 3 infeasible.\n"
    "Example: tilewright eval --arch eyeriss --workload layer.yaml --mapping mapping.yaml";
constexpr const char* kArchHelp = "a built-in architecture (see `tilewright archs`) or a file";
constexpr const char* kWorkloadHelp =
    "a file, or a workload on one line: \"O[m,n] += A[m,k]*B[k,n]; m=64 n=64 k=32\"";

// Options live as long as the program; the command that was given runs.
struct Commands {
  EvalOptions eval;
  ShowOptions arch, workload;
  GoldenOptions golden;
  bool archs_json = false;
  std::string format;
  int exit_code = kGood;
};

void add_eval(CLI::App& app, Commands& c) {
  CLI::App* eval = app.add_subcommand("eval", "Evaluate one mapping");
  eval->add_option("--arch,-a", c.eval.arch, kArchHelp)->required();
  eval->add_option("--workload,-w", c.eval.workload, kWorkloadHelp)->required();
  eval->add_option("--mapping,-m", c.eval.mapping, "a mapping file")->required();
  eval->add_option("--accounting", c.eval.accounting,
                   "exact: distinct elements; timeloop: bounding boxes, as Timeloop counts "
                   "(default: what the architecture says)")
      ->check(CLI::IsMember({"exact", "timeloop"}));
  CLI::Option* json = eval->add_flag("--json", c.eval.json, "print JSON (docs/json.md)");
  eval->add_flag("--explain", c.eval.explain, "say in words where energy and time go")
      ->excludes(json);
  eval->callback([&c] { c.exit_code = run_eval(c.eval); });
}

void add_show(CLI::App& app, const std::string& kind, const char* help, ShowOptions& options,
              int (*run)(const ShowOptions&), int& exit_code) {
  CLI::App* group = app.add_subcommand(kind, "Look at " + kind + " files");
  group->require_subcommand(1);
  CLI::App* show = group->add_subcommand("show", "Print what was understood");
  show->add_option("what", options.what, help)->required();
  CLI::Option* json = show->add_flag("--json", options.json, "print JSON (docs/json.md)");
  show->add_flag("--yaml", options.yaml, "print it as a file in the project's format")
      ->excludes(json);
  show->callback([&options, run, &exit_code] { exit_code = run(options); });
}

void add_others(CLI::App& app, Commands& c) {
  CLI::App* archs = app.add_subcommand("archs", "List the built-in architectures");
  archs->add_flag("--json", c.archs_json, "print JSON (docs/json.md)");
  archs->callback([&c] { c.exit_code = run_archs(c.archs_json); });

  CLI::App* golden =
      app.add_subcommand("golden", "Hold the model against reference results (docs/golden.md)");
  golden->add_option("files", c.golden.files, "files of cases, .jsonl or .csv")->required();
  golden->add_option("--show", c.golden.shown, "differing cases to print per file")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  golden->callback([&c] { c.exit_code = run_golden(c.golden); });

  CLI::App* explain = app.add_subcommand("explain", "Describe a file format, key by key");
  explain->add_option("format", c.format, "architecture, workload or mapping")
      ->required()
      ->check(CLI::IsMember({"architecture", "workload", "mapping"}));
  explain->callback([&c] { c.exit_code = run_explain(c.format); });
}

int run(int argc, char** argv) {
  CLI::App app{kDescription, "tilewright"};
  app.footer(kFooter);
  app.set_version_flag("--version", TILEWRIGHT_VERSION);
  app.require_subcommand(1);
  Commands commands;
  add_eval(app, commands);
  add_show(app, "arch", kArchHelp, commands.arch, run_arch_show, commands.exit_code);
  add_show(app, "workload", kWorkloadHelp, commands.workload, run_workload_show,
           commands.exit_code);
  add_others(app, commands);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are no errors; everything else is bad input.
    return app.exit(error) == 0 ? kGood : kBadInput;
  }
  return commands.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    // Only a defect or exhausted memory leads here.
    std::fprintf(stderr, "internal error: %s\n", error.what());
    return kBadInput;
  }
}
