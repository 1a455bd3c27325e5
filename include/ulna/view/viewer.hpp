#pragma once

#include "ulna/view/page/messages.hpp"
#include "ulna/view/server.hpp"

namespace ulna::view {

struct ViewerOptions {
  ServerOptions server = {};
  MeshOptions meshes = {};
  std::string title = {};  ///< empty: the robots' names
  std::string program = "ulna";
  std::string mode = "feed";  ///< what a page is to expect: docs/stream.md
  /// What a page may ask for: check and robot (other robots than these), pose, ik, simulate.
  std::vector<std::string> can = {"check", "robot", "pose", "ik", "simulate"};
  /// What stands still around the robots.
  std::vector<Fixture> fixtures = {};
  /// What `plot` shows.
  std::vector<SeriesGroup> channels = {};
  std::string_view page = {};  ///< instead of the library's own; must outlive the viewer
  /// Gets the requests that the viewer does not answer, as they are, in a thread of the viewer: those of type "live".
  std::function<void(std::string_view request)> requests = {};
};

/// What a page gets first: who the program is, the robots, and what plots are called.
std::vector<Message> opening_messages(const Cast& robots, const ViewerOptions& options,
                                      Meshes& meshes, Diagnostics& found);

/// Shows robots in a browser while a program moves them:
///
///     ulna::view::Viewer viewer(model);
///     std::cout << viewer.url() << '\n';
///     every period:
///       viewer.show(time, q);
///
/// `show`, `plot` and what else is shown of a moment return within microseconds, whatever pages do: they write into a place
/// of their own, which a thread of the viewer reads 125 times a second; what was not read by then is replaced. They
/// allocate nothing, and each is called by one thread at a time.
class Viewer {
 public:
  /// Throws std::runtime_error if the port is taken, std::invalid_argument for robots that cannot be shown.
  explicit Viewer(const Model& model, const ViewerOptions& options = {});
  /// Several robots, which `show` calls by their number from 0.
  explicit Viewer(std::vector<Actor> robots, const ViewerOptions& options = {});
  ~Viewer();
  Viewer(Viewer&&) noexcept;
  Viewer& operator=(Viewer&&) noexcept;

  std::string url() const;
  /// Pages that are connected.
  int clients() const;
  /// What is wrong with the robots' meshes.
  const Diagnostics& diagnostics() const;

  // Of a moment. False: nothing is shown, because there is no such robot, or because numbers are too few, too many or not
  // finite.

  bool show(double time, In<double> q) noexcept { return show(0, time, q); }
  bool show(int robot, double time, In<double> q) noexcept;
  /// Numbers of the channels; those that are not finite are left out.
  bool plot(double time, In<double> values) noexcept;
  /// Forces, up to 1024.
  bool draw(double time, std::span<const Arrow> arrows) noexcept;
  /// Points that a robot is to come through, up to 1024.
  bool draw_trail(int robot, double time, std::span<const Vec3<double>> points) noexcept;

  // These allocate.

  /// Other robots and channels from now on; what was kept is forgotten.
  void set_robots(std::vector<Actor> robots, std::vector<SeriesGroup> channels = {});
  /// To all pages, those that come later too: tracks, say.
  void keep(Message message);
  /// To the pages that are connected now.
  void send(Message message);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::view
