#include "geometry/mesh_formats.hpp"

#if ULNA_WITH_ASSIMP
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>

#include "geometry/apart.hpp"
#endif

namespace ulna::detail {

#if ULNA_WITH_ASSIMP
namespace {

/// The colour that a file gives a mesh; none if it names none.
std::optional<std::array<float, 4>> colour_of(const aiScene& scene, const aiMesh& mesh) {
  if (mesh.mMaterialIndex >= scene.mNumMaterials) return {};
  const aiMaterial& material = *scene.mMaterials[mesh.mMaterialIndex];
  aiColor4D colour;
  if (material.GetName() == aiString(AI_DEFAULT_MATERIAL_NAME) ||
      material.Get(AI_MATKEY_COLOR_DIFFUSE, colour) != aiReturn_SUCCESS)
    return {};
  std::array<float, 4> rgba{colour.r, colour.g, colour.b, colour.a};
  for (float& x : rgba) {
    if (!std::isfinite(x)) return {};
    x = std::clamp(x, 0.0F, 1.0F);
  }
  return rgba;
}

MeshText import_mesh(const std::string& file, std::size_t limit) {
  MeshText out;
  Assimp::Importer importer;
  // axes as they are in the file: descriptions of robots place meshes by them
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  // one mesh in the frame of the file, its unit applied
  const aiScene* scene =
      importer.ReadFile(file, aiProcess_Triangulate | aiProcess_PreTransformVertices |
                                  aiProcess_JoinIdenticalVertices);
  if (!scene) {
    out.defect = importer.GetErrorString();
    return out;
  }
  bool colored = false;
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
    const aiMesh& mesh = *scene->mMeshes[m];
    const auto colour = colour_of(*scene, mesh);
    colored = colored || colour;
    const int first = static_cast<int>(out.triangles.vertices.size());
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D& at = mesh.mVertices[v];
      out.triangles.vertices.emplace_back(at.x, at.y, at.z);
      if (!out.triangles.vertices.back().allFinite()) {
        out.defect = "a vertex is not a finite number";
        return out;
      }
    }
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      out.triangles.faces.push_back({first + static_cast<int>(face.mIndices[0]),
                                     first + static_cast<int>(face.mIndices[1]),
                                     first + static_cast<int>(face.mIndices[2])});
      // parts without a colour beside others: as what has none is drawn
      out.colors.push_back(colour.value_or(std::array{0.77F, 0.80F, 0.84F, 1.0F}));
    }
    if (out.triangles.faces.size() >= limit) {
      out.too_large = true;
      return out;
    }
  }
  if (!colored) out.colors.clear();
  return out;
}

}  // namespace

bool assimp_reads(const std::string& ending) {
  return Assimp::Importer().IsExtensionSupported(ending);
}

/// In a process of its own: assimp 5.2 crashes on some damaged files (Collada with a negative `count`).
MeshText read_by_assimp(const std::string& file, std::size_t limit) {
  MeshText mesh;
  const std::string failure = apart(
      [&](Sender& to) {
        const MeshText read = import_mesh(file, limit);
        to.send(read.triangles.vertices), to.send(read.triangles.faces), to.send(read.colors);
        to.send(read.defect), to.send(read.too_large);
      },
      [&](Receiver& from) {
        from.receive(mesh.triangles.vertices), from.receive(mesh.triangles.faces);
        from.receive(mesh.colors), from.receive(mesh.defect), from.receive(mesh.too_large);
      });
  if (!failure.empty()) {
    mesh = {};
    mesh.defect = "assimp, which reads such files, " + failure;
  }
  return mesh;
}

#else

bool assimp_reads(const std::string&) { return false; }
MeshText read_by_assimp(const std::string&, std::size_t) { return {}; }

#endif

}  // namespace ulna::detail
