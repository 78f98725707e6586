// The commands that compare: flex, arena.
#include "cli/command_parts.h"
#include "cli/help_texts.h"

namespace tilewright::cli {
namespace {

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

void add_one_model(CLI::App& command, FlexStudyOptions& o) {
  command
      .add_option("--model", o.models,
                  "a built-in network (see `tilewright models`), or a .yaml or .csv file")
      ->required()
      ->expected(1);
  command.add_option("--layer,-l", o.layer, kLayerHelp);
}

// What the studies have in common.
void add_study(CLI::App& command, FlexStudyOptions& o) {
  command.add_option("--arch,-a", o.arch, kArchHelp)->capture_default_str();
  add_set(command, o.set);
  add_sizes(command, o.sizes);
  add_objective(command, o.objective, "of every mapping, and of a design");
  std::vector<std::string> names;
  for (const Mapper* mapper : mappers()) names.emplace_back(mapper->name);
  add_choice(command, "--mapper", o.mapper, "as for `tilewright map`", names);
  add_seed(command, o.seed, "of mappers that draw");
  add_threads(command, o.threads);
  add_csv(command, "everything, layer by layer,", o.output);
  add_output(command, o.output);
  add_quiet(command, o.output.quiet);
}

void add_time_of_layers(CLI::App& command, FlexStudyOptions& o) {
  command.add_option("--time", o.time, "search no longer than this for each layer, such as 10s");
}

void add_flex_design(CLI::App& flex, Commands& c) {
  CLI::App* design = flex.add_subcommand(
      "design", "Find the best fixed accelerator for a network: one tile, order, pair and shape");
  FlexDesignOptions& o = c.design;
  add_one_model(*design, o.study);
  design->add_option("--flex", o.flex,
                     "what there is to choose from, such as \"P={CK,YX},S=bands(16)\"; axes that "
                     "it does not name are free");
  add_study(*design, o.study);
  design->add_option("--time", o.study.time, "search no longer than this, such as 10s");
  design->add_option("--nodes", o.nodes, "bound no more parts of all designs than these")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  design
      ->add_option("--gap", o.gap,
                   "good enough: so far above what no design can beat, such as 0.01")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  runs(*design, run_flex_design, o, c);
}

void add_flex_studies(CLI::App& flex, Commands& c) {
  CLI::App* isolate =
      flex.add_subcommand("isolate", "Free one axis after the other: what is each of them worth?");
  add_one_model(*isolate, c.isolate);
  isolate->add_option("--baseline", c.isolate.baseline,
                      "the fixed accelerator (default: \"T=fixed(K64,C16,Y3,X3,R3,S3),O=KCYXRS,"
                      "P=CK\" with the shape of the array)");
  add_study(*isolate, c.isolate);
  add_time_of_layers(*isolate, c.isolate);
  runs(*isolate, run_flex_isolate, c.isolate, c);

  CLI::App* futureproof =
      flex.add_subcommand("futureproof",
                          "Design a fixed accelerator for one network; how does each class of "
                          "flexibility run others?");
  futureproof
      ->add_option("models", c.futureproof.models,
                   "built-in networks, .yaml or .csv files; the first is the one designed for")
      ->required();
  futureproof->add_option("--baseline", c.futureproof.baseline,
                          "a fixed accelerator, in place of a design for the first network");
  add_study(*futureproof, c.futureproof);
  add_time_of_layers(*futureproof, c.futureproof);
  runs(*futureproof, run_flex_futureproof, c.futureproof, c);
}

}  // namespace

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
  add_flex_design(*flex, c);
  add_flex_studies(*flex, c);
}

void add_arena(CLI::App& app, Commands& c) {
  CLI::App* arena = app.add_subcommand(
      "arena", "Run several mappers on every layer, and hold them against the proven optimum");
  ArenaOptions& o = c.arena;
  arena->add_option("--arch,-a", o.archs, kArchHelp)->required();
  arena
      ->add_option("--model", o.models,
                   "built-in networks (see `tilewright models`), .yaml or .csv files")
      ->required();
  arena->add_option("--layer,-l", o.layer, kLayerHelp);
  add_sizes(*arena, o.sizes);
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

}  // namespace tilewright::cli
