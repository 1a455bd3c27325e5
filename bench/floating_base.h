#ifndef ULNA_BENCH_FLOATING_BASE_H
#define ULNA_BENCH_FLOATING_BASE_H

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "peer.h"

/// For peers whose floating base moves in world axes: their velocity is T v, with T orthogonal and
/// different from the identity in six rows only. What is converted costs little beside what is measured.
struct FloatingBase {
  enum class Angular { in_body, in_world };
  enum class First { angular, linear };

  Angular angular;
  First first;
  bool present = false;
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();

  /// A floating joint is understood only where most robots have it: between the ground and the root.
  static bool understood(const BenchRobot& robot) {
    for (int b = 0; b < robot.body_count; ++b)
      if (robot.bodies[b].joint == BENCH_FLOATING && b > 0) return false;
    return true;
  }

  void set(const double* q) {
    if (present) R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  }

  /// y := T x
  template <class Out>
  void to_peer(const double* x, int n, Out&& y) const {
    for (int i = 0; i < n; ++i) y[i] = x[i];
    if (!present) return;
    const Eigen::Map<const Eigen::Vector3d> w(x), u(x + 3);
    const Eigen::Vector3d w_peer =
        angular == Angular::in_world ? Eigen::Vector3d(R * w) : Eigen::Vector3d(w);
    const Eigen::Vector3d u_peer = R * u;
    for (int i = 0; i < 3; ++i) {
      y[w_at() + i] = w_peer[i];
      y[u_at() + i] = u_peer[i];
    }
  }

  /// x := T' y
  template <class In>
  void from_peer(const In& y, int n, double* x) const {
    for (int i = 0; i < n; ++i) x[i] = y[i];
    if (!present) return;
    const Eigen::Vector3d w(y[w_at()], y[w_at() + 1], y[w_at() + 2]);
    const Eigen::Vector3d u(y[u_at()], y[u_at() + 1], y[u_at() + 2]);
    Eigen::Map<Eigen::Vector3d>{x} =
        angular == Angular::in_world ? Eigen::Vector3d(R.transpose() * w) : w;
    Eigen::Map<Eigen::Vector3d>{x + 3} = R.transpose() * u;
  }

  /// a, and T a with what turns along: the linear acceleration of a peer is that of a point.
  template <class Out>
  void acceleration_to_peer(const double* v, const double* a, int n, Out&& y) const {
    to_peer(a, n, y);
    if (!present) return;
    const Eigen::Vector3d extra = R * turning(v);
    for (int i = 0; i < 3; ++i) y[u_at() + i] += extra[i];
  }
  template <class In>
  void acceleration_from_peer(const double* v, const In& y, int n, double* a) const {
    from_peer(y, n, a);
    if (present) Eigen::Map<Eigen::Vector3d>{a + 3} -= turning(v);
  }

  /// M := T' M T
  void matrix_from_peer(double* M, int n) const {
    if (!present) return;
    Eigen::Map<Eigen::MatrixXd> matrix(M, n, n);
    columns_from_peer(matrix);
    auto transposed = matrix.transpose();
    columns_from_peer(transposed);
  }
  /// J := J T
  template <class Matrix>
  void columns_from_peer(Matrix&& J) const {
    if (!present) return;
    for (Eigen::Index r = 0; r < J.rows(); ++r) {
      double row[6], mine[6];
      for (int i = 0; i < 6; ++i) row[i] = J(r, i);
      from_peer(row, 6, mine);
      for (int i = 0; i < 6; ++i) J(r, i) = mine[i];
    }
  }

 private:
  int w_at() const { return first == First::angular ? 0 : 3; }
  int u_at() const { return first == First::angular ? 3 : 0; }
  static Eigen::Vector3d turning(const double* v) {
    return Eigen::Map<const Eigen::Vector3d>(v).cross(Eigen::Map<const Eigen::Vector3d>(v + 3));
  }
};

#endif
