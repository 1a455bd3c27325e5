#include "ulna/constraints/loop_coordinates.hpp"

#include "support/closed_loops.hpp"
#include "ulna/io/import.hpp"

// Coordinates that move a robot with loops.
namespace ulna::test {
namespace {

using Eigen::VectorXd;

TEST(LoopCoordinates, motions_keep_loops_closed_and_torques_do_the_same_work) {
  const int held = for_each_looped_robot(
      [](Loops& loops, Random& random) {
        LoopCoordinates at(loops);
        const int n = loops.model().nv(), free = n - loops.size();
        ASSERT_EQ(static_cast<int>(at.independent().size()), free);
        at.set(loops.closed_at());
        VectorXd y(free), rate(free), v(n), a(n);
        for (double& x : y) x = random.real();
        for (double& x : rate) x = random.real();
        at.move(y, rate, v, a);
        loops.set(loops.closed_at(), v, a);
        const double size = 1.0 + v.squaredNorm() + a.norm();
        EXPECT_LT(loops.rate().cwiseAbs().maxCoeff(), 1e-9 * size);
        EXPECT_LT(loops.acceleration().cwiseAbs().maxCoeff(), 1e-9 * size);
        for (int k = 0; k < free; ++k) EXPECT_EQ(v(at.independent()[k]), y(k));
        Eigen::MatrixXd tau = random_v(loops.model(), random);
        const double work = v.dot(tau.col(0));
        at.reduce(tau);
        expect_close(v.dot(tau.col(0)), work, 1e-9 * size);
      },
      4);
  EXPECT_GE(held, 30);
}

TEST(LoopCoordinates, are_those_of_the_drives) {
  const auto independent = [](const char* name) {
    const Model model = load_robot(name).model;
    const LoopCoordinates at(Loops(model, model.description().loops, neutral(model)));
    std::vector<std::string> names;
    for (const int i : at.independent()) names.push_back(model.velocity_names()[i]);
    return names;
  };
  EXPECT_EQ(independent("fourbar"), (std::vector<std::string>{"crank_joint"}));
  EXPECT_EQ(independent("fivebar"), (std::vector<std::string>{"left_motor", "right_motor"}));
  EXPECT_EQ(independent("delta"), (std::vector<std::string>{"motor_1", "motor_2", "motor_3"}));
}

}  // namespace
}  // namespace ulna::test
