// block 1
const ulna::Model quadruped = ulna::load_robot("quadruped").model;
const VectorXd q = [&] {
  VectorXd standing = ulna::neutral(quadruped);
  standing(6) = 0.62;  // the base's height
  return standing;
}();
const ulna::Inertia<double> inertia =
    ulna::solid_box(ulna::Vec3<double>(0.2, 0.2, 0.2)).with_mass(1.0);
const auto X_WB = ulna::Transform<double>::from_translation({2, 0, 0.1});
