#include "cascade/graph_returns.h"

#include <algorithm>

namespace tilewright {

PartOrder::PartOrder(const GraphContractions& of, const std::vector<GraphLink>& all,
                     const std::vector<GraphLink>& links)
    : of_(of), graph_(of.network().graph), all_(all), links_(links) {
  readers_.resize(graph_.edges.size());
  writer_.resize(graph_.edges.size());
  for (std::size_t op = 0; op < graph_.operators.size(); ++op) {
    writer_[at(graph_.operators[op].writes)] = op;
    for (const EdgeId edge : graph_.operators[op].reads) {
      if (!contains(readers_[at(edge)], op)) readers_[at(edge)].push_back(op);
    }
  }
}

bool PartOrder::may_be_part(const std::vector<std::size_t>& ops,
                            const std::vector<std::size_t>& group) {
  part_ = graph_.operators.size();
  node_.clear();
  for (std::size_t op = 0; op < graph_.operators.size(); ++op) {
    node_.push_back(of_.is_contraction(op) ? group[op] : op);
  }
  for (const std::size_t op : ops) node_[op] = part_;
  const auto take_passed = [&](const GraphLink& link) {
    for (const std::size_t op : link.passed) node_[op] = node_[link.writer];
  };
  for (const GraphLink& link : links_) take_passed(link);
  for (const GraphLink& link : all_) {
    if (link.readers.empty()) take_passed(link);
  }
  if (has_cycle()) return false;
  tie_dims(ops);
  return returns_in_time(ops);
}

// Whether some node needs itself by way of others.
bool PartOrder::has_cycle() const {
  const std::size_t count = graph_.operators.size() + 1;
  std::vector<std::vector<std::size_t>> behind(count);
  std::vector<std::size_t> waits(count, 0), ready;
  for (std::size_t op = 0; op + 1 < count; ++op) {
    for (const EdgeId edge : graph_.operators[op].reads) {
      const auto writer = writer_[at(edge)];
      if (!writer || node_[*writer] == node_[op]) continue;
      behind[node_[*writer]].push_back(node_[op]);
      ++waits[node_[op]];
    }
  }
  for (std::size_t node = 0; node < count; ++node) {
    if (waits[node] == 0) ready.push_back(node);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const std::size_t next : behind[ready[i]]) {
      if (--waits[next] == 0) ready.push_back(next);
    }
  }
  return ready.size() < count;
}

// Loops around several contractions move the dimensions that links join, through windows, too.
void PartOrder::tie_dims(const std::vector<std::size_t>& ops) {
  ties_ = {};
  for (const GraphLink& link : links_) {
    if (!contains(ops, link.writer)) continue;
    const Tensor& made = of_.workload(link.writer).tensors.back();
    for (const std::size_t reader : link.readers) {
      const Tensor& seen = of_.workload(reader).tensors[*of_.input_of(reader, link.read)];
      for (std::size_t a = 0; a < made.ranks.size(); ++a) {
        const auto axis = read_axis(link, a);
        if (!axis) continue;
        const GraphDim one{link.writer, index_of(made.ranks[a][0].dim)};
        for (const Term& term : seen.ranks[at(*axis)]) {
          const GraphDim other{reader, index_of(term.dim)};
          if (ties_.root(one) != ties_.root(other)) ties_.join(one, other);
        }
      }
    }
  }
}

const GraphLink& PartOrder::link_of(std::size_t op) const {
  const auto is_it = [&](const GraphLink& link) { return link.writer == op; };
  const auto used = std::find_if(links_.begin(), links_.end(), is_it);
  return used != links_.end() ? *used : *std::find_if(all_.begin(), all_.end(), is_it);
}

bool PartOrder::returns_in_time(const std::vector<std::size_t>& ops) const {
  for (const std::size_t op : ops) {
    const GraphLink& link = link_of(op);
    for (const GraphForm& form : link.forms) {
      if (node_[*writer_[at(form.edge)]] != part_) continue;
      for (const std::size_t by : readers_[at(form.edge)]) {
        if (node_[by] == part_ && !returns_in_time(link, form, by)) return false;
      }
    }
  }
  return true;
}

// What an operator of the part reads is handed on to it, or comes back from the outermost memory:
// then it must have been made before.
bool PartOrder::returns_in_time(const GraphLink& from, const GraphForm& form,
                                std::size_t by) const {
  const bool used = std::any_of(links_.begin(), links_.end(),
                                [&](const GraphLink& link) { return link.writer == from.writer; });
  if (contains(from.passed, by)) return true;
  if (of_.is_contraction(by)) {
    return used && form.edge == from.read && contains(from.readers, by);
  }
  for (const GraphLink& to : all_) {
    if (node_[to.writer] != part_ || !contains(to.passed, by)) continue;
    for (const GraphForm& met : to.forms) {
      const std::vector<EdgeId>& reads = graph_.operators[by].reads;
      if (contains(reads, met.edge)) return is_aligned(from, form, to, met);
    }
  }
  return false;
}

bool PartOrder::is_behind(std::size_t op, std::size_t writer) const {
  std::vector<std::size_t> reached = {writer};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const GraphLink& link : links_) {
      if (link.writer != reached[i]) continue;
      for (const std::size_t reader : link.readers) {
        if (!contains(reached, reader)) reached.push_back(reader);
      }
    }
  }
  return contains(reached, op);
}

// Whether what comes back meets the element that it belongs to when that is there, whatever loops
// the two contractions share.
bool PartOrder::is_aligned(const GraphLink& from, const GraphForm& form, const GraphLink& to,
                           const GraphForm& met) const {
  const std::vector<std::int64_t>& shape = graph_.edge(form.edge).shape;
  const std::vector<std::int64_t>& other = graph_.edge(met.edge).shape;
  const bool behind = is_behind(to.writer, from.writer);
  // Whoever reads what is normalised waits for all of it.
  const bool waits =
      behind && std::any_of(from.forms.begin(), from.forms.end(),
                            [&](const auto& f) { return f.edge == from.read && f.normalized; });
  if ((form.normalized && !waits) || shape.size() > other.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t beside = i + other.size() - shape.size();
    if (shape[i] == 1) continue;
    const std::vector<AxisPiece>& own = form.axes[i];
    const std::vector<AxisPiece>& its = met.axes[beside];
    if (shape[i] != other[beside] || own.size() != its.size()) return false;
    for (std::size_t piece = 0; piece < own.size(); ++piece) {
      const GraphDim one = written_dim(from.writer, own[piece]);
      const GraphDim two = written_dim(to.writer, its[piece]);
      if (one.dim < 0 || two.dim < 0 || own[piece].size != its[piece].size) return false;
      if (!may_meet(one, two, behind)) return false;
    }
  }
  return true;
}

GraphDim PartOrder::written_dim(std::size_t op, const AxisPiece& piece) const {
  if (piece.axis < 0) return {op, -1};
  const Rank& rank = of_.workload(op).tensors.back().ranks[at(piece.axis)];
  return {op, rank.size() == 1 ? index_of(rank[0].dim) : -1};
}

std::vector<int> PartOrder::tied(GraphDim dim, std::size_t op, bool of_output) const {
  std::vector<int> dims;
  const Workload& workload = of_.workload(op);
  for (int d = 0; d < workload.dim_count(); ++d) {
    if (of_output && !is_relevant(workload.tensors.back(), DimId{d})) continue;
    if (ties_.root({op, d}) == ties_.root(dim)) dims.push_back(d);
  }
  return dims;
}

// What is made out of the tensor needs all along a dimension that is summed over, and of others
// what belongs to it. Beside it, loops must move both alike, or none the tensor.
bool PartOrder::may_meet(GraphDim one, GraphDim other, bool is_behind) const {
  const std::vector<int> beside = tied(one, other.op, is_behind);
  const std::vector<int> back = tied(other, one.op, is_behind);
  if (beside == std::vector<int>{other.dim}) return back == std::vector<int>{one.dim};
  return beside.empty() && back.empty() && (is_behind || is_alone(one));
}

bool PartOrder::is_alone(GraphDim dim) const {
  for (const GraphLink& link : all_) {
    if (node_[link.writer] != part_) continue;
    const std::vector<int> dims = tied(dim, link.writer, false);
    if (!dims.empty() && !(link.writer == dim.op && dims == std::vector<int>{dim.dim}))
      return false;
  }
  return true;
}

}  // namespace tilewright
