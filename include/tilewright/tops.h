// What an accelerator for convolutions can be set to, along four axes: tile
// sizes, loop order, parallel dimensions, array shape ("TOPS": Kao et al., "A
// Formalism of DNN Accelerator Flexibility", SIGMETRICS 2022).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base.h"

namespace tilewright {

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
// part of the buffer; any that fits.
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

}  // namespace tilewright
