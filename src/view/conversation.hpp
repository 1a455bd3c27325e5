#pragma once

#include "ulna/dynamics/inverse_kinematics.hpp"
#include "ulna/dynamics/kinematics.hpp"
#include "ulna/dynamics/workspace.hpp"
#include "ulna/view/page/messages.hpp"
#include "view/page/json.hpp"

namespace ulna::view {

/// What a page may ask for, and how much an answer may cost.
struct ConversationOptions {
  std::vector<std::string> can = {"check", "robot", "pose", "ik", "simulate"};
  std::function<bool()> go_on = {};  ///< asked in long computations; false ends them
  std::size_t most_links = 2000;     ///< of a dropped file
  double longest_ik = 0.05;          ///< s of computing
  double longest_simulation = 5.0;   ///< s of computing
  double longest_motion = 120.0;     ///< s that are simulated
};

/// The answers to one page: about the robots that it shows, which at first are the program's.
class Conversation {
 public:
  Conversation(std::shared_ptr<const Cast> cast, Meshes& meshes,
               const ConversationOptions& options = {});

  /// Answers `check`, `robot`, `pose`, `ik` and `simulate`; what is none of these has no answer, and what is wrong with a
  /// request is an `error`.
  std::vector<Message> answer(std::string_view request) { return answer(parse(request)); }
  std::vector<Message> answer(const Json& request);
  /// Whether the page has chosen other robots than the program's.
  bool has_own_robots() const { return own_; }

  /// An object, if it is one that is not nested deeply; otherwise null.
  static Json parse(std::string_view text);
  /// Requests of one kind by one page replace each other while they wait: only the last is of interest.
  static bool is_replaceable(const Json& request);

 private:
  /// A robot with what computing takes.
  struct Robot {
    explicit Robot(const Model& m) : plant(m), at(m), ws(m) {}
    Plant<double> plant;
    Kinematics<double> at;
    Workspace<double> ws;
  };

  void show(Model model, std::vector<Message>& out);
  std::vector<Message> check(const Json& request);
  std::vector<Message> other_robot(const Json& request);
  std::vector<Message> pose(const Json& request);
  std::vector<Message> ik(const Json& request);
  std::vector<Message> simulate(const Json& request);
  int robot_of(const Json& request) const;
  Robot& robot(int id);

  std::shared_ptr<const Cast> cast_;
  bool own_ = false;
  Meshes& meshes_;
  ConversationOptions options_;
  std::vector<std::unique_ptr<Robot>> robots_;  ///< made when they are asked for
};

}  // namespace ulna::view
