#pragma once

#include <optional>
#include <span>

#include "ulna/dynamics/arguments.hpp"
#include "ulna/geometry/shape.hpp"
#include "ulna/model/model.hpp"
#include "ulna/view/page/meshes.hpp"
#include "ulna/view/page/message.hpp"

/// The messages of docs/stream.md.
namespace ulna::view {

inline constexpr int stream_version = 1;

/// A shape on a link, besides those of the robot's description.
struct AddedShape {
  std::string link;
  CollisionShape shape;
  Transform<double> X_LS = {};  ///< in the link
  std::optional<Vec4<double>> rgba = {};
};

/// A robot that is shown.
struct Actor {
  Model model;
  std::string name = {};        ///< empty: the model's
  bool ghost = false;           ///< drawn translucent: a reference, say
  Eigen::VectorXd q = {};       ///< where it is at first; empty: neutral
  Transform<double> X_WR = {};  ///< where its base stands
  int color = 0;                ///< of a ghost: one of the page's eight, from 1; 0: that of ghosts
  std::vector<AddedShape> shapes = {};
};

/// What stands still around robots.
struct Fixture {
  std::string name;
  CollisionShape shape;
  Transform<double> X_WS = {};
};

/// A body that no joint holds: a robot of one link with a floating joint, whose q is x, y, z after the quaternion's w, x, y, z.
Actor loose_actor(const std::string& name, const Inertia<double>& inertia,
                  const std::vector<AddedShape>& shapes = {});

using Cast = std::vector<Actor>;

/// Numbers over time that a page draws: one of a message of values each.
struct Series {
  std::string name;
  int robot = -1, joint = -1;  ///< which it belongs to, the joint as in the scene; -1: none
};
struct SeriesGroup {
  std::string name, unit;
  std::vector<Series> series;
};

/// A force, N, and where it acts, in the world.
struct Arrow {
  Vec3<double> point, force;
};

struct Hello {
  std::string program = "ulna", mode = "feed", title;
  std::vector<std::string> can, robots;
};
std::string hello_message(const Hello& hello);

/// Robots as they look, and what stands around them. What is wrong with their meshes is found.
std::string scene_message(std::span<const Actor> actors, Meshes& meshes, Diagnostics& found,
                          std::span<const Fixture> fixtures = {});
std::string channels_message(std::span<const SeriesGroup> groups);
/// `text`: the file's, so that its lines can be shown.
std::string diagnostics_message(std::string_view file, std::string_view text,
                                const Diagnostics& found, double request = -1.0);
/// `series`: of which robot and joint, in the order of velocities.
std::vector<Series> series_of_joints(const Model& model, int robot = 0);

// A page has coordinates of its own: of planar joints x, y and the angle, of floating ones x, y, z and the quaternion.

/// Where each number of a page is in q.
std::vector<int> page_order(const Model& model);
Eigen::VectorXd page_coordinates(const Model& model, const Eigen::VectorXd& q);
Eigen::VectorXd model_coordinates(const Model& model, const Eigen::VectorXd& page_q);

// --- binary; numbers of a moment ---

std::string state_message(int robot, const Model& model, double time, const Eigen::VectorXd& q);
std::string values_message(double time, const Eigen::VectorXd& values);
std::string arrows_message(double time, std::span<const Arrow> arrows);
std::string trail_message(int robot, double time, std::span<const Vec3<double>> points);

// --- binary; numbers over time, a column per moment, in pieces of 1 MiB at most ---

/// A robot is not shown where its q is NaN.
std::vector<Message> track_messages(int robot, const Model& model, const Eigen::VectorXd& times,
                                    const Eigen::MatrixXd& q);
std::vector<Message> value_track_messages(const Eigen::VectorXd& times,
                                          const Eigen::MatrixXd& values);
/// `arrows`: for each moment.
std::vector<Message> arrow_track_messages(const Eigen::VectorXd& times,
                                          std::span<const std::vector<Arrow>> arrows);

/// The page with messages that it shows by itself, without a server; and the meshes that it needs, all that there are.
std::string page_with(std::string_view page, std::span<const Message> messages,
                      const Meshes& meshes);
/// The page of this library.
std::string_view page();

}  // namespace ulna::view
