#include "tilewright/workload.h"

namespace tilewright {

namespace {

// Collects dimensions by name, so that the tensors below read like formulas.
class Builder {
 public:
  explicit Builder(const std::string& name) { workload_.name = name; }

  DimId dim(const std::string& name, std::int64_t size) {
    workload_.dims.push_back({name, size});
    return DimId{workload_.dim_count() - 1};
  }
  void tensor(const std::string& name, Role role, std::vector<Rank> ranks) {
    workload_.tensors.push_back({.name = name, .role = role, .ranks = std::move(ranks)});
  }
  Workload finish() { return std::move(workload_); }

 private:
  Workload workload_;
};

Rank plain(DimId dim) { return {{dim, 1}}; }

}  // namespace

Workload make_conv2d(const std::string& name, const Conv2d& conv) {
  Builder builder(name);
  const bool grouped = conv.groups > 1;
  const DimId n = builder.dim("N", conv.batch);
  const DimId g = grouped ? builder.dim("G", conv.groups) : DimId{};
  const DimId m = builder.dim("M", conv.out_channels / conv.groups);
  const DimId c = builder.dim("C", conv.in_channels / conv.groups);
  const DimId p = builder.dim("P", conv.p);
  const DimId q = builder.dim("Q", conv.q);
  const DimId r = builder.dim("R", conv.r);
  const DimId s = builder.dim("S", conv.s);

  std::vector<Rank> input = {plain(n)};
  std::vector<Rank> weight;
  std::vector<Rank> output = {plain(n)};
  if (grouped) {
    for (std::vector<Rank>* ranks : {&input, &weight, &output}) ranks->push_back(plain(g));
  }
  input.push_back(plain(c));
  weight.insert(weight.end(), {plain(m), plain(c), plain(r), plain(s)});
  output.push_back(plain(m));

  // The window slides over the input; transposed, over the output.
  std::vector<Rank>& windowed = conv.transposed ? output : input;
  std::vector<Rank>& dense = conv.transposed ? input : output;
  windowed.push_back({{p, conv.stride_h}, {r, conv.dilation_h}});
  windowed.push_back({{q, conv.stride_w}, {s, conv.dilation_w}});
  dense.insert(dense.end(), {plain(p), plain(q)});

  builder.tensor("I", Role::Input, std::move(input));
  builder.tensor("W", Role::Weight, std::move(weight));
  builder.tensor("O", Role::Output, std::move(output));
  return builder.finish();
}

Workload make_gemm(const std::string& name, std::int64_t m_size, std::int64_t n_size,
                   std::int64_t k_size) {
  Builder builder(name);
  const DimId m = builder.dim("M", m_size);
  const DimId n = builder.dim("N", n_size);
  const DimId k = builder.dim("K", k_size);
  builder.tensor("W", Role::Weight, {plain(m), plain(k)});
  builder.tensor("I", Role::Input, {plain(k), plain(n)});
  builder.tensor("O", Role::Output, {plain(m), plain(n)});
  return builder.finish();
}

Workload make_batched_matmul(const std::string& name, std::int64_t b_size, std::int64_t m_size,
                             std::int64_t n_size, std::int64_t k_size) {
  Builder builder(name);
  const DimId b = builder.dim("B", b_size);
  const DimId m = builder.dim("M", m_size);
  const DimId n = builder.dim("N", n_size);
  const DimId k = builder.dim("K", k_size);
  builder.tensor("W", Role::Weight, {plain(b), plain(m), plain(k)});
  builder.tensor("I", Role::Input, {plain(b), plain(k), plain(n)});
  builder.tensor("O", Role::Output, {plain(b), plain(m), plain(n)});
  return builder.finish();
}

}  // namespace tilewright
