#include "callback.hpp"
#include "capsule_fields.hpp"
#include "errors.hpp"
#include "parts.hpp"
#include "ulna/geometry/contact_points.hpp"
#include "ulna/geometry/convex_hull.hpp"
#include "ulna/geometry/robot_shapes.hpp"
#include "ulna/spatial/consistency.hpp"
#include "ulna/spatial/solid.hpp"

/// Shapes, where they touch, and what they weigh.
namespace ulna::python {
namespace {

using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Faces = Eigen::Matrix<int, Eigen::Dynamic, 3, Eigen::RowMajor>;

std::vector<Vec3<double>> vectors_of(const Points& points) {
  std::vector<Vec3<double>> list;
  for (Index i = 0; i < points.rows(); ++i) list.emplace_back(points.row(i).transpose());
  return list;
}

void need(const std::string& kind, const VectorXd& size, Index count, const char* what) {
  if (size.size() != count)
    throw std::invalid_argument("shape '" + kind + "': " + what + " is needed, not " +
                                std::to_string(size.size()) + " numbers");
}
constexpr std::string_view sized_shapes[] = {"box",     "sphere",    "cylinder",
                                             "capsule", "ellipsoid", "plane"};

/// A shape by its name and its sizes.
CollisionShape shape_of(const std::string& kind, const VectorXd& size) {
  if (kind == "plane") return need(kind, size, 0, "nothing"), Plane{};
  if (kind == "sphere") return need(kind, size, 1, "its radius"), Sphere{size(0)};
  if (kind == "box")
    return need(kind, size, 3, "its size along x, y and z"), Box{Vec3<double>(size)};
  if (kind == "cylinder")
    return need(kind, size, 2, "its radius and length"), Cylinder{size(0), size(1)};
  if (kind == "capsule")
    return need(kind, size, 2, "its radius and length"), Capsule{size(0), size(1)};
  if (kind == "ellipsoid")
    return need(kind, size, 3, "its three radii"), Ellipsoid{Vec3<double>(size)};
  refuse_word("shape", kind, sized_shapes);
}

CollisionShape mesh_of(const Points& vertices, const Faces& faces) {
  Triangles triangles{vectors_of(vertices), {}};
  for (Index i = 0; i < faces.rows(); ++i)
    triangles.faces.push_back({faces(i, 0), faces(i, 1), faces(i, 2)});
  return CollisionShape::mesh(triangles);
}

CollisionShape field_of(const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>& heights, double width,
                        double depth) {
  HeightField field{static_cast<int>(heights.cols()),
                    static_cast<int>(heights.rows()),
                    width,
                    depth,
                    {heights.data(), heights.data() + heights.size()}};
  return CollisionShape::height_field(field);
}

/// The vertices and faces of a mesh file.
py::tuple mesh_file(const std::string& file) {
  Diagnostics found;
  const std::optional<Triangles> mesh = read_mesh(file, found, "mesh");
  if (!mesh) throw std::invalid_argument(found.list().empty() ? file : found.list().front().str());
  Points vertices(Index(mesh->vertices.size()), 3);
  Faces faces(Index(mesh->faces.size()), 3);
  for (Index i = 0; i < vertices.rows(); ++i)
    vertices.row(i) = mesh->vertices[static_cast<std::size_t>(i)].transpose();
  for (Index i = 0; i < faces.rows(); ++i)
    for (int k = 0; k < 3; ++k)
      faces(i, k) = mesh->faces[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  return py::make_tuple(vertices, faces);
}

/// Of even density, in its own frame.
Solid<double> solid_of(const CollisionShape& shape) {
  const Vec3<double>& half = shape.half_size();
  switch (shape.kind()) {
    case ShapeKind::sphere:
      return solid_sphere(shape.radius());
    case ShapeKind::box:
      return solid_box(Vec3<double>(2.0 * half));
    case ShapeKind::cylinder:
      return solid_cylinder(shape.radius(), 2.0 * half.z());
    case ShapeKind::capsule:
      return solid_capsule(shape.radius(), 2.0 * half.z());
    case ShapeKind::ellipsoid:
      return solid_ellipsoid(half);
    case ShapeKind::hull: {
      const ConvexHull& hull = *shape.hull();
      std::vector<std::array<int, 3>> triangles;
      for (int f = 0; f < hull.face_count(); ++f) {
        const std::span<const int> corners = hull.face(f);
        for (std::size_t i = 2; i < corners.size(); ++i)
          triangles.push_back({corners[0], corners[i - 1], corners[i]});
      }
      return solid_mesh<double>(hull.vertices(), triangles);
    }
    default:
      throw std::invalid_argument(
          "a " + std::string(to_string(shape.kind())) +
          " encloses no volume; a box, sphere, cylinder, capsule, ellipsoid "
          "or hull does");
  }
}

/// (mass, centre of mass, inertia about it); a negative density: of this mass.
py::tuple inertial_of(const CollisionShape& shape, double mass, double density) {
  const Solid<double> solid = solid_of(shape);
  const Inertia<double> body = density > 0.0 ? solid.with_density(density) : solid.with_mass(mass);
  const Inertial inertial(body);
  return py::make_tuple(inertial.mass, inertial.com, inertial.inertia);
}

/// (acceptable, ok, one line, principal moments, margin)
py::tuple consistency(double mass, const Vec3<double>& com, const Mat3<double>& inertia) {
  const Consistency c = check_consistency(Inertia<double>::about_com(mass, com, inertia));
  return py::make_tuple(c.acceptable(), c.ok(), c.explanation(), c.principal_moments, c.margin);
}

py::list points(const CollisionShape& a, const Eigen::Matrix4d& X_a, const CollisionShape& b,
                const Eigen::Matrix4d& X_b, double margin) {
  ContactPoint found[max_contact_points];
  const int count =
      contact_points(a, transform_of(X_a, "X_a"), b, transform_of(X_b, "X_b"), margin, found);
  py::list list;
  for (int i = 0; i < count; ++i)
    list.append(py::make_tuple(found[i].position, found[i].normal, found[i].gap));
  return list;
}

/// (link, number of the body, pose in the body's frame as users see it, shape), and what was found.
py::tuple shapes_of(const Engine& e, const std::vector<std::string>& folders) {
  ShapeOptions options;
  options.mesh_folders.assign(folders.begin(), folders.end());
  const RobotShapes shapes = robot_shapes(e.model, options);
  py::list list;
  for (const BodyShape& s : shapes.shapes) {
    Transform<double> X_BC;
    if (s.body > 0) X_BC = {e.model.joint(s.body).R_BC, Vec3<double>::Zero()};
    list.append(py::make_tuple(s.link, s.body, matrix_of(X_BC * s.X_CS), s.shape));
  }
  return py::make_tuple(list, diagnostics_of(shapes.diagnostics));
}

/// Distances between the links of a robot, the floor and obstacles.
struct Watched {
  Watched(py::object robot, const py::dict& given)
      : owner(std::move(robot)),
        engine(owner.cast<const Engine&>()),
        capsules(engine.model, checked(options_of<Capsules::Options>(given))) {}

  static Capsules::Options checked(Capsules::Options options) {
    for (const PlacedCapsule& o : options.obstacles)
      if (!o.from.allFinite() || !o.to.allFinite() || !(o.radius >= 0.0) || std::isinf(o.radius))
        throw std::invalid_argument(
            "an obstacle is not finite, or its radius is negative; it has from, to and radius");
    return options;
  }

  py::object owner;
  const Engine& engine;
  Capsules capsules;
};

py::tuple distances(Watched& w, const py::object& q) {
  VectorXd d(w.capsules.size());
  MatrixXd slope(w.capsules.size(), w.engine.model.nv());
  w.capsules.distances(vector_of({"q", Role::configuration}, q, w.engine), d, slope);
  return py::make_tuple(d, slope);
}

std::vector<std::string> pairs(const Watched& w) {
  std::vector<std::string> names;
  for (int i = 0; i < w.capsules.size(); ++i) names.push_back(w.capsules.name(i));
  return names;
}

}  // namespace

void register_geometry(py::module_& module) {
  py::class_<CollisionShape>(module, "Shape")
      .def(py::init(&shape_of))
      .def_static("hull",
                  [](const Points& points) { return CollisionShape::hull(vectors_of(points)); })
      .def_static("mesh", &mesh_of)
      .def_static("height_field", &field_of)
      .def_property_readonly(
          "kind", [](const CollisionShape& s) { return std::string(to_string(s.kind())); })
      .def_property_readonly("radius", &CollisionShape::radius)
      .def_property_readonly("half_size",
                             [](const CollisionShape& s) { return Vec3<double>(s.half_size()); })
      .def_property_readonly("vertices",
                             [](const CollisionShape& s) {
                               Points points(s.hull() ? Index(s.hull()->vertices().size()) : 0, 3);
                               for (Index i = 0; i < points.rows(); ++i)
                                 points.row(i) =
                                     s.hull()->vertices()[static_cast<std::size_t>(i)].transpose();
                               return points;
                             })
      .def("box",
           [](const CollisionShape& s, const Eigen::Matrix4d& X) {
             const Aabb box = s.box(transform_of(X, "X"));
             return py::make_tuple(box.lower, box.upper);
           })
      .def("inertial", &inertial_of);
  py::class_<Watched>(module, "Capsules")
      .def(py::init<py::object, py::dict>())
      .def("distances", &distances)
      .def_property_readonly("pairs", &pairs)
      .def_property_readonly("ignored", [](const Watched& w) { return w.capsules.ignored(); })
      .def_property_readonly("radius", [](const Watched& w) { return w.capsules.radius(); })
      .def_property_readonly("required", [](const Watched& w) { return w.capsules.required(); });
  module.def("mesh_file", &mesh_file);
  module.def("contact_points", &points);
  module.def("distance", [](const CollisionShape& a, const Eigen::Matrix4d& X_a,
                            const CollisionShape& b, const Eigen::Matrix4d& X_b) {
    return distance(a, transform_of(X_a, "X_a"), b, transform_of(X_b, "X_b"));
  });
  module.def("collision_shapes", &shapes_of);
  module.def("consistency", &consistency);
}

}  // namespace ulna::python
