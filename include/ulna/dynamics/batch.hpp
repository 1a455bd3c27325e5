#pragma once

#include <memory>

#include "ulna/dynamics/arguments.hpp"

namespace ulna {

/// Dynamics of many states at once: several in the lanes of SIMD registers, and those on several
/// threads. A state is a column; a row-major matrix with a state per row is the same memory and can be
/// given through rows().
///
///     Batch batch(model);                                  // all cores
///     batch.inverse_dynamics(plant, Q, V, A, Tau);         // Q: nq x N, V, A, Tau: nv x N
///
/// The widest instructions that the processor has are chosen when the program runs. The results are
/// the same to the last bit for any number of threads and any position of a state in the batch.
/// Threads are kept between calls; one Batch serves one caller at a time.
class Batch {
 public:
  using In = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  using Out = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

  /// threads = 0: as many as there are cores.
  explicit Batch(const Model& model, int threads = 0);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  /// Tau (nv x N): inverse_dynamics of each column, friction and rotors included.
  void inverse_dynamics(const Plant<double>& plant, In Q, In V, In A, Out Tau);
  /// A (nv x N): forward_dynamics of each column. False, and NaN in the columns concerned, where the
  /// mass matrix is not positive definite.
  [[nodiscard]] bool forward_dynamics(const Plant<double>& plant, In Q, In V, In Tau, Out A);
  /// M (nv nv x N): each column a mass matrix, which is symmetric, in one piece.
  void mass_matrix(const Plant<double>& plant, In Q, Out M);
  /// X (7 x N): the pose of a frame, as quaternion w, x, y, z and position.
  void pose(In Q, const Frame& frame, Out X);
  /// J (6 nv x N): each column a Jacobian in world axes at the frame's origin, column by column.
  void jacobian(In Q, const Frame& frame, Out J);

  int threads() const;
  /// "avx2" or "baseline", and how many states that is at once.
  std::string_view instructions() const;
  int lanes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A row-major matrix with a state per row, seen as one with a state per column.
template <class Matrix>
auto rows(Matrix& row_major) {
  static_assert(Matrix::IsRowMajor, "rows() takes a row-major matrix");
  using Column =
      std::conditional_t<std::is_const_v<Matrix>, const Eigen::MatrixXd, Eigen::MatrixXd>;
  return Eigen::Map<Column, 0, Eigen::OuterStride<>>(row_major.data(), row_major.cols(),
                                                     row_major.rows(),
                                                     Eigen::OuterStride<>(row_major.outerStride()));
}

}  // namespace ulna
