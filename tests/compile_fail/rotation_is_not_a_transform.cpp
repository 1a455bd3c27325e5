#include <ulna/spatial/rotation.hpp>
#include <ulna/spatial/transform.hpp>

auto chain(const ulna::Transform<double>& X_AB, const ulna::Transform<double>& X_BC) {
  return X_AB * X_BC;
}

#ifdef WRONG
auto chain(const ulna::Transform<double>& X_AB, const ulna::Rotation<double>& R_BC) {
  return X_AB * R_BC;
}
#endif
