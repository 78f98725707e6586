// The commands of the tool. Each returns the exit code.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/process.h"
#include "cli/terminal.h"
#include "tilewright/map.h"

namespace tilewright::cli {

struct Inputs;

// How to say what came out.
struct OutputOptions {
  bool json = false;
  bool explain = false;  // in words, too
  bool quiet = false;    // no progress line
  std::string csv;       // file, or - in place of the table
  int width = table_width();
};

// What to work on: a workload, or a network of which a layer may be picked.
struct InputOptions {
  std::string arch, workload, model, layer;
  std::string accounting;        // empty: what the architecture says
  std::string bits;              // of the elements, "8" or "I=8,W=4"; empty: what the workload says
  std::vector<std::string> set;  // values in place of the architecture's, "DRAM.read=8pJ"
  std::vector<std::string> constraint_files, constraint_lines;
  bool full = false;   // every instance of every fan-out has to be used
  std::string flex;    // axes of flexibility on one line; empty: what the architecture says
  std::string rename;  // new names of dimensions on one line
  std::vector<std::string> sizes;  // in place of the network's, "tokens=8192"
};

struct EvalOptions {
  InputOptions input;
  std::string mapping;
  std::string cascade;   // in place of a workload: the mapping is a plan of it
  bool optimum = false;  // finds the best plan of the cascade, too
  std::string command;   // the whole command line, for JSON
  OutputOptions output;
};
int run_eval(const EvalOptions& options);

// How to search. Texts are as on the command line.
struct MapCommandOptions {
  InputOptions input;
  std::string mapspace;  // empty: ruby for flexible architectures, else pfm
  std::string mapper = "optimal";
  std::string objective = "edp";
  std::string roles = "given";  // or any
  int threads = 0;              // 0: as many as the machine has
  std::vector<const Mapper*> mappers = tilewright::mappers();
  std::map<std::string, std::string> mapper_options;  // that were given, by name
  std::string time;                                   // empty: no limit
  bool each_layer = false;                            // of a network, each on its own
  std::optional<bool> uneven;  // search uneven mappings, too; else as the architecture says
  std::string out;             // file, or for a network a folder
  std::string certificate;     // file
  std::string command;         // the whole command line, for the comments of files
  bool mapper_given = false;   // on the command line
  OutputOptions output;
};
// Writes a certificate of what was found to a file; gives the exit code.
using SaveCertificate = int (*)(const std::string& path, const Inputs& inputs,
                                const MapOptions& options, const MapOutcome& outcome);
// Without `save` no certificate must be asked for.
int run_map(const MapCommandOptions& options, SaveCertificate save = nullptr);

// What one of two designs has in place of what both have; empty texts say nothing.
struct CompareSide {
  std::vector<std::string> set;  // further values
  std::string mapspace, mapper, objective;
};

// Two designs on the same work, or with an architecture two mappings of it.
struct CompareOptions {
  std::vector<std::string> sides;  // architectures, or files of mappings
  std::array<CompareSide, 2> own;  // of each design alone
  MapCommandOptions map;           // how to search, and how to print
};
int run_compare(const CompareOptions& options);

struct ParetoOptions {
  InputOptions input;
  std::string mapspace;        // empty: pfm, or ruby of a flexible architecture
  std::optional<bool> uneven;  // search uneven mappings, too; else as the architecture says
  int threads = 0;
  std::string time;  // empty: no limit
  std::string memory = "2GiB";
  std::string out;      // folder
  std::string command;  // the whole command line, for the comments of files
  OutputOptions output;
};
int run_pareto(const ParetoOptions& options);

struct SpaceOptions {
  InputOptions input;
  std::string mapspace;        // as in ParetoOptions
  std::optional<bool> uneven;  // count uneven mappings, too; else as the architecture says
  bool json = false;
};
int run_space(const SpaceOptions& options);

// A cascade mapped as a whole. Texts are as on the command line.
struct FuseCommandOptions {
  std::string arch, cascade;
  std::string model;                    // in place of a cascade
  std::vector<std::string> set, sizes;  // as in InputOptions
  std::string shared;                   // empty: the second memory
  std::string objective = "energy";
  std::int64_t longest_group = 6;
  bool recompute = false;
  bool remainders = false;
  std::string time;  // empty: no limit
  int threads = 0;   // that parts of a network share; 0: as many as the machine has
  bool quiet = false;
  bool uneven = false;      // uneven nests are searched, too, and shown without fusion
  std::string out;          // file
  std::string certificate;  // file
  bool json = false;
  std::string command;  // as it was typed
};

struct ClassifyOptions {
  std::vector<std::string> archs;  // built-in names or files
  std::vector<std::string> set;    // as in InputOptions, of each of them
  std::string flex;
  OutputOptions output;
};
// The class of accelerators by what they can be set to.
int run_flex_classify(const ClassifyOptions& options);

struct MeasureOptions {
  InputOptions input;
  std::int64_t samples = 100'000;  // where tiles are too many to be counted
  std::int64_t seed = 1;
  std::string venn;  // file
  OutputOptions output;
};
// How much of what there is to choose accelerators leave open.
int run_flex_measure(const MeasureOptions& options);

// Studies of flexibility. Texts are as on the command line.
struct FlexStudyOptions {
  std::string arch = "flex_1024";
  std::vector<std::string> set;     // as in InputOptions
  std::string baseline;             // axes of the fixed accelerator; empty: the paper's
  std::vector<std::string> models;  // the first is the one designed for
  std::vector<std::string> sizes;   // as in InputOptions, of each of them
  std::string layer;                // of the only model; empty: all
  std::string objective = "latency";
  std::string mapper = "optimal";
  int threads = 0;
  std::int64_t seed = 1;
  std::string time;  // for each layer; empty: no limit
  OutputOptions output;
};
int run_flex_isolate(const FlexStudyOptions& options);
int run_flex_futureproof(const FlexStudyOptions& options);

struct FlexDesignOptions {
  FlexStudyOptions study;  // of one model; its time is that of the whole search
  std::string flex;        // what there is to choose from; empty: everything
  std::int64_t nodes = 250'000;
  double gap = 0;
};
int run_flex_design(const FlexDesignOptions& options);

// Mappers against each other. Texts are as on the command line.
struct ArenaOptions {
  std::vector<std::string> archs, models;
  std::vector<std::string> sizes;  // as in InputOptions, of each model
  std::string layer;               // of the only model; empty: all
  std::string mappers;             // separated by commas; empty: all but the exhaustive one
  std::vector<const Mapper*> table = tilewright::mappers();
  std::string mapspace = "pfm", objective = "edp";
  std::string time = "1s";  // for each mapper on each layer
  std::int64_t seed = 1;
  std::string convergence;  // file
  OutputOptions output;
};
int run_arena(const ArenaOptions& options);

// Runs a program that lies beside the tool, tilewright-`part`; returns only if it is not there.
// `use` says which command builds it. The first argument is its name, a null pointer ends them.
int run_beside(const char* part, const char* use, char** arguments);

struct ShowOptions {
  std::string what;              // a built-in name, a file, a workload on one line
  std::string rename;            // new names of a workload's dimensions
  std::vector<std::string> set;  // as in InputOptions, of an architecture
  bool yaml = false;
  OutputOptions output;
};
int run_arch_show(const ShowOptions& options);
int run_workload_show(const ShowOptions& options);

int run_archs(const OutputOptions& options);

struct ModelsOptions {
  std::string network;             // a built-in name or a file; empty: list the built-in ones
  std::string layer;               // by name or number; empty: all
  std::vector<std::string> sizes;  // in place of the network's, "tokens=8192"
  bool yaml = false;
  OutputOptions output;
};
int run_models(const ModelsOptions& options);

struct GoldenOptions {
  std::vector<std::string> files;
  int shown = 5;  // differing cases printed per file
};
int run_golden(const GoldenOptions& options);

struct CheckOptions {
  std::string file;
  int threads = 0;
};

// Commands of plans and certificates, which few need and which take as long to build as the
// others: they are in the program tilewright-full alone, to which the tool hands its arguments on.
struct ProofCommands {
  int (*check)(const CheckOptions&);  // verifies a certificate
  int (*eval_plan)(const EvalOptions&);
  int (*fuse)(const FuseCommandOptions&);
  int (*map_certified)(const MapCommandOptions&);
};

// Describes a file format.
int run_explain(const std::string& kind);

}  // namespace tilewright::cli
