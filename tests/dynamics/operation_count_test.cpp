#include <cstdio>

#include "support/dynamics.hpp"
#include "ulna/io/import.hpp"

// What the algorithms cost, counted as the textbooks do [Luh, Walker, Paul 1980; Fu 1987, Tables 3.1
// and 3.4]: without friction, armature or wrenches there are still their additions of zero.
namespace ulna::test {
namespace {

/// The operations of each algorithm on a robot in general position.
struct Costs {
  OperationCount inverse, gravity, configuration, mass, factored, articulated, coriolis;
};

Costs costs_of(const Model& model) {
  Random random(1);
  Rig<Counted> rig(model, random);
  VecX<Counted> tau(model.nv()), a(model.nv());
  MatX<Counted> M(model.nv(), model.nv());
  Motion<Counted> motion(model);
  Kinematics<Counted> state(model);
  MassFactor<Counted> factor(model);
  bool possible = true;
  Costs c;
  c.inverse = count_operations([&] {
    motion.set(rig.q, rig.v, rig.a);
    inverse_dynamics<Counted>(rig.plant, motion, rig.ws, tau);
  });
  c.gravity = count_operations([&] {
    motion.set(rig.q);
    gravity_torque<Counted>(rig.plant, motion, rig.ws, tau);
  });
  c.configuration = count_operations([&] { state.set(rig.q, rig.v); });
  c.mass = count_operations([&] { mass_matrix<Counted>(rig.plant, state, rig.ws, M); });
  c.factored = count_operations([&] { possible &= factor.factor(rig.plant, state, rig.ws); });
  c.articulated = count_operations(
      [&] { possible &= articulated_body_dynamics<Counted>(rig.plant, state, tau, rig.ws, a); });
  c.coriolis = count_operations([&] { coriolis_matrix<Counted>(rig.plant, state, rig.ws, M); });
  EXPECT_TRUE(possible);
  return c;
}

TEST(OperationCount, of_the_panda_is_told) {
  const Costs c = costs_of(load_robot("panda").model);
  std::printf("%-24s %6s %6s %5s %5s\n", "panda, 7 joints", "mul", "add", "div", "trig");
  const auto row = [](const char* what, const OperationCount& n) {
    std::printf("%-24s %6ld %6ld %5ld %5ld\n", what, static_cast<long>(n.multiplications),
                static_cast<long>(n.additions), static_cast<long>(n.divisions + n.square_roots),
                static_cast<long>(n.trigonometric));
  };
  row("inverse dynamics", c.inverse);
  row("gravity torque", c.gravity);
  row("Kinematics::set", c.configuration);
  row("mass matrix", c.mass);
  row("mass matrix, factored", c.factored);
  row("articulated bodies", c.articulated);
  row("Coriolis matrix", c.coriolis);
  // Luh, Walker and Paul: 150 n - 48 multiplications, 131 n - 48 additions
  EXPECT_LE(c.inverse.multiplications, 150 * 7 - 48);
  EXPECT_LE(c.inverse.additions, 131 * 7 - 48);
}

TEST(OperationCount, of_inverse_dynamics_grows_linearly) {
  std::vector<OperationCount> counts;
  for (int n = 1; n <= 8; ++n) counts.push_back(costs_of(chain(n)).inverse);
  for (std::size_t i = 2; i < counts.size(); ++i) {
    const OperationCount step = counts[i] - counts[i - 1], first = counts[1] - counts[0];
    EXPECT_EQ(step.multiplications, first.multiplications)
        << "from " << i << " to " << i + 1 << " joints";
    EXPECT_EQ(step.additions, first.additions) << "from " << i << " to " << i + 1 << " joints";
  }
}

TEST(OperationCount, of_articulated_bodies_grows_linearly) {
  std::vector<OperationCount> counts;
  for (int n = 1; n <= 8; ++n) counts.push_back(costs_of(chain(n)).articulated);
  for (std::size_t i = 2; i < counts.size(); ++i)
    EXPECT_EQ(counts[i] - counts[i - 1], counts[1] - counts[0])
        << "from " << i << " to " << i + 1 << " joints";
}

// The mass matrix has n² elements, and each costs the same.
TEST(OperationCount, of_the_mass_matrix_grows_quadratically) {
  std::vector<std::int64_t> counts;
  for (int n = 1; n <= 8; ++n) counts.push_back(costs_of(chain(n)).mass.multiplications);
  for (std::size_t i = 3; i < counts.size(); ++i)
    EXPECT_EQ(counts[i] - 2 * counts[i - 1] + counts[i - 2], counts[2] - 2 * counts[1] + counts[0]);
}

// The same work is done whatever the numbers are: packs of states stay together.
TEST(OperationCount, does_not_depend_on_the_state) {
  const Model model = random_model(5, {.mimic = 0.0});
  std::vector<OperationCount> counts;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    Rig<Counted> rig(model, random);
    VecX<Counted> tau(model.nv());
    Motion<Counted> motion(model);
    counts.push_back(count_operations([&] {
      motion.set(rig.q, rig.v, rig.a);
      inverse_dynamics<Counted>(rig.plant, motion, rig.ws, tau);
    }));
  }
  for (const OperationCount& n : counts) EXPECT_EQ(n, counts[0]);
}

}  // namespace
}  // namespace ulna::test
