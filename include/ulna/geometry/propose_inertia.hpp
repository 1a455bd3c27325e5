#pragma once

#include "ulna/geometry/robot_shapes.hpp"
#include "ulna/spatial/solid.hpp"

namespace ulna {

/// The solid that closed triangles bound, in their frame: exact for polyhedra [Mirtich 1996, the divergence theorem].
/// Corners that lie on each other are one. Throws std::invalid_argument if the triangles are open, partly turned, inside
/// out or flat.
Solid<double> solid_of(const Triangles& mesh);

struct ProposalOptions {
  double density = 1000.0;  ///< kg/m^3, of all shapes
  ShapeOptions shapes = {.limits = {.max_triangles = 1'000'000}};
};

/// What a link without inertial would weigh if its shapes were solid.
struct InertiaProposal {
  std::string link;
  Inertial inertial;
  double volume = 0.0;      ///< m^3; what overlaps counts twice
  bool of_visuals = false;  ///< of the shapes that are drawn, as none for contact has a volume
  std::vector<std::string> parts;  ///< "box 0.1 x 0.2 x 0.3 m", "mesh 'arm.stl' of 1200 triangles"
};

struct InertiaProposals {
  std::vector<InertiaProposal> links;
  std::vector<std::string>
      without_shapes;       ///< links that joints move, without inertial and without a solid shape
  Diagnostics diagnostics;  ///< meshes that are missing, open or inside out, and are left out
};

/// Proposes inertias for the links that move and have no inertial: of their shapes for contact, or of those that are drawn
/// where there are none. Throws std::invalid_argument unless the density is positive.
InertiaProposals propose_inertias(const Model& model, const ProposalOptions& options = {});

/// The robot with these inertias.
Model with_inertias(const Model& model, std::span<const InertiaProposal> proposals);

}  // namespace ulna
