// An accelerator: levels from the outermost memory to the multipliers, what mappings
// on it must keep to, and what it can be set to.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tilewright/base.h"

namespace tilewright {

// How much a memory holds: without limit, in bits (an element takes the width
// of its tensor), or in words (an element takes one word whatever its width).
struct Capacity {
  enum class Unit { Unlimited, Bits, Words };
  Unit unit = Unit::Unlimited;
  std::int64_t amount = 0;

  bool operator==(const Capacity&) const = default;
};

// Tensors are named by role ("input", "weight", "output") or by their own name.
using TensorNames = std::vector<std::string>;
// Dimensions by name; a workload may lack some of them. Nothing means all.
using DimNames = std::optional<std::vector<std::string>>;

// Numbers of a level that were taken over from a table of another tool. What the file gives
// itself goes before them, and they go before estimates.
struct Imported {
  std::string from;            // the table
  std::set<std::string> keys;  // of the file, whose numbers these are

  bool operator==(const Imported&) const = default;
};

struct Memory {
  std::string name;
  // If it is not empty, the level is one storage point of the memory of this name: it keeps
  // some of the memory's tensors. The points of a memory follow each other and share its
  // capacity and its ports. Its leakage and its area are those of its first point.
  std::string point_of;
  // The level is a part of the memory `point_of` that the architecture itself has ("shares"), not
  // a point that some mapping made. The memory's own level, with its name, is the first part.
  bool is_part = false;
  Capacity capacity;                           // shared by all tensors kept here
  std::map<std::string, Capacity> partitions;  // a tensor's own share; replaces `capacity`
  std::int64_t word_bits = 1;                  // elements take whole words of a capacity in bits
  std::int64_t block_words = 1;                // words moved by one access
  double read_pj = 0;                          // energy of one access (one block)
  double write_pj = 0;                         // ... that fills from outside
  double update_pj = 0;                        // ... that takes a partial sum from inside
  // The file says the three of bits: they are those of elements as wide as a word, and elements of
  // another width cost in proportion.
  bool energy_of_bits = false;
  std::optional<Rational> read_bandwidth;    // words per cycle and instance
  std::optional<Rational> write_bandwidth;   // fills and updates
  std::optional<Rational> shared_bandwidth;  // reads, fills and updates together
  double leakage_pj_per_cycle = 0;           // per instance
  double area_um2 = 0;                       // per instance
  // What estimates go by (docs/energy.md): "sram", "regfile", "fifo" or a kind of DRAM; empty:
  // nothing is estimated. The rows, banks and ports say how much an array moves at a time.
  std::string made_as = {};
  std::int64_t row_bits = 0;  // 0: not known
  std::int64_t banks = 1, ports = 1;
  bool leaks_fast = false;                  // an array of high-performance cells
  std::vector<std::string> estimated = {};  // keys of the file whose numbers were estimated
  Imported imported = {};
  // Keep, bypass and free choices. With `keep`, what is not named is bypassed;
  // without it, what is not named is kept.
  std::optional<TensorNames> keep;
  TensorNames bypass;
  TensorNames free;
  bool double_buffered = false;       // half of the capacity is usable
  bool accumulates_in_place = false;  // adds partial sums itself: no read back, no fill inside
  bool uneven = false;                // each tensor may have its tile cut at a place of its own
  DimNames dims;                      // dimensions that may have a loop here

  bool keeps_everything() const { return !keep && bypass.empty() && free.empty(); }
  bool operator==(const Memory&) const = default;
};

struct FanoutAxis {
  std::int64_t size = 1;
  DimNames dims;  // dimensions that may be unrolled here

  bool operator==(const FanoutAxis&) const = default;
};

enum class Axis { X, Y };

// Replicates everything inside it size_x * size_y times.
struct Fanout {
  std::string name;
  FanoutAxis x, y;
  bool multicast = true;  // identical tiles are read once
  bool reduction = true;  // replicas of an output are added on the way out
  // Where windows overlap in several instances, too, each word is read once (inputs alone).
  bool shares_halos = false;
  double word_pj = 0;  // network energy per word and receiving (or sending) instance
  // Systolic arrays: at each change of the tile that stands still, the array fills and drains
  // along its diagonal, in x + y - 2 cycles, and the tile is loaded along an axis, in as many
  // cycles as that is long. Without a tensor that stands still neither is possible.
  std::string stationary = {};  // by role or by its own name
  bool fills_diagonally = false;
  std::optional<Axis> preload = {};
  // What its estimate goes by: "wire", or empty; how wide and how long the wires are.
  std::string made_as = {};
  std::int64_t word_bits = 0;
  double wire_mm = 0;
  std::vector<std::string> estimated = {};  // keys of the file whose numbers were estimated
  Imported imported = {};

  // Cycles that one change of the tile takes.
  std::int64_t fill_cycles() const { return fills_diagonally ? x.size + y.size - 2 : 0; }
  std::int64_t preload_cycles() const {
    return preload ? (*preload == Axis::X ? x.size : y.size) : 0;
  }
  bool is_systolic() const { return fills_diagonally || preload.has_value(); }
  bool operator==(const Fanout&) const = default;
};

struct Compute {
  std::string name;
  std::int64_t macs = 1;     // multiply-accumulates an instance starts together
  std::int64_t cycles = 1;   // from one start to the next
  double mac_pj = 0;         // per multiply-accumulate
  double area_um2 = 0;       // per instance
  std::string made_as = {};  // what estimates go by: "int8"; empty: nothing is estimated
  std::vector<std::string> estimated = {};  // keys of the file whose numbers were estimated
  Imported imported = {};

  bool operator==(const Compute&) const = default;
};

using Level = std::variant<Memory, Fanout, Compute>;

// --- constraints on mappings ------------------------------------------------

// A limit on the bound of one dimension at one place. No value means the whole
// dimension ("S = all").
struct FactorRule {
  enum class Relation { Equal, AtMost, AtLeast };
  std::string dim;
  Relation relation = Relation::Equal;
  std::optional<std::int64_t> value;

  bool operator==(const FactorRule&) const = default;
};

// Loops that stand outermost, and loops that stand innermost, among the loops
// of a memory; both lists from the outside in. Loops of bound 1 do not exist.
struct OrderRule {
  std::vector<std::string> outermost, innermost;

  bool operator==(const OrderRule&) const = default;
};

// Only these dimensions may have a bound above 1.
struct DimsRule {
  std::vector<std::string> dims;

  bool operator==(const DimsRule&) const = default;
};

// What a memory keeps and what passes by it.
struct ResidenceRule {
  TensorNames keep, bypass;

  bool operator==(const ResidenceRule&) const = default;
};

// The share of a fan-out's instances that must take part.
struct UseRule {
  Rational least;

  bool operator==(const UseRule&) const = default;
};

// One rule for one level. A factor or a dims rule of a fan-out names its axis.
struct Constraint {
  std::string level;
  std::optional<Axis> axis;
  std::variant<FactorRule, OrderRule, DimsRule, ResidenceRule, UseRule> rule;
  SourcePosition where;  // for complaints; no part of the value

  // At a fan-out, such a rule holds for one axis.
  bool is_per_axis() const {
    return std::holds_alternative<FactorRule>(rule) || std::holds_alternative<DimsRule>(rule);
  }
  bool operator==(const Constraint& other) const {
    return level == other.level && axis == other.axis && rule == other.rule;
  }
};

// --- flexibility ------------------------------------------------------------
//
// What an accelerator for convolutions can be set to, along four axes: tile sizes,
// loop order, parallel dimensions, array shape ("TOPS": Kao et al., "A Formalism of
// DNN Accelerator Flexibility", SIGMETRICS 2022).

// The loops of a convolution as such accelerators name them: output and input
// channels, rows and columns of the output, rows and columns of the filter.
enum class ConvDim : std::uint8_t { K, C, Y, X, R, S };
inline constexpr int kConvDims = 6;
constexpr std::size_t index_of(ConvDim dim) { return static_cast<std::size_t>(dim); }
inline constexpr std::array<ConvDim, kConvDims> kAllConvDims = {ConvDim::K, ConvDim::C, ConvDim::Y,
                                                                ConvDim::X, ConvDim::R, ConvDim::S};

using ConvSizes = std::array<std::int64_t, kConvDims>;  // per loop, in the order above
using ConvOrder = std::array<ConvDim, kConvDims>;       // outermost first

enum class TopsAxis { Tile, Order, Parallel, Shape };
inline constexpr std::array<TopsAxis, 4> kTopsAxes = {TopsAxis::Tile, TopsAxis::Order,
                                                      TopsAxis::Parallel, TopsAxis::Shape};

// Tiles of the buffer: one that is built in; any that fits in each tensor's own
// part of the buffer; any that fits. One that is built in may be that of each PE instead
// (Flexibility::tile_of).
struct TileFreedom {
  enum class Kind { Fixed, Hard, Soft };
  Kind kind = Kind::Soft;
  ConvSizes fixed{1, 1, 1, 1, 1, 1};
  std::array<Rational, 3> shares{};  // of the buffer: weight, input, output

  bool operator==(const TileFreedom&) const = default;
};

// The dimensions unrolled over the rows and the columns of the array.
struct ConvPair {
  ConvDim rows{}, columns{};

  bool operator==(const ConvPair&) const = default;
};

// An array of r rows has as many columns as its PEs allow, floor(PEs / r),
// where it is put together of single PEs (Any) or of bands of `rows` rows; of
// blocks of rows x columns PEs it has whole blocks in both directions.
struct ArrayShape {
  std::int64_t rows = 0, columns = 0;

  auto operator<=>(const ArrayShape&) const = default;
};
struct ShapeFreedom {
  enum class Kind { Fixed, Blocks, Bands, Any };
  Kind kind = Kind::Fixed;
  // The shape; the block; height x height of a band; 1x1 of any. As long as
  // nobody says it, 0x0.
  ArrayShape unit;

  bool operator==(const ShapeFreedom&) const = default;
};

struct Flexibility {
  // The memory whose tiles are meant and the fan-out that is the array. Without
  // them: the only fan-out with more than one instance, and the next memory outside it.
  std::optional<std::string> buffer, array;
  // A memory inside the array: a tile that is built in is what each PE steps through there, and
  // loops outside are free. Without it the tile is that of the buffer.
  std::optional<std::string> tile_of;
  TileFreedom tile;
  std::vector<ConvOrder> orders;  // that are supported; empty: all
  std::vector<ConvPair> pairs;    // that are supported; empty: all
  ShapeFreedom shape;

  bool operator==(const Flexibility&) const = default;
};

inline constexpr std::int64_t kAllOrders = 720;  // 6!
inline constexpr std::int64_t kAllPairs = 30;    // 6 * 5
std::vector<ConvPair> all_pairs();

// Every shape that PEs can take on, fewest rows first.
std::vector<ArrayShape> shapes_of(const ShapeFreedom& freedom, std::int64_t pes);
// Those of them that no other one contains.
std::vector<ArrayShape> largest_shapes(const ShapeFreedom& freedom, std::int64_t pes);

enum class Degree { Inflexible, Partial, Full };
Degree degree_of(const Flexibility& flexibility, TopsAxis axis, std::int64_t pes);
// "InFlex-0000", "PartFlex-0101", "FullFlex-1111"
std::string class_of(const Flexibility& flexibility, std::int64_t pes);

// What is wrong; each message starts with the key it is about: "shape ...".
// The PEs of the array are not known everywhere.
std::vector<std::string> problems_of(const Flexibility& flexibility,
                                     std::optional<std::int64_t> pes = std::nullopt);

char letter_of(ConvDim dim);
std::optional<ConvDim> conv_dim_of(char letter);
std::string to_string(TopsAxis axis);     // "tile"
std::string to_string(Degree degree);     // "partly flexible"
std::string to_string(ArrayShape shape);  // "16x64"
std::string to_string(const ConvOrder& order);
std::string to_string(ConvPair pair);  // "KC"
// One axis as it is written: "fixed(K64,C16)", "{KC,YX}", "blocks(4x4)"
std::string axis_text(const Flexibility& flexibility, TopsAxis axis);
// "T=soft,O=all,P={KC,YX},S=16x64"
std::string to_string(const Flexibility& flexibility);

// --- the whole ---------------------------------------------------------------

// How windows such as 2*p + r are counted. Exact: distinct elements. Timeloop:
// bounding boxes, and its convention for the first visit of partial sums.
enum class Accounting { Exact, Timeloop };
// Which instances of a memory leak: those that take part, or all there are.
enum class LeakingInstances { Used, All };

struct Architecture {
  std::string name;
  std::string source;                      // where the numbers come from
  std::string technology;                  // "32 nm", for estimates; otherwise for the reader alone
  std::optional<double> volts;             // of the supply, for estimates
  std::optional<std::int64_t> clock_hz;    // without it, time is in cycles
  std::vector<Level> levels;               // outermost first, the compute level last
  std::vector<Constraint> constraints;     // what the hardware can run, beyond dims and keep
  std::optional<Flexibility> flexibility;  // what it can be set to, layer by layer
  Accounting accounting = Accounting::Exact;
  LeakingInstances leaking = LeakingInstances::Used;
  // Sums are read back and filled in from the first time on, when there is nothing to add to yet.
  bool reads_first_sums = false;

  int level_count() const { return static_cast<int>(levels.size()); }
  LevelId compute_level() const { return LevelId{level_count() - 1}; }
  const Level& level(LevelId id) const { return levels[at(id)]; }
  const Compute& compute() const { return std::get<Compute>(levels.back()); }
  std::optional<LevelId> find_level(const std::string& level_name) const;

  bool operator==(const Architecture&) const = default;
};

inline constexpr int kMaxMemories = 12;
inline constexpr int kMaxFanouts = 10;

const std::string& name_of(const Level& level);

// How many instances of a level the hardware has.
std::int64_t physical_instances(const Architecture& arch, LevelId level);
// Whether anything takes energy; else cycles alone tell mappings apart.
bool takes_energy(const Architecture& arch);
// The memory's ports are never waited for.
void lift_bandwidths(Memory& memory);
// Whether some fan-out shares halos.
bool shares_halos(const Architecture& arch);
// Whether some memories share the room and the ports of another one.
bool has_parts(const Architecture& arch);

// Where the axes of a flexibility are: its buffer, its array, the PEs of that, and the memory
// whose loops make a tile that is built in.
struct FlexibleParts {
  LevelId buffer{}, array{};
  std::int64_t pes = 1;
  LevelId tile{};  // the buffer, or a memory inside the array

  bool is_tile_of_pe() const { return tile != buffer; }
};
// Nothing if the architecture has no such levels; problems_of() says why.
std::optional<FlexibleParts> parts_of(const Architecture& arch, const Flexibility& flexibility);
// A flexibility that says nothing of the shape has the array's.
void settle_shape(const Architecture& arch, Flexibility& flexibility);
// What is wrong with a flexibility on an architecture; each message starts with
// the key it is about.
std::vector<std::string> problems_of(const Architecture& arch, const Flexibility& flexibility);

double total_area_um2(const Architecture& arch);

// The same with every number given, none estimated.
Architecture without_estimates(Architecture arch);

// An architecture on which every mapping of each of several costs no more energy and no more
// cycles: their largest capacities, bandwidths and fan-outs, their least energies. Nothing if
// they differ in anything else, such as their constraints, or in the fan-outs of a systolic
// array. So no mapping of any of them beats its best one. With `fanouts_may_differ` false, all
// have to have the same fan-outs: the sizes of padded workloads depend on them.
std::optional<Architecture> ideal_of(std::span<const Architecture* const> architectures,
                                     bool fanouts_may_differ = true);

// What is wrong with an architecture; empty if sound.
std::vector<std::string> problems_of(const Architecture& arch);
// The same for a workload with these tensors: their names are no misspelt roles.
std::vector<std::string> problems_of(const Architecture& arch, const TensorNames& tensors);

// What is wrong with a constraint on an architecture; empty if sound. Whether a
// workload has the dimensions and tensors that it names is another matter.
std::vector<std::string> problems_of(const Architecture& arch, const Constraint& constraint);

// Where a constraint holds: "Buffer", "Rows.y".
std::string place_of(const Constraint& constraint);

std::string to_string(const Capacity& capacity);
// Several amounts for one sentence, in the largest unit in which all of them are
// whole numbers: "272064 B" and "128000 B", not "125 KiB".
std::vector<std::string> in_one_unit(Capacity::Unit unit, const std::vector<std::int64_t>& amounts);
std::string to_string(Accounting accounting);
// "Rows.y: S = all", as it is written on a command line.
std::string to_string(const Constraint& constraint);

}  // namespace tilewright
