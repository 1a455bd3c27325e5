// Another solver for the physically consistent estimate: CSDP [Borchers 1999], which knows nothing of
// robots. Compiled where it is found.
#ifdef ULNA_WITH_CSDP
#include <csdp/declarations.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cstdlib>

#include "excited.hpp"
#include "ulna/identify/estimate/consistent.hpp"

namespace ulna::test {
namespace {

using namespace identify;

/// min z'G z / 2 - g'z over all z whose bodies have a pseudo-inertia P >= 0, ten unknowns each.
struct Quadratic {
  Eigen::MatrixXd G;
  Eigen::VectorXd g;
  Eigen::VectorXd scale;  ///< about how large each unknown is

  int bodies() const { return static_cast<int>(g.size()) / 10; }
  double cost(const Eigen::VectorXd& z) const { return 0.5 * z.dot(G * z) - g.dot(z); }
  Eigen::VectorXd free_minimum() const { return G.llt().solve(g); }
};

double least_eigenvalue(const Eigen::VectorXd& z) {
  double least = infinity;
  for (Eigen::Index at = 0; at < z.size(); at += 10) {
    const Mat4<double> P = pseudo_inertia(Inertia<double>(z.segment<10>(at)));
    least = std::min(least, P.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff());
  }
  return least;
}

/// CSDP's arrays begin at 1, and it frees them itself.
template <class T>
T* one_based(std::size_t count) {
  return static_cast<T*>(std::calloc(count + 1, sizeof(T)));
}

/// The upper half of a block of a constraint's matrix, put before the others.
void add_block(constraintmatrix& to, int constraint, int number, const Eigen::MatrixXd& block) {
  auto* sparse = static_cast<sparseblock*>(std::calloc(1, sizeof(sparseblock)));
  const int n = static_cast<int>(block.rows());
  const auto most = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  sparse->entries = one_based<double>(most);
  sparse->iindices = one_based<int>(most), sparse->jindices = one_based<int>(most);
  for (int c = 0; c < n; ++c)
    for (int r = 0; r <= c; ++r)
      if (block(r, c) != 0.0) {
        const int k = ++sparse->numentries;
        sparse->entries[k] = block(r, c), sparse->iindices[k] = r + 1, sparse->jindices[k] = c + 1;
      }
  sparse->blocknum = number, sparse->blocksize = n, sparse->constraintnum = constraint;
  sparse->next = to.blocks;
  to.blocks = sparse;
}

/// Its dual form: min a'y so that the sum of y_i A_i is above C. With G = R'R and y = (u, t),
///
///     min t/2 - g'z,   z = scale u,   [1, R z; z'R', t] >= 0,   P(z) >= 0 of each body.
Eigen::VectorXd by_csdp(const Quadratic& problem) {
  const int n = static_cast<int>(problem.g.size()), blocks = 1 + problem.bodies(), k = n + 1;
  const Eigen::MatrixXd R = problem.G.llt().matrixU();

  blockmatrix C{blocks, one_based<blockrec>(static_cast<std::size_t>(blocks))};
  for (int b = 1; b <= blocks; ++b) {
    const int size = b == 1 ? n + 1 : 4;
    C.blocks[b].blockcategory = MATRIX, C.blocks[b].blocksize = size;
    C.blocks[b].data.mat =
        static_cast<double*>(std::calloc(static_cast<std::size_t>(size * size), sizeof(double)));
  }
  for (int i = 0; i < n; ++i) C.blocks[1].data.mat[i * (n + 1) + i] = -1.0;

  auto* a = one_based<double>(static_cast<std::size_t>(k));
  auto* constraints = one_based<constraintmatrix>(static_cast<std::size_t>(k));
  for (int i = 0; i < n; ++i) {
    a[i + 1] = -problem.g(i) * problem.scale(i);
    // P is linear; seen in units of the body's own size
    const int body = i / 10;
    Eigen::Matrix<double, 10, 1> unit = Eigen::Matrix<double, 10, 1>::Unit(i % 10);
    const auto own = problem.scale.segment<10>(10 * body);
    const double width = std::sqrt(own(4) / own(0));
    const Eigen::Vector4d size =
        Eigen::Vector4d(1.0 / width, 1.0 / width, 1.0 / width, 1.0) / std::sqrt(own(0));
    const Mat4<double> P = pseudo_inertia(Inertia<double>(unit));
    add_block(constraints[i + 1], i + 1, 2 + body,
              problem.scale(i) * (size.asDiagonal() * P * size.asDiagonal()));
    Eigen::MatrixXd above = Eigen::MatrixXd::Zero(n + 1, n + 1);
    above.topRightCorner(n, 1) = problem.scale(i) * R.col(i);
    add_block(constraints[i + 1], i + 1, 1, above);
  }
  a[k] = 0.5;
  Eigen::MatrixXd corner = Eigen::MatrixXd::Zero(n + 1, n + 1);
  corner(n, n) = 1.0;
  add_block(constraints[k], k, 1, corner);

  blockmatrix X, Z;
  double *y = nullptr, primal = 0.0, dual = 0.0;
  const int rows = n + 1 + 4 * problem.bodies();
  initsoln(rows, k, C, a, constraints, &X, &y, &Z);
  testing::internal::CaptureStdout();  // it tells of every step
  const int status = easy_sdp(rows, k, C, a, constraints, 0.0, &X, &y, &Z, &primal, &dual);
  const std::string told = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(status == 0 || status == 3) << told;  // solved, or all but
  EXPECT_NEAR(primal, dual, 1e-6 * (1.0 + std::abs(dual))) << told;
  const Eigen::VectorXd z = problem.scale.cwiseProduct(Eigen::VectorXd::Map(y + 1, n));
  free_prob(rows, k, C, a, constraints, X, y, Z);
  return z;
}

/// What noisy torques say of a robot's bodies, and that they are of about the size known, which
/// settles what torques cannot tell; such that costs are about 1.
Quadratic measured(const Model& robot, double noise, std::uint64_t seed) {
  Random random(seed);
  const TorqueModel model(robot, {});
  Excited run(robot, {}, model.nominal(), 200, 50.0, random);
  std::mt19937_64 numbers(seed);
  add_noise(run.data.tau, Eigen::VectorXd::Constant(robot.nv(), noise), numbers);

  NormalEquations sums(robot);
  sums.add(run.data.q, run.data.v, run.data.a, run.data.tau);
  Quadratic problem;
  double size = 0.0;
  sums.assemble(Eigen::VectorXd::Constant(robot.nv(), 1.0 / (noise * noise)), problem.G, problem.g,
                size);
  problem.scale.resize(model.unknowns());
  for (int b = 0; b < problem.bodies(); ++b) {
    const double mass = model.nominal()(10 * b), width = 0.2;
    problem.scale.segment<10>(10 * b) << mass, Vec3<double>::Constant(mass * width),
        Vec6<double>::Constant(mass * width * width);
  }
  const Eigen::VectorXd wide = problem.scale.cwiseAbs2().cwiseInverse();
  problem.G += wide.asDiagonal();
  problem.g += wide.cwiseProduct(model.nominal());
  const double typical = -problem.cost(problem.free_minimum());
  problem.G /= typical, problem.g /= typical;
  return problem;
}

/// By ours, the physical prior being all but nothing beside data that are `strength` times as strong.
Eigen::VectorXd by_ours(const Quadratic& problem, const Model& robot, double strength) {
  PhysicalPrior prior(static_cast<int>(problem.g.size()));
  for (int b = 1; b < robot.body_count(); ++b)
    prior.add_inertia(10 * (b - 1),
                      Inertia<double>::about_com(robot.inertias()[b].mass(), Vec3<double>::Zero(),
                                                 0.1 * Mat3<double>::Identity()),
                      1.0);
  ConsistentSolver solver(prior.size());
  Eigen::VectorXd z = prior.center();
  EXPECT_TRUE(solver.solve(strength * problem.G, strength * problem.g, prior, z));
  return z;
}

TEST(ConsistentSolver, costs_what_semidefinite_programming_finds) {
  int active = 0;
  for (const char* name : {"double_pendulum", "twolink_fakhari", "scara"})
    for (const double noise : {0.01, 1.0, 10.0}) {
      SCOPED_TRACE(std::string(name) + ", noise " + std::to_string(noise) + ", seed 1");
      const Model robot = load_robot(name).model;
      const Quadratic problem = measured(robot, noise, 1);
      const Eigen::VectorXd free = problem.free_minimum(), witness = by_csdp(problem),
                            ours = by_ours(problem, robot, 1e8);
      EXPECT_GT(least_eigenvalue(ours), 0.0);
      EXPECT_NEAR(problem.cost(ours), problem.cost(witness), 1e-6);
      // what it costs to be physical, to three digits
      const double price = problem.cost(witness) - problem.cost(free);
      if (least_eigenvalue(free) > 0.0) {
        EXPECT_NEAR(price, 0.0, 1e-7);
      } else if (price > 1e-5) {
        ++active;
        EXPECT_NEAR(problem.cost(ours) - problem.cost(free), price, 1e-3 * price);
      }
    }
  EXPECT_GE(active, 4) << "the constraint is hardly ever felt";
}

}  // namespace
}  // namespace ulna::test
#endif
