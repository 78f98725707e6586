// The tool: all its commands, and what to run.

#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string_view>

#include "cli/command_parts.h"
#include "cli/command_tree.h"
#include "cli/commit.h"
#include "cli/help_format.h"
#include "cli/help_texts.h"
#include "cli/mapping_file.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/process.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

void prints(CLI::App& command, const std::function<std::string()>& text, Commands& c) {
  command.callback([&c, text] {
    c.run = [text] {
      print(text());
      return kGood;
    };
  });
}

// Only for the help, the manual page and the completion: run() hands its arguments on.
void add_reproduce(CLI::App& app, Commands& c) {
  CLI::App* reproduce = app.add_subcommand("reproduce", kReproduceHelp);
  add_reproduce_options(*reproduce, c.reproduce);
  reproduce->footer("`tilewright reproduce --help` lists the items.");
}

// Commands of the Python package, which are none here but for the help and its like.
struct PythonCommand {
  const char* name;
  const char* help;
  const char* page;
  const char* extra;  // what pip installs with it
};
constexpr std::array<PythonCommand, 8> kPythonCommands = {
    {{"import", "Read files of Timeloop, Accelergy, ZigZag and AccelForge, and networks in ONNX",
      "docs/import.md", "[import]"},
     {"export", "Write a mapping, its architecture and its workload as files of Timeloop",
      "docs/import.md", "[import]"},
     {"report", "Write results as one page that needs nothing beside it", "docs/report.md", ""},
     {"plot", "Draw a result as SVG, PDF or PNG", "docs/report.md", "[plot]"},
     {"explore", "Open a page that maps again with every change", "docs/explore.md", ""},
     {"sweep", "Map networks on many designs", "docs/sweeps.md", ""},
     {"codesign", "Find the best design of a space, with proof", "docs/sweeps.md", ""},
     {"results", "Look into a store of results", "docs/sweeps.md", ""}}};

void add_python_commands(CLI::App& app) {
  for (const PythonCommand& command : kPythonCommands) {
    app.add_subcommand(command.name, fmt::format("{} ({})", command.help, command.page))
        ->footer(fmt::format(
            "A command of the Python package: `./tilewright {} --help` in a clone.", command.name));
  }
}

// Complains about one of them; false if it is none.
bool is_for_python(std::string_view word) {
  for (const PythonCommand& command : kPythonCommands) {
    if (word != command.name) continue;
    complain(
        fmt::format("tilewright: {0} is a command of the Python package; run ./tilewright {0} "
                    "in a clone, or pip install 'tilewright{1}' ({2})",
                    word, command.extra, command.page));
    return true;
  }
  return false;
}

// A command whose only command is `show`.
struct ShowCommand {
  const char* name;
  const char* what;
  const char* help;
  int (*run)(const ShowOptions&);
  bool has_dims = false;  // that can be renamed
};

void add_show(CLI::App& app, const ShowCommand& command, ShowOptions& options, Commands& c) {
  CLI::App* group = app.add_subcommand(command.name, fmt::format("Look at {} files", command.what));
  group->require_subcommand(1);
  CLI::App* show = group->add_subcommand("show", "Print what was understood");
  show->add_option(command.what, options.what, command.help)->required();
  CLI::Option* json = add_output(*show, options.output);
  show->add_flag("--yaml", options.yaml, "print it as a file in the project's format")
      ->excludes(json);
  if (command.has_dims) show->add_option("--rename", options.rename, kRenameHelp);
  if (!command.has_dims) add_set(*show, options.set);
  runs(*show, command.run, options, c);
}

void add_models(CLI::App& app, Commands& c) {
  CLI::App* models =
      app.add_subcommand("models", "List the built-in networks, or the layers of one");
  CLI::Option* network = models->add_option("network", c.models.network,
                                            "a built-in network, or a .yaml or .csv file");
  CLI::Option* layer =
      models->add_option("--layer,-l", c.models.layer,
                         fmt::format("print the workload of a single layer: {}", kLayerHelp));
  layer->needs(network);
  CLI::Option* json = add_output(*models, c.models.output);
  add_sizes(*models, c.models.sizes)->needs(network);
  models
      ->add_flag("--yaml", c.models.yaml, "print the network as a file, or the layer as a workload")
      ->needs(network)
      ->excludes(json);
  runs(*models, run_models, c.models, c);
}

void add_others(CLI::App& app, Commands& c) {
  CLI::App* archs = app.add_subcommand("archs", "List the built-in architectures");
  add_output(*archs, c.archs);
  runs(*archs, run_archs, c.archs, c);

  CLI::App* golden =
      app.add_subcommand("golden", "Hold the model against reference results (docs/golden.md)");
  golden->add_option("files", c.golden.files, "files of cases, .jsonl or .csv")->required();
  golden->add_option("--show", c.golden.shown, "differing cases to print per file")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  runs(*golden, run_golden, c.golden, c);

  CLI::App* check = app.add_subcommand(
      "check", "Verify a certificate: the mapping or plan, its cost, and that none is better");
  check->add_option("file", c.check.file, "a certificate (docs/certificates.md)")->required();
  add_threads(*check, c.check.threads);
  check->callback([&c] { c.run = proof_command(c, &ProofCommands::check, c.check); });

  CLI::App* explain = app.add_subcommand("explain", "Describe a file format, key by key");
  explain
      ->add_option("format", c.format,
                   "architecture, workload, mapping, network, constraints, cascade or plan")
      ->required()
      ->check(CLI::IsMember(io::format_kinds()));
  runs(*explain, run_explain, c.format, c);
}

void add_pages(CLI::App& app, Commands& c) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print a script with which a shell completes command lines");
  completion->add_option("shell", c.shell)->required()->check(CLI::IsMember(completed_shells()));
  completion->footer("For this shell alone: source <(tilewright completion bash)");
  prints(*completion, [&] { return completion_script(described(app), c.shell); }, c);
  CLI::App* man = app.add_subcommand("man", "Print the manual page");
  man->footer("To read it: tilewright man | man -l -");
  prints(*man, [&] { return manual_page(described(app)); }, c);
}

}  // namespace

int run(int argc, char** argv, const std::vector<const Mapper*>& mappers,
        const ProofCommands* proofs) {
  if (argc > 1 && std::string_view(argv[1]) == "reproduce") {
    return run_beside("reproduce", "reproduce", argv + 1);
  }
  const bool asks = argc > 2 && std::string_view(argv[2]).ends_with("-help");
  if (argc > 1 && !asks && is_for_python(argv[1])) return kBadInput;
  CLI::App app{kDescription, "tilewright"};
  app.formatter(std::make_shared<WrappedHelp>());
  app.footer(kFooter);
  app.set_version_flag("--version",
                       fmt::format("tilewright {} (commit {})", TILEWRIGHT_VERSION, kCommit));
  app.require_subcommand(1);
  Commands commands;
  commands.proofs = proofs;
  commands.arguments = argv;
  commands.map.mappers = commands.compare.map.mappers = mappers;
  commands.arena.table = mappers;
  commands.map.command = quoted_command({argv, static_cast<std::size_t>(argc)});
  commands.pareto.command = commands.eval.command = commands.map.command;
  commands.compare.map.command = commands.fuse.command = commands.map.command;
  add_map(app, commands);
  add_pareto(app, commands);
  add_compare(app, commands);
  add_eval(app, commands);
  add_space(app, commands);
  add_fuse(app, commands);
  add_flex(app, commands);
  add_arena(app, commands);
  add_show(app, {"arch", "architecture", kArchHelp, run_arch_show}, commands.arch, commands);
  add_show(app, {"workload", "workload", kWorkloadHelp, run_workload_show, /*has_dims=*/true},
           commands.workload, commands);
  add_models(app, commands);
  add_python_commands(app);
  add_reproduce(app, commands);
  add_others(app, commands);
  add_pages(app, commands);
  name_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error);
  }
  return commands.run();
}

int run(int argc, char** argv) { return run(argc, argv, mappers()); }

}  // namespace tilewright::cli
