#pragma once

#include "identify/refine/shooting.hpp"
#include "ulna/identify/refine/physical_coordinates.hpp"
#include "ulna/identify/refine/refine.hpp"

namespace ulna::identify {

/// The least squares of refine(): parameters, a state and a push for each window, and how much
/// everything counts.
class ShootingProblem {
 public:
  ShootingProblem(const TorqueModel& model, const BaseParameters& base, const Estimate& start,
                  const Prepared& prepared, const RefineOptions& options);

  /// Each window by itself: the state and the push that lead best along it, by one step of
  /// Gauss and Newton.
  void settle();
  /// Sets weights by what is left between simulated and measured, and by the pushes; the largest
  /// relative change of a deviation.
  double weigh_by_noise();

  RefineStatus solve(int most_iterations, double most_seconds,
                     const std::function<bool(int, double)>& progress);
  int iterations() const { return iterations_; }
  const std::string& reason() const { return reason_; }

  /// Of simulated less measured, per degree of freedom.
  void rms(Eigen::VectorXd& position, Eigen::VectorXd& velocity);
  /// Sets parameters and their deviations.
  void report(Refinement& result);

  double window() const;
  int windows() const { return int(windows_.size()); }
  int samples() const;

  // --- what the squares are made of ---

  int coordinates() const { return coordinates_.size(); }
  const Window& window(std::size_t w) const { return windows_[w]; }
  int state_size() const { return 3 * nv_; }
  /// Rows of a window: its samples, the gap to the next or its end, and the push.
  int rows(std::size_t w) const;
  /// Takes the numbers of theta for what follows; false if they are not finite.
  bool set(const double* theta, bool with_slopes);
  /// Row-major Jacobians by theta and by the states of this window and the next; null if not wanted.
  bool evaluate(std::size_t w, const double* state, const double* next, double* residuals,
                double* by_theta, double* by_state, double* by_next);
  void prior(const double* theta, double* residuals, double* by_theta) const;

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  /// Cuts pieces into windows no longer than this; false if none fits.
  bool cut(double seconds);
  void leave_out();
  bool possible();
  /// Residuals without weights, q above v, a column per sample; and where windows do not continue.
  Matrix errors(std::vector<Eigen::Index>& breaks);
  Vector measured(const Window& window, int sample) const;
  Vector numbers(const Vector& theta) const;
  /// By coordinates from by numbers.
  void chain(const Eigen::Ref<const Matrix>& by_numbers, Matrix& by_theta) const;
  Matrix information();
  Vector gap_noise(const Vector& noise);

  const TorqueModel& model_;
  const BaseParameters& base_;
  const Prepared& prepared_;
  const RefineOptions& options_;
  int nv_;
  bool velocities_;
  ShootingNumbers layout_;
  std::vector<int> free_;  ///< numbers that are not known
  Vector known_;
  PhysicalCoordinates coordinates_;
  Shooting shooting_;
  Vector theta_;
  Matrix slopes_;  ///< of free numbers by theta, bodies' ten and single ones
  std::vector<Window> windows_;
  std::vector<Vector> states_;  ///< (q, v, push)
  Vector noise_, weight_, gap_weight_, push_weight_;
  int iterations_ = 0;
  std::string reason_;
};

}  // namespace ulna::identify
