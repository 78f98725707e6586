// Beside parser.cc the only file that sees the parsing library, which is slow to compile.

#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/commit.h"
#include "cli/help_format.h"
#include "cli/help_texts.h"
#include "cli/mapping_file.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/process.h"
#include "cli/reproduce_options.h"

namespace tilewright::cli {
namespace {

// The parsing library would name the largest number there is, all 309 digits of it.
const CLI::Validator kAboveZero(
    [](const std::string& text) {
      double number = 0;
      const bool good = CLI::detail::lexical_cast(text, number) && number > 0;
      return good ? std::string() : fmt::format("{} is no number above 0", text);
    },
    "ABOVE 0");
const CLI::Validator kNumber(
    [](const std::string& text) {
      double number = 0;
      return CLI::detail::lexical_cast(text, number) ? std::string()
                                                     : fmt::format("{} is no number", text);
    },
    "NUMBER");
const CLI::Validator kObjective(
    [](const std::string& text) {
      if (objective_named(text)) return std::string();
      return fmt::format("{} not in {{{}}}; nor is it a product such as energy^2*cycles", text,
                         fmt::join(objective_names(), ","));
    },
    fmt::format("{{{}}}", fmt::join(objective_names(), ",")));

// Options live as long as the program. Parsing only notes what to run.
struct Commands {
  EvalOptions eval;
  MapCommandOptions map;
  ParetoOptions pareto;
  CompareOptions compare;
  SpaceOptions space;
  ClassifyOptions classify;
  MeasureOptions measure;
  FlexStudyOptions isolate, futureproof;
  ArenaOptions arena;
  ReproduceOptions reproduce;
  ShowOptions arch, workload;
  ModelsOptions models;
  GoldenOptions golden;
  CheckOptions check;
  OutputOptions archs;
  std::string format, shell;
  std::function<int()> run;
};

// Notes that this is what to run, should the command line name the command.
template <typename Options>
void runs(CLI::App& command, int (*run)(const Options&), const Options& options, Commands& c) {
  command.callback([&c, &options, run] { c.run = [&options, run] { return run(options); }; });
}

void prints(CLI::App& command, const std::function<std::string()>& text, Commands& c) {
  command.callback([&c, text] {
    c.run = [text] {
      print(text());
      return kGood;
    };
  });
}

// --json, and for what it leaves as text --wide.
CLI::Option* add_output(CLI::App& command, OutputOptions& output) {
  command.add_flag_callback("--wide", [&output] { output.width = 0; }, kWideHelp);
  return command.add_flag("--json", output.json, kJsonHelp);
}

// `what` says what the file has: "a row per layer".
void add_csv(CLI::App& command, const char* what, OutputOptions& output) {
  command.add_option(
      "--csv", output.csv,
      fmt::format("write {} to this file, or - to print it in place of the table", what));
}

void add_explain(CLI::App& command, CLI::Option* json, OutputOptions& output) {
  command.add_flag("--explain", output.explain, "say in words where energy and time go")
      ->excludes(json);
}

// A text that must be one of these; the help shows what it is by default.
void add_choice(CLI::App& command, const char* name, std::string& choice, const std::string& help,
                const std::vector<std::string>& choices) {
  command.add_option(name, choice, help)->check(CLI::IsMember(choices))->capture_default_str();
}

void add_space_kind(CLI::App& command, std::string& mapspace) {
  add_choice(command, "--mapspace", mapspace,
             "pfm: perfect factors; ruby-s, ruby-t, ruby: remainders in space, in time, everywhere "
             "(docs/mapspaces.md)",
             {"pfm", "ruby-s", "ruby-t", "ruby"});
}

// Values in place of those that an architecture has.
void add_set(CLI::App& command, std::vector<std::string>& set) {
  command.add_option("--set", set, kSetHelp)->allow_extra_args(false);
}

// The options that say what to work on. A command that takes whole networks
// needs no layer.
void add_work(CLI::App& command, InputOptions& input, bool whole_networks) {
  command.add_option("--arch,-a", input.arch, kArchHelp)->required();
  CLI::Option* workload = command.add_option("--workload,-w", input.workload, kWorkloadHelp);
  CLI::Option* model = command.add_option(
      "--model", input.model, "a built-in network (see `tilewright models`) or a .csv file");
  CLI::Option* layer = command.add_option("--layer,-l", input.layer, kLayerHelp);
  workload->excludes(model);
  layer->needs(model);
  if (!whole_networks) model->needs(layer);
  command
      .add_option("--accounting", input.accounting,
                  "exact: distinct elements; timeloop: bounding boxes, as Timeloop counts "
                  "(default: what the architecture says)")
      ->check(CLI::IsMember({"exact", "timeloop"}));
  add_set(command, input.set);
  command.add_option("--bits", input.bits, kBitsHelp);
  command.add_option("--rename", input.rename, kRenameHelp);
}

// The same, and what mappings must keep to.
void add_inputs(CLI::App& command, InputOptions& input, bool whole_networks) {
  add_work(command, input, whole_networks);
  command.add_option("--constraints", input.constraint_files,
                     "a file of constraints (see `tilewright explain constraints`)");
  command.add_option("--constrain,-c", input.constraint_lines,
                     "a constraint such as \"Rows.y: S = all, M <= 4\"");
}

void add_eval(CLI::App& app, Commands& c) {
  CLI::App* eval = app.add_subcommand("eval", "Evaluate one mapping");
  add_inputs(*eval, c.eval.input, /*whole_networks=*/false);
  eval->add_option("--flex", c.eval.input.flex, kFlexHelp);
  eval->add_option("--mapping,-m", c.eval.mapping, "a mapping file, or - for standard input")
      ->required();
  add_explain(*eval, add_output(*eval, c.eval.output), c.eval.output);
  runs(*eval, run_eval, c.eval, c);
}

void add_objective(CLI::App& command, std::string& objective, const char* help) {
  command.add_option("--objective,-o", objective, help)->check(kObjective)->capture_default_str();
}

// What may stand behind an option of a mapper.
CLI::Validator values_of(const MapperOption& option) {
  switch (option.kind) {
    case MapperOption::Kind::Count:
      return CLI::Range(option.least, option.most);
    case MapperOption::Kind::Positive:
      return kAboveZero;
    case MapperOption::Kind::Share:
      return kNumber;
    case MapperOption::Kind::Bytes:
      break;
  }
  return {};
}

const char* type_of(const MapperOption& option) {
  if (option.kind == MapperOption::Kind::Bytes) return "TEXT";
  return option.kind == MapperOption::Kind::Count ? "INT" : "FLOAT";
}

// --mapper, and the options that some of the mappers understand.
void add_mappers(CLI::App& command, MapCommandOptions& o) {
  std::vector<std::string> names, summaries;
  for (const Mapper* mapper : o.mappers) {
    names.emplace_back(mapper->name);
    summaries.push_back(fmt::format("{}: {}", mapper->name, mapper->summary));
  }
  add_choice(command, "--mapper", o.mapper,
             fmt::format("{}. By default {}, with quickflow where --time or --memory ends first",
                         fmt::join(summaries, "; "), names.front()),
             names);
  for (const Mapper* mapper : o.mappers) {
    for (const MapperOption& option : mapper->options) {
      const std::string name(option.name);
      if (command.get_option_no_throw("--" + name) != nullptr) continue;  // of another one, too
      CLI::Option* added = command.add_option_function<std::string>(
          "--" + name, [&o, name](const std::string& text) { o.mapper_options[name] = text; },
          std::string(option.help));
      added->check(values_of(option))->type_name(type_of(option));
      if (!option.fallback.empty()) added->default_str(std::string(option.fallback));
    }
  }
}

// How `map` searches.
void add_search(CLI::App& map, MapCommandOptions& o) {
  map.add_option("--flex", o.input.flex, kFlexHelp);
  map.add_option("--mapspace", o.mapspace, kMapspaceHelp)
      ->check(CLI::IsMember({"pfm", "pfm-pad", "ruby-s", "ruby-t", "ruby"}));
  add_mappers(map, o);
  add_objective(map, o.objective, kTiesHelp);
  add_choice(map, "--roles", o.roles,
             "any: also try every other way to deal out the roles of the inputs (input, weight), "
             "and say which is best",
             {"given", "any"});
  map.add_flag("--each-layer", o.each_layer,
               "map every layer of a network for its own lowest EDP; otherwise the EDP of the "
               "network counts, the energy of all layers times their cycles");
  map.add_flag(
      "--uneven,!--even", o.uneven,
      "search uneven mappings, too, in which each tensor of a memory may have its tile cut "
      "at a place of its own (perfect factors, the optimal mapper)");
  map.add_option("--time", o.time, "search no longer than this, such as 90s or 2min (per layer)");
  add_threads(map, o.threads);
}

void add_map_outputs(CLI::App& map, MapCommandOptions& o) {
  map.add_option("--out", o.out,
                 "write the mapping to this file, those of a network to this folder");
  map.add_option("--certificate", o.certificate,
                 "write the proof that the mapping is optimal, or of the bound, to this file, for "
                 "`tilewright check`");
  add_csv(map, "a row per layer", o.output);
  add_explain(map, add_output(map, o.output), o.output);
  add_quiet(map, o.output.quiet);
}

void add_map(CLI::App& app, Commands& c) {
  CLI::App* map =
      app.add_subcommand("map", "Find the best mapping of a workload or a network, and prove it");
  add_inputs(*map, c.map.input, /*whole_networks=*/true);
  add_search(*map, c.map);
  add_map_outputs(*map, c.map);
  map->callback([&c, map] {
    c.map.mapper_given = map->get_option("--mapper")->count() > 0;
    c.run = [&c] { return run_map(c.map); };
  });
}

void add_compare(CLI::App& app, Commands& c) {
  CLI::App* compare = app.add_subcommand(
      "compare",
      "Put two designs, or two mappings of one, side by side: what makes the difference?");
  CompareOptions& o = c.compare;
  compare->footer(kCompareFooter);
  compare
      ->add_option("sides", o.sides,
                   "two architectures (built-in or files); with --arch, two mapping files")
      ->required()
      ->expected(2);
  add_inputs(*compare, o.map.input, /*whole_networks=*/true);
  compare->get_option("--arch")->required(false);
  for (const std::size_t side : {0U, 1U}) {
    compare
        ->add_option(side == 0 ? "--set-a" : "--set-b", o.set_of[side],
                     fmt::format("as --set, for {} alone", side == 0 ? "A" : "B"))
        ->allow_extra_args(false);
  }
  add_search(*compare, o.map);
  add_output(*compare, o.map.output);
  add_quiet(*compare, o.map.output.quiet);
  compare->callback([&c, compare] {
    c.compare.map.mapper_given = compare->get_option("--mapper")->count() > 0;
    c.run = [&c] { return run_compare(c.compare); };
  });
}

void add_pareto(CLI::App& app, Commands& c) {
  CLI::App* pareto = app.add_subcommand(
      "pareto", "Find all mappings that no other beats in both energy and latency, proven");
  ParetoOptions& o = c.pareto;
  add_inputs(*pareto, o.input, /*whole_networks=*/false);
  add_space_kind(*pareto, o.mapspace);
  pareto->add_flag("--uneven,!--even", o.uneven, kUnevenHelp);
  pareto->add_option("--time", o.time, "search no longer than this, such as 90s or 2min");
  pareto->add_option("--memory", o.memory, "that may be used, such as 512MiB")
      ->capture_default_str();
  add_threads(*pareto, o.threads);
  pareto->add_option("--out", o.out, "write the mappings to this folder");
  add_csv(*pareto, "a row per point", o.output);
  add_output(*pareto, o.output);
  add_quiet(*pareto, o.output.quiet);
  runs(*pareto, run_pareto, c.pareto, c);
}

void add_space(CLI::App& app, Commands& c) {
  CLI::App* space = app.add_subcommand("space", "Say how many mappings there are, part by part");
  add_inputs(*space, c.space.input, /*whole_networks=*/false);
  add_space_kind(*space, c.space.mapspace);
  space->add_flag("--json", c.space.json, kJsonHelp);
  runs(*space, run_space, c.space, c);
}

void add_flex_measure(CLI::App& flex, Commands& c) {
  CLI::App* measure = flex.add_subcommand(
      "measure", "Count how much of the tiles, orders, pairs and shapes there are is supported");
  MeasureOptions& o = c.measure;
  add_work(*measure, o.input, /*whole_networks=*/true);
  measure->add_option("--flex", o.input.flex, kFlexHelp);
  measure
      ->add_option("--samples", o.samples,
                   "tiles to try where there are too many to count those that fit")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  add_seed(*measure, o.seed, "of the samples");
  add_output(*measure, o.output);
  add_csv(*measure, "the counts", o.output);
  measure->add_option("--venn", o.venn, "draw them as circles to scale, in this .svg file");
  add_quiet(*measure, o.output.quiet);
  runs(*measure, run_flex_measure, c.measure, c);
}

// What the studies have in common.
void add_study(CLI::App& command, FlexStudyOptions& o) {
  command.add_option("--arch,-a", o.arch, kArchHelp)->capture_default_str();
  add_set(command, o.set);
  add_objective(command, o.objective, "of every mapping, and of a design");
  std::vector<std::string> names;
  for (const Mapper* mapper : mappers()) names.emplace_back(mapper->name);
  add_choice(command, "--mapper", o.mapper, "as for `tilewright map`", names);
  add_seed(command, o.seed, "of mappers that draw");
  add_threads(command, o.threads);
  command.add_option("--time", o.time, "search no longer than this for each layer, such as 10s");
  add_csv(command, "everything, layer by layer,", o.output);
  add_output(command, o.output);
  add_quiet(command, o.output.quiet);
}

void add_flex_studies(CLI::App& flex, Commands& c) {
  CLI::App* isolate =
      flex.add_subcommand("isolate", "Free one axis after the other: what is each of them worth?");
  isolate
      ->add_option("--model", c.isolate.models,
                   "a built-in network (see `tilewright models`) or a .csv file")
      ->required()
      ->expected(1);
  isolate->add_option("--layer,-l", c.isolate.layer, kLayerHelp);
  isolate->add_option("--baseline", c.isolate.baseline,
                      "the fixed accelerator (default: \"T=fixed(K64,C16,Y3,X3,R3,S3),O=KCYXRS,"
                      "P=CK\" with the shape of the array)");
  add_study(*isolate, c.isolate);
  runs(*isolate, run_flex_isolate, c.isolate, c);

  CLI::App* futureproof =
      flex.add_subcommand("futureproof",
                          "Design a fixed accelerator for one network; how does each class of "
                          "flexibility run others?");
  futureproof
      ->add_option("models", c.futureproof.models,
                   "built-in networks or .csv files; the first is the one designed for")
      ->required();
  futureproof->add_option("--baseline", c.futureproof.baseline,
                          "a fixed accelerator, in place of a design for the first network");
  add_study(*futureproof, c.futureproof);
  runs(*futureproof, run_flex_futureproof, c.futureproof, c);
}

void add_flex(CLI::App& app, Commands& c) {
  CLI::App* flex = app.add_subcommand("flex", "What the freedom of an accelerator is worth");
  flex->footer(kFlexFooter);  // its commands inherit it
  flex->require_subcommand(1);
  CLI::App* classify = flex->add_subcommand("classify", "Print the class of accelerators, and why");
  classify->add_option("archs,--arch,-a", c.classify.archs, kArchHelp)->required();
  classify->add_option("--flex", c.classify.flex, kFlexHelp);
  add_set(*classify, c.classify.set);
  add_output(*classify, c.classify.output);
  runs(*classify, run_flex_classify, c.classify, c);
  add_flex_measure(*flex, c);
  add_flex_studies(*flex, c);
}

void add_arena(CLI::App& app, Commands& c) {
  CLI::App* arena = app.add_subcommand(
      "arena", "Run several mappers on every layer, and hold them against the proven optimum");
  ArenaOptions& o = c.arena;
  arena->add_option("--arch,-a", o.archs, kArchHelp)->required();
  arena
      ->add_option("--model", o.models, "built-in networks (see `tilewright models`) or .csv files")
      ->required();
  arena->add_option("--layer,-l", o.layer, kLayerHelp);
  arena->add_option("--mappers", o.mappers,
                    "names, separated by commas (default: all but exhaustive; see `tilewright map "
                    "--help`); the first of all is the optimal one");
  add_space_kind(*arena, o.mapspace);
  add_objective(*arena, o.objective, kTiesHelp);
  arena
      ->add_option("--time", o.time,
                   "no mapper searches a layer for longer than this, such as 10s or 2min")
      ->capture_default_str();
  add_seed(*arena, o.seed, "of mappers that draw");
  arena->add_option("--convergence", o.convergence,
                    "write a row for each step of a mapper to a better mapping to this .csv file");
  add_csv(*arena, "a row per layer and mapper", o.output);
  add_output(*arena, o.output);
  add_quiet(*arena, o.output.quiet);
  runs(*arena, run_arena, c.arena, c);
}

// Only for the help, the manual page and the completion: run() hands its arguments on.
void add_reproduce(CLI::App& app, Commands& c) {
  CLI::App* reproduce = app.add_subcommand("reproduce", kReproduceHelp);
  add_reproduce_options(*reproduce, c.reproduce);
  reproduce->footer("`tilewright reproduce --help` lists the items.");
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
  CLI::Option* network =
      models->add_option("network", c.models.network, "a built-in network or a .csv file");
  CLI::Option* layer =
      models->add_option("--layer,-l", c.models.layer,
                         fmt::format("print the workload of a single layer: {}", kLayerHelp));
  layer->needs(network);
  CLI::Option* json = add_output(*models, c.models.output);
  models->add_flag("--yaml", c.models.yaml, "print the layer as a workload file")
      ->needs(layer)
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
      "check", "Verify a certificate: the mapping, its cost, and that no even mapping is better");
  check->add_option("file", c.check.file, "a certificate (docs/certificates.md)")->required();
  add_threads(*check, c.check.threads);
  runs(*check, run_check, c.check, c);

  CLI::App* explain = app.add_subcommand("explain", "Describe a file format, key by key");
  explain->add_option("format", c.format, "architecture, workload, mapping, network or constraints")
      ->required()
      ->check(CLI::IsMember({"architecture", "workload", "mapping", "network", "constraints"}));
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

int run(int argc, char** argv, const std::vector<const Mapper*>& mappers) {
  if (argc > 1 && std::string_view(argv[1]) == "reproduce") return run_reproduce(argv + 1);
  CLI::App app{kDescription, "tilewright"};
  app.formatter(std::make_shared<WrappedHelp>());
  app.footer(kFooter);
  app.set_version_flag("--version",
                       fmt::format("tilewright {} (commit {})", TILEWRIGHT_VERSION, kCommit));
  app.require_subcommand(1);
  Commands commands;
  commands.map.mappers = commands.compare.map.mappers = mappers;
  commands.arena.table = mappers;
  commands.map.command = quoted_command({argv, static_cast<std::size_t>(argc)});
  commands.pareto.command = commands.map.command;
  add_map(app, commands);
  add_pareto(app, commands);
  add_compare(app, commands);
  add_eval(app, commands);
  add_space(app, commands);
  add_flex(app, commands);
  add_arena(app, commands);
  add_show(app, {"arch", "architecture", kArchHelp, run_arch_show}, commands.arch, commands);
  add_show(app, {"workload", "workload", kWorkloadHelp, run_workload_show, /*has_dims=*/true},
           commands.workload, commands);
  add_models(app, commands);
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
