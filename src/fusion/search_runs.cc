#include "fusion/search_runs.h"

#include <algorithm>

namespace tilewright::fusion {

Checked<CascadeFacts> CascadeFacts::create(const Cascade& cascade, const Architecture& arch,
                                           const std::string& shared, int longest) {
  Checked<CascadeFacts> made;
  CascadeFacts facts;
  for (const CascadeEinsum& einsum : cascade.einsums) {
    const Checked<Problem> problem = Problem::create(einsum.workload, arch);
    append(made.problems, problem.problems);
    if (!problem.ok()) continue;
    const Checked<Restrictions> restrictions = Restrictions::create(*problem.value);
    append(made.problems, restrictions.problems);
    if (!restrictions.ok()) continue;
    Checked<NestStack> stack = NestStack::create(*problem.value, *restrictions.value, shared);
    put_before(einsum.workload.name, stack.problems);
    append(made.problems, stack.problems);
    if (stack.ok()) facts.stacks_.push_back(std::move(*stack.value));
  }
  if (!made.problems.empty()) return made;
  for (int e = 0; e < cascade.einsum_count(); ++e) facts.add_einsum(cascade.einsums[at(e)], e);
  facts.add_shared(cascade);
  facts.add_runs(longest);
  made.value = std::move(facts);
  return made;
}

int CascadeFacts::dim_number(const Dimension& dim) {
  for (std::size_t i = 0; i < dim_names_.size(); ++i) {
    if (dim_names_[i] == dim.name) return static_cast<int>(i);
  }
  dim_names_.push_back(dim.name);
  dim_sizes_.push_back(dim.size);
  return static_cast<int>(dim_names_.size()) - 1;
}

void CascadeFacts::add_einsum(const CascadeEinsum& einsum, int number) {
  const NestStack& stack = stacks_[at(number)];
  const FlatProblem& flat = stack.flat();
  std::vector<int> dims;
  for (const Dimension& dim : einsum.workload.dims) dims.push_back(dim_number(dim));
  dims_of_.push_back(dims);
  for (int t = 0; t < flat.tensors; ++t) {
    TensorFacts facts;
    for (int d = 0; d < flat.dims; ++d) {
      (contains(stack.irrelevant(t), d) ? facts.irrelevant : facts.dims).push_back(dims[at(d)]);
    }
    facts.output = t == stack.output();
    facts.comes_back = facts.output && !flat.memory[0].in_place;
    facts.room_per_word = stack.element_room(t);
    const LinkPrices prices = stack.prices(0, stack.shared(), t);
    facts.load_pj = prices.outside_pj + prices.inside_pj;
    if (facts.output) {
      const double again = facts.load_pj - flat.prices[0].update_pj[at(t)];
      facts.saved_pj = again * static_cast<double>(flat.tensor[at(t)].words(flat.size));
    }
    tensors_[{number, t}] = std::move(facts);
  }
  double fixed = flat.mac_pj * static_cast<double>(flat.macs);
  if (einsum.then) {
    fixed += einsum.then->energy_pj *
             static_cast<double>(flat.tensor[at(stack.output())].words(flat.size));
  }
  fixed_pj_.push_back(fixed);
}

// What is done to an intermediate for its readers.
void CascadeFacts::take_normalising(const Cascade& cascade, Shared& shared) {
  const auto& then = cascade.einsums[at(shared.writer.einsum)].then;
  if (!then || !then->reduces) return;
  const Workload& workload = cascade.workload(shared.writer.einsum);
  shared.reduces = dim_number(workload.dim(*workload.find_dim(*then->reduces)));
  shared.online = then->online_words.has_value() && !shared.leaves;
  shared.state_words = then->online_words.value_or(0);
  for (const TensorRef& reader : shared.readers) {
    const TensorRef output{reader.einsum, stacks_[at(reader.einsum)].output()};
    // Other sums of the reader would have to be rescaled more often.
    if (tensor(output).irrelevant != std::vector<int>{shared.reduces}) shared.online = false;
    shared.rescale_pj += then->energy_pj * elements(output);
  }
}

void CascadeFacts::add_shared(const Cascade& cascade) {
  for (const Intermediate& one : intermediates_of(cascade)) {
    Shared shared;
    shared.writer = {one.writer, index_of(cascade.workload(one.writer).output())};
    shared.dims = tensor(shared.writer).dims;
    shared.leaves = cascade.einsums[at(one.writer)].leaves;
    const Tensor& written = cascade.workload(one.writer).tensors.back();
    const auto name_of_rank = [&](int einsum, const Rank& rank) {
      return cascade.workload(einsum).dim(rank.front().dim).name;
    };
    bool alike = contains(stacks_[at(one.writer)].kept(1), shared.writer.tensor);
    for (const IntermediateReader& reader : one.readers) {
      const TensorRef ref{reader.einsum, index_of(reader.tensor)};
      shared.readers.push_back(ref);
      const Tensor& read = cascade.workload(reader.einsum).tensor(reader.tensor);
      for (std::size_t r = 0; r < written.ranks.size(); ++r) {
        alike = alike && name_of_rank(one.writer, written.ranks[r]) ==
                             name_of_rank(reader.einsum, read.ranks[r]);
      }
      alike = alike && contains(stacks_[at(reader.einsum)].kept(1), ref.tensor);
    }
    take_normalising(cascade, shared);
    if (alike) {
      tensors_.at(shared.writer).handed_on = !shared.leaves;
      for (const TensorRef& reader : shared.readers) tensors_.at(reader).handed_on = true;
      shared_.push_back(std::move(shared));
    } else {
      not_shared_.push_back(std::move(shared));
    }
  }
}

std::vector<int> CascadeFacts::shared_dims(int first, int last) const {
  std::vector<int> dims;
  for (const int d : dims_of_[at(first)]) {
    bool everywhere = dim_size(d) > 1;
    for (int e = first; e <= last; ++e) everywhere = everywhere && contains(dims_of_[at(e)], d);
    for (const Shared& one : shared_) {
      const bool written = one.writer.einsum >= first && one.writer.einsum <= last;
      const bool read = one.readers.front().einsum <= last;
      if (!written || !read) continue;
      everywhere = everywhere && contains(one.dims, d) && (one.reduces != d || one.online);
    }
    if (everywhere) dims.push_back(d);
  }
  return dims;
}

bool CascadeFacts::splits_readers(int first, int last) const {
  const auto is_split = [&](const Shared& one) {
    const bool written = one.writer.einsum >= first && one.writer.einsum <= last;
    return written && one.readers.front().einsum <= last && one.last() > last;
  };
  return std::any_of(shared_.begin(), shared_.end(), is_split) ||
         std::any_of(not_shared_.begin(), not_shared_.end(), is_split);
}

void CascadeFacts::add_runs(int longest) {
  for (int first = 0; first < einsums(); ++first) {
    for (int last = first; last < einsums() && last - first < longest; ++last) {
      // Einsums that hand on a tensor in another form cannot be in one group.
      const auto is_within = [&](const Shared& one) {
        return one.writer.einsum >= first && one.readers.front().einsum <= last;
      };
      if (std::any_of(not_shared_.begin(), not_shared_.end(), is_within)) continue;
      std::vector<int> dims;
      if (last == first) {
        for (int d = 0; d < stacks_[at(first)].flat().dims; ++d) {
          dims.push_back(dims_of_[at(first)][at(d)]);
        }
      } else {
        dims = shared_dims(first, last);
      }
      std::vector<std::int64_t> sizes;
      for (const int d : dims) sizes.push_back(dim_size(d));
      const std::uint32_t chosen = last == first ? leaf_dims(first) : (1U << dims.size()) - 1;
      RunFacts run{first, last, dims, ExtentLattice(sizes, chosen), {}};
      for (int e = first; e <= last; ++e) {
        const std::size_t before = run.tensors.size();
        for (int t = 0; t < stacks_[at(e)].flat().tensors; ++t) {
          const TensorRef ref{e, t};
          const bool inside = std::any_of(shared_.begin(), shared_.end(), [&](const Shared& one) {
            return (one.writer == ref || contains(one.readers, ref)) && is_inside(one, first, last);
          });
          if (inside || !contains(stacks_[at(e)].kept(1), t)) continue;
          run.tensors.push_back(ref);
          run.least_pj.push_back(may_be_handed_on(ref) ? 0 : least_load_pj(ref));
        }
        run.einsum_bits.push_back((1U << run.tensors.size()) - (1U << before));
      }
      runs_.emplace(std::pair(first, last), std::move(run));
    }
  }
}

std::uint32_t CascadeFacts::leaf_dims(int einsum) const {
  std::uint32_t bits = 0;
  for (int first = std::max(0, einsum - 1); first <= einsum && first + 1 < einsums(); ++first) {
    const std::vector<int> dims = shared_dims(first, first + 1);
    for (std::size_t d = 0; d < dims_of_[at(einsum)].size(); ++d) {
      if (contains(dims, dims_of_[at(einsum)][d])) bits |= 1U << d;
    }
  }
  return bits;
}

std::int64_t CascadeFacts::extent(const RunFacts& run, std::size_t at_extents, int dim) const {
  for (std::size_t i = 0; i < run.dims.size(); ++i) {
    if (run.dims[i] == dim) return run.lattice.extent(at_extents, static_cast<int>(i));
  }
  return dim_size(dim);
}

std::int64_t CascadeFacts::tile_words(const RunFacts& run, std::size_t extents,
                                      const std::vector<int>& dims) const {
  std::int64_t words = 1;
  for (const int d : dims) words *= extent(run, extents, d);
  return words;
}

double CascadeFacts::elements(TensorRef ref) const {
  double words = 1;
  for (const int d : tensor(ref).dims) words *= static_cast<double>(dim_size(d));
  return words;
}

double CascadeFacts::loaded(const RunFacts& run, std::size_t extents, TensorRef ref) const {
  double words = elements(ref);
  for (const int d : tensor(ref).irrelevant) {
    const std::int64_t tiles = dim_size(d) / extent(run, extents, d);
    words *= static_cast<double>(tiles);
  }
  return words;
}

double CascadeFacts::load_pj(const RunFacts& run, std::size_t extents, TensorRef ref) const {
  return loaded(run, extents, ref) * tensor(ref).load_pj - tensor(ref).saved_pj;
}

double CascadeFacts::least_load_pj(TensorRef ref) const {
  return elements(ref) * tensor(ref).load_pj - tensor(ref).saved_pj;
}

Words CascadeFacts::words_of(TensorRef ref, double passes) const {
  const TensorFacts& facts = tensor(ref);
  if (!facts.output) return {passes, 0};
  return {facts.comes_back ? passes - elements(ref) : 0, passes};
}

Words CascadeFacts::load_words(const RunFacts& run, std::size_t extents, TensorRef ref) const {
  return words_of(ref, loaded(run, extents, ref));
}

std::size_t CascadeFacts::inner_extents(const RunFacts& run, std::size_t extents,
                                        const RunFacts& inner) const {
  PerDim own{};
  for (std::size_t i = 0; i < inner.dims.size(); ++i) {
    own[i] = extent(run, extents, inner.dims[i]);
  }
  return inner.lattice.index_of(own);
}

}  // namespace tilewright::fusion
