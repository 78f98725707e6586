// The commands about mappings: eval, map, compare, pareto, space, fuse.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "cli/command_parts.h"
#include "cli/help_texts.h"

namespace tilewright::cli {
namespace {

// Without either of the two flags nothing is set: then the architecture says.
void add_evenness(CLI::App& command, std::optional<bool>& uneven, const char* help) {
  command.add_flag_function(
      "--uneven,!--even", [&uneven](std::int64_t count) { uneven = count > 0; }, help);
}

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

// What may stand behind an option of a mapper.
CLI::Validator values_of(const MapperOption& option) {
  switch (option.kind) {
    case MapperOption::Kind::Count:
      return CLI::Range(option.least, option.most);
    case MapperOption::Kind::Positive:
      return kAboveZero;
    case MapperOption::Kind::Share:
      return kNumber;
    case MapperOption::Kind::Choice:
      return CLI::IsMember(std::vector<std::string>(option.choices.begin(), option.choices.end()));
    case MapperOption::Kind::Bytes:
      break;
  }
  return {};
}

const char* type_of(const MapperOption& option) {
  const bool text =
      option.kind == MapperOption::Kind::Bytes || option.kind == MapperOption::Kind::Choice;
  if (text) return "TEXT";
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
  add_search_objective(map, o.objective, kTiesHelp);
  add_choice(map, "--roles", o.roles,
             "any: also try every other way to deal out the roles of the inputs (input, weight), "
             "and say which is best",
             {"given", "any"});
  map.add_flag("--each-layer", o.each_layer,
               "map every layer of a network for its own lowest EDP; otherwise the EDP of the "
               "network counts, the energy of all layers times their cycles");
  add_evenness(map, o.uneven, kUnevenHelp);
  map.add_option("--time", o.time, "search no longer than this, such as 90s or 2min (per layer)");
  add_threads(map, o.threads);
}

// What one of the designs of `compare` has of its own, which is named `a` or `b`.
void add_side(CLI::App& compare, CompareSide& own, char side) {
  const auto help = [&](const char* option) {
    return fmt::format("as --{}, for {} alone", option, static_cast<char>(side - 'a' + 'A'));
  };
  const auto name = [&](const char* option) { return fmt::format("--{}-{}", option, side); };
  compare.add_option(name("set"), own.set, help("set"))->allow_extra_args(false);
  compare.add_option(name("mapspace"), own.mapspace, help("mapspace"))
      ->check(CLI::IsMember({"pfm", "pfm-pad", "ruby-s", "ruby-t", "ruby"}));
  std::vector<std::string> names;
  for (const Mapper* mapper : mappers()) names.emplace_back(mapper->name);
  compare.add_option(name("mapper"), own.mapper, help("mapper"))->check(CLI::IsMember(names));
  add_objective(compare, own.objective, help("objective"), name("objective"));
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

// `map --fused` is `fuse`, as far as both have the same options.
CLI::Option* add_fused(CLI::App& map) {
  CLI::Option* fused = map.add_flag("--fused");
  fused->description(
      "map contractions of the network as one where that pays, as `tilewright fuse`; for the least "
      "energy unless --objective says otherwise");
  fused->needs(map.get_option("--model"));
  const std::set<std::string> both = {"arch", "model", "set",        "size", "objective",
                                      "time", "json",  "threads",    "out",  "quiet",
                                      "help", "fused", "certificate"};
  for (CLI::Option* other : map.get_options()) {
    if (both.count(other->get_single_name()) == 0) fused->excludes(other);
  }
  return fused;
}

FuseCommandOptions as_fused(const MapCommandOptions& o, bool has_objective) {
  FuseCommandOptions fuse;
  fuse.arch = o.input.arch;
  fuse.model = o.input.model;
  fuse.set = o.input.set;
  fuse.sizes = o.input.sizes;
  if (has_objective) fuse.objective = o.objective;
  fuse.time = o.time;
  fuse.threads = o.threads;
  fuse.quiet = o.output.quiet;
  fuse.out = o.out;
  fuse.certificate = o.certificate;
  fuse.json = o.output.json;
  fuse.command = o.command;
  return fuse;
}

}  // namespace

void add_eval(CLI::App& app, Commands& c) {
  CLI::App* eval = app.add_subcommand("eval", "Evaluate one mapping, or one plan of a cascade");
  add_inputs(*eval, c.eval.input, /*whole_networks=*/false);
  eval->add_option("--flex", c.eval.input.flex, kFlexHelp);
  eval->add_option("--mapping,-m", c.eval.mapping,
                   "a mapping file, with --cascade a plan; or - for standard input")
      ->required();
  add_explain(*eval, add_output(*eval, c.eval.output), c.eval.output);
  CLI::Option* cascade = eval->add_option("--cascade", c.eval.cascade, kCascadeHelp);
  for (const char* other : {"--workload", "--model", "--accounting", "--bits", "--rename",
                            "--constraints", "--constrain", "--full", "--flex", "--explain"}) {
    cascade->excludes(eval->get_option(other));
  }
  eval->get_option("--size")->remove_needs(eval->get_option("--model"));
  eval->add_flag("--optimum", c.eval.optimum,
                 "find the best plan, too, and say how much more this one takes")
      ->needs(cascade);
  eval->callback([&c] {
    if (c.eval.cascade.empty()) {
      c.run = [&c] { return run_eval(c.eval); };
    } else {
      c.run = proof_command(c, &ProofCommands::eval_plan, c.eval);
    }
  });
}

void add_map(CLI::App& app, Commands& c) {
  CLI::App* map =
      app.add_subcommand("map", "Find the best mapping of a workload or a network, and prove it");
  add_inputs(*map, c.map.input, /*whole_networks=*/true);
  add_search(*map, c.map);
  add_map_outputs(*map, c.map);
  const CLI::Option* fused = add_fused(*map);
  map->callback([&c, map, fused] {
    if (fused->count() > 0) {
      c.fuse = as_fused(c.map, map->get_option("--objective")->count() > 0);
      c.run = proof_command(c, &ProofCommands::fuse, c.fuse);
      return;
    }
    c.map.mapper_given = map->get_option("--mapper")->count() > 0;
    if (c.map.certificate.empty()) {
      c.run = [&c] { return run_map(c.map); };
    } else {
      c.run = proof_command(c, &ProofCommands::map_certified, c.map);
    }
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
  add_side(*compare, o.own[0], 'a');
  add_side(*compare, o.own[1], 'b');
  add_search(*compare, o.map);
  add_output(*compare, o.map.output);
  add_quiet(*compare, o.map.output.quiet);
  compare->callback([&c, compare] {
    c.compare.map.mapper_given = compare->get_option("--mapper")->count() > 0;
    c.run = [&c] { return run_compare(c.compare); };
  });
}

// The default depends on the architecture.
static void add_open_space_kind(CLI::App& command, std::string& mapspace) {
  command
      .add_option("--mapspace", mapspace,
                  "pfm: perfect factors; ruby-s, ruby-t, ruby: remainders in space, in time, "
                  "everywhere (docs/mapspaces.md); default: pfm, or ruby if the architecture is "
                  "flexible")
      ->check(CLI::IsMember({"pfm", "ruby-s", "ruby-t", "ruby"}));
}

void add_pareto(CLI::App& app, Commands& c) {
  CLI::App* pareto = app.add_subcommand(
      "pareto", "Find all mappings that no other beats in both energy and latency, proven");
  ParetoOptions& o = c.pareto;
  add_inputs(*pareto, o.input, /*whole_networks=*/false);
  pareto->add_option("--flex", o.input.flex, kFlexHelp);
  add_open_space_kind(*pareto, o.mapspace);
  add_evenness(*pareto, o.uneven, kUnevenHelp);
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
  space->add_option("--flex", c.space.input.flex, kFlexHelp);
  add_open_space_kind(*space, c.space.mapspace);
  add_evenness(*space, c.space.uneven,
               "count uneven mappings, too; storage points without loops between are one");
  space->add_flag("--json", c.space.json, kJsonHelp);
  runs(*space, run_space, c.space, c);
}

void add_fuse(CLI::App& app, Commands& c) {
  CLI::App* fuse =
      app.add_subcommand("fuse", "Map several contractions as one: the best plan, and prove it");
  FuseCommandOptions& o = c.fuse;
  fuse->add_option("-a,--arch", o.arch, "architecture: built-in name or file")->required();
  CLI::Option_group* work = fuse->add_option_group("work");
  work->add_option("--cascade", o.cascade, kCascadeHelp);
  work->add_option(
      "--model", o.model,
      "a network in place of a cascade: its contractions that hand on what they write");
  work->require_option(1);
  add_set(*fuse, o.set);
  add_sizes(*fuse, o.sizes);
  add_objective(*fuse, o.objective, "what the plan has least of; of equal ones less energy");
  fuse->add_option(
      "--shared", o.shared,
      "memory that groups share; else the second from outside. Of several, such as "
      "L2,L1, each group shares the best one, and tensors are then moved between them");
  fuse->add_option("--longest-group", o.longest_group, "einsums of a group, at most")
      ->check(CLI::Range(1, 12))
      ->capture_default_str();
  fuse->add_flag("--recompute", o.recompute,
                 "also groups that make whole tiles of an intermediate again");
  fuse->add_flag("--remainders", o.remainders,
                 "also shared loops that leave a remainder; nothing is proven then");
  fuse->add_option(
      "--time", o.time,
      "take no longer than this, such as 90s or 2min: for all parts of a network, or for the "
      "plan and its certificate");
  add_threads(*fuse, o.threads);
  fuse->add_flag("--uneven", o.uneven,
                 "also search uneven nests; of a cascade, show what they take without fusion");
  fuse->add_option("--out", o.out, "write the plan to this file");
  fuse->add_option("--certificate", o.certificate,
                   "write the proof that no plan is better to this file, for `tilewright check`");
  fuse->add_flag("--json", o.json, kJsonHelp);
  add_quiet(*fuse, o.quiet);
  fuse->callback([&c] { c.run = proof_command(c, &ProofCommands::fuse, c.fuse); });
}

}  // namespace tilewright::cli
