// The fields of a workload file.
#pragma once

#include "fields.h"
#include "tilewright/workload.h"

namespace tilewright::io {

// What the file says, before the parts are brought together.
struct WorkloadFile {
  const Node* einsum = nullptr;
  const Node* sizes = nullptr;
  const Node* conv2d = nullptr;
  const Node* gemm = nullptr;
  const Node* matmul = nullptr;
  const Node* bits = nullptr;
  const Node* roles = nullptr;
  Workload workload;  // a reader sets the name; a writer starts from all of it
};

struct Conv2dForm : Conv2d {
  bool depthwise = false;
};

struct GemmForm {
  std::int64_t m = 1, n = 1, k = 1;
};

struct MatmulForm {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
};

FieldTable<WorkloadFile> workload_fields();
FieldTable<Conv2dForm> conv2d_fields();
FieldTable<GemmForm> gemm_fields();
FieldTable<MatmulForm> matmul_fields();

inline constexpr std::int64_t kDefaultBits = 8;

// The workload of an einsum and the sizes of its dimensions, without a name and with
// default widths; roles that the einsum does not give are left to assign_roles().
// Dimensions stand in the order of `sizes`. Nothing after complaints.
std::optional<Workload> contraction(Context& context, const Node& einsum, const Node& sizes);
// Widths of all tensors, or of some by their names.
void read_bits(Context& context, const Node& node, Workload& workload);

// Both kinds of workload text end here: a map of the fields above.
std::optional<Workload> workload_from(Context& context, const Node& root);
// What the parts of a file come to; `root` is where they stand. Nothing after complaints.
std::optional<Workload> workload_of(Context& context, const Node& root, const WorkloadFile& file);

}  // namespace tilewright::io
