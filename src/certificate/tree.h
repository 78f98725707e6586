// The search of a frame from the outermost memory in: with the outer loops
// fixed, their links are paid for and the ports they load are known; the lattice
// bounds the rest (docs/optimal.md, "Closing a frame").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "certificate/frame_bound.h"
#include "certificate/lattice.h"
#include "certificate/leaf.h"
#include "certificate/port_lattice.h"
#include "certificate/step_bound.h"
#include "certificate/target.h"

namespace tilewright::certificate {

using Classes = std::array<int, kMaxDims>;

class Tree {
 public:
  // What is known of the frame.
  struct Known {
    const Context& context;
    const FrameBound& bound;
    const StepBound& steps;
    const Lattice& lattice;
    const std::vector<PortLattice>& ports;
    const Target& target;
  };
  // `closings` are those of the energy's lattice.
  Tree(const Known& known, Closings& closings, const Deadline& deadline);

  // A mapping of the frame that is better than the target, if there is one. Throws Expired.
  // Gives up after so many nodes.
  std::optional<Found> find_better(std::int64_t most_nodes);
  bool gave_up() const { return nodes_ > most_nodes_; }
  std::int64_t nodes() const { return nodes_; }

 private:
  // What is decided so far, from the outside.
  struct Node {
    std::int64_t spent = 0;        // beyond the least of the links that are paid
    std::vector<PortWords> ports;  // with the links that are paid as they are
    // Changes of the tile that stands still in a systolic array, once its link is paid.
    Int128 changes = 0, standing_still = 0;
    Int128 cycles = 0;           // of the multipliers, at these extents
    std::int64_t instances = 1;  // at least so many are in use
  };
  // The loops of a memory, whose bounds are chosen: what is inside and outside them.
  struct Crossing {
    int memory = 0;
    Classes inside{}, outside{};
    Open inside_open{};
    std::optional<Open> outside_open;  // nothing where all is paid
    std::int64_t value = 0;            // least energy of all that is inside
    std::uint32_t points = 0;          // tensors whose storage point is inside some of the loops
  };
  // A way through a block, from the inside out.
  struct Path {
    Classes extents{};
    Open open{};
    std::vector<int> order;
    Node node;
    // Where storage points differ: the points so far, the last one open; the tensors that have
    // theirs, and the room that they take.
    std::vector<PointLoops> points = {};
    std::uint32_t placed = 0;
    std::int64_t room = 0;

    void put_point(std::uint32_t tensors);
  };

  // Chooses the extents outside the outermost loops, where nothing is left.
  void choose_ends(int dim, Classes& outside);
  // Chooses the loops of a memory, dimension by dimension. Outside them are these
  // extents; `open` is what waits there, or nothing where all is paid.
  void choose_inside(int memory, int dim, const Classes& outside, const std::optional<Open>& open,
                     const Node& node);
  void order_loops(int memory, const Classes& outside, const std::optional<Open>& open,
                   const Node& node);
  void add_loop(Path& path, int dim, int outside) const;
  // Puts the loops of a block, `rest` of this stage and those of further ones, in every
  // order that matters, from the inside out.
  void place_loops(const Crossing& block, std::size_t stage, std::uint32_t rest, Path path);
  void place_moving(const Crossing& block, std::size_t stage, std::uint32_t rest,
                    std::uint32_t moving, const Path& path);
  void finish_block(const Crossing& block, Path path);
  // Whether another way through the block came to the same points and loops for the same cost.
  bool is_known(const Crossing& block, const std::vector<PointLoops>& points, const Node& node);

  // Storage points inside some loops of a block, from the inside out.
  void choose_gap(const Crossing& block, int dim, const Path& path);
  void place_points(const Crossing& block, const Path& path);
  void move_by(const Crossing& block, const Path& path, int dim, std::uint32_t points);
  void take_step(const Crossing& block, const Path& path, std::uint32_t moved, std::uint32_t points,
                 const Move& move);
  bool has_room(const Crossing& block, const Path& path);
  // The loops of a dimension that stay inside the block.
  std::vector<Step> steps_within(const Crossing& block, const Path& path, int dim);
  std::vector<PointLoops> points_of(const Crossing& block, Path& path) const;

  // Storage points where rules say more of the loops than their dimensions: each dimension has
  // one loop per point, `rest` of this stage and those of further ones are to come.
  bool is_restricted(int memory) const;
  void choose_still(const Crossing& block, std::size_t stage, std::uint32_t still,
                    std::uint32_t rest, const Path& path);
  void choose_moving(const Crossing& block, std::size_t stage, std::uint32_t rest,
                     const Path& path);
  void end_point(const Crossing& block, const Path& path);
  void end_restricted(const Crossing& block, Path path);

  // Goes on to the next memory inside.
  void enter(int memory, int dim, const Classes& inside, Classes& classes, const Open& open,
             const Node& node);
  // Pays for the open links of tensors; false if no mapping costs so much.
  bool pay(Path& path, std::uint32_t tensors, int block, const Move& move) const;
  void pay(Path& path, Closing& closing, int tensor, const Move& move) const;
  void load_ports(const LinkBound& link, const Classes& extents, const Move& move,
                  Node& node) const;
  bool reaches_target(const Node& node, std::int64_t value, Int128 cycles) const {
    return reaches_target(node.spent + value, cycles, node.instances);
  }
  bool reaches_target(std::int64_t value, Int128 cycles, std::int64_t instances) const;
  bool is_cut(const Node& node, std::int64_t value) const;
  bool ports_cut(int memory, const Open& open, std::size_t place, const Node& node,
                 std::int64_t value) const;
  bool is_over() const { return better_ || gave_up(); }
  // The node has spent, and what is inside costs, so much at least.
  void try_leaf(const Node& node, std::int64_t value);
  // At least so many instances are in use by mappings that may be better, of this node and what
  // is inside the block.
  std::int64_t instances_of(const Crossing& block, Node node, std::int64_t value) const;
  // The same with these extents inside a memory's loops, by any mapping or by those that waste no
  // steps.
  enum class Steps { Any, NoneWasted };
  std::int64_t instances_with(int memory, const Classes& inside, std::int64_t known,
                              Steps steps) const;
  // Whether mappings that waste steps are no better, of this node and such a value.
  bool waste_reaches_target(int memory, const Classes& inside, const Node& node,
                            std::int64_t value) const;
  bool may_waste(int memory, int dim, int inside) const;
  // Whether a dimension is unrolled just inside a memory and nowhere outside it.
  bool is_first_unrolled(int memory, int dim) const;
  // The class outside the fan-outs between a memory and the next one outside.
  int unrolled(int memory, int dim, int inside) const;

  const Context& context_;
  const FrameBound& bound_;
  const StepBound& steps_in_time_;
  const Lattice& lattice_;
  const std::vector<PortLattice>& ports_;
  Closings& closings_;
  const Target& target_;
  const Deadline& deadline_;
  Leaf leaf_;
  bool limited_;  // some port has a bandwidth, or an array is systolic
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> points_;  // by memory, tensors whose point is inside some of its loops
  std::map<int, CapacityCheck> rooms_;
  std::vector<std::set<std::vector<Int128>>> known_;  // by memory: points, loops and costs
  // By memory and dimension: loops of one point, and whether they lead from a class to another.
  struct PointSteps {
    std::vector<std::vector<Step>> from;
    std::vector<std::vector<char>> leads;
  };
  const PointSteps& point_steps(int memory, int dim);
  std::map<std::pair<int, int>, PointSteps> steps_;
  std::optional<Found> better_;
  std::int64_t nodes_ = 0, most_nodes_ = 0;
};

}  // namespace tilewright::certificate
