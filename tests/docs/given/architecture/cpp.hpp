// block 1
using namespace ulna;
DerivativeWorkspace<double> derivative_ws(model);
InverseDynamicsDerivatives<double> out(model);
RegressorWorkspace<double> regressor_ws(model);
Eigen::Matrix<double, -1, -1, Eigen::RowMajor> Y(n, 10 * n);
const Frame frame = model.frame("panda_link8");
