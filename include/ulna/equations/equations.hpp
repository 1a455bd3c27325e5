#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

/// Equations of motion in symbols, for people to read:
///
///     tau = M(q) q̈ + C(q, q̇) q̇ + g(q)
///
/// and of robots with springs and coupled motors (docs/drives.md), θm being the joints' positions on the motors' side,
///
///     s = M(q) q̈ + C(q, q̇) q̇ + g(q),    N' tau = B θ̈m + s
///
/// The Lagrangian by body Jacobians of ulna/classic is run on expressions. For small arms: how long an
/// equation is grows exponentially with the number of joints. An optional part of ulna: needs GiNaC.
namespace ulna::equations {

/// A parameter of the arm.
struct Symbol {
  std::string name;     ///< m1, l1, lc1, I1, g, ...
  std::string meaning;  ///< "mass of link 'upper'"
  std::string unit;
  double value = 0.0;  ///< in this robot; never negative
};

/// th1, th2, ... for joints that turn, d1, d2, ... for those that slide, numbered together.
struct Coordinate {
  std::string name;
  std::string joint;
  bool slides = false;
};

enum class Term {
  M,        ///< mass matrix
  C,        ///< Coriolis matrix by Christoffel symbols
  h,        ///< C q̇: Coriolis and centrifugal torques
  gravity,  ///< what holds the arm against gravity
  spring,   ///< s: torques of the springs; 0 where a joint is rigid
  rotors    ///< B: inertia of the motors that are coupled or behind springs, seen at the joints
};

enum class Notation {
  ascii,    ///< m2*l1*cos(th1 + th2)*th1'
  unicode,  ///< m2 l1 cos(θ1 + θ2) θ̇1
  latex
};

struct Options {
  bool numeric = false;          ///< the robot's numbers instead of symbols
  bool short_names = false;      ///< C12 and S12 for cos(θ1 + θ2) and sin(θ1 + θ2)
  std::vector<std::string> let;  ///< "lc1=l1/2": put in what holds in this robot, or rename
  /// Which are derived; empty: all. Gravity alone is much shorter. Those of drives are derived always.
  std::vector<Term> terms;

  // what it may cost; std::length_error beyond
  int most_joints = 7;
  std::size_t most_terms = 20'000;        ///< in one expression on the way
  std::size_t most_products = 5'000'000;  ///< of two terms
  std::size_t longest = 1'000;            ///< terms in one element that is printed
  double seconds = 30.0;
};

/// A relation of Options::let that names what the robot does not have, or does not hold in it.
struct RelationError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

class Equations {
 public:
  /// Throws std::invalid_argument for robots with other joints than revolute and prismatic ones,
  /// RelationError for wrong relations, std::length_error for robots whose equations would be too long to read.
  explicit Equations(const Model& model, const Options& options = {});

  int size() const;  ///< degrees of freedom
  const std::string& robot() const;
  const std::vector<Coordinate>& coordinates() const;
  /// thm1, thm2, ...: the positions of motors behind springs, seen at the joints, with the numbers of the joints.
  const std::vector<Coordinate>& motors() const;
  /// Those that the equations have, in the order of links.
  const std::vector<Symbol>& symbols() const;
  /// Whether friction or damping of the robot was left out.
  bool without_friction() const;
  /// Whether the turning of links that carry rotors was left out [De Luca, Tomei 1996].
  bool without_carriers() const;

  /// A symbol or coordinate as it is written: th1, θ1, \theta_1.
  std::string name(const std::string& symbol, Notation notation) const;
  /// One element, simplified; of vectors, c is 0.
  std::string element(Term term, int r, int c, Notation notation) const;
  /// Whether an element is identical to an expression such as "m2*l^2*(1/3 + cos(th2)/2)". Velocities
  /// are v1, v2, ..., those of motors w1, w2, ... Throws std::invalid_argument if it cannot be read.
  bool equal(Term term, int r, int c, const std::string& expression) const;
  /// An element as a number, for the robot's own parameters.
  double value(Term term, int r, int c, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// With motors at theta and omega, as they are seen at the joints; numbers of rigid joints are not read.
  double value(Term term, int r, int c, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               const Eigen::VectorXd& theta, const Eigen::VectorXd& omega) const;

  /// A function in C99 that fills these terms from q and v, and s from theta and omega, too.
  std::string c_function(const std::vector<Term>& terms) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace ulna::equations
