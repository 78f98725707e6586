#include "support/random_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "oracle/plan.h"
#include "support/problems.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

// Sizes of windows follow from those of what is computed.
Cascade random_cascade(TestRng& rng) {
  const auto size = [&] { return rng.pick<std::int64_t>({2, 3, 4, 4, 6}); };
  const auto text = [](const std::vector<std::pair<std::string, std::int64_t>>& sizes) {
    std::string all;
    for (const auto& [name, value] : sizes) all += fmt::format(" {}={}", name, value);
    return all;
  };
  // Rows that are made of those that a filter reaches; the others are padding.
  const auto unpadded = [&](std::int64_t reached, std::int64_t filter) {
    return rng.chance(50) ? reached - rng.between(0, filter - 1) : reached;
  };
  const std::int64_t m = size(), n = size(), k = size(), p = size(), e = size(), f = size();
  switch (rng.between(0, 9)) {
    case 0:
      return make_cascade({"T[m,n] += A[m,k] * B[k,n]", "O[m,p] += T[m,n] * C[n,p]"},
                          text({{"m", m}, {"n", n}, {"k", k}, {"p", p}}));
    case 1:
      return make_cascade({"S[h,m,p] += Q[h,m,e] * K[h,p,e]", "O[h,m,f] += S[h,m,p] * V[h,p,f]"},
                          text({{"h", 2}, {"m", m}, {"p", p}, {"e", 2}, {"f", 2}}));
    case 2:
      return make_cascade({"S[h,m,p] += Q[h,m,e] * K[h,p,e]", "O[h,m,f] += S[h,m,p] * V[h,p,f]",
                           "Y[m,n] += O[h,m,f] * W[h,f,n]"},
                          text({{"h", 2}, {"m", m}, {"p", p}, {"e", 2}, {"f", 2}, {"n", 2}}));
    case 3:
      return make_cascade(
          {"T[m,n] += A[m,k] * B[k,n]", "U[m,p] += T[m,n] * C[n,p]", "O[m,e] += U[m,p] * D[p,e]"},
          text({{"m", m}, {"n", n}, {"k", 2}, {"p", p}, {"e", e}}));
    case 4: {  // two convolutions of rows, the second with a stride and perhaps a third
      const std::int64_t s = rng.between(1, 2), r = rng.between(1, 3), q = rng.between(1, 3);
      const std::int64_t rows = unpadded(s * (p - 1) + r, r);
      const std::string second = fmt::format("O[g,p] += T[c,{}*p+r] * V[g,c,r]", s);
      return make_cascade(
          {"T[c,y] += I[b,y+q] * W[c,b,q]", second},
          text({{"c", n}, {"y", rows}, {"b", 2}, {"q", q}, {"g", 2}, {"p", p}, {"r", r}}));
    }
    case 5: {
      const std::int64_t r = rng.between(2, 3), q = rng.between(1, 3);
      const std::int64_t rows = unpadded(p + r - 1, r), more = unpadded(rows + q - 1, q);
      return make_cascade({"T[c,x] += I[b,2*x+s] * W[c,b,s]", "U[c,y] += T[c,y+q] * V[c,q]",
                           "O[g,p] += U[c,p+r] * X[g,c,r]"},
                          text({{"c", 2},
                                {"x", more},
                                {"b", 2},
                                {"s", rng.between(1, 3)},
                                {"y", rows},
                                {"q", q},
                                {"g", 2},
                                {"p", p},
                                {"r", r}}));
    }
    case 6:  // a block of a mobile network, in one direction
      return make_cascade(
          {"T[c,y] += I[b,y] * W[c,b]", "U[c,p] += T[c,p+r] * V[c,r]", "O[g,p] += U[c,p] * X[g,c]"},
          text({{"c", n}, {"y", unpadded(p + 2, 3)}, {"b", 2}, {"p", p}, {"r", 3}, {"g", 2}}));
    case 7:  // an intermediate with two readers
      return make_cascade(
          {"T[m,n] += A[m,k] * B[k,n]", "U[m,p] += T[m,n] * C[n,p]", "O[m,p,n] += T[m,n] * U[m,p]"},
          text({{"m", m}, {"n", n}, {"k", 2}, {"p", p}}));
    case 8: {  // a skip connection past a convolution of rows
      const std::int64_t r = rng.between(1, 3), rows = unpadded(p + r - 1, r);
      return make_cascade(
          {"T[c,y] += I[b,y] * W[c,b]", "U[g,p] += T[c,p+r] * V[g,c,r]", "O[c,y] += T[c,y] * Z[y]"},
          text({{"c", n}, {"y", rows}, {"b", 2}, {"p", p}, {"r", r}, {"g", 2}}));
    }
    default:
      return make_cascade({"O[m,2*p+r] += A[m,k,p] * B[k,r]"},
                          text({{"m", m}, {"k", k}, {"p", f}, {"r", 2}}));
  }
}

Architecture random_arch(TestRng& rng) {
  std::vector<Level> levels;
  Memory outer = make_memory("DRAM");
  outer.block_words = rng.chance(20) ? 4 : 1;
  outer.accumulates_in_place = rng.chance(15);
  levels.emplace_back(outer);
  if (rng.chance(20)) levels.emplace_back(make_memory("Cache"));
  levels.emplace_back(make_memory("Buffer"));
  if (rng.chance(60)) {
    Fanout array = make_fanout("Array", 2, 2);
    array.multicast = !rng.chance(20);
    array.reduction = !rng.chance(20);
    levels.emplace_back(array);
  }
  if (rng.chance(80)) levels.emplace_back(make_memory("Registers"));
  Architecture arch = make_arch(std::move(levels));
  return arch;
}

// A tree over the einsums of a range.
PlanNode random_tree(TestRng& rng, const Cascade& cascade, int first, int last, int depth,
                     std::map<std::string, std::int64_t>& left) {
  PlanNode node;
  const Workload& workload = cascade.workload(last);
  const std::int64_t loops = rng.between(0, depth == 0 ? 3 : 2);
  for (std::int64_t i = 0; i < loops; ++i) {
    const Dimension& dim = rng.pick(workload.dims);
    const std::int64_t rest = left.emplace(dim.name, dim.size).first->second;
    if (rest == dim.size && rest > 2 && rng.chance(20)) {  // with a shorter piece
      const std::int64_t tile = rng.between(2, rest - 1);
      left[dim.name] = 1;
      node.loops.push_back({dim.name, (rest - 1) / tile + 1, rest % tile == 0 ? 0 : tile});
      continue;
    }
    std::vector<std::int64_t> counts;
    for (std::int64_t c = 2; c <= rest; ++c) {
      if (rest % c == 0) counts.push_back(c);
    }
    if (counts.empty()) continue;
    const std::int64_t count = rng.pick(counts);
    left[dim.name] /= count;
    node.loops.push_back({dim.name, count});
  }
  if (first == last) {
    node.einsum = first;
    return node;
  }
  for (int e = first; e <= last;) {
    const bool whole = e == first;
    int end = rng.chance(40) ? e + static_cast<int>(rng.between(0, last - e - (whole ? 1 : 0))) : e;
    auto inside = left;
    node.children.push_back(random_tree(rng, cascade, e, end, depth + 1, inside));
    e = end + 1;
  }
  return node;
}

void place_tensors(TestRng& rng, const Cascade& cascade, Plan& plan) {
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    const auto depth = static_cast<std::int64_t>(path_of(plan, e).size());
    std::vector<Placement>& tensors = plan.leaves[at(e)].tensors;
    for (Placement& tensor : tensors) {
      if (rng.chance(40)) tensor = {Placement::Kind::Local, 0};
      if (rng.chance(40)) {
        tensor = {Placement::Kind::Kept, static_cast<int>(rng.between(0, depth))};
      }
    }
    bool read = false;
    for (const Intermediate& one : intermediates_of(cascade)) {
      read = read || (one.writer == e && group_of(plan, e).has(one.readers.front().einsum));
    }
    if (read && tensors.back().kind == Placement::Kind::Streamed) {
      tensors.back() = {Placement::Kind::Local, 0};
    }
  }
}

void compare(std::vector<std::string>& found, const std::string& what, std::int64_t counted,
             std::int64_t walked) {
  if (counted != walked) found.push_back(fmt::format("{}: {} and not {}", what, counted, walked));
}

}  // namespace

Cascade make_cascade(const std::vector<std::string>& einsums, const std::string& sizes) {
  Cascade cascade{"test", "", {}};
  for (std::size_t i = 0; i < einsums.size(); ++i) {
    std::string own;
    std::istringstream words(sizes);
    for (std::string word; words >> word;) {
      const std::string dim = word.substr(0, word.find('='));
      const std::string& text = einsums[i];
      for (std::size_t at = text.find(dim); at != std::string::npos; at = text.find(dim, at + 1)) {
        const bool inside = text.find_first_of("[]", at) == text.find(']', at);
        const bool alone = std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 &&
                           std::isalnum(static_cast<unsigned char>(text[at + dim.size()])) == 0;
        if (!inside || !alone) continue;
        own += " " + word;
        break;
      }
    }
    Checked<Workload> read = io::read_workload_line(einsums[i] + ";" + own, "test");
    if (!read.ok()) throw std::logic_error(to_string(read.problems.front()));
    read.value->name = fmt::format("E{}", i + 1);
    cascade.einsums.push_back({std::move(*read.value), {}});
  }
  return cascade;
}

void add_random_nests(TestRng& rng, const Cascade& cascade, const Architecture& arch, Plan& plan) {
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    for (const Execution& execution : executions_of(cascade, plan, e)) {
      const Checked<Problem> problem =
          leaf_problem(cascade.workload(e), arch, homes_of(cascade, plan, e), execution.extents);
      if (!problem.ok()) throw std::logic_error(to_string(problem.problems.front()));
      plan.leaves[at(e)].nests.push_back(
          {*problem.value, random_mapping(rng, *problem.value, false)});
    }
  }
}

namespace {

// The dimension along which a softmax may be done online: the only one that the readers sum over.
std::optional<std::string> summed_alone(const Cascade& cascade, const Intermediate& one) {
  const Workload& writer = cascade.workload(one.writer);
  for (std::size_t r = 0; r < writer.tensors.back().ranks.size(); ++r) {
    const bool alone =
        std::all_of(one.readers.begin(), one.readers.end(), [&](const IntermediateReader& reader) {
          const Workload& reading = cascade.workload(reader.einsum);
          const Rank& seen = reading.tensor(reader.tensor).ranks[r];
          std::set<DimId> summed;
          for (int d = 0; d < reading.dim_count(); ++d) summed.insert(DimId{d});
          for (const Rank& rank : reading.tensors.back().ranks) {
            for (const Term& term : rank) summed.erase(term.dim);
          }
          return seen.size() == 1 && summed == std::set<DimId>{seen.front().dim};
        });
    if (alone) return writer.dim(writer.tensors.back().ranks[r].front().dim).name;
  }
  return std::nullopt;
}

void add_softmax(TestRng& rng, Cascade& cascade) {
  for (const Intermediate& one : intermediates_of(cascade)) {
    const auto dim = summed_alone(cascade, one);
    if (!dim) continue;
    Afterwards then;
    then.function = "softmax";
    then.reduces = *dim;
    then.online_words = rng.between(1, 3);
    cascade.einsums[at(one.writer)].then = then;
    return;
  }
}

}  // namespace

namespace {

// Memories of one instance that a plan may share.
std::vector<std::string> shareable(const Architecture& arch) {
  std::vector<std::string> names;
  for (int l = 1; l < arch.level_count(); ++l) {
    const auto* memory = std::get_if<Memory>(&arch.levels[at(l)]);
    if (memory != nullptr && physical_instances(arch, LevelId{l}) == 1)
      names.push_back(memory->name);
  }
  return names;
}

// Groups share memories of their own, and residents are at home in any.
void add_homes(TestRng& rng, const Architecture& arch, Plan& plan) {
  const std::vector<std::string> names = shareable(arch);
  for (PlanNode& group : plan.groups) {
    if (rng.chance(30)) group.shared = rng.pick(names);
  }
  for (PlanLeaf& leaf : plan.leaves) {
    for (Placement& one : leaf.tensors) {
      if (one.kind != Placement::Kind::Streamed && rng.chance(50)) one.home = rng.pick(names);
    }
  }
}

}  // namespace

std::optional<PlanCase> random_plan(TestRng& rng, bool several_memories) {
  PlanCase random{random_cascade(rng), random_arch(rng), {}};
  if (several_memories) {
    const auto buffer = random.arch.find_level("Buffer");
    random.arch.levels.insert(random.arch.levels.begin() + index_of(*buffer) + 1,
                              make_memory("Near"));
  }
  if (rng.chance(50)) add_softmax(rng, random.cascade);
  for (CascadeEinsum& einsum : random.cascade.einsums) einsum.leaves = rng.chance(25);
  const Cascade& cascade = random.cascade;
  random.plan = unfused(cascade, "Buffer");
  random.plan.groups.clear();
  for (int e = 0; e < cascade.einsum_count();) {
    const int end = rng.chance(80) ? cascade.einsum_count() - 1
                                   : static_cast<int>(rng.between(e, cascade.einsum_count() - 1));
    std::map<std::string, std::int64_t> left;
    random.plan.groups.push_back(random_tree(rng, cascade, e, end, 0, left));
    e = end + 1;
  }
  place_tensors(rng, cascade, random.plan);
  if (several_memories) add_homes(rng, random.arch, random.plan);
  if (!problems_of(cascade).empty() || !problems_of(cascade, random.plan).empty()) {
    return std::nullopt;
  }
  add_random_nests(rng, cascade, random.arch, random.plan);
  return random;
}

std::vector<std::string> compare_with_oracle(const PlanCase& random, bool& same_live) {
  std::vector<std::string> found;
  const Checked<PlanEvaluation> counted = evaluate_plan(random.cascade, random.arch, random.plan);
  if (!counted.ok()) return {counted.problems.front().message};
  const std::vector<oracle::LeafCounts> walked = oracle::execute_plan(random.cascade, random.plan);
  same_live = true;
  for (std::size_t e = 0; e < walked.size(); ++e) {
    const LeafReport& leaf = counted.value->leaves[e];
    const Workload& workload = random.cascade.einsums[e].workload;
    std::size_t kinds = 0;
    for (const Execution& one : leaf.executions) {
      const auto place = walked[e].executions.find(one.extents);
      const bool known = place != walked[e].executions.end();
      compare(found, workload.name + " executions", one.count, known ? place->second : 0);
      const auto first = walked[e].first_touches.find(one.extents);
      compare(found, workload.name + " first touches", one.first_touches,
              first == walked[e].first_touches.end() ? 0 : first->second);
      ++kinds;
    }
    compare(found, workload.name + " kinds of executions", static_cast<std::int64_t>(kinds),
            static_cast<std::int64_t>(walked[e].executions.size()));
    compare(found, workload.name + " MACs", leaf.macs, walked[e].macs);
    if (random.cascade.einsums[e].then) {
      compare(found, workload.name + " elements done afterwards", leaf.afterwards_elements,
              walked[e].finished + walked[e].rescaled);
    }
    for (const LeafMemory& memory : leaf.memories) {
      const auto place = walked[e].memories.find(memory.name);
      for (std::size_t t = 0; t < workload.tensors.size(); ++t) {
        const oracle::Words words =
            place == walked[e].memories.end() ? oracle::Words{} : place->second[t];
        const std::string what =
            fmt::format("{} {} {} ", workload.name, memory.name, workload.tensors[t].name);
        compare(found, what + "reads", narrowed(memory.total[t].reads), words.reads);
        compare(found, what + "fills", narrowed(memory.total[t].fills), words.fills);
        compare(found, what + "updates", narrowed(memory.total[t].updates), words.updates);
      }
    }
    std::vector<LiveRoom> rooms = {
        {shared_of(random.plan, static_cast<int>(e)), {}, leaf.live_words}};
    append(rooms, leaf.elsewhere);
    for (const LiveRoom& room : rooms) {
      const auto place = walked[e].live_words.find(room.memory);
      const std::int64_t words = place == walked[e].live_words.end() ? 0 : place->second;
      same_live = same_live && room.words == words;
      if (room.words < words) {
        compare(found, workload.name + " live words in " + room.memory, room.words, words);
      }
    }
  }
  return found;
}

bool rescales(const PlanCase& random) {
  const std::vector<oracle::LeafCounts> walked = oracle::execute_plan(random.cascade, random.plan);
  return std::any_of(walked.begin(), walked.end(),
                     [](const oracle::LeafCounts& leaf) { return leaf.rescaled > 0; });
}

bool has_departure(const PlanCase& random) {
  for (const Intermediate& one : intermediates_of(random.cascade)) {
    const EinsumRange group = group_of(random.plan, one.writer);
    if (!group.has(one.readers.front().einsum)) continue;
    if (random.cascade.einsums[at(one.writer)].leaves) return true;
    if (!group.has(one.readers.back().einsum)) return true;
  }
  return false;
}

bool has_several_homes(const PlanCase& random) {
  for (int e = 0; e < random.cascade.einsum_count(); ++e) {
    if (homes_of(random.cascade, random.plan, e).size() > 1) return true;
  }
  return false;
}

bool has_remainder(const PlanCase& random) {
  for (int e = 0; e < random.cascade.einsum_count(); ++e) {
    for (const PathLoop& one : path_of(random.plan, e)) {
      if (one.loop.tile != 0) return true;
    }
  }
  return false;
}

bool has_padding(const Cascade& cascade) {
  for (const Intermediate& one : intermediates_of(cascade)) {
    const Workload& writer = cascade.workload(one.writer);
    const Workload& reader = cascade.workload(one.readers.front().einsum);
    const Tensor& seen = reader.tensor(one.readers.front().tensor);
    for (std::size_t r = 0; r < seen.ranks.size(); ++r) {
      std::int64_t reach = 1;
      for (const Term& term : seen.ranks[r]) {
        reach += term.coefficient * (reader.dim(term.dim).size - 1);
      }
      if (reach > writer.dim(writer.tensors.back().ranks[r][0].dim).size) return true;
    }
  }
  return false;
}

namespace {
std::string text_of(const PlanNode& node, const Cascade& cascade) {
  std::string text;
  for (const SharedLoop& loop : node.loops) text += to_string(loop) + " ";
  if (node.is_leaf()) return text + cascade.workload(node.einsum).name;
  text += "{";
  for (const PlanNode& child : node.children) text += text_of(child, cascade) + "; ";
  return text + "}";
}
}  // namespace

std::string describe(const PlanCase& random) {
  std::string text;
  for (std::size_t e = 0; e < random.cascade.einsums.size(); ++e) {
    const Workload& workload = random.cascade.einsums[e].workload;
    text +=
        fmt::format("\n  {}: {}; {};", workload.name, einsum_text(workload), sizes_text(workload));
    if (random.cascade.einsums[e].leaves) text += " leaves;";
    for (const Placement& one : random.plan.leaves[e].tensors) {
      text += one.kind == Placement::Kind::Streamed ? " streamed"
              : one.kind == Placement::Kind::Local  ? " local"
                                                    : fmt::format(" kept {}", one.depth);
      if (!one.home.empty()) text += " in " + one.home;
    }
  }
  for (const PlanNode& group : random.plan.groups) {
    text += "\n  " + text_of(group, random.cascade);
    if (!group.shared.empty()) text += " shares " + group.shared;
  }
  return text;
}

}  // namespace tilewright::testing
