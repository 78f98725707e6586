#include "certificate/bound_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "certificate/refused.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"

namespace tilewright::certificate {

namespace {

template <typename... Args>
[[noreturn]] void out_of_reach(fmt::format_string<Args...> what, Args&&... args) {
  throw Unverifiable(fmt::format(what, std::forward<Args>(args)...));
}

// Whether a rank reaches every index from its first to its last one.
bool has_no_gaps(const Workload& workload, const Rank& rank) {
  std::vector<Term> terms = rank;
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return a.coefficient < b.coefficient; });
  Count reach = 1;
  for (const Term& term : terms) {
    if (term.coefficient > reach) return false;
    reach += Count(term.coefficient) * (workload.dim(term.dim).size - 1);
  }
  return true;
}

std::int64_t reach_of(const Workload& workload, const Rank& rank) {
  Count reach = 1;
  for (const Term& term : rank) {
    reach += Count(term.coefficient) * (workload.dim(term.dim).size - 1);
  }
  return narrow(reach);
}

// Elements of a tensor that are there at least. Where a rank leaves out some, one dimension of it
// still goes through different ones.
Count elements_of(const Workload& workload, const Tensor& tensor) {
  Count elements = 1;
  std::set<DimId> seen;
  for (const Rank& rank : tensor.ranks) {
    std::int64_t longest = 1;
    for (const Term& term : rank) {
      if (!seen.insert(term.dim).second) {
        out_of_reach("plans where {} has a dimension twice", tensor.name);
      }
      longest = std::max(longest, workload.dim(term.dim).size);
    }
    elements *= has_no_gaps(workload, rank) ? reach_of(workload, rank) : longest;
  }
  return elements;
}

void refuse_backwards(const Workload& workload) {
  for (const Tensor& tensor : workload.tensors) {
    for (const Rank& rank : tensor.ranks) {
      for (const Term& term : rank) {
        if (term.coefficient < 1) out_of_reach("plans where {} is seen backwards", tensor.name);
      }
    }
  }
}

// Numbers that all of these divide one of, no more than few of them: those that divide others are
// left out, and two become their common multiple where that is not much longer than `size`.
std::vector<std::int64_t> common_multiples(std::set<std::int64_t> lengths, std::int64_t size) {
  constexpr std::int64_t kMuchLonger = 4, kLongest = std::int64_t{1} << 28;
  const auto drop_divisors = [&] {
    std::erase_if(lengths, [&](std::int64_t one) {
      return std::any_of(lengths.begin(), lengths.end(),
                         [&](std::int64_t other) { return other != one && other % one == 0; });
    });
  };
  drop_divisors();
  if (lengths.size() > 1 && size > kLongest) out_of_reach("plans with windows over so many values");
  while (lengths.size() > 1) {
    std::int64_t least = 0;
    for (const std::int64_t one : lengths) {
      for (const std::int64_t other : lengths) {
        const std::int64_t multiple = std::lcm(one, other);
        if (one < other && (least == 0 || multiple < least)) least = multiple;
      }
    }
    if (least > kMuchLonger * size) break;
    lengths.insert(least);
    drop_divisors();
  }
  return {lengths.begin(), lengths.end()};
}

}  // namespace

BoundSpace::BoundSpace(const Cascade& cascade, const Architecture& arch, const std::string& shared,
                       int longest)
    : cascade_(cascade), longest_(longest), einsums_(cascade.einsums.size()) {
  refuse_architecture(arch, shared);
  std::vector<Problem> problems;
  for (const CascadeEinsum& einsum : cascade.einsums) {
    refuse_backwards(einsum.workload);
    Checked<Problem> problem = Problem::create(einsum.workload, arch);
    if (!problem.ok()) out_of_reach("{}", to_string(problem.problems.front()));
    refuse_problem(*problem.value);
    problems.push_back(std::move(*problem.value));
  }
  make_inner(arch);
  add_links();
  for (int e = 0; e < einsums(); ++e) pieces_of(e, longest - 1);
  take_loads(problems);
}

void BoundSpace::refuse_architecture(const Architecture& arch, const std::string& shared) const {
  if (arch.accounting != Accounting::Exact) out_of_reach("plans with the accounting of Timeloop");
  if (arch.reads_first_sums) out_of_reach("plans where first sums are read");
  if (tilewright::shares_halos(arch)) out_of_reach("plans with shared halos");
  if (arch.flexibility) out_of_reach("plans on flexible architectures");
  const bool second = arch.levels.size() > 2 && std::holds_alternative<Memory>(arch.levels[0]) &&
                      std::holds_alternative<Memory>(arch.levels[1]) &&
                      name_of(arch.levels[1]) == shared;
  if (!second) out_of_reach("plans whose shared memory is not the second one from outside");
  for (const Constraint& constraint : arch.constraints) {
    if (std::holds_alternative<ResidenceRule>(constraint.rule)) {
      out_of_reach("plans where a constraint says what {} keeps", constraint.level);
    }
  }
}

void BoundSpace::refuse_problem(const Problem& problem) const {
  const std::uint32_t all = (1U << problem.tensor_count()) - 1;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    if (memory.leakage_pj_per_cycle != 0) out_of_reach("plans where {} leaks", memory.name);
    if (memory.block_words != 1) out_of_reach("plans where {} moves blocks of words", memory.name);
    if (!memory.point_of.empty()) out_of_reach("plans where {} is a storage point", memory.name);
    const bool keeps_all = problem.use(MemoryId{m}).keep_always == all;
    if (m < 2 && !keeps_all) out_of_reach("plans where {} does not keep all tensors", memory.name);
  }
}

// Constraints are left out: what keeps to them is among what does not have to.
void BoundSpace::make_inner(const Architecture& arch) {
  inner_ = without_estimates(arch);
  inner_.levels.erase(inner_.levels.begin());
  inner_.constraints.clear();
  Memory& memory = std::get<Memory>(inner_.levels.front());
  memory.capacity = {};
  memory.capacity.unit = Capacity::Unit::Unlimited;
  memory.partitions.clear();
  memory.double_buffered = false;
  memory.dims = {};
}

// Who reads what, and whose work all plans need: with windows that lie apart readers may leave out
// some of it.
void BoundSpace::add_links() {
  for (int e = 0; e < einsums(); ++e) {
    const std::vector<Tensor>& tensors = cascade_.workload(e).tensors;
    einsums_[at(e)].writers.assign(tensors.size(), -1);
    for (std::size_t t = 0; t + 1 < tensors.size(); ++t) {
      for (int w = 0; w < e; ++w) {
        if (cascade_.workload(w).tensors.back().name != tensors[t].name) continue;
        einsums_[at(e)].writers[t] = w;
        einsums_[at(w)].readers.emplace_back(e, static_cast<int>(t));
      }
    }
  }
  for (int e = einsums() - 1; e >= 0; --e) {
    if (cascade_.einsums[at(e)].leaves) continue;
    for (const auto& [reader, tensor] : einsums_[at(e)].readers) {
      const Workload& workload = cascade_.workload(reader);
      einsums_[at(e)].whole = einsums_[at(e)].whole && einsums_[at(reader)].whole;
      for (const Rank& rank : workload.tensors[at(tensor)].ranks) {
        einsums_[at(e)].whole = einsums_[at(e)].whole && has_no_gaps(workload, rank);
      }
    }
  }
}

// Loops cut the last einsum of a group into equal parts; those before it make what is read.
const std::vector<BoundSpace::Pieces>& BoundSpace::pieces_of(int e, int followers) {
  followers = std::min(followers, einsums() - 1 - e);
  const auto known = einsums_[at(e)].pieces.find(followers);
  if (known != einsums_[at(e)].pieces.end()) return known->second;
  const Workload& workload = cascade_.workload(e);
  std::vector<Pieces> pieces;
  for (const Dimension& dim : workload.dims) pieces.push_back(equal_parts(dim));
  for (const std::pair<int, int>& reader : einsums_[at(e)].readers) {
    if (reader.first - e > followers) continue;
    const std::vector<Rank>& seen =
        cascade_.workload(reader.first).tensors[at(reader.second)].ranks;
    if (seen.size() != workload.tensors.back().ranks.size()) {
      out_of_reach("plans where {} is read in another form", workload.tensors.back().name);
    }
    const auto& of_reader = pieces_of(reader.first, followers - (reader.first - e));
    for (std::size_t rank = 0; rank < seen.size(); ++rank) {
      add_pieces_through(e, rank, reader, of_reader, pieces);
    }
  }
  return einsums_[at(e)].pieces[followers] = std::move(pieces);
}

BoundSpace::Pieces BoundSpace::equal_parts(const Dimension& dim) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  if (dim.size > kLargest) out_of_reach("plans where {} has more than 2^40 values", dim.name);
  Pieces pieces;
  for (std::int64_t part = 1; part <= dim.size / part; ++part) {
    if (dim.size % part != 0) continue;
    pieces.insert({part, part});
    pieces.insert({dim.size / part, dim.size / part});
  }
  return pieces;
}

// One loop moves one dimension of the reader's index. What is new in a piece is as long as its
// step; what is made again is all that the window sees, zeros of padding perhaps left out.
void BoundSpace::add_pieces_through(int e, std::size_t rank, const std::pair<int, int>& reader,
                                    const std::vector<Pieces>& of_reader,
                                    std::vector<Pieces>& all_pieces) const {
  constexpr std::size_t kMostPieces = 4096;
  const Workload &workload = cascade_.workload(e), &reading = cascade_.workload(reader.first);
  const Rank& written = workload.tensors.back().ranks[rank];
  const Rank& seen = reading.tensors[at(reader.second)].ranks[rank];
  const std::int64_t whole = reach_of(reading, seen);
  for (const Term& own : written) {
    const std::int64_t size = workload.dim(own.dim).size;
    Pieces& pieces = all_pieces[at(index_of(own.dim))];
    for (const Term& term : seen) {
      const std::int64_t others = whole - term.coefficient * (reading.dim(term.dim).size - 1);
      for (const Piece& piece : of_reader[at(index_of(term.dim))]) {
        const std::int64_t all = term.coefficient * (piece.length - 1) + others;
        const std::int64_t step = term.coefficient * piece.step;
        for (const std::int64_t length :
             {all, all - std::max<std::int64_t>(0, whole - size), step}) {
          if (length >= 1 && length <= size) pieces.insert({length, step});
        }
      }
    }
    if (pieces.size() > kMostPieces) out_of_reach("plans with so many windows in a row");
  }
}

void BoundSpace::take_loads(const std::vector<Problem>& problems) {
  std::vector<Energies> energies;
  for (const Problem& problem : problems) {
    energies.emplace_back(problem);
    decimals_ = std::max(decimals_, energies.back().decimals);
  }
  for (const CascadeEinsum& einsum : cascade_.einsums) {
    if (einsum.then) decimals_ = std::max(decimals_, decimals_of(einsum.then->energy_pj));
  }
  for (int e = 0; e < einsums(); ++e) {
    const Workload& workload = cascade_.workload(e);
    const Energies& prices = energies[at(e)];
    const Int128 scale = power_of_ten(decimals_ - prices.decimals);
    Einsum& einsum = einsums_[at(e)];
    for (std::size_t t = 0; t < workload.tensors.size(); ++t) {
      const bool output = t + 1 == workload.tensors.size();
      const Int128 word =
          output ? prices.memories[0].access[t].update
                 : plus(prices.memories[0].access[t].read, prices.memories[1].access[t].write);
      Int128 elements = elements_of(workload, workload.tensors[t]);
      // Nobody has to load zeros of padding.
      if (einsum.writers[t] >= 0) {
        const Workload& writer = cascade_.workload(einsum.writers[t]);
        elements = std::min<Int128>(elements, elements_of(writer, writer.tensors.back()));
      }
      einsum.load.push_back(times(times(word, scale), elements));
    }
    const auto& then = cascade_.einsums[at(e)].then;
    if (!then) continue;
    einsum.afterwards =
        times(units_of(then->energy_pj, decimals_), elements_of(workload, workload.tensors.back()));
  }
}

std::vector<std::int64_t> BoundSpace::lengths_of(int einsum, std::size_t dim) const {
  std::set<std::int64_t> lengths;
  const int followers = std::min(longest_ - 1, einsums() - 1 - einsum);
  for (const Piece& piece : einsums_[at(einsum)].pieces.at(followers)[dim]) {
    lengths.insert(piece.length);
  }
  return common_multiples(std::move(lengths), cascade_.workload(einsum).dims[dim].size);
}

std::vector<Workload> BoundSpace::nests_of(int einsum) const {
  constexpr std::size_t kMostNests = 144;
  std::vector<Workload> nests = {with_known_names(cascade_.workload(einsum))};
  nests.front().name = "nest";
  for (std::size_t d = 0; d < nests.front().dims.size(); ++d) {
    std::vector<Workload> longer;
    for (const std::int64_t length : lengths_of(einsum, d)) {
      for (Workload nest : nests) {
        nest.dims[d].size = length;
        longer.push_back(std::move(nest));
      }
    }
    nests = std::move(longer);
    if (nests.size() > kMostNests) {
      out_of_reach("plans where windows leave {} so many sizes", cascade_.workload(einsum).name);
    }
  }
  return nests;
}

// Every piece takes as much for a multiply-accumulate as one of the nests does, at least.
BigUint BoundSpace::nests_bound(int einsum, const ProvenNests& nests) const {
  std::optional<BigUint> least;
  const BigUint macs = big(multiply_accumulates(cascade_.workload(einsum)));
  for (const Workload& nest : nests_of(einsum)) {
    const auto proven = nests.find(io::write_workload(nest));
    if (proven == nests.end()) {
      refuse("there is no proof of a nest of {} with {}", cascade_.workload(einsum).name,
             sizes_text(nest));
    }
    BigUint energy = proven->second * macs;
    energy.divide(big(multiply_accumulates(nest)));
    if (!least || energy < *least) least = energy;
  }
  return *least;
}

// Whether what an einsum of a group writes goes to the outermost memory.
bool BoundSpace::leaves(int einsum, int first, int last) const {
  const auto& readers = einsums_[at(einsum)].readers;
  if (readers.empty() || cascade_.einsums[at(einsum)].leaves) return true;
  return std::any_of(readers.begin(), readers.end(), [&](const std::pair<int, int>& reader) {
    return reader.first < first || reader.first > last;
  });
}

BigUint BoundSpace::group_bound(int first, int last, const std::vector<BigUint>& of_nests) const {
  BigUint sum;
  for (int e = first; e <= last; ++e) {
    const Einsum& einsum = einsums_[at(e)];
    if (!einsum.whole) continue;
    sum += of_nests[at(e)] + big(einsum.afterwards);
    for (std::size_t t = 0; t < einsum.load.size(); ++t) {
      const bool output = t + 1 == einsum.load.size();
      const bool passes = output ? !leaves(e, first, last) : einsum.writers[t] >= first;
      if (!passes) sum += big(einsum.load[t]);
    }
  }
  return sum;
}

std::vector<BigUint> BoundSpace::alone(const ProvenNests& nests) const {
  std::vector<BigUint> least;
  for (int e = 0; e < einsums(); ++e) {
    least.push_back(einsums_[at(e)].whole ? nests_bound(e, nests) : BigUint());
  }
  return least;
}

BigUint BoundSpace::bound(const ProvenNests& nests) const {
  const std::vector<BigUint> of_nests = alone(nests);
  std::vector<BigUint> least = {BigUint()};  // of the first einsums
  for (int end = 1; end <= einsums(); ++end) {
    std::optional<BigUint> best;
    for (int first = std::max(0, end - longest_); first < end; ++first) {
      const BigUint sum = least[at(first)] + group_bound(first, end - 1, of_nests);
      if (!best || sum < *best) best = sum;
    }
    least.push_back(*best);
  }
  return least.back();
}

}  // namespace tilewright::certificate
