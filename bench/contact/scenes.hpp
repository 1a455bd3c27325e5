#pragma once

#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "ulna/world/scene.hpp"

/// The scenes of docs/contact.md's table, each for ulna and for MuJoCo.
namespace contact_bench {

struct BenchScene {
  std::string name;
  ulna::Scene scene;
  double duration;  ///< s
  /// Torques of robot i; none: it is limp.
  std::function<void(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t,
                     Eigen::VectorXd& tau)>
      torque = {};
};

/// With `humanoid`, the file of one that falls in a scene of its own: a sphere at each of its links touches the ground, as the files
/// of such robots often have no shapes of use.
std::vector<BenchScene> all_scenes(const std::string& humanoid = {});

/// What one library did with a scene.
struct Figures {
  double seconds = 0.0;  ///< of processor time
  long steps = 0;
  double penetration = 0.0;  ///< m, the deepest of the second half
  double drift = 0.0;        ///< m, of the body that moved most in the second half
  double creep = 0.0;        ///< m/s, the fastest slip of a contact that friction holds, at the end
  double energy = 0.0;       ///< J, kinetic at the end
  double momentum = 0.0;     ///< N s, linear at the end
  double residual = 0.0;     ///< m/s: of Coulomb's law at contacts, the worst of all steps
  double unconverged = 0.0;  ///< share of steps that are above the tolerance
  bool good = true;
};

/// Adds up the processor time of pieces, without what reading the clock takes: a system call, of some tenths of a microsecond, which
/// is a tenth of the shortest steps.
class Stopwatch {
 public:
  void begin() { begin_ = std::clock(); }
  void end() { sum_ += std::clock() - begin_, ++pieces_; }
  double seconds() const {
    Stopwatch empty;
    for (int i = 0; i < 100000; ++i) empty.begin(), empty.end();
    const double nothing = static_cast<double>(empty.sum_) / static_cast<double>(empty.pieces_);
    return (static_cast<double>(sum_) - nothing * static_cast<double>(pieces_)) / CLOCKS_PER_SEC;
  }

 private:
  std::clock_t begin_ = 0, sum_ = 0;
  long pieces_ = 0;
};

Figures run_ulna(const BenchScene& scene);
/// Without MuJoCo there are none.
bool has_mujoco();
Figures run_mujoco(const BenchScene& scene);

}  // namespace contact_bench
