// Requests: dispatches the requests of clients: changes of jobs, queues and hosts to the Book, badmin's orders for the daemon to
// Controls, questions to Queries.
//
// It owns nothing. The answer to a change leaves when the change is on disk.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "sched/mbatchd/committer.hpp"
#include "sched/mbatchd/controls.hpp"
#include "sched/mbatchd/queries.hpp"
#include "sched/policy/book/client_commands.hpp"

namespace rollcall::mbatchd {

class Requests {
 public:
  struct Handler {
    std::function<void(sched::Effects)> changed;
    std::function<void()> turn_soon;
    std::function<void(io::LinkId, sched::JobKey)> interactive;  // such a job was accepted
    std::function<const Configuration&()> configuration;
    std::function<bool(std::size_t bytes)> memory_for;  // so many more
    std::function<sched::book::Applied(const wire::ControlBatch&, const sched::Identity&)> write_off;
    // Of a file of a job in another cluster.
    std::function<void(io::LinkId, const sched::Identity&, const wire::AskPiece&)> piece;
    std::function<const sched::cycle::Snapshot&()> snapshot;
  };
  Requests(boost::asio::io_context& loop, sched::book::ClientCommands& commands, Committer& committer,
           Queries& queries, Controls& controls, Clients& clients, io::Links& links, const io::Log& log,
           Handler handler)
      : commands_(commands),
        committer_(committer),
        queries_(queries),
        controls_(controls),
        clients_(clients),
        links_(links),
        log_(log),
        handler_(std::move(handler)),
        give_up_(loop) {}

  void take(io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request);
  // To be called after each turn: does one more piece of every request that concerns very many jobs.
  void go_on();
  // To be called before a cycle, which might take the jobs again: does those that waited for jobs of other clusters.
  void jobs_came_back();

 private:
  struct LongWork {
    io::LinkId link = 0;
    std::function<sched::book::Applied(std::size_t most, WallTime now)> some;
    boost::asio::steady_timer::time_point until = {};  // of one that waits for another cluster
  };
  void carry_out(io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request);
  void do_piece(LongWork work);
  void await(LongWork work, sched::Effects effects);
  // Refuses what has waited too long for another cluster, and sets the timer for the next one.
  void give_up();
  bool has_memory_for(const wire::Submit& request) const;
  void submit(io::LinkId link, const sched::Identity& who, const wire::Submit& request);
  void applied(io::LinkId link, sched::book::Applied done);
  void write_off(io::LinkId link, const sched::Identity& who, const wire::ControlBatch& asked);
  void note_stores_taken(const sched::Identity& who, const wire::ControlBatch& asked,
                         const wire::BatchReply& reply);
  void control(io::LinkId link, const sched::Identity& who, const wire::ControlBatch& asked);

  sched::book::ClientCommands& commands_;
  Committer& committer_;
  Queries& queries_;
  Controls& controls_;
  Clients& clients_;
  io::Links& links_;
  const io::Log& log_;
  Handler handler_;
  std::vector<LongWork> works_;
  std::vector<LongWork> awaiting_;  // jobs that other clusters were asked to give back
  boost::asio::steady_timer give_up_;
};

}  // namespace rollcall::mbatchd
