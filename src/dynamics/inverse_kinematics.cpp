#include "ulna/dynamics/inverse_kinematics.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cstdio>
#include <limits>

namespace ulna {
namespace {

/// One descent from one start.
class Descent {
 public:
  Descent(const Model& model, const Frame& frame, const Transform<double>& target,
          const IkOptions& options, const IkConstraint& constraint)
      : model_(model),
        frame_(frame),
        target_(target),
        options_(options),
        constraint_(constraint),
        at_(model),
        rows_(options.position_only ? 3 : 6),
        J_(6, model.nv()),
        moves_(Eigen::ArrayX<bool>::Constant(model.nq(), is_constrained())),
        coordinate_(static_cast<std::size_t>(model.nv()), -1) {
    for (int b = frame.body; b > 0; b = model.joint(b).parent)
      moves_.segment(model.joint(b).q, configuration_size(model.joint(b).type)).setConstant(true);
    for (int b = 1; b < model.body_count(); ++b) {
      const Joint& j = model.joint(b);
      if (velocity_size(j.type) == 1 && !j.mimics) coordinate_[static_cast<std::size_t>(j.v)] = j.q;
    }
  }

  void run(Eigen::VectorXd q, IkResult& best) {
    double damping = 1e-3;
    Vec6<double> error = error_at(q);
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < options_.iterations; ++i) {
      ++best.iterations;
      remember(q, error, best);
      best.stopped = !best.found && options_.go_on && !options_.go_on(best.starts - 1);
      if (best.found || best.stopped) return;
      // a descent that leads somewhere does so quickly
      if (i % 15 == 0) {
        if (error.tail(rows_).squaredNorm() > 0.5 * before) return;
        before = error.tail(rows_).squaredNorm();
      }
      frame_jacobian<double>(at_, frame_, Axes::aligned, J_);
      const auto e = error.tail(rows_);
      // take steps as bold as they pay off
      bool better = false;
      for (int trial = 0; trial < 12 && !better; ++trial) {
        const Eigen::VectorXd step = bounded_step(q, e, damping * (1e-6 + e.squaredNorm()));
        Eigen::VectorXd next = within_limits(integrate(model_, q, step), q);
        const bool met = reach(q, next);
        const Vec6<double> next_error = error_at(next);
        better = met && next_error.tail(rows_).squaredNorm() < e.squaredNorm() * (1.0 - 1e-9);
        if (better)
          q = next, error = next_error, damping = std::max(damping / 5.0, 1e-9);
        else
          damping *= 5.0;
      }
      if (!better) break;
    }
    remember(q, error, best);
  }

  /// The coordinates that move the frame, within their limits; the others as in `given`.
  Eigen::VectorXd within_limits(const Eigen::VectorXd& q, const Eigen::VectorXd& given) const {
    return moves_.select(q.cwiseMax(model_.lower_limit()).cwiseMin(model_.upper_limit()), given);
  }
  /// Whether the constraint can be met near `to`, which is moved there, within the limits.
  bool reach(const Eigen::VectorXd& from, Eigen::VectorXd& to) const {
    if (!is_constrained()) return true;
    constexpr double slack = 1e-9;
    return constraint_.reach(from, to) && ((to - model_.lower_limit()).array() >= -slack &&
                                           (model_.upper_limit() - to).array() >= -slack)
                                              .all();
  }

 private:
  bool is_constrained() const { return bool(constraint_.jacobian); }
  /// J along motions that the constraint allows, without the joints that are blocked.
  Eigen::MatrixXd allowed(const Eigen::MatrixXd& J, const Eigen::MatrixXd& rows,
                          const std::vector<Eigen::Index>& blocked) const {
    if (!is_constrained()) {
      Eigen::MatrixXd free = J;
      for (const Eigen::Index i : blocked) free.col(i).setZero();
      return free;
    }
    const Eigen::Index n = J.cols(), given = rows.rows();
    Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(given + std::ssize(blocked), n);
    zero.topRows(given) = rows;
    for (std::size_t i = 0; i < blocked.size(); ++i)
      zero(given + static_cast<Eigen::Index>(i), blocked[i]) = 1.0;
    return J - J * zero.completeOrthogonalDecomposition().solve(zero);
  }

  /// The damped step. Joints that stand at a limit and would be pushed across it do not take part. No step
  /// at all where numbers overflow.
  Eigen::VectorXd bounded_step(const Eigen::VectorXd& q, const Eigen::VectorXd& e,
                               double damping) const {
    Eigen::MatrixXd J = J_.bottomRows(rows_);
    const Eigen::MatrixXd held =
        is_constrained() ? constraint_.jacobian(q) : Eigen::MatrixXd(0, J.cols());
    std::vector<Eigen::Index> at_limits;
    J = allowed(J, held, at_limits);
    // each time round at least one joint more is left out
    for (Eigen::Index round = 0; round <= J.cols(); ++round) {
      Eigen::MatrixXd A = J * J.transpose();
      A.diagonal().array() += damping;
      Eigen::VectorXd step = J.transpose() * A.ldlt().solve(e);
      for (const Eigen::Index i : at_limits) step(i) = 0.0;
      bool blocked = false;
      for (Eigen::Index i = 0; i < step.size(); ++i) {
        const int c = coordinate_[static_cast<std::size_t>(i)];
        if (c < 0 || step(i) == 0.0) continue;
        if (step(i) < 0.0 ? q(c) > model_.lower_limit()(c) : q(c) < model_.upper_limit()(c))
          continue;
        at_limits.push_back(i);
        blocked = true;
      }
      if (!step.allFinite()) break;
      if (!blocked) return step;
      J = allowed(J_.bottomRows(rows_), held, at_limits);
    }
    return Eigen::VectorXd::Zero(J.cols());
  }

  /// From where the frame is to where it should be: rotation, then translation, world axes.
  Vec6<double> error_at(const Eigen::VectorXd& q) {
    at_.set(q);
    const Transform<double> X = at_.pose(frame_);
    Vec6<double> e;
    e << (target_.rotation() * X.rotation().inverse()).log(),
        target_.translation() - X.translation();
    return e;
  }

  void remember(const Eigen::VectorXd& q, const Vec6<double>& error, IkResult& best) const {
    const double position = error.tail<3>().stableNorm(),
                 orientation = options_.position_only ? 0.0 : error.head<3>().norm();
    if (best.q.size() && position + orientation >= best.position_error + best.orientation_error)
      return;
    best.q = q;
    best.position_error = position, best.orientation_error = orientation;
    best.found =
        position <= options_.position_tolerance && orientation <= options_.orientation_tolerance;
  }

  const Model& model_;
  const Frame& frame_;
  const Transform<double>& target_;
  const IkOptions& options_;
  const IkConstraint& constraint_;
  Kinematics<double> at_;
  int rows_;
  Eigen::MatrixXd J_;
  Eigen::ArrayX<bool> moves_;    ///< of each coordinate, whether it moves the frame
  std::vector<int> coordinate_;  ///< of each velocity, where it is that of one coordinate; else -1
};

}  // namespace

IkResult inverse_kinematics(const Model& model, const Frame& frame, const Transform<double>& target,
                            const Eigen::VectorXd& start, const IkOptions& options,
                            const IkConstraint& constraint) {
  detail::require<double>("start", start, model.nq(), model);
  if (!target.matrix().allFinite())
    throw std::invalid_argument("inverse kinematics: the target is not finite");
  if (options.restarts < 0 || options.iterations < 1)
    throw std::invalid_argument("inverse kinematics: " + std::to_string(options.restarts) +
                                " restarts of " + std::to_string(options.iterations) +
                                " iterations; there must be at least 0 restarts and 1 iteration");
  IkResult best;
  std::mt19937_64 random(options.seed);
  Descent descent(model, frame, target, options, constraint);
  Eigen::VectorXd q = constraint.reach ? start : descent.within_limits(start, start);
  for (int s = 0; s <= options.restarts && !best.found && !best.stopped; ++s) {
    ++best.starts;
    descent.run(q, best);
    bool reached = false;
    for (int draw = 0; draw < 10 && !reached; ++draw) {
      q = descent.within_limits(random_configuration(model, random), start);
      reached = descent.reach(start, q);
    }
    if (!reached) q = start;
  }
  return best;
}

std::string IkResult::report() const {
  char text[160];
  std::snprintf(text, sizeof text, "%s in %d %s (%d %s): %.1e m, %.1e rad",
                found     ? "found"
                : stopped ? "stopped: not found"
                          : "not found",
                iterations, iterations == 1 ? "iteration" : "iterations", starts,
                starts == 1 ? "start" : "starts", position_error, orientation_error);
  return text;
}

}  // namespace ulna
