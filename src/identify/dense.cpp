#include "identify/dense.hpp"

#include "identify/dense_kernel.hpp"
#include "num/processor.hpp"

namespace ulna::identify::detail {

bool factor(Matrix& A, const Eigen::VectorXi& first) {
  DenseTask task{DenseTask::factor, A.data(), int(A.rows()), int(A.cols()), nullptr, 0};
  task.first = first.data();
  ULNA_WIDEST(ulna_dense_kernel)(task);
  return task.positive;
}

void solve_rows(const Matrix& L, Eigen::Matrix<double, 8, Eigen::Dynamic>& X) {
  DenseTask task{DenseTask::solve_rows, X.data(), 8, int(X.cols()), L.data(), int(L.rows())};
  ULNA_WIDEST(ulna_dense_kernel)(task);
}

void add_squares(const Matrix& Z, Matrix& sum) {
  DenseTask task{DenseTask::add_squares, sum.data(), int(sum.rows()),
                 int(sum.cols()),        Z.data(),   int(Z.cols())};
  ULNA_WIDEST(ulna_dense_kernel)(task);
}

}  // namespace ulna::identify::detail
