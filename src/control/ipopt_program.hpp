#pragma once

#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>

#include "ulna/control/ipopt.hpp"

namespace ulna::control::detail {

/// An optimal control problem as Ipopt sees it: one vector of variables, one of constraints, and lists of
/// the places in their matrices that are not always zero.
///
/// Variables of a stage: u, then by how much x leaves the guess (not of stage 0, whose state is given), then
/// what its soft rows yield. Constraints of a stage: (next ⊟ guess_next) - that of the next stage, its g
/// and its soft rows.
class IpoptProgram : public Ipopt::TNLP {
 public:
  using Index = Ipopt::Index;
  using Number = Ipopt::Number;
  using Vector = Eigen::VectorXd;

  IpoptProgram(OptimalControlProblem& problem, const Trajectory& guess,
               const Eigen::Ref<const Vector>& x0, const IpoptOptions& options);

  int iterations = 0;
  bool ended = false;  ///< somewhere, and `trajectory` is there
  const Trajectory& trajectory() const { return at_; }

  bool get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian,
                    IndexStyleEnum& style) override;
  bool get_bounds_info(Index n, Number* low, Number* high, Index m, Number* g_low,
                       Number* g_high) override;
  bool get_starting_point(Index n, bool, Number* z, bool, Number*, Number*, Index, bool,
                          Number*) override;
  bool eval_f(Index n, const Number* z, bool, Number& f) override;
  bool eval_grad_f(Index n, const Number* z, bool, Number* gradient) override;
  bool eval_g(Index n, const Number* z, bool, Index m, Number* g) override;
  bool eval_jac_g(Index n, const Number* z, bool, Index m, Index count, Index* row, Index* column,
                  Number* values) override;
  bool eval_h(Index n, const Number* z, bool, Number factor, Index m, const Number* multipliers,
              bool, Index count, Index* row, Index* column, Number* values) override;
  void finalize_solution(Ipopt::SolverReturn, Index n, const Number* z, const Number*,
                         const Number*, Index, const Number*, const Number*, Number,
                         const Ipopt::IpoptData*, Ipopt::IpoptCalculatedQuantities*) override;
  bool intermediate_callback(Ipopt::AlgorithmMode, Index iteration, Number cost, Number, Number,
                             Number, Number, Number, Number, Number, Index, const Ipopt::IpoptData*,
                             Ipopt::IpoptCalculatedQuantities*) override;

 private:
  /// A row (u, x, g) that is a constraint of Ipopt's; a bound of a plain variable is none.
  struct Row {
    int row;
    Index lower_slack = -1, upper_slack = -1;  ///< variables, where it is soft
  };
  /// A stage's places.
  struct Place {
    StageSize size;
    int x_free = 0;  ///< of its state, none at stage 0
    Index u = 0, x = 0;
    Index next = 0, rows = 0;  ///< its first constraints of either kind
    std::vector<Row> constrained;
    bool plain = true;  ///< moving is adding
    Vector h;
    Eigen::MatrixXd H, F, G;  ///< those of the stage, by what x leaves the guess

    int free() const { return size.u + x_free; }
    Index variable(int i) const { return i < size.u ? u + i : x + i - size.u; }
    void take(const QpStage& stage) { h = stage.h, H = stage.H, F = stage.F, G = stage.G; }
  };

  bool is_plain(int k) const;
  bool go_to(const Number* z);
  bool value_at(const Number* z);
  bool slopes_at(const Number* z);
  void chart_slope(int k, const Vector& x, Eigen::MatrixXd& slope) const;
  void into_charts();
  bool curve_at(const Number* z, double factor, const Number* multipliers);
  template <class F>
  void each_slope(F f) const;
  template <class F>
  void each_curvature(F f) const;
  template <class F>
  void each_slack(F f) const;

  OptimalControlProblem& problem_;
  const IpoptOptions& options_;
  Trajectory guess_, at_;
  bool exact_;
  std::vector<Place> places_;
  Index variables_ = 0, constraints_ = 0;
  Vector point_;  ///< where at_ is
  bool valued_ = false, sloped_ = false, possible_ = false;
  std::vector<StageValue> values_;
  std::vector<QpStage> stages_;
  std::vector<Eigen::MatrixXd> curvature_;  ///< of the Lagrangian, by stage
  Multipliers multipliers_;
};

}  // namespace ulna::control::detail
