// A tensor contraction: dimensions, and tensors whose ranks are affine sums of
// dimensions. One output, accumulated over the dimensions it does not carry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base.h"

namespace tilewright {

struct Dimension {
  std::string name;
  std::int64_t size = 1;

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

std::int64_t multiply_accumulates(const Workload& workload);

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

// --- networks ---------------------------------------------------------------

struct Layer {
  std::string name;
  Workload workload;
  std::int64_t count = 1;  // how often the network has it
  std::string source, note;

  bool operator==(const Layer&) const = default;
};

// Distinct layers, each with the number of its occurrences.
struct Network {
  std::string name, description, source;
  std::vector<Layer> layers;

  bool operator==(const Network&) const = default;
};

// Renames in the layers that have the dimension; some layer has to.
std::vector<Diagnostic> rename_dims(Network& network, const std::vector<Renaming>& renamings);

// Every occurrence counted.
std::int64_t layer_count(const Network& network);
std::int64_t multiply_accumulates(const Network& network);

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
