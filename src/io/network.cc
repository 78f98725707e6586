#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "csv.h"
#include "graph_reader.h"
#include "network_fields.h"
#include "network_sizes.h"
#include "text_check.h"
#include "tilewright/io.h"

namespace tilewright::io {

namespace {

// --- heading and comments ---------------------------------------------------

// False if the row does not look like a heading at all.
bool check_heading(Context& context, const Node& cells) {
  Node map = Node::container(Node::Kind::Map, cells.line, cells.column);
  for (const Node& cell : cells.children) map.children.insert(map.children.end(), {cell, Node{}});
  const std::vector<FieldText> texts = texts_of(layer_fields());
  const auto is_known = [&](const Node& key) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const FieldText& text) { return key.text == text.key; });
  };
  if (std::none_of(cells.children.begin(), cells.children.end(), is_known)) {
    context.complain(cells, "this line should name the columns",
                     "start with \"model,layer,op,N,M,C,P,Q,R,S\"");
    return false;
  }
  KeySet present;
  for (const std::size_t entry : context.usable_entries(map)) {
    const Node& key = map.key(entry);
    if (is_known(key)) {
      present.insert(key.text);
    } else if (const auto meant = complain_unknown_key(context, key, texts, "the heading")) {
      present.insert(*meant);
    }
  }
  complain_missing_keys(context, map, present, texts, "the heading");
  return true;
}

// "source: ..." and what follows it is the source, the rest the description.
void read_comments(const std::vector<std::string>& comments, Network& network) {
  constexpr std::string_view kSource = "source:";
  std::string* text = &network.description;
  for (std::string_view line : comments) {
    const auto trim = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    };
    trim();
    if (line.starts_with(kSource)) {
      text = &network.source;
      line.remove_prefix(kSource.size());
      trim();
    }
    if (!text->empty()) *text += '\n';
    *text += line;
  }
}

// --- one layer --------------------------------------------------------------

// The cells by the names of their columns; nothing if there are too many or
// too few of them.
std::optional<Node> named_cells(Context& context, const Node& heading, const Node& cells) {
  if (cells.children.size() != heading.children.size()) {
    context.complain(cells,
                     fmt::format("the row has {} cells, the heading {}", cells.children.size(),
                                 heading.children.size()),
                     "put a comma between cells, also where one is empty");
    return std::nullopt;
  }
  Node row = Node::container(Node::Kind::Map, cells.line, cells.column);
  for (std::size_t i = 0; i < cells.children.size(); ++i) {
    row.children.insert(row.children.end(), {heading.children[i], cells.children[i]});
  }
  return row;
}

// Where to point in order to complain about a column.
const Node& place_of(const Node& row, const char* column) {
  const Node* cell = row.find(column);
  return cell != nullptr ? *cell : row;
}

void check_groups(Context& context, const Node& row, const LayerRow& layer) {
  if (layer.op == LayerRow::Op::DwConv && layer.groups != layer.in_channels) {
    context.complain(
        place_of(row, "groups"),
        fmt::format("a depthwise convolution of {} channels has as many groups, not {}",
                    layer.in_channels, layer.groups),
        fmt::format("write {}, or the op conv", layer.in_channels));
    return;
  }
  const auto divides = [&](const char* column, std::int64_t channels) {
    if (channels % layer.groups == 0) return;
    context.complain(place_of(row, "groups"),
                     fmt::format("{} groups do not divide {} = {}", layer.groups, column, channels),
                     "choose groups that divide both M and C");
  };
  divides("M", layer.out_channels);
  divides("C", layer.in_channels);
}

Workload conv_of(Context& context, const Node& row, const LayerRow& layer) {
  const std::size_t before = context.problem_count();
  check_groups(context, row, layer);
  return context.problem_count() == before ? make_conv2d("", layer) : Workload{};
}

Workload gemm_of(Context& context, const Node& row, const LayerRow& layer) {
  const std::size_t before = context.problem_count();
  const auto only = [&](const char* column, bool good, const char* value) {
    if (good) return;
    context.complain(place_of(row, column), fmt::format("a gemm has no {}", column),
                     fmt::format("write {}, or the op conv", value));
  };
  only("R", layer.r == 1, "1");
  only("S", layer.s == 1, "1");
  only("stride_h", layer.stride_h == 1, "1");
  only("stride_w", layer.stride_w == 1, "1");
  only("dilation_h", layer.dilation_h == 1, "1");
  only("dilation_w", layer.dilation_w == 1, "1");
  only("groups", layer.groups == 1, "1");
  only("transposed", !layer.transposed, "false");
  const auto columns = checked_product({layer.batch, layer.p, layer.q});
  if (!columns) context.complain(place_of(row, "P"), "N*P*Q passes 2^60", "write smaller sizes");
  if (!columns || context.problem_count() != before) return {};
  return make_gemm("", layer.out_channels, *columns, layer.in_channels);
}

// Nothing after a complaint.
std::optional<LayerRow> read_cells(Context& context, const Node& row) {
  const std::size_t before = context.problem_count();
  LayerRow layer;
  for (const Field<LayerRow>& field : layer_fields()) {
    const Node* cell = row.find(field.text.key);
    const bool fallback = cell != nullptr && cell->text.empty() && field.text.fallback != nullptr;
    if (cell != nullptr && !fallback) field.read(context, *cell, layer);
  }
  if (context.problem_count() != before) return std::nullopt;
  return layer;
}

// Nothing after a complaint.
std::optional<Workload> workload_of(Context& context, const Node& row, const LayerRow& layer) {
  const std::size_t before = context.problem_count();
  Workload workload =
      layer.op == LayerRow::Op::Gemm ? gemm_of(context, row, layer) : conv_of(context, row, layer);
  if (context.problem_count() != before) return std::nullopt;
  workload.name = layer.network + "/" + layer.layer;
  for (Tensor& tensor : workload.tensors) {
    tensor.bits = tensor.role == Role::Input    ? layer.input_bits
                  : tensor.role == Role::Weight ? layer.weight_bits
                                                : layer.output_bits;
  }
  for (const std::string& message : problems_of(workload)) context.complain(row, message);
  if (context.problem_count() != before) return std::nullopt;
  return workload;
}

// --- all layers -------------------------------------------------------------

class Layers {
 public:
  Layers(Context& context, Network& network) : context_(context), network_(network) {}

  void add(const Node& row) {
    auto layer = read_cells(context_, row);
    if (!layer || !has_own_name(row, *layer)) return;
    auto workload = workload_of(context_, row, *layer);
    if (!workload || !has_room_for(row, *layer, multiply_accumulates(*workload))) return;
    network_.layers.push_back({std::move(layer->layer), std::move(*workload), layer->count,
                               std::move(layer->source), std::move(layer->note)});
  }

 private:
  bool has_own_name(const Node& row, const LayerRow& layer) {
    if (lines_.empty()) network_.name = layer.network;
    if (layer.network != network_.name) {
      context_.complain(place_of(row, "model"),
                        fmt::format("the network was named {} before", network_.name),
                        "write one file per network");
      return false;
    }
    const auto [known, inserted] = lines_.emplace(layer.layer, row.line);
    if (inserted) return true;
    context_.complain(place_of(row, "layer"), fmt::format("two layers are named {}", layer.layer),
                      fmt::format("rename this one or the one on line {}", known->second));
    return false;
  }

  // Sums over the network must stay countable, too.
  bool has_room_for(const Node& row, const LayerRow& layer, Int128 macs) {
    macs_ += wide_product(macs, layer.count);
    if (macs_ <= kMostMacs) return true;
    context_.complain(place_of(row, "count"),
                      "with this row the network has more than 2^100 multiply-accumulates",
                      "write smaller counts or sizes");
    macs_ = 0;  // the same is not said of every row that follows
    return false;
  }

  Context& context_;
  Network& network_;
  std::map<std::string, int> lines_;  // of the layers, by name
  Int128 macs_ = 0;
};

std::optional<Network> network_from(Context& context, const Csv& csv) {
  if (csv.rows.empty()) {
    context.complain_about_file("the file is empty", "start with \"model,layer,op,N,M,C,P,Q,R,S\"");
    return std::nullopt;
  }
  const Node& heading = csv.rows.front();
  if (!check_heading(context, heading)) return std::nullopt;
  Network network;
  read_comments(csv.comments, network);
  Layers layers(context, network);
  for (std::size_t i = 1; i < csv.rows.size(); ++i) {
    if (const auto row = named_cells(context, heading, csv.rows[i])) layers.add(*row);
  }
  if (csv.rows.size() == 1) {
    context.complain_about_file("the network has no layer", "add a row below the heading");
  }
  if (!context.clean()) return std::nullopt;
  network.graph = unconnected(network.layers);
  return network;
}

}  // namespace

Checked<Network> read_network(std::string_view text, const std::string& file,
                              const std::vector<std::string>& sizes) {
  if (auto problem = check_text(text, file, kNetworkLimits))
    return {std::nullopt, {std::move(*problem)}};
  if (is_graph_text(text)) return read_graph(text, file, sizes);
  Context context(file);
  refuse_sizes(context, sizes);
  const Csv csv = read_csv(context, text);
  if (!context.clean()) return {std::nullopt, context.take_problems()};
  auto network = network_from(context, csv);
  return {std::move(network), context.take_problems()};
}

}  // namespace tilewright::io
