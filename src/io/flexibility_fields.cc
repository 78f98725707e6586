// The flexibility of an architecture.
#include <algorithm>
#include <array>
#include <numeric>

#include "architecture_fields.h"
#include "member_fields.h"

namespace tilewright::io {

namespace {

constexpr const char* kTileForm =
    "\"soft\", \"hard(1:1:1)\", \"hard(40%:30%:30%)\" (weight, input, output) or "
    "\"fixed(K64,C16,Y3,X3,R3,S3)\"";
constexpr const char* kFixedForm = "\"fixed(K64,C16,Y3,X3,R3,S3)\"";
constexpr const char* kOrderForm =
    "\"all\", an order such as \"KCYXRS\", or several: \"[KCYXRS, YXKCRS]\", on a line "
    "\"{KCYXRS,YXKCRS}\"";
constexpr const char* kPairForm =
    "\"all\", a pair such as \"KC\", rows before columns, or several: \"[KC, YX]\", on a line "
    "\"{KC,YX}\"";
constexpr const char* kShapeForm = "\"16x64\", \"blocks(4x4)\", \"bands(16)\" or \"any\"";

// Part of a scalar, at its own place if the scalar stands in the file as it reads.
Node part_of(const Node& node, std::size_t offset, std::string_view text) {
  const int shift = node.text_column == 0 ? 0 : static_cast<int>(offset);
  const int column = node.text_column == 0 ? node.column : node.text_column;
  Node part = Node::scalar(std::string(text), node.line, column + shift);
  if (node.text_column == 0) part.text_column = 0;
  return part;
}

// What stands in the brackets of "word(...)"; nothing if the text has another form.
std::optional<Node> inside(const Node& node, const std::string& word) {
  const std::string_view text = node.text;
  if (!text.starts_with(word + "(") || !text.ends_with(")")) return std::nullopt;
  const std::size_t start = word.size() + 1;
  return part_of(node, start, text.substr(start, text.size() - start - 1));
}

// The parts between separators, without spaces at their ends.
std::vector<Node> parts_of(const Node& node, char separator) {
  std::vector<Node> parts;
  for (std::size_t start = 0; start <= node.text.size();) {
    const std::size_t end = std::min(node.text.find(separator, start), node.text.size());
    const std::string_view raw = std::string_view(node.text).substr(start, end - start);
    const std::string_view text = trimmed(raw);
    const std::size_t skipped =
        text.empty() ? 0 : static_cast<std::size_t>(text.data() - raw.data());
    parts.push_back(part_of(node, start + skipped, text));
    start = end + 1;
  }
  return parts;
}

void complain_form(Context& context, const Node& node, const char* what, const char* form) {
  context.complain(node, fmt::format("\"{}\" is not {}", node.text, what),
                   fmt::format("write {}", form));
}

// --- dimensions ---------------------------------------------------------------------

// The dimensions of a word such as "KCYXRS", or nothing after a complaint.
std::optional<std::vector<ConvDim>> read_dims(Context& context, const Node& node) {
  std::vector<ConvDim> dims;
  for (std::size_t i = 0; i < node.text.size(); ++i) {
    const auto dim = conv_dim_of(node.text[i]);
    if (!dim) {
      context.complain_inside(
          node, i, fmt::format("\"{}\" names an unknown dimension {}", node.text, node.text[i]),
          "the dimensions of a convolution are K, C, Y, X, R and S");
      return std::nullopt;
    }
    dims.push_back(*dim);
  }
  return dims;
}

std::optional<ConvOrder> read_order(Context& context, const Node& node) {
  const auto dims = read_dims(context, node);
  if (!dims) return std::nullopt;
  std::vector<ConvDim> sorted = *dims;
  std::sort(sorted.begin(), sorted.end());
  if (!std::equal(sorted.begin(), sorted.end(), kAllConvDims.begin(), kAllConvDims.end())) {
    complain_form(context, node, "an order", "each of K, C, Y, X, R and S once, outermost first");
    return std::nullopt;
  }
  ConvOrder order{};
  std::copy(dims->begin(), dims->end(), order.begin());
  return order;
}

std::optional<ConvPair> read_pair(Context& context, const Node& node) {
  const auto dims = read_dims(context, node);
  if (!dims) return std::nullopt;
  if (dims->size() != 2 || dims->front() == dims->back()) {
    complain_form(context, node, "a pair", "two dimensions such as \"KC\", rows before columns");
    return std::nullopt;
  }
  return ConvPair{dims->front(), dims->back()};
}

// One value, a list of them, or "all" for an empty list.
template <typename T, auto Reader>
std::optional<std::vector<T>> read_list(Context& context, const Node& node, const char* form) {
  if (node.is_scalar() && node.text == "all") return std::vector<T>{};
  const bool single = node.is_scalar();
  if (!single && !context.expect_list(node, form)) return std::nullopt;
  if (!single && node.children.empty()) {
    context.complain(node, "the list is empty", fmt::format("write {}", form));
    return std::nullopt;
  }
  std::vector<T> values;
  const std::size_t count = single ? 1 : node.children.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Node& item = single ? node : node.children[i];
    if (!context.expect_scalar(item, form)) continue;
    const auto value = Reader(context, item);
    if (value) values.push_back(*value);
  }
  if (values.size() != count) return std::nullopt;
  return values;
}

std::optional<std::vector<ConvOrder>> read_orders(Context& context, const Node& node) {
  return read_list<ConvOrder, read_order>(context, node, kOrderForm);
}
std::optional<std::vector<ConvPair>> read_pairs(Context& context, const Node& node) {
  return read_list<ConvPair, read_pair>(context, node, kPairForm);
}

template <typename T>
std::string list_text(const std::vector<T>& values) {
  std::vector<std::string> words;
  for (const T& value : values) words.push_back(to_string(value));
  return names_text(words);
}

// --- tiles ----------------------------------------------------------------------------

// One size such as "K64" of those that are missing; false after a complaint.
bool read_size(Context& context, const Node& part, TileFreedom& tile, std::string& missing) {
  const Node letter = part_of(part, 0, part.text.substr(0, 1));
  const auto dim = read_dims(context, letter);
  if (!dim) return false;
  if (part.text.size() < 2) {
    complain_form(context, part, "a size of the tile", kFixedForm);
    return false;
  }
  const std::size_t place = missing.find(letter.text);
  if (place == std::string::npos) {
    context.complain(part, fmt::format("the tile has two sizes in {}", letter.text), "leave one");
    return false;
  }
  const auto size = read_count(context, part_of(part, 1, part.text.substr(1)));
  if (!size) return false;
  missing.erase(place, 1);
  tile.fixed[index_of(dim->front())] = *size;
  return true;
}

std::optional<TileFreedom> read_fixed(Context& context, const Node& list, const Node& whole) {
  TileFreedom tile;
  tile.kind = TileFreedom::Kind::Fixed;
  std::string missing = "KCYXRS";
  bool good = true;
  for (const Node& part : parts_of(list, ',')) {
    good = read_size(context, part, tile, missing) && good;
  }
  if (!good) return std::nullopt;
  if (missing.empty()) return tile;
  context.complain(whole, fmt::format("the tile has no size in {}", fmt::join(missing, ", ")),
                   fmt::format("write all six, as in {}", kFixedForm));
  return std::nullopt;
}

std::optional<TileFreedom> read_hard(Context& context, const Node& list) {
  TileFreedom tile;
  tile.kind = TileFreedom::Kind::Hard;
  const std::vector<Node> parts = parts_of(list, ':');
  const bool ratio = list.text.find_first_not_of("0123456789: ") == std::string::npos;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < parts.size() && i < tile.shares.size(); ++i) {
    const auto share = share_in(parts[i].text).value;
    constexpr std::int64_t kMost = 1'000'000'000;
    if (!share || share->numerator == 0 || share->denominator == 0 ||
        (ratio && share->numerator > kMost)) {
      complain_form(context, parts[i], "a share of the buffer", kTileForm);
      return std::nullopt;
    }
    tile.shares[i] = *share;
    sum += ratio ? share->numerator : 0;
  }
  if (parts.size() != tile.shares.size()) {
    complain_form(context, list, "a share for weight, input and output", kTileForm);
    return std::nullopt;
  }
  for (Rational& share : tile.shares) {
    const std::int64_t whole = ratio ? sum : share.denominator;
    const std::int64_t common = std::gcd(share.numerator, whole);
    share = {share.numerator / common, whole / common};
  }
  return tile;
}

std::optional<TileFreedom> read_tile(Context& context, const Node& node) {
  if (!context.expect_scalar(node, kTileForm)) return std::nullopt;
  if (node.text == "soft") return TileFreedom{};
  if (const auto list = inside(node, "hard")) return read_hard(context, *list);
  if (const auto list = inside(node, "fixed")) return read_fixed(context, *list, node);
  complain_form(context, node, "a freedom of tiles", kTileForm);
  return std::nullopt;
}

std::string tile_text(const TileFreedom& tile) {
  Flexibility written;
  written.tile = tile;
  return axis_text(written, TopsAxis::Tile);
}

// --- shapes -----------------------------------------------------------------------------

// "16x64", or nothing after a complaint.
std::optional<ArrayShape> read_extents(Context& context, const Node& node, const Node& whole) {
  const std::vector<Node> parts = parts_of(node, 'x');
  if (parts.size() != 2) {
    complain_form(context, whole, "a shape", kShapeForm);
    return std::nullopt;
  }
  const auto rows = read_count(context, parts[0]);
  const auto columns = read_count(context, parts[1]);
  if (!rows || !columns) return std::nullopt;
  return ArrayShape{*rows, *columns};
}

std::optional<ShapeFreedom> read_shape(Context& context, const Node& node) {
  using Kind = ShapeFreedom::Kind;
  if (!context.expect_scalar(node, kShapeForm)) return std::nullopt;
  if (node.text == "any") return ShapeFreedom{Kind::Any, {1, 1}};
  if (const auto height = inside(node, "bands")) {
    const auto rows = read_count(context, *height);
    if (!rows) return std::nullopt;
    return ShapeFreedom{Kind::Bands, {*rows, *rows}};
  }
  const auto block = inside(node, "blocks");
  const auto extents = read_extents(context, block ? *block : node, node);
  if (!extents) return std::nullopt;
  return ShapeFreedom{block ? Kind::Blocks : Kind::Fixed, *extents};
}

std::string shape_text(const ShapeFreedom& shape) {
  Flexibility written;
  written.shape = shape;
  return axis_text(written, TopsAxis::Shape);
}

std::string optional_name_text(const std::optional<std::string>& name) {
  return quoted_if_needed(*name);
}

constexpr auto kFlexibilityFields = std::to_array<Field<Flexibility>>({
    member_field<&Flexibility::buffer, read_name, optional_name_text>(
        "buffer", kNameForm, "the next memory outside the array", "the memory whose tiles count"),
    member_field<&Flexibility::array, read_name, optional_name_text>(
        "array", kNameForm, "the only fan-out with more than one instance",
        "the fan-out whose shape and parallel dimensions count"),
    member_field<&Flexibility::tile_of, read_name, optional_name_text>(
        "tile_of", kNameForm, "the buffer",
        "a memory inside the array: a fixed tile is what each PE steps through there"),
    member_field<&Flexibility::tile, read_tile, tile_text>("tile", kTileForm, "soft",
                                                           "which tiles the buffer can hold"),
    member_field<&Flexibility::orders, read_orders, list_text<ConvOrder>>(
        "order", kOrderForm, "all", "loop orders that are supported"),
    member_field<&Flexibility::pairs, read_pairs, list_text<ConvPair>>(
        "parallel", kPairForm, "all", "dimensions that rows and columns of the array can unroll"),
    member_field<&Flexibility::shape, read_shape, shape_text>(
        "shape", kShapeForm, "as the array is", "shapes that the array can take on"),
});

}  // namespace

FieldTable<Flexibility> flexibility_fields() { return kFlexibilityFields; }

}  // namespace tilewright::io
