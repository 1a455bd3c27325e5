#include <thread>

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

namespace ulna::test {
namespace {

// One plant, read by all; each thread its own workspace and motion. Run it under -fsanitize=thread.
TEST(Threads, that_share_a_plant_get_the_same_bits) {
  const Model model = with_floating_base(random_model(3));
  Random random(1);
  const Rig<double> one(model, random);
  const Plant<double>& plant = one.plant;

  const auto work = [&] {
    std::vector<double> all;
    Workspace<double> ws(model);
    Kinematics<double> at(model);
    Eigen::VectorXd q = one.q, tau(model.nv()), a(model.nv());
    Eigen::MatrixXd M(model.nv(), model.nv()), J(6, model.nv());
    for (int i = 0; i < 50; ++i) {
      const Eigen::VectorXd here = q;
      integrate<double>(model, here, Eigen::VectorXd(0.01 * one.v), q);
      at.set(q, one.v, one.a);
      inverse_dynamics<double>(plant, at, ws, tau);
      mass_matrix<double>(plant, at, ws, M);
      frame_jacobian<double>(at, model.frames().back(), Axes::local, J);
      EXPECT_TRUE(forward_dynamics<double>(plant, at, tau, ws, a));
      for (const double x :
           {tau.sum(), M.sum(), J.sum(), a.sum(), kinetic_energy<double>(plant, at, ws)})
        all.push_back(x);
    }
    return all;
  };

  const std::vector<double> alone = work();
  std::vector<std::vector<double>> together(4);
  std::vector<std::thread> threads;
  for (auto& result : together) threads.emplace_back([&] { result = work(); });
  for (std::thread& t : threads) t.join();
  for (const auto& result : together) EXPECT_EQ(result, alone);
}

}  // namespace
}  // namespace ulna::test
