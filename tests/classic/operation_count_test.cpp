#include "support/classic.hpp"
#include "ulna/classic/dalembert.hpp"
#include "ulna/classic/formulation.hpp"
#include "ulna/classic/polynomial.hpp"
#include "ulna/num/counted.hpp"

namespace ulna::test {
namespace {

OperationCount inverse_dynamics_count(const Model& model, std::string_view name) {
  const VecX<Counted> some = VecX<Counted>::Constant(model.nv(), Counted(0.3));
  for (const auto& f : classic::formulations<Counted>(Plant<Counted>(model)))
    if (f.name == name)
      return count_operations([&] { (void)f.inverse_dynamics(some, some, some); });
  ADD_FAILURE() << name;
  return {};
}

TEST(ClassicOperationCount, does_not_depend_on_the_numbers_of_the_robot) {
  for (const auto& f : classic::formulations<double>(Plant<double>(chain(6)))) {
    const OperationCount of_chain = inverse_dynamics_count(chain(6), f.name);
    for (const char* robot : {"puma560", "ur5e"})
      EXPECT_EQ(inverse_dynamics_count(load_robot(robot).model, f.name), of_chain) << f.name;
  }
}

// In link coordinates a sliding joint costs a little more: its axis is no coordinate axis there.
TEST(ClassicOperationCount, of_sliding_joints_is_smaller_in_base_coordinates) {
  for (const char* name : {"newton-euler-base", "dalembert"})
    EXPECT_LT(inverse_dynamics_count(load_robot("stanford").model, name).multiplications,
              inverse_dynamics_count(chain(6), name).multiplications)
        << name;
}

TEST(ClassicOperationCount, is_below_the_books_where_more_is_hoisted) {
  for (const classic::BookCount& book : classic::book_counts()) {
    if (book.formulation == "newton-euler-link") continue;
    for (int n = 2; n <= 10; ++n) {
      const OperationCount ours = inverse_dynamics_count(chain(n), book.formulation);
      EXPECT_LT(static_cast<double>(ours.multiplications), book.multiplications.at(n)) << n;
      EXPECT_LT(static_cast<double>(ours.additions), book.additions.at(n)) << n;
    }
  }
}

// Fu 1987, problem 3.10: equations without velocity terms against all of Newton-Euler.
TEST(ClassicOperationCount, without_velocity_terms_beats_newton_euler_up_to_three_joints) {
  std::vector<std::int64_t> without;
  for (int n = 2; n <= 4; ++n) {
    const classic::DAlembert<Counted> arm{
        classic::Chain<Counted>(classic::Arm<Counted>(Plant<Counted>(chain(n))))};
    const VecX<Counted> some = VecX<Counted>::Constant(n, Counted(0.3));
    without.push_back(count_operations([&] {
                        const auto at = arm.at(some);
                        const classic::MatX<Counted> D = at.D_tran() + at.D_rot();
                        const VecX<Counted> tau = D.lazyProduct(some) + at.c();
                      }).multiplications);
    const std::int64_t all = inverse_dynamics_count(chain(n), "newton-euler-link").multiplications;
    EXPECT_EQ(without.back() < all, n <= 3) << n << " joints";
  }
  EXPECT_EQ(without, (std::vector<std::int64_t>{192, 378, 620})) << "as docs/formulations.md says";
}

}  // namespace
}  // namespace ulna::test
