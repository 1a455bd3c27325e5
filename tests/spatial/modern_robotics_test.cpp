#include <gtest/gtest.h>

#include "support/spatial.hpp"
#include "ulna/spatial/screw.hpp"

// The worked examples of K. M. Lynch and F. C. Park, Modern Robotics (Cambridge University Press,
// 2017), as printed in the docstrings of the book's software package and evaluated there in full
// precision. One test for each function that has a counterpart in this layer, named in the comment
// above it.
//
// Of the 46 examples, these have no place here. Dynamics and control: ComputedTorque,
// EndEffectorForces, ForwardDynamics, ForwardDynamicsTrajectory, GravityForces, InverseDynamics,
// InverseDynamicsTrajectory, MassMatrix, VelQuadraticForces. Integration, time scaling and joint
// paths: CubicTimeScaling, EulerStep, JointTrajectory, QuinticTimeScaling. Inverse kinematics:
// IKinBody, IKinSpace. And NearZero, whose fixed threshold ulna does not use.
namespace ulna {
namespace {

using test::expect_close;

Vec3<double> vector3(double x, double y, double z) { return {x, y, z}; }

Twist<double> twist(double wx, double wy, double wz, double vx, double vy, double vz) {
  return {{wx, wy, wz}, {vx, vy, vz}};
}

Transform<double> pose(const Mat4<double>& T) {
  return {Rotation<double>::from_matrix(T.topLeftCorner<3, 3>()), T.topRightCorner<3, 1>()};
}

/// The columns of a matrix of screws.
template <int N>
std::vector<Twist<double>> screws(const Eigen::Matrix<double, 6, N>& columns) {
  std::vector<Twist<double>> list;
  for (int k = 0; k < N; ++k) list.push_back(Twist<double>::from_vector(columns.col(k)));
  return list;
}

// RotInv
TEST(ModernRobotics, the_inverse_of_a_rotation_is_its_transpose) {
  Mat3<double> R;
  R << 0, 0, 1,  //
      1, 0, 0,   //
      0, 1, 0;
  Mat3<double> expected;
  expected << 0, 1, 0,  //
      0, 0, 1,          //
      1, 0, 0;
  expect_close(Rotation<double>::from_matrix(R).inverse().matrix(), expected, 0.0);
}

// VecToso3
TEST(ModernRobotics, the_skew_matrix_of_a_vector) {
  Mat3<double> expected;
  expected << 0, -3, 2,  //
      3, 0, -1,          //
      -2, 1, 0;
  expect_close(skew(vector3(1, 2, 3)), expected, 0.0);
}

// so3ToVec
TEST(ModernRobotics, the_vector_of_a_skew_matrix) {
  Mat3<double> matrix;
  matrix << 0, -3, 2,  //
      3, 0, -1,        //
      -2, 1, 0;
  expect_close(unskew(matrix), vector3(1, 2, 3), 0.0);
}

// Normalize
TEST(ModernRobotics, the_direction_of_a_vector) {
  expect_close(direction_of(vector3(1, 2, 3), vector3(0, 0, 1)),
               vector3(0.2672612419124244, 0.5345224838248488, 0.8017837257372732), 2e-16);
}

// AxisAng3: there for a vector of any length, longer than half a turn here
TEST(ModernRobotics, the_axis_and_the_angle_of_exponential_coordinates) {
  const Vec3<double> r = vector3(1, 2, 3);
  expect_close(length_of(r), 3.7416573867739413, 1e-16);
  expect_close(direction_of(r, vector3(0, 0, 1)),
               vector3(0.2672612419124244, 0.5345224838248488, 0.8017837257372732), 2e-16);
  // as a rotation, it is the shorter turn the other way around
  const AxisAngle<double> turn = Rotation<double>::exp(r).axis_angle();
  EXPECT_NEAR(turn.angle, 2.0 * 3.141592653589793 - 3.7416573867739413, 4e-15);
  expect_close(turn.axis, vector3(-0.2672612419124244, -0.5345224838248488, -0.8017837257372732),
               4e-15);
}

// MatrixExp3
TEST(ModernRobotics, the_exponential_of_a_skew_matrix) {
  Mat3<double> expected;
  expected << -0.6949205576413118, 0.7135209905277877, 0.08929285886191218,  //
      -0.19200697279199935, -0.3037850443394705, 0.933192353823647,          //
      0.6929781677417702, 0.6313496993837179, 0.34810747783026463;
  expect_close(Rotation<double>::exp(vector3(1, 2, 3)).matrix(), expected, 1e-15);
}

// MatrixLog3
TEST(ModernRobotics, the_logarithm_of_a_rotation) {
  Mat3<double> R;
  R << 0, 0, 1,  //
      1, 0, 0,   //
      0, 1, 0;
  Mat3<double> expected;
  expected << 0, -1.2091995761561456, 1.2091995761561456,  //
      1.2091995761561456, 0, -1.2091995761561456,          //
      -1.2091995761561456, 1.2091995761561456, 0;
  expect_close(skew(Rotation<double>::from_matrix(R).log()), expected, 1e-15);
}

// DistanceToSO3
TEST(ModernRobotics, the_distance_of_a_matrix_from_a_rotation) {
  Mat3<double> M;
  M << 1, 0, 0,       //
      0, 0.1, -0.95,  //
      0, 1, 0.1;
  EXPECT_NEAR(distance_to_rotation(M), 0.08835298523536149, 1e-16);
}

// TestIfSO3: there within 1e-3
TEST(ModernRobotics, a_matrix_that_is_no_rotation_is_far_from_one) {
  Mat3<double> M;
  M << 1, 0, 0,       //
      0, 0.1, -0.95,  //
      0, 1, 0.1;
  EXPECT_FALSE(distance_to_rotation(M) < 1e-3);
  EXPECT_TRUE(distance_to_rotation(nearest_rotation(M).matrix()) < 1e-3);
}

// ProjectToSO3
TEST(ModernRobotics, the_nearest_rotation_to_a_matrix) {
  Mat3<double> M;
  M << 0.675, 0.15, 0.72,   //
      0.37, 0.771, -0.511,  //
      -0.63, 0.619, 0.472;
  Mat3<double> expected;
  expected << 0.6790113606772361, 0.14894516151550868, 0.7188594514453904,  //
      0.37320707882284554, 0.7731958439349471, -0.5127227937572537,         //
      -0.6321867195597889, 0.6164280377974742, 0.46942137342625234;
  expect_close(nearest_rotation(M).matrix(), expected, 1e-15);
}

// ProjectToSE3
TEST(ModernRobotics, the_nearest_pose_keeps_the_translation) {
  Mat4<double> M;
  M << 0.675, 0.15, 0.72, 1.2,   //
      0.37, 0.771, -0.511, 5.4,  //
      -0.63, 0.619, 0.472, 3.6,  //
      0.003, 0.002, 0.01, 0.9;
  Mat4<double> expected;
  expected << 0.6790113606772361, 0.14894516151550868, 0.7188594514453904, 1.2,  //
      0.37320707882284554, 0.7731958439349471, -0.5127227937572537, 5.4,         //
      -0.6321867195597889, 0.6164280377974742, 0.46942137342625234, 3.6,         //
      0, 0, 0, 1;
  const Transform<double> nearest(nearest_rotation(M.topLeftCorner<3, 3>()),
                                  M.topRightCorner<3, 1>());
  expect_close(nearest.matrix(), expected, 1e-15);
}

// DistanceToSE3: the rotation's distance, and that of the last row from (0, 0, 0, 1)
TEST(ModernRobotics, the_distance_of_a_matrix_from_a_pose) {
  Mat4<double> M;
  M << 1, 0, 0, 1.2,       //
      0, 0.1, -0.95, 1.5,  //
      0, 1, 0.1, -0.9,     //
      0, 0, 0.1, 0.98;
  const double rotation = distance_to_rotation(M.topLeftCorner<3, 3>());
  const double row = (M.row(3) - Vec4<double>(0, 0, 0, 1).transpose()).norm();
  EXPECT_NEAR(std::hypot(rotation, row), 0.13493053768513638, 1e-16);
}

// TestIfSE3: there within 1e-3
TEST(ModernRobotics, a_matrix_that_is_no_pose_is_far_from_one) {
  Mat4<double> M;
  M << 1, 0, 0, 1.2,       //
      0, 0.1, -0.95, 1.5,  //
      0, 1, 0.1, -0.9,     //
      0, 0, 0.1, 0.98;
  EXPECT_FALSE(distance_to_rotation(M.topLeftCorner<3, 3>()) < 1e-3);
}

// RpToTrans
TEST(ModernRobotics, a_pose_of_a_rotation_and_a_position) {
  Mat3<double> R;
  R << 1, 0, 0,  //
      0, 0, -1,  //
      0, 1, 0;
  Mat4<double> expected;
  expected << 1, 0, 0, 1,  //
      0, 0, -1, 2,         //
      0, 1, 0, 5,          //
      0, 0, 0, 1;
  expect_close(Transform<double>(Rotation<double>::from_matrix(R), vector3(1, 2, 5)).matrix(),
               expected, 0.0);
}

// TransToRp
TEST(ModernRobotics, the_rotation_and_the_position_of_a_pose) {
  Mat4<double> T;
  T << 1, 0, 0, 0,  //
      0, 0, -1, 0,  //
      0, 1, 0, 3,   //
      0, 0, 0, 1;
  Mat3<double> R;
  R << 1, 0, 0,  //
      0, 0, -1,  //
      0, 1, 0;
  expect_close(pose(T).rotation().matrix(), R, 0.0);
  expect_close(pose(T).translation(), vector3(0, 0, 3), 0.0);
}

// TransInv
TEST(ModernRobotics, the_inverse_of_a_pose) {
  Mat4<double> T;
  T << 1, 0, 0, 0,  //
      0, 0, -1, 0,  //
      0, 1, 0, 3,   //
      0, 0, 0, 1;
  Mat4<double> expected;
  expected << 1, 0, 0, 0,  //
      0, 0, 1, -3,         //
      0, -1, 0, 0,         //
      0, 0, 0, 1;
  expect_close(pose(T).inverse().matrix(), expected, 0.0);
}

// VecTose3
TEST(ModernRobotics, the_matrix_of_a_twist) {
  Mat4<double> expected;
  expected << 0, -3, 2, 4,  //
      3, 0, -1, 5,          //
      -2, 1, 0, 6,          //
      0, 0, 0, 0;
  expect_close(twist_matrix(twist(1, 2, 3, 4, 5, 6)), expected, 0.0);
}

// se3ToVec
TEST(ModernRobotics, the_twist_of_a_matrix) {
  Mat4<double> matrix;
  matrix << 0, -3, 2, 4,  //
      3, 0, -1, 5,        //
      -2, 1, 0, 6,        //
      0, 0, 0, 0;
  const Twist<double> V{unskew(Mat3<double>(matrix.topLeftCorner<3, 3>())),
                        matrix.topRightCorner<3, 1>()};
  expect_close(V, twist(1, 2, 3, 4, 5, 6), 0.0);
}

// Adjoint
TEST(ModernRobotics, the_adjoint_of_a_pose) {
  Mat4<double> T;
  T << 1, 0, 0, 0,  //
      0, 0, -1, 0,  //
      0, 1, 0, 3,   //
      0, 0, 0, 1;
  Mat6<double> expected;
  expected << 1, 0, 0, 0, 0, 0,  //
      0, 0, -1, 0, 0, 0,         //
      0, 1, 0, 0, 0, 0,          //
      0, 0, 3, 1, 0, 0,          //
      3, 0, 0, 0, 0, -1,         //
      0, 0, 0, 0, 1, 0;
  expect_close(pose(T).motion_matrix(), expected, 0.0);
}

// ad
TEST(ModernRobotics, the_matrix_of_the_bracket) {
  Mat6<double> expected;
  expected << 0, -3, 2, 0, 0, 0,  //
      3, 0, -1, 0, 0, 0,          //
      -2, 1, 0, 0, 0, 0,          //
      0, -6, 5, 0, -3, 2,         //
      6, 0, -4, 3, 0, -1,         //
      -5, 4, 0, -2, 1, 0;
  expect_close(cross_matrix(twist(1, 2, 3, 4, 5, 6)), expected, 0.0);
}

// ScrewToAxis
TEST(ModernRobotics, the_twist_of_a_screw) {
  const Screw<double> screw{vector3(0, 0, 1), vector3(3, 0, 0), 2.0};
  expect_close(twist_of(screw, 1.0), twist(0, 0, 1, 0, -3, 2), 0.0);
  EXPECT_EQ(screw_of(twist(0, 0, 1, 0, -3, 2)).screw.pitch, 2.0);
  expect_close(screw_of(twist(0, 0, 1, 0, -3, 2)).screw.point, vector3(3, 0, 0), 0.0);
}

// AxisAng6
TEST(ModernRobotics, the_screw_axis_and_the_distance_along_it_of_exponential_coordinates) {
  const Twist<double> S = twist(1, 0, 0, 1, 2, 3);
  const ScrewMotion<double> motion = screw_of(S);
  EXPECT_EQ(motion.magnitude, 1.0);
  expect_close(twist_of(motion.screw, 1.0), S, 1e-16);
}

// MatrixExp6, with the digits of a quarter turn as printed
TEST(ModernRobotics, the_exponential_of_a_twist) {
  Mat4<double> expected;
  expected << 1, 0, 0, 0,                                    //
      0, 6.7948967563680185e-09, -1, 1.019234507508974e-08,  //
      0, 1, 6.7948967563680185e-09, 3.000000002540051,       //
      0, 0, 0, 1;
  const Twist<double> S = twist(1.57079632, 0, 0, 0, 2.35619449, 2.35619449);
  expect_close(Transform<double>::exp(S).matrix(), expected, 1e-15);
}

// MatrixLog6
TEST(ModernRobotics, the_logarithm_of_a_pose) {
  Mat4<double> T;
  T << 1, 0, 0, 0,  //
      0, 0, -1, 0,  //
      0, 1, 0, 3,   //
      0, 0, 0, 1;
  Mat4<double> expected;
  expected << 0, 0, 0, 0,                            //
      0, 0, -1.5707963267948966, 2.356194490192345,  //
      0, 1.5707963267948966, 0, 2.3561944901923457,  //
      0, 0, 0, 0;
  expect_close(twist_matrix(pose(T).log()), expected, 1e-15);
}

// FKinBody: M e^[B1]θ1 e^[B2]θ2 ...
TEST(ModernRobotics, forward_kinematics_by_exponentials_in_the_body) {
  Mat4<double> M;
  M << -1, 0, 0, 0,  //
      0, 1, 0, 6,    //
      0, 0, -1, 2,   //
      0, 0, 0, 1;
  Eigen::Matrix<double, 6, 3> B;
  B << 0, 0, 0,  //
      0, 0, 0,   //
      -1, 0, 1,  //
      2, 0, 0,   //
      0, 1, 0,   //
      0, 0, 0.1;
  Mat4<double> expected;
  expected << 0.0, 1, 0, -5,         //
      1, 0.0, 0, 4,                  //
      0, 0, -1, 1.6858407346410207,  //
      0, 0, 0, 1;
  const double theta[] = {1.5707963267948966, 3.0, 3.141592653589793};
  Transform<double> X = pose(M);
  for (std::size_t k = 0; k < 3; ++k) X = X * Transform<double>::exp(theta[k] * screws(B)[k]);
  expect_close(X.matrix(), expected, 1e-15);
}

// FKinSpace: e^[S1]θ1 e^[S2]θ2 ... M
TEST(ModernRobotics, forward_kinematics_by_exponentials_in_space) {
  Mat4<double> M;
  M << -1, 0, 0, 0,  //
      0, 1, 0, 6,    //
      0, 0, -1, 2,   //
      0, 0, 0, 1;
  Eigen::Matrix<double, 6, 3> S;
  S << 0, 0, 0,  //
      0, 0, 0,   //
      1, 0, -1,  //
      4, 0, -6,  //
      0, 1, 0,   //
      0, 0, -0.1;
  Mat4<double> expected;
  expected << 0.0, 1, 0, -5,         //
      1, 0.0, 0, 4.000000000000001,  //
      0, 0, -1, 1.6858407346410207,  //
      0, 0, 0, 1;
  const double theta[] = {1.5707963267948966, 3.0, 3.141592653589793};
  Transform<double> X;
  for (std::size_t k = 0; k < 3; ++k) X = X * Transform<double>::exp(theta[k] * screws(S)[k]);
  expect_close((X * pose(M)).matrix(), expected, 1e-15);
}

// JacobianSpace: each screw, moved by the joints before it
TEST(ModernRobotics, the_jacobian_in_space) {
  Eigen::Matrix<double, 6, 4> S;
  S << 0, 1, 0, 1,     //
      0, 0, 1, 0,      //
      1, 0, 0, 0,      //
      0, 2, 0, 0.2,    //
      0.2, 0, 2, 0.3,  //
      0.2, 3, 1, 0.4;
  Eigen::Matrix<double, 6, 4> expected;
  expected << 0, 0.9800665778412416, -0.09011563789485476, 0.957494264730031,  //
      0, 0.19866933079506122, 0.4445543984476258, 0.28487556541794845,         //
      1, 0, 0.8912073600614354, -0.04528405057966491,                          //
      0, 1.9521863824506809, -2.216352156896298, -0.5116153729819477,          //
      0.2, 0.4365413247037721, -2.437125727653321, 2.7753571339551537,         //
      0.2, 2.960266133840988, 3.2357306532803083, 2.2251244335357394;
  const double theta[] = {0.2, 1.1, 0.1, 1.2};
  Eigen::Matrix<double, 6, 4> J;
  Transform<double> X;
  for (int k = 0; k < 4; ++k) {
    const Twist<double> screw = screws(S)[static_cast<std::size_t>(k)];
    J.col(k) = (X * screw).vector();
    X = X * Transform<double>::exp(theta[k] * screw);
  }
  expect_close(J, expected, 1e-15);
}

// JacobianBody: each screw, seen past the joints after it
TEST(ModernRobotics, the_jacobian_in_the_body) {
  Eigen::Matrix<double, 6, 4> B;
  B << 0, 1, 0, 1,     //
      0, 0, 1, 0,      //
      1, 0, 0, 0,      //
      0, 2, 0, 0.2,    //
      0.2, 0, 2, 0.3,  //
      0.2, 3, 1, 0.4;
  Eigen::Matrix<double, 6, 4> expected;
  expected << -0.04528405057966491, 0.9950041652780258, 0, 1,            //
      0.7435931265563965, 0.09304864640049498, 0.3623577544766736, 0,    //
      -0.6670971570177624, 0.03617541267787882, -0.9320390859672263, 0,  //
      2.3258604714595155, 1.668090004953633, 0.5641083080438885, 0.2,    //
      -1.4432116718196155, 2.945612749911765, 1.4330652142884392, 0.3,   //
      -2.0663956487602655, 1.8288172246233696, -1.5886862785321807, 0.4;
  const double theta[] = {0.2, 1.1, 0.1, 1.2};
  Eigen::Matrix<double, 6, 4> J;
  Transform<double> X;
  for (int k = 3; k >= 0; --k) {
    const Twist<double> screw = screws(B)[static_cast<std::size_t>(k)];
    J.col(k) = X.inverse_apply(screw).vector();
    X = Transform<double>::exp(theta[k] * screw) * X;
  }
  expect_close(J, expected, 1e-15);
}

// ScrewTrajectory, at thirds of the time with cubic time scaling: s = 3 t² - 2 t³
TEST(ModernRobotics, a_path_along_a_screw) {
  Mat4<double> Xstart;
  Xstart << 1, 0, 0, 1,  //
      0, 1, 0, 0,        //
      0, 0, 1, 1,        //
      0, 0, 0, 1;
  Mat4<double> Xend;
  Xend << 0, 0, 1, 0.1,  //
      1, 0, 0, 0,        //
      0, 1, 0, 4.1,      //
      0, 0, 0, 1;
  Mat4<double> expected[4];
  expected[0] << 1, 0, 0, 1,  //
      0, 1, 0, 0,             //
      0, 0, 1, 1,             //
      0, 0, 0, 1;
  expected[1] << 0.9041112663535109, -0.25037215420139397, 0.34626088784788306,
      0.4409577602242257,                                                                 //
      0.34626088784788306, 0.9041112663535109, -0.25037215420139397, 0.5287462373116416,  //
      -0.25037215420139397, 0.34626088784788306, 0.9041112663535109, 1.600666372834503,   //
      0, 0, 0, 1;
  expected[2] << 0.34626088784788267, -0.25037215420139375, 0.9041112663535111,
      -0.11711143824854697,                                                                //
      0.9041112663535111, 0.34626088784788267, -0.25037215420139375, 0.47274237949393444,  //
      -0.25037215420139375, 0.9041112663535111, 0.34626088784788267, 3.2739986883842422,   //
      0, 0, 0, 1;
  expected[3] << 0, 0, 1, 0.1,  //
      1, 0, 0, 0,               //
      0, 1, 0, 4.1,             //
      0, 0, 0, 1;
  const Transform<double> start = pose(Xstart), end = pose(Xend);
  for (int k = 0; k < 4; ++k) {
    const double t = k / 3.0, s = 3 * t * t - 2 * t * t * t;
    const Transform<double> X = start * Transform<double>::exp(s * (start.inverse() * end).log());
    expect_close(X.matrix(), expected[k], 1e-15);
  }
}

// CartesianTrajectory, at thirds of the time with quintic time scaling: s = 10 t³ - 15 t⁴ + 6 t⁵
TEST(ModernRobotics, a_path_that_turns_about_a_point_on_a_straight_line) {
  Mat4<double> Xstart;
  Xstart << 1, 0, 0, 1,  //
      0, 1, 0, 0,        //
      0, 0, 1, 1,        //
      0, 0, 0, 1;
  Mat4<double> Xend;
  Xend << 0, 0, 1, 0.1,  //
      1, 0, 0, 0,        //
      0, 1, 0, 4.1,      //
      0, 0, 0, 1;
  Mat4<double> expected[4];
  expected[0] << 1, 0, 0, 1,  //
      0, 1, 0, 0,             //
      0, 0, 1, 1,             //
      0, 0, 0, 1;
  expected[1] << 0.9366247432120836, -0.2140010758808124, 0.27737633266872885,
      0.8111111111111111,                                                                //
      0.27737633266872885, 0.9366247432120836, -0.2140010758808124, 0,                   //
      -0.2140010758808124, 0.27737633266872885, 0.9366247432120836, 1.6506172839506172,  //
      0, 0, 0, 1;
  expected[2] << 0.2773763326687292, -0.21400107588081257, 0.9366247432120833,
      0.2888888888888893,                                                               //
      0.9366247432120833, 0.2773763326687292, -0.21400107588081257, 0,                  //
      -0.21400107588081257, 0.9366247432120833, 0.2773763326687292, 3.449382716049381,  //
      0, 0, 0, 1;
  expected[3] << 0, 0, 1, 0.1,  //
      1, 0, 0, 0,               //
      0, 1, 0, 4.1,             //
      0, 0, 0, 1;
  const Transform<double> start = pose(Xstart), end = pose(Xend);
  for (int k = 0; k < 4; ++k) {
    const double t = k / 3.0, s = t * t * t * (10 - 15 * t + 6 * t * t);
    const Rotation<double> R =
        start.rotation() *
        Rotation<double>::exp(s * (start.rotation().inverse() * end.rotation()).log());
    const Transform<double> X(R,
                              start.translation() + s * (end.translation() - start.translation()));
    expect_close(X.matrix(), expected[k], 1e-15);
  }
}

}  // namespace
}  // namespace ulna
