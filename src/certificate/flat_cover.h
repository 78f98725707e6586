// What a flat group takes at least: all counts and orders of its loops, all places of its
// intermediates, and of what comes from outside as far as floors do not decide.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/deadline.h"
#include "certificate/flat_space.h"

namespace tilewright::certificate {

class FlatCover {
 public:
  // Called with questions whose answers might close a cell; where it can, it adds them to the
  // bounds.
  using Ask = std::function<void(const FlatQuestion&)>;

  FlatCover(const FlatSpace& space, const FlatNestBounds& bounds, const EinsumRun& run,
            const Deadline& deadline, Ask ask = {});

  // No plan of the group takes less, nor less than `most`. Where nobody is asked, it ends with the
  // first cell that is not closed. Throws Expired.
  Int128 least(Int128 most);
  std::int64_t cells() const { return cells_; }

 private:
  struct Execution {
    FlatExecution of;
    std::int64_t room = 0;  // that residents leave
  };
  struct Einsum {
    std::vector<Execution> executions;
    std::uint32_t streamed = 0;
  };
  // A place of a tensor from outside.
  struct Option {
    bool streamed = false;
    Int128 cost = 0;                              // of its loads; if it is streamed, at least
    std::vector<std::vector<std::int64_t>> room;  // by einsum and execution
  };
  struct Tensor {
    int einsum = 0, tensor = 0;
    std::vector<Option> options;  // those that take least first
    Int128 least = 0;
  };
  // What is looked into.
  struct Open {
    Int128 fixed = 0;  // what is done afterwards, and intermediates that also leave
    std::vector<Einsum> einsums;
    std::vector<Tensor> tensors;
    Int128 loads = 0;  // of tensors whose place was chosen, unless they are streamed
  };

  // Ends what takes too long.
  void count_step();
  bool is_over() const { return !ask_ && most_ < asked_most_; }
  void choose_loops(std::size_t next, std::vector<FlatLoop>& loops);
  void put_intermediates(int einsum, FlatCell& cell);
  bool may_pay_to_keep(int einsum) const;
  void look_into(FlatCell& cell);
  bool start(const FlatCell& cell, Open& open) const;
  bool take_intermediates(const FlatCell& cell, Open& open) const;
  Int128 floors(const Open& open) const;
  Int128 least_loads(const FlatCell& cell, const Open& open) const;
  Int128 streamed(const Open& open, int einsum, int tensor) const;
  // What loads may take beside what is fixed and all floors, so that the cell is not closed.
  Int128 left_for_loads(const Open& open) const { return most_ - open.fixed - floors(open); }
  void ask_floors(const Open& open, Int128 loads);
  void add_options(const FlatCell& cell, Open& open) const;
  Option option_of(const FlatCell& cell, const Open& open, int einsum, int tensor,
                   const Place& place) const;
  // Visits all places that there is room for, as long as their loads are below a limit, which the
  // visits may lower. `loads` are those of tensors whose place was chosen.
  template <typename Visit>
  void choose_places(std::size_t next, Int128 loads, Open& open, Int128& limit, const Visit& visit);
  bool take_room(const Option& option, int sign, Open& open) const;
  void close(Open& open);
  bool has_room_to_stream(const Open& open) const;
  Int128 total(const Open& open) const;
  int first() const { return group_.run().first; }

  const FlatSpace& space_;
  const FlatNestBounds& bounds_;
  const Deadline& deadline_;
  Ask ask_;
  FlatGroup group_;
  Int128 most_ = 0, asked_most_ = 0;
  std::int64_t cells_ = 0, steps_ = 0;
};

}  // namespace tilewright::certificate
