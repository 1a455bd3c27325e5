#include <Eigen/Core>
#include <ulna/spatial/transform.hpp>

ulna::Transform<double> pose() { return {}; }

#ifdef WRONG
ulna::Transform<double> pose(const Eigen::Matrix4d& m) { return m; }
#endif
