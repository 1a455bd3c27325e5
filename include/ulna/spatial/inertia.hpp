#pragma once

#include "ulna/spatial/transform.hpp"

namespace ulna {

/// The inertia of a rigid body in a frame, as the ten numbers in which its motion is linear:
///
///   π = (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)
///
/// with the rotational inertia about the *frame's origin* (Cărămizaru 2023, eq. 4.12). Off-diagonal elements are
/// those of the matrix, Ixy = -∫xy dm.
template <Scalar T>
class Inertia {
 public:
  using Parameters = Eigen::Matrix<T, 10, 1>;

  Inertia() : pi_(Parameters::Zero()) {}
  explicit Inertia(const Parameters& pi) : pi_(pi) {}

  static Inertia zero() { return {}; }

  /// Mass, first moment m c, and rotational inertia about the origin.
  static Inertia about_origin(const T& mass, const Vec3<T>& first_moment, const Mat3<T>& I) {
    Parameters pi;
    pi << mass, first_moment, I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2);
    return Inertia(pi);
  }

  /// Mass, centre of mass, and rotational inertia about the centre of mass: Steiner's theorem (Fakhari 2024).
  static Inertia about_com(const T& mass, const Vec3<T>& com, const Mat3<T>& I_com) {
    return about_origin(mass, mass * com, I_com + steiner(mass, com));
  }

  static Inertia point_mass(const T& mass, const Vec3<T>& at) {
    return about_com(mass, at, Mat3<T>::Zero());
  }

  const Parameters& parameters() const { return pi_; }
  const T& mass() const { return pi_(0); }
  Vec3<T> first_moment() const { return pi_.template segment<3>(1); }

  /// Rotational inertia about the frame's origin.
  Mat3<T> rotational() const {
    Mat3<T> I;
    I << pi_(4), pi_(5), pi_(6), pi_(5), pi_(7), pi_(8), pi_(6), pi_(8), pi_(9);
    return I;
  }

  /// The centre of mass; the origin where there is no mass.
  Vec3<T> com() const {
    const Mask<T> massless = mass() == T(0);
    const T m = select(massless, T(1), mass());
    return select(massless, Vec3<T>(Vec3<T>::Zero()), Vec3<T>(first_moment() / m));
  }
  Mat3<T> rotational_about_com() const { return rotational() - steiner(mass(), com()); }

  /// The momentum of the body when it moves with V.
  Wrench<T> operator*(const Twist<T>& V) const {
    const Vec3<T> h = first_moment();
    return {rotational() * V.angular + cross(h, V.linear), mass() * V.linear - cross(h, V.angular)};
  }

  /// Two bodies made one.
  Inertia& operator+=(const Inertia& b) { return pi_ += b.pi_, *this; }
  Inertia& operator-=(const Inertia& b) { return pi_ -= b.pi_, *this; }
  friend Inertia operator+(Inertia a, const Inertia& b) { return a += b; }
  friend Inertia operator-(Inertia a, const Inertia& b) { return a -= b; }
  friend Inertia operator*(const T& s, const Inertia& a) { return Inertia(Parameters(s * a.pi_)); }

  /// The 6x6 matrix G with momentum = G V (Fakhari 2024; Cărămizaru 2023, def. 3.2.10).
  Mat6<T> matrix() const {
    Mat6<T> G;
    const Mat3<T> H = skew(first_moment());
    G << rotational(), H, -H, mass() * Mat3<T>::Identity();
    return G;
  }

  /// m (c'c 1 - c c'): what a mass adds when it sits at c instead of the origin.
  static Mat3<T> steiner(const T& mass, const Vec3<T>& c) {
    return mass * (c.dot(c) * Mat3<T>::Identity() - c * c.transpose());
  }

 private:
  Parameters pi_;
};

/// X_AB * I_B = I_A: the same body seen from another frame, the generalised Steiner theorem (Fakhari 2024).
template <Scalar T>
Inertia<T> operator*(const Transform<T>& X_AB, const Inertia<T>& I_B) {
  const Mat3<T>& R = X_AB.rotation().matrix();
  const Vec3<T>& p = X_AB.translation();
  const Vec3<T> h = R * I_B.first_moment();
  const Mat3<T> ph = p * h.transpose();
  const Mat3<T> I = R * I_B.rotational() * R.transpose() + T(2) * p.dot(h) * Mat3<T>::Identity() -
                    ph - ph.transpose() + Inertia<T>::steiner(I_B.mass(), p);
  return Inertia<T>::about_origin(I_B.mass(), h + I_B.mass() * p, I);
}

template <Scalar T>
T kinetic_energy(const Inertia<T>& I, const Twist<T>& V) {
  return T(0.5) * dot(V, I * V);
}

/// The 4x4 pseudo-inertia ∫ (r, 1)(r, 1)' dm. A body can exist if and only if it is positive
/// definite [Wensing, Kim, Slotine 2018], and everything about an inertia is linear in it.
template <Scalar T>
Mat4<T> pseudo_inertia(const Inertia<T>& inertia) {
  const Mat3<T> I = inertia.rotational();
  const Vec3<T> h = inertia.first_moment();
  Mat4<T> J;
  J << T(0.5) * I.trace() * Mat3<T>::Identity() - I, h, h.transpose(), inertia.mass();
  return J;
}

template <Scalar T>
Inertia<T> inertia_from_pseudo(const Mat4<T>& J) {
  const Mat3<T> S = J.template topLeftCorner<3, 3>();
  return Inertia<T>::about_origin(J(3, 3), J.template topRightCorner<3, 1>(),
                                  S.trace() * Mat3<T>::Identity() - S);
}

/// The eigenvalues and eigenvectors of a symmetric matrix, ascending, by cyclic Jacobi rotations:
/// a fixed number of them, so that it serves every scalar.
template <Scalar T>
struct Principal {
  Vec3<T> moments;
  Rotation<T> axes;  ///< column k is the axis of moment k
};

template <Scalar T>
Principal<T> principal_axes(const Mat3<T>& symmetric) {
  Mat3<T> A = symmetric;
  Mat3<T> V = Mat3<T>::Identity();
  const int sweep[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int round = 0; round < 8; ++round)
    for (const auto& [p, q] : sweep) {
      // the rotation in the plane (p, q) that annihilates A(p, q) [Golub, Van Loan, sec. 8.5]
      // written so that its derivative exists on diagonal matrices too
      const T off = T(2) * A(p, q), gap = A(q, q) - A(p, p);
      const T radius2 = gap * gap + off * off;
      const Mask<T> done = !(radius2 > T(0));
      const T reach = abs(gap) + sqrt(select(done, T(1), radius2));
      const T t = select(done, T(0), T(select(gap < T(0), T(-off), off) / reach));
      const T c = T(1) / sqrt(t * t + T(1));
      const T s = t * c;
      Mat3<T> J = Mat3<T>::Identity();
      J(p, p) = c, J(q, q) = c, J(p, q) = s, J(q, p) = -s;
      A = (J.transpose() * A * J).eval();
      V = (V * J).eval();
    }
  // sort by three exchanges, each keeping the axes right-handed
  for (const auto& [p, q] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 1}}) {
    const Mask<T> swap = A(q, q) < A(p, p);
    const T low = select(swap, A(q, q), A(p, p)), high = select(swap, A(p, p), A(q, q));
    A(p, p) = low, A(q, q) = high;
    const Vec3<T> a = V.col(p), b = V.col(q);
    V.col(p) = select(swap, b, a);
    V.col(q) = select(swap, Vec3<T>(-a), b);
  }
  return {A.diagonal(), Rotation<T>::from_matrix(V)};
}

/// Principal moments about the centre of mass, and their axes in the body's frame (Fakhari 2024).
template <Scalar T>
Principal<T> principal_axes(const Inertia<T>& inertia) {
  return principal_axes(inertia.rotational_about_com());
}

}  // namespace ulna
