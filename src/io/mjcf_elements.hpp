#pragma once

#include <filesystem>
#include <numbers>

#include "io/tree_reader.hpp"

namespace ulna::detail {

/// What elements of MJCF have: their own attributes or those of their class of defaults, read by the compiler's
/// settings [MuJoCo documentation, "XML reference"].
class MjcfElements : protected TreeReader {
 protected:
  using TreeReader::TreeReader;

  /// A class of defaults: elements by tag, those of the classes above count where it has none.
  struct Class {
    const Class* above = nullptr;
    std::map<std::pair<std::string_view, std::string_view>, const XMLAttribute*>
        attributes{};  ///< by kind of element and name
    int depth = 0;
  };
  /// All kinds of actuators share their defaults.
  static std::string_view kind_of(const XMLElement& e) {
    const std::string_view tag = e.Name();
    const Words actuators{"motor",  "position", "velocity", "intvelocity",
                          "damper", "cylinder", "muscle",   "adhesion"};
    return is_among(actuators, tag) ? "general" : tag;
  }

  // --- options ---

  void compiler(const XMLElement& e) {
    subject_ = "compiler";
    known_attributes(
        e, {"angle", "coordinate", "eulerseq", "autolimits", "inertiafromgeom", "inertiagrouprange",
            "boundmass", "boundinertia", "balanceinertia", "settotalmass", "meshdir", "assetdir"});
    const auto word = [&](const char* name, Words words, std::string otherwise) {
      const XMLAttribute* a = e.FindAttribute(name);
      if (!a) return otherwise;
      if (is_among(words, a->Value())) return std::string(a->Value());
      report(rules::number_invalid, *a,
             quoted(name, a->Value()) + " is not one of the words that it may be" +
                 ulna::did_you_mean(a->Value(), std::vector<std::string_view>(words)));
      return otherwise;
    };
    degrees_ = word("angle", {"degree", "radian"}, degrees_ ? "degree" : "radian") == "degree";
    autolimits_ = word("autolimits", {"true", "false"}, autolimits_ ? "true" : "false") == "true";
    from_geom_ = word("inertiafromgeom", {"true", "false", "auto"}, from_geom_);
    balance_ = word("balanceinertia", {"true", "false"}, balance_ ? "true" : "false") == "true";
    if (word("coordinate", {"local", "global"}, "local") == "global")
      report(rules::element_refused, e, "global coordinates are not read", "");
    if (const XMLAttribute* a = e.FindAttribute("eulerseq")) {
      const std::string seq = a->Value();
      if (seq.size() == 3 && seq.find_first_not_of("xyzXYZ") == seq.npos)
        eulerseq_ = seq;
      else
        report(rules::number_invalid, *a,
               quoted("eulerseq", seq) + " is not three of x, y, z, X, Y, Z");
    }
    for (const char* dir : {"assetdir", "meshdir"})
      if (const char* text = e.Attribute(dir)) meshdir_ = text;
    if (const auto range = numbers_of(e.FindAttribute("inertiagrouprange"), 2, 2); !range.empty())
      group_low_ = range[0], group_high_ = range[1];
    least_mass_ = number(e, "boundmass", least_mass_);
    least_inertia_ = number(e, "boundinertia", least_inertia_);
    total_mass_ = number(e, "settotalmass", total_mass_);
  }

  void option(const XMLElement& e) {
    subject_ = "option";
    known_attributes(e, {"gravity"});
    if (e.FindAttribute("gravity")) d_.gravity = vector(e, "gravity");
    for (const char* fluid : {"density", "viscosity"})
      if (const XMLAttribute* a = e.FindAttribute(fluid); a && number(e, fluid) != 0.0)
        lost(*a, std::string("a fluid's ") + fluid + " is not read");
    each(e, "flag", [&](const XMLElement& flag) {
      if (const XMLAttribute* a = flag.FindAttribute("gravity");
          a && a->Value() == std::string_view("disable"))
        d_.gravity.setZero();
    });
  }

  void defaults(const XMLElement& e, const Class* above) {
    const char* given = e.Attribute("class");
    const std::string name = given ? given : above ? "" : "main";
    subject_ = quoted("class", name);
    if (name.empty()) return report(rules::name_missing, e, "a class of defaults has no name");
    const auto [place, is_new] = classes_.try_emplace(name);
    Class& made = place->second;
    if (above && !is_new)
      return report(rules::name_duplicate, e, "another class has the same name");
    made.above = above;
    made.depth = above ? above->depth + 1 : 0;
    if (!above) main_ = &made;
    // each element looks through all classes above its own
    constexpr int most = 20;
    if (made.depth > most)
      return report(rules::input_too_large, e,
                    "classes are nested more than " + std::to_string(most) + " deep");
    each_element(e, [&](const XMLElement& child) {
      if (std::string_view(child.Name()) == "default") return;
      for (const XMLAttribute* a = child.FirstAttribute(); a; a = a->Next())
        made.attributes[{kind_of(child), a->Name()}] = a;
    });
    each(e, "default", [&](const XMLElement& inner) { defaults(inner, &made); });
  }
  const Class* main_class() const { return main_; }
  const Class* find_class(const XMLElement& e, const char* attribute_name, const Class* otherwise) {
    const XMLAttribute* a = e.FindAttribute(attribute_name);
    if (!a) return otherwise;
    const auto found = classes_.find(a->Value());
    if (found != classes_.end()) return &found->second;
    report(rules::class_unknown, *a,
           quoted("class", a->Value()) + " is unknown" + advice(a->Value(), classes_));
    return otherwise;
  }

  /// An element with the defaults of its class.
  struct Given {
    const XMLElement* element;
    const Class* defaults;

    const XMLAttribute* operator()(const char* name) const {
      if (const XMLAttribute* own = element->FindAttribute(name)) return own;
      for (const Class* c = defaults; c; c = c->above)
        if (const auto found = c->attributes.find({kind_of(*element), name});
            found != c->attributes.end())
          return found->second;
      return nullptr;
    }
    std::string_view text(const char* name, std::string_view otherwise = {}) const {
      const XMLAttribute* a = (*this)(name);
      return a ? a->Value() : otherwise;
    }
  };
  Given given(const XMLElement& e, const Class* childclass) {
    return {&e, find_class(e, "class", childclass)};
  }

  double number_of(const Given& e, const char* name, double otherwise) {
    const auto read = numbers_of(e(name), 1, 1);
    return read.empty() ? otherwise : read[0];
  }
  double angle_unit() const { return degrees_ ? std::numbers::pi / 180.0 : 1.0; }

  void assets(const XMLElement& e) {
    each(e, "mesh", [&](const XMLElement& mesh) {
      const Given m = given(mesh, main_);
      Mesh made;
      const std::string_view file = m.text("file");
      if (!file.empty()) made.file = (std::filesystem::path(meshdir_) / file).string();
      if (const auto scale = numbers_of(m("scale"), 3, 3); !scale.empty())
        made.scale = Vec3<double>(scale.data());
      const char* name = mesh.Attribute("name");
      meshes_[name ? std::string(name) : std::filesystem::path(file).stem().string()] = made;
    });
    each(e, "material", [&](const XMLElement& material) {
      Material made;
      if (const char* name = material.Attribute("name")) made.name = name;
      made.rgba = colour(numbers_of(material.FindAttribute("rgba"), 4, 4));
      materials_[made.name] = made;
    });
  }

  Rotation<double> orientation(const Given& e) {
    int count = 0;
    for (const char* name : {"quat", "axisangle", "euler", "xyaxes", "zaxis"})
      if (e(name) && ++count == 2)
        report(rules::orientation_double, *e.element,
               "an orientation is given in more than one way");
    if (const auto q = numbers_of(e("quat"), 4, 4); !q.empty())
      return quaternion(Vec4<double>(q.data()), *e("quat"));
    if (const auto a = numbers_of(e("axisangle"), 4, 4); !a.empty())
      return Rotation<double>::about(unit(Vec3<double>(a.data()), *e("axisangle")),
                                     a[3] * angle_unit());
    if (const auto a = numbers_of(e("euler"), 3, 3); !a.empty()) {
      Rotation<double> R;
      for (int i = 0; i < 3; ++i) {
        const char c = eulerseq_[i];
        const double angle = a[i] * angle_unit();
        const auto turn = c == 'x' || c == 'X'   ? Rotation<double>::about_x(angle)
                          : c == 'y' || c == 'Y' ? Rotation<double>::about_y(angle)
                                                 : Rotation<double>::about_z(angle);
        R = c >= 'x' ? R * turn : turn * R;
      }
      return R;
    }
    if (const auto a = numbers_of(e("xyaxes"), 6, 6); !a.empty()) {
      const Vec3<double> x = unit(Vec3<double>(a.data()), *e("xyaxes"));
      Vec3<double> y(a.data() + 3);
      y = unit(Vec3<double>(y - x.dot(y) * x), *e("xyaxes"));
      Mat3<double> R;
      R << x, y, cross(x, y);
      return Rotation<double>::from_matrix(R);
    }
    if (const auto z = numbers_of(e("zaxis"), 3, 3); !z.empty())
      return Rotation<double>::z_to(unit(Vec3<double>(z.data()), *e("zaxis")));
    return {};
  }
  Transform<double> place(const Given& e) {
    const auto pos = numbers_of(e("pos"), 3, 3);
    return {orientation(e),
            pos.empty() ? Vec3<double>(Vec3<double>::Zero()) : Vec3<double>(pos.data())};
  }

  // settings of the compiler
  bool degrees_ = true, autolimits_ = true, balance_ = false;
  std::string from_geom_ = "auto", eulerseq_ = "xyz", meshdir_;
  double group_low_ = 0.0, group_high_ = 5.0, least_mass_ = 0.0, least_inertia_ = 0.0,
         total_mass_ = -1.0;
  std::map<std::string, Class, std::less<>> classes_;
  const Class* main_ = nullptr;
  std::map<std::string, Mesh> meshes_;
  std::map<std::string, Material> materials_;
};

}  // namespace ulna::detail
