#pragma once

#include <span>
#include <vector>

#include "ulna/identify/estimate/torque_model.hpp"

namespace ulna::identify {

/// What is believed of the unknowns before any data, and what keeps estimates physical: a sum of
/// distances that grow beyond all bounds where a body could not exist or friction would push.
///
///     inertia     w (tr(P P0^-1) - log det(P P0^-1) - 4)    P the pseudo-inertia of a body
///     positive    w (x / x0 - log(x / x0) - 1)
///     around      w (x - x0)² / (2 s²)
///
/// The first is the entropic divergence of Lee, Wensing and Park [2020]: the same in whatever frame and
/// units a body is described. All are convex, and near their centre of size w/2 times the square of the
/// relative deviation: w = 1 says that the centre may well be wrong by 100 %.
class PhysicalPrior {
 public:
  explicit PhysicalPrior(int unknowns);

  /// Ten unknowns from `at` on. An expected inertia that no body can have is moved to one that can.
  void add_inertia(int at, const Inertia<double>& expected, double weight);
  void add_positive(int at, double expected, double weight);
  void add_around(int at, double expected, double deviation, double weight = 1.0);

  /// From now on z is believed of some unknowns, and only loosely, for something has changed. Naming
  /// the first of a body's ten names the body. Allocates nothing.
  void expect(const Vector& z, std::span<const int> unknowns);

  /// What is believed of some unknowns counts so many times as much. Naming the first of a body's ten names the body.
  void weigh(std::span<const int> unknowns, double factor);

  int size() const { return size_; }
  /// Where the prior is least.
  const Vector& center() const { return center_; }

  /// Infinite outside.
  double value(const Vector& z) const;
  bool inside(const Vector& z) const { return std::isfinite(value(z)); }
  /// gradient += its slope, H += its curvature, the lower half; z must be inside.
  void add_derivatives(const Vector& z, Vector& gradient, Matrix& H) const;
  /// Its curvature at z, which must be inside, as a whole matrix.
  Matrix information(const Vector& z) const;
  /// The prior of some unknowns only, in that order; of a body, all or none must be among them.
  PhysicalPrior restricted(const std::vector<int>& kept) const;

  /// The prior with more unknowns, of which nothing is believed yet.
  PhysicalPrior extended(int more) const;

  struct Body {
    int at;
    double weight;
    Mat4<double> P0_inverse;
    double log_det0;
  };
  struct Number {
    int at;
    double weight, expected, deviation;  ///< deviation 0: positive
  };
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<Number>& numbers() const { return numbers_; }

 private:
  void set_center(Body& body, const Inertia<double>& expected);

  int size_;
  Vector center_;
  std::vector<Body> bodies_;
  std::vector<Number> numbers_;
};

/// About how far a body extends: from its joint to the farthest joint on it, at least 0.1 m.
double extent(const Model& robot, int body);

struct PriorOptions {
  double deviation = 2.0;  ///< how far off bodies may well be, relative
  bool from_robot = true;  ///< false: only that bodies are bodies, about as large as their links
  /// Inertia of rotors that are not described, as a share of what they turn: the inertia of a joint while all others are free to move.
  double rotors = 3.0;
  /// Friction that is not described is expected to slow this inertia down by no more than so much, rad/s² or m/s², at 1 rad/s or m/s.
  double friction = infinity;
};

/// The prior of a robot, the same for all ways to estimate: bodies as it has them, friction and rotors positive around theirs or, where
/// it has none, around a small share of `typical` torques, offsets around zero.
PhysicalPrior make_prior(const TorqueModel& model, const Vector& typical,
                         const PriorOptions& options);

}  // namespace ulna::identify
