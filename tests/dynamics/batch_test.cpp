#include "ulna/dynamics/batch.hpp"

#include "support/states.hpp"

// A batch is many single states, whatever the number of threads and wherever a state stands.
namespace ulna::test {
namespace {

/// All that a batch can compute.
struct Results {
  Eigen::MatrixXd tau, a, M, pose, J;
  bool possible;

  Results(Batch& batch, const Plant<double>& plant, const States& s)
      : tau(s.V.rows(), s.V.cols()),
        a(tau),
        M(s.V.rows() * s.V.rows(), s.V.cols()),
        pose(7, s.V.cols()),
        J(6 * s.V.rows(), s.V.cols()) {
    const Frame& frame = plant.model().frames().back();
    batch.inverse_dynamics(plant, s.Q, s.V, s.X, tau);
    possible = batch.forward_dynamics(plant, s.Q, s.V, s.X, a);
    batch.mass_matrix(plant, s.Q, M);
    batch.pose(s.Q, frame, pose);
    batch.jacobian(s.Q, frame, J);
  }
  friend bool operator==(const Results& a, const Results& b) {
    return a.tau == b.tau && a.a == b.a && a.M == b.M && a.pose == b.pose && a.J == b.J &&
           a.possible == b.possible;
  }
};

TEST(Batch, is_each_state_by_itself) {
  for_each_robot([](const Model& model, Random& random) {
    const int n = model.nv();
    const Plant<double> plant(model);
    Batch batch(model, 1);
    // fewer than a pack, whole packs, and a remainder
    for (const int count : {1, batch.lanes() - 1, batch.lanes(), 3 * batch.lanes() + 1}) {
      SCOPED_TRACE(std::to_string(count) + " states");
      const States s(model, random, count);
      const Results all(batch, plant, s);
      ASSERT_TRUE(all.possible);
      for (int i = 0; i < count; ++i) {
        Rig<double> one(model, s.Q.col(i), s.V.col(i), s.X.col(i));
        const Eigen::MatrixXd M = one.mass();
        Eigen::MatrixXd J(6, n);
        Kinematics<double> at(model);
        at.set(s.Q.col(i));
        frame_jacobian<double>(at, model.frames().back(), Axes::aligned, J);
        const Transform<double> X = at.pose(model.frames().back());
        expect_close(Eigen::MatrixXd(all.tau.col(i)), Eigen::MatrixXd(one.torque()), 1e-12);
        expect_close(Eigen::MatrixXd(all.M.col(i).reshaped(n, n)), M, 1e-12);
        expect_close(Eigen::MatrixXd(all.J.col(i).reshaped(6, n)), J, 1e-12);
        expect_close(Vec3<double>(all.pose.col(i).tail(3)), X.translation(), 1e-12);
        const Quaternion<double> turn{all.pose(0, i), all.pose(1, i), all.pose(2, i),
                                      all.pose(3, i)};
        expect_close(Rotation<double>::from_quaternion(turn).matrix(), X.rotation().matrix(),
                     1e-12);
        // the accelerations need the torques they come from
        one.a = all.a.col(i);
        const double size = size_of_sum<double>(M, one.a);
        expect_close(Eigen::VectorXd(one.torque() / size), Eigen::VectorXd(s.X.col(i) / size),
                     1e-11);
      }
    }
  });
}

TEST(Batch, has_the_same_bits_for_any_number_of_threads) {
  const Model model = with_floating_base(random_model(5));
  Random random(5);
  const Plant<double> plant(model);
  Batch one(model, 1);
  EXPECT_EQ(one.threads(), 1);
  for (const int count : {1, 7, 130, 1000}) {
    const States s(model, random, count);
    const Results alone(one, plant, s);
    for (const int threads : {2, 3, 8}) {
      Batch many(model, threads);
      EXPECT_EQ(many.threads(), threads);
      EXPECT_TRUE(Results(many, plant, s) == alone) << threads << " threads, " << count;
      EXPECT_TRUE(Results(many, plant, s) == alone) << "called again";
    }
  }
}

TEST(Batch, has_the_same_bits_wherever_a_state_stands) {
  const Model model = random_model(6);
  Random random(6);
  const Plant<double> plant(model);
  Batch batch(model, 2);
  const int count = 5 * batch.lanes() + 3;
  const States s(model, random, count);
  const Results forward(batch, plant, s);
  States turned = s;
  turned.Q = s.Q.rowwise().reverse(), turned.V = s.V.rowwise().reverse();
  turned.X = s.X.rowwise().reverse();
  const Results backward(batch, plant, turned);
  EXPECT_EQ(forward.tau, Eigen::MatrixXd(backward.tau.rowwise().reverse()));
  EXPECT_EQ(forward.a, Eigen::MatrixXd(backward.a.rowwise().reverse()));
  EXPECT_EQ(forward.M, Eigen::MatrixXd(backward.M.rowwise().reverse()));
  EXPECT_EQ(forward.J, Eigen::MatrixXd(backward.J.rowwise().reverse()));
}

TEST(Batch, takes_parts_of_matrices_and_states_by_rows) {
  const Model model = random_model(7);
  Random random(7);
  const Plant<double> plant(model);
  const int n = model.nv(), count = 21;
  const States s(model, random, count);
  Batch batch(model, 1);
  const Results all(batch, plant, s);

  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor Q = s.Q.transpose(), V = s.V.transpose(), A = s.X.transpose();
  RowMajor tau(count, n);
  auto tau_columns = rows(tau);
  batch.inverse_dynamics(plant, rows(Q), rows(V), rows(A), tau_columns);
  EXPECT_EQ(Eigen::MatrixXd(tau.transpose()), all.tau);

  // a table with q, v and a side by side: columns with a stride of their own
  Eigen::MatrixXd table(model.nq() + 2 * n, count);
  table << s.Q, s.V, s.X;
  Eigen::MatrixXd wider = Eigen::MatrixXd::Constant(n + 2, count, 77.0);
  batch.inverse_dynamics(plant, table.topRows(model.nq()), table.middleRows(model.nq(), n),
                         table.bottomRows(n), wider.middleRows(1, n));
  EXPECT_EQ(Eigen::MatrixXd(wider.middleRows(1, n)), all.tau);
  EXPECT_TRUE((wider.row(0).array() == 77.0).all() && (wider.row(n + 1).array() == 77.0).all());
}

TEST(Batch, follows_the_plant_it_is_given) {
  const Model model = random_model(8);
  Random random(8);
  Plant<double> plant(model);
  Batch batch(model, 2);
  const States s(model, random, 9);
  const Results before(batch, plant, s);
  Eigen::VectorXd pi(plant.inertial_size());
  plant.get_inertial(pi);
  plant.set_inertial(2.0 * pi);
  plant.armature *= 2.0;
  plant.damping *= 2.0, plant.friction *= 2.0, plant.friction_negative *= 2.0;
  const Results after(batch, plant, s);
  expect_close(after.tau, Eigen::MatrixXd(2.0 * before.tau), 1e-12);
  expect_close(after.M, Eigen::MatrixXd(2.0 * before.M), 1e-12);
}

// A state that cannot move does not take its neighbours with it.
TEST(Batch, of_no_states_is_nothing_and_an_impossible_plant_is_told) {
  const Model model = random_model(9, {.mimic = 0.0});
  Random random(9);
  Plant<double> plant(model);
  Batch batch(model, 2);
  const States none(model, random, 0);
  EXPECT_TRUE(Results(batch, plant, none).possible);

  plant.set_inertial(Eigen::VectorXd::Zero(plant.inertial_size()));
  plant.armature.setZero();
  const States s(model, random, 6);
  Eigen::MatrixXd a(model.nv(), 6);
  EXPECT_FALSE(batch.forward_dynamics(plant, s.Q, s.V, s.X, a));
  EXPECT_TRUE(a.array().isNaN().all());
}

TEST(Batch, refuses_what_does_not_fit_and_what_is_not_a_number) {
  const Model model = random_model(10);
  Random random(10);
  const Plant<double> plant(model);
  const int n = model.nv();
  Batch batch(model, 1);
  States s(model, random, 5);
  Eigen::MatrixXd tau(n, 5);

  const Eigen::MatrixXd short_by_one = s.V.topRows(n - 1);
  const std::string size =
      told([&] { batch.inverse_dynamics(plant, s.Q, short_by_one, s.X, tau); });
  EXPECT_NE(size.find("V"), std::string::npos) << size;
  EXPECT_NE(size.find(std::to_string(n - 1)), std::string::npos) << size;
  EXPECT_NE(size.find(std::to_string(n)), std::string::npos) << size;

  Eigen::MatrixXd too_few(n, 4);
  EXPECT_NE(told([&] { batch.inverse_dynamics(plant, s.Q, s.V, s.X, too_few); }),
            "nothing was thrown");

  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    s.X(n - 1, 3) = bad;
    const std::string what = told([&] { batch.inverse_dynamics(plant, s.Q, s.V, s.X, tau); });
    EXPECT_NE(what.find("state 4 of 5, row " + std::to_string(n)), std::string::npos) << what;
    EXPECT_NE(told([&] { (void)batch.forward_dynamics(plant, s.Q, s.V, s.X, tau); }),
              "nothing was thrown");
  }

  const Plant<double> stranger(with_floating_base(model));
  s.X(n - 1, 3) = 0.0;
  EXPECT_NE(told([&] { batch.inverse_dynamics(stranger, s.Q, s.V, s.X, tau); }),
            "nothing was thrown");
}

}  // namespace
}  // namespace ulna::test
