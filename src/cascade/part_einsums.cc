// Contractions of a graph as einsums of a cascade.
#include <fmt/format.h>

#include <cctype>
#include <set>

#include "cascade/graph_contractions.h"

namespace tilewright {
namespace {

class EinsumMaker {
 public:
  EinsumMaker(const GraphContractions& of, const std::vector<GraphLink>& links)
      : of_(of), links_(links) {}

  void add(const std::vector<std::size_t>& ops, Cascade& cascade) const;

 private:
  std::map<GraphDim, std::string> names_of_dims(const std::vector<std::size_t>& ops,
                                                const SameDims& same) const;
  CascadeEinsum einsum_of(std::size_t op, const std::vector<std::string>& dims,
                          const std::map<EdgeId, std::string>& names) const;
  Afterwards afterwards_of(const GraphLink& link, const std::vector<std::string>& dims) const;
  void sort_indices(const GraphLink& link, std::size_t reader, Workload& workload) const;

  const GraphContractions& of_;
  const std::vector<GraphLink>& links_;
};

// A name that an einsum can have, unlike those that are taken.
std::string plain_name(const std::string& wanted, const std::set<std::string>& taken) {
  std::string plain;
  for (const char c : wanted) {
    plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (plain.empty() || std::isdigit(static_cast<unsigned char>(plain[0])) != 0) plain = "t" + plain;
  std::string name = plain;
  for (int number = 2; taken.contains(name); ++number) name = fmt::format("{}{}", plain, number);
  return name;
}

// Factors of dimensions are named as somebody calls them who has them whole.
std::map<GraphDim, std::string> EinsumMaker::names_of_dims(const std::vector<std::size_t>& ops,
                                                           const SameDims& same) const {
  std::map<GraphDim, std::string> names;
  std::set<std::string> taken;
  for (const bool factors : {false, true}) {
    for (const std::size_t op : ops) {
      const Workload& workload = of_.workload(op);
      for (int d = 0; d < workload.dim_count(); ++d) {
        const Dimension& dim = workload.dim(DimId{d});
        std::string& named = names[same.root({op, d})];
        if (!named.empty() || of_.is_dropped(op, DimId{d}) || dim.known_as.empty() == factors) {
          continue;
        }
        named = plain_name(dim.name, taken);
        taken.insert(named);
      }
    }
  }
  return names;
}

void EinsumMaker::add(const std::vector<std::size_t>& ops, Cascade& cascade) const {
  const SameDims same = *same_dims(of_, links_, ops);
  std::map<EdgeId, std::string> edge_names;
  std::set<std::string> edges_taken;
  const auto name_edge = [&](EdgeId edge) {
    if (edge_names.contains(edge)) return;
    edge_names[edge] = plain_name(of_.network().graph.edge(edge).name, edges_taken);
    edges_taken.insert(edge_names[edge]);
  };
  for (const std::size_t op : ops) {
    name_edge(of_.operator_at(op).writes);
    for (const EdgeId edge : of_.operator_at(op).reads) name_edge(edge);
  }
  for (const GraphLink& link : links_) {
    if (contains(ops, link.writer)) {
      edge_names[link.read] = edge_names[of_.operator_at(link.writer).writes];
    }
  }
  std::map<GraphDim, std::string> dim_names = names_of_dims(ops, same);
  for (const std::size_t op : ops) {
    std::vector<std::string> dims;
    for (int d = 0; d < of_.workload(op).dim_count(); ++d) {
      dims.push_back(dim_names[same.root({op, d})]);
    }
    cascade.einsums.push_back(einsum_of(op, dims, edge_names));
  }
}

Afterwards EinsumMaker::afterwards_of(const GraphLink& link,
                                      const std::vector<std::string>& dims) const {
  Afterwards then;
  then.function = link.function;
  for (const DimId dim : of_.kept_norms(link)) {
    const bool softmax = link.function.find("softmax") != std::string::npos;
    then.reduces = dims[at(dim)];
    then.function = softmax ? "softmax" : "norm";
    if (softmax) then.online_words = 2;  // the largest and the sum so far
  }
  return then;
}

// Indices of a reader stand in the order in which they are written.
void EinsumMaker::sort_indices(const GraphLink& link, std::size_t reader,
                               Workload& workload) const {
  std::vector<Rank>& ranks = workload.tensors[*of_.input_of(reader, link.read)].ranks;
  std::vector<Rank> sorted;
  const std::size_t written = of_.workload(link.writer).tensors.back().ranks.size();
  for (std::size_t a = 0; a < written; ++a) {
    if (const auto axis = read_axis(link, a)) sorted.push_back(ranks[at(*axis)]);
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (link.axes[r].empty()) sorted.push_back(ranks[r]);
  }
  ranks = std::move(sorted);
}

CascadeEinsum EinsumMaker::einsum_of(std::size_t op, const std::vector<std::string>& dims,
                                     const std::map<EdgeId, std::string>& names) const {
  Contraction whole = of_.contraction(op);
  CascadeEinsum einsum;
  for (int d = 0; d < whole.workload.dim_count(); ++d) {
    Dimension& dim = whole.workload.dims[at(d)];
    if (of_.is_dropped(op, DimId{d})) {
      if (!contains(whole.each, DimId{d})) whole.each.push_back(DimId{d});
    } else if (dim.name != dims[at(d)]) {
      const std::string known_as = dim.known_as.empty() ? dim.name : dim.known_as;
      dim.name = dims[at(d)];
      dim.known_as = known_as == dim.name ? "" : known_as;
    }
  }
  for (const GraphLink& link : links_) {
    if (link.writer == op) {
      if (!link.function.empty()) einsum.then = afterwards_of(link, dims);
      einsum.leaves = !link.leaves.empty();
    }
    if (contains(link.readers, op)) sort_indices(link, op, whole.workload);
  }
  const Operator& made = of_.operator_at(op);
  for (std::size_t t = 0; t + 1 < whole.workload.tensors.size(); ++t) {
    whole.workload.tensors[t].name = names.at(made.reads[t]);
  }
  whole.workload.tensors.back().name = names.at(made.writes);
  einsum.workload = mapped_part(whole);
  einsum.workload.name = of_.name(op);
  return einsum;
}

}  // namespace

void add_einsums(const GraphContractions& of, const std::vector<GraphLink>& links,
                 const std::vector<std::size_t>& ops, Cascade& cascade) {
  EinsumMaker(of, links).add(ops, cascade);
}

}  // namespace tilewright
