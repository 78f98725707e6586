// A tensor contraction: dimensions, and tensors whose ranks are affine sums of
// dimensions. One output, accumulated over the dimensions it does not carry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tilewright/base.h"

namespace tilewright {

struct Dimension {
  std::string name;
  std::int64_t size = 1;
  // What architectures and constraints call it; empty: its name. In a cascade a dimension has
  // one name throughout, and may be M of one einsum and K of the next.
  std::string known_as = {};

  bool operator==(const Dimension&) const = default;
};

// coefficient * dimension, one summand of an index expression.
struct Term {
  DimId dim{};
  std::int64_t coefficient = 1;

  bool operator==(const Term&) const = default;
};

// One index of a tensor, such as 2*p + r. Each dimension occurs once at most,
// no coefficient is zero.
using Rank = std::vector<Term>;

// What a tensor is to the hardware. An architecture says what it keeps in
// these words, because it does not know the names in a workload.
enum class Role { Input, Weight, Output };

struct Tensor {
  std::string name;
  Role role = Role::Input;
  std::vector<Rank> ranks;
  std::int64_t bits = 8;  // width of one element
  // Nobody said the role: assign_roles() chose it. No part of the value.
  bool role_by_rule = false;

  bool operator==(const Tensor& other) const {
    return name == other.name && role == other.role && ranks == other.ranks && bits == other.bits;
  }
};

// Limits of the fast model's fixed-size tables.
inline constexpr int kMaxDims = 16;
inline constexpr int kMaxTensors = 8;

struct Workload {
  std::string name;
  std::vector<Dimension> dims;
  std::vector<Tensor> tensors;  // the inputs in the order written, then the output

  int dim_count() const { return static_cast<int>(dims.size()); }
  int tensor_count() const { return static_cast<int>(tensors.size()); }
  const Dimension& dim(DimId id) const { return dims[at(id)]; }
  const Tensor& tensor(TensorId id) const { return tensors[at(id)]; }
  TensorId output() const { return TensorId{tensor_count() - 1}; }
  std::optional<DimId> find_dim(const std::string& dim_name) const;
  std::optional<TensorId> find_tensor(const std::string& tensor_name) const;

  bool operator==(const Workload&) const = default;
};

// True if the dimension occurs in a rank of the tensor.
bool is_relevant(const Tensor& tensor, DimId dim);

// The extent of a rank's bounding box when dimension d runs over extents[d]
// values: 1 + sum |coefficient| * (extent - 1).
std::int64_t box_extent(const Rank& rank, const std::vector<std::int64_t>& extents);

// That a workload, or a network, may have.
inline constexpr Int128 kMostMacs = Int128{1} << 100;
Int128 multiply_accumulates(const Workload& workload);
// No count about the workload is above this, nor is a sum of such counts over all tensors and
// ports: words, bits, steps. At most kWideLimit.
Int128 largest_count(const Workload& workload);

// --- roles ------------------------------------------------------------------

// Gives a role to the inputs of which role_by_rule is set, by one rule for all
// forms in which a workload can be written (docs/semantics.md): one input is the
// weight, the others are inputs. If no other input has been given that role, the
// weight is found by narrowing down, where each step is skipped that would leave
// none: inputs named W, weight or weights; not named I, input or inputs; with a
// dimension M or m; with the fewest dimensions of the output; with the first
// dimension of the output that some lack. Of those left it is the second input of
// the workload, or else the first of them. A single input is an input.
void assign_roles(Workload& workload);

// The workload with its inputs' roles dealt out in every other way, itself first.
// Each has as many weights as it has.
std::vector<Workload> role_assignments(const Workload& workload);

// "A weight, B input, O output"
std::string roles_text(const Workload& workload);
// "M=128 N=132"
std::string sizes_text(const Workload& workload);

// --- names of dimensions ------------------------------------------------------

struct Renaming {
  std::string from, to;
  SourcePosition where;  // for complaints
};

// Renames all at once, so that names may be swapped, and assigns those roles anew
// that were left to the rule. Complains about names that the workload lacks and
// about two dimensions of one name; it is unchanged then.
std::vector<Diagnostic> rename_dims(Workload& workload, const std::vector<Renaming>& renamings);

// --- layers -----------------------------------------------------------------

struct Layer {
  std::string name;
  Workload workload;
  std::int64_t count = 1;  // how often the network has it
  std::string source, note;

  bool operator==(const Layer&) const = default;
};

// --- graphs -----------------------------------------------------------------

// A tensor as the operators of a network share it: one of them writes it, or none (an
// input, weights), any number read it.
struct Edge {
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t bits = 8;  // width of one element
  int block = 0;          // each repetition of this block has one of its own

  bool operator==(const Edge&) const = default;
};

// What is mapped. The indices of the workload's tensors are the axes of the edges.
struct Contraction {
  Workload workload;
  // Dimensions whose values are taken one by one, such as the heads of an attention: the
  // layer that is mapped lacks them, and counts as often as they have values.
  std::vector<DimId> each;
  int layer = 0;  // of the network

  bool operator==(const Contraction&) const = default;
};

// What a network has beside contractions: it is kept, and not mapped.
struct Unmapped {
  enum class Kind {
    Elementwise,  // the shapes are spread over each other as numpy does it
    Normalize,    // softmax and the like, along some axes; the shape stays
    Reshape,      // the same elements in the same order
    Transpose,    // the axes in another order
    Other         // anything: its shape is what the file says
  };
  Kind kind = Kind::Other;
  std::string function;   // such as "gelu"; nothing of a reshape or a transpose
  std::vector<int> axes;  // along which to normalise; the order of a transpose

  bool operator==(const Unmapped&) const = default;
};

struct Operator {
  std::string name;
  std::variant<Contraction, Unmapped> what;
  std::vector<EdgeId> reads;  // of a contraction in the order of the workload's inputs
  EdgeId writes{};
  std::int64_t count = 1;  // how often, on tensors that are not told apart
  int block = 0;
  std::string source, note;

  bool operator==(const Operator&) const = default;
};

// A part of a network that is repeated.
struct RepeatedBlock {
  std::string name;
  std::int64_t repeat = 1;
  int parent = 0;
  // What a repetition writes, and what the next one reads in place of.
  struct Carry {
    EdgeId from{}, to{};
    bool operator==(const Carry&) const = default;
  };
  std::vector<Carry> carries;

  bool operator==(const RepeatedBlock&) const = default;
};

// Operators in the order of the file; those of a block stand together. The first block is
// the whole network, and each of the others comes behind its parent.
struct Graph {
  std::vector<Edge> edges;
  std::vector<Operator> operators;
  std::vector<RepeatedBlock> blocks = {{}};

  const Edge& edge(EdgeId id) const { return edges[at(id)]; }
  bool operator==(const Graph&) const = default;
};

// The operator that writes an edge; nothing for an input or weights.
std::optional<std::size_t> writer_of(const Graph& graph, EdgeId edge);
std::vector<std::size_t> readers_of(const Graph& graph, EdgeId edge);
// How often a block is done, with all that it is inside of; nothing beyond kCountLimit.
std::optional<std::int64_t> repetitions(const Graph& graph, int block);
// The workload that is mapped, without the dimensions that are taken one by one.
Workload mapped_part(const Contraction& contraction);

struct ExecutionOrder {
  std::vector<std::size_t> operators;  // each behind those whose output it reads
  std::vector<std::size_t> cycle;      // those that wait for each other; none if there is an order
};
ExecutionOrder execution_order(const Graph& graph);

// What is wrong with the shapes of a graph, and with what operator.
struct GraphProblem {
  std::size_t op = 0;
  std::string message, hint;
};
// Gives a shape to the edges that have none: that of what writes it, or else of what reads
// it first. Operators that read an edge must agree with its shape; a window may reach
// beyond it (padding), and a stride may leave a rest. The order is that of the graph.
std::vector<GraphProblem> settle_shapes(Graph& graph, const ExecutionOrder& order);

// Edges get the widths that contractions have for them: what writes one, or else what reads it
// first.
void take_widths_from_contractions(Graph& graph);

// --- networks ---------------------------------------------------------------

// A size of a network that can be set to something else when it is read.
struct NetworkSize {
  std::string name;
  std::int64_t value = 1;

  bool operator==(const NetworkSize&) const = default;
};

// Layers to be mapped, each with the number of its occurrences, and how they hang together.
struct Network {
  std::string name, description, source;
  std::vector<Layer> layers;
  Graph graph = {};                     // without operators: nothing is known but the layers
  std::vector<NetworkSize> sizes = {};  // what the network was read with; no part of the value

  bool operator==(const Network& other) const {
    return name == other.name && description == other.description && source == other.source &&
           layers == other.layers && graph == other.graph;
  }
};

// Operators that share nothing: the graph of a mere list of layers.
Graph unconnected(const std::vector<Layer>& layers);
// Leaves one layer of a network.
void keep_only(Network& network, Layer layer);

// Renames in the layers that have the dimension; some layer has to.
std::vector<Diagnostic> rename_dims(Network& network, const std::vector<Renaming>& renamings);

// Every occurrence counted.
std::int64_t layer_count(const Network& network);
Int128 multiply_accumulates(const Network& network);

// --- checks and texts -------------------------------------------------------

// What is wrong with a workload built by hand or by a reader; empty if sound.
// The messages name the dimension or tensor; positions are the reader's task.
std::vector<std::string> problems_of(const Workload& workload);

// "O[n,m] += I[n,c]*W[m,c]"
std::string einsum_text(const Workload& workload);
// One tensor of it, "A[m,k]"; with its role, "A:weight[m,k]".
std::string tensor_text(const Workload& workload, const Tensor& tensor,
                        std::optional<Role> role = std::nullopt);
// An index of a tensor: "2*P+R"
std::string rank_text(const Workload& workload, const Rank& rank);
std::string to_string(Role role);
// "elementwise"
std::string to_string(Unmapped::Kind kind);

// --- short forms ------------------------------------------------------------

// Tensors I, W, O over the dimensions N M C P Q R S, which are always there:
//   O[N,M,P,Q] += I[N,C,stride*P+dilation*R,stride*Q+dilation*S] * W[M,C,R,S]
// With more than one group a dimension G follows N, every tensor has an index
// G, and M and C count the channels of one group; the fields below count all
// groups together. P and Q are the output's size; for a transposed convolution,
//   O[N,M,stride*P+dilation*R,stride*Q+dilation*S] += I[N,C,P,Q] * W[M,C,R,S]
// they are the input's.
struct Conv2d {
  std::int64_t batch = 1;
  std::int64_t in_channels = 1, out_channels = 1;
  std::int64_t p = 1, q = 1;
  std::int64_t r = 1, s = 1;
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t dilation_h = 1, dilation_w = 1;
  std::int64_t groups = 1;
  bool transposed = false;
};
// groups must divide both channel counts.
Workload make_conv2d(const std::string& name, const Conv2d& conv);

// O[M,N] += W[M,K] * I[K,N]: M counts output features and N columns of the
// batch, as in a convolution.
Workload make_gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k);

// O[B,M,N] += W[B,M,K] * I[B,K,N].
Workload make_batched_matmul(const std::string& name, std::int64_t b, std::int64_t m,
                             std::int64_t n, std::int64_t k);

}  // namespace tilewright
