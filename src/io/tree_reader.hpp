#pragma once

#include <Eigen/Eigenvalues>
#include <set>

#include "io/xml_reader.hpp"
#include "io/xml_tree.hpp"
#include "ulna/spatial/solid.hpp"

namespace ulna::detail {

/// What readers of MJCF and SDF share: lists of numbers, names that are made, and what is left out.
class TreeReader : protected XmlReader {
 public:
  TreeReader(const std::string& file, Diagnostics& out, std::shared_ptr<const LineMap> lines,
             std::size_t max_links)
      : XmlReader(file, out, std::move(lines)), max_links_(max_links) {}

 protected:
  template <class F>
  static void each_element(const XMLElement& parent, F use) {
    for (auto* e = parent.FirstChildElement(); e; e = e->NextSiblingElement()) use(*e);
  }

  /// So many numbers as an attribute has, or none, which is reported if it should have some.
  std::vector<double> numbers_of(const XMLAttribute* a, std::size_t least, std::size_t most) {
    return a ? numbers_in(a->Value(), a->Name(), *a, least, most) : std::vector<double>();
  }
  std::vector<double> numbers_in(std::string_view text, std::string_view name, const auto& node,
                                 std::size_t least, std::size_t most) {
    std::vector<double> values;
    const std::string_view all = text;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
      const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
      text.remove_prefix(word.size());
      if (const std::string_view defect = number_defect(word); !defect.empty()) {
        report(rules::number_invalid, node,
               quoted(name, all) + ": '" + shown(word) + "' " + std::string(defect));
        return {};
      }
      values.push_back(*parse_number(word));
      if (values.size() > most) break;
    }
    if (values.size() >= least && values.size() <= most) return values;
    report(rules::number_count, node,
           quoted(name, all) + " has " + (values.size() > most ? "more than " : "") +
               std::to_string(std::min(values.size(), most)) + " numbers instead of " +
               (least == most ? "" : std::to_string(least) + " to ") + std::to_string(most));
    return {};
  }

  /// A direction, of length one.
  Vec3<double> unit(const Vec3<double>& v, const auto& node) {
    if (v.stableNorm() > 0.0) return v.stableNormalized();
    report(rules::axis_zero, node, "a direction has zero length");
    return Vec3<double>::UnitZ();
  }

  /// A rotation from w, x, y, z of any length but zero, which is reported.
  Rotation<double> quaternion(const Vec4<double>& wxyz, const auto& node) {
    if (!(wxyz.stableNorm() > 0.0)) {
      report(rules::quaternion_zero, node, "the quaternion has zero length");
      return {};
    }
    const Vec4<double> q = wxyz.stableNormalized();
    return Rotation<double>::from_quaternion({q(0), q(1), q(2), q(3)});
  }
  /// Without angles if it turns nothing, so that no digit is lost.
  static Pose plain_pose(const Transform<double>& X) {
    return X.rotation().matrix().isIdentity(0.0) ? Pose(X.translation()) : Pose(X);
  }
  /// Numbers of a file are finite, yet sums and products of very large ones may not be.
  static bool is_finite(const Shape& s) {
    const auto size = [](const auto& g) {
      using G = std::decay_t<decltype(g)>;
      if constexpr (std::is_same_v<G, Box>)
        return g.size.sum();
      else if constexpr (std::is_same_v<G, Sphere>)
        return g.radius;
      else if constexpr (std::is_same_v<G, Mesh>)
        return g.scale.cwiseAbs().sum();
      else
        return g.radius + g.length;
    };
    return s.origin.xyz.allFinite() && s.origin.rpy.allFinite() &&
           std::isfinite(std::visit(size, s.geometry));
  }
  /// Red, green, blue and opacity, kept between 0 and 1; one that is not given is opaque.
  static std::optional<Vec4<double>> colour(std::vector<double> rgba) {
    if (rgba.size() == 3) rgba.push_back(1.0);
    if (rgba.size() != 4) return {};
    return Vec4<double>(Vec4<double>(rgba.data()).cwiseMax(0.0).cwiseMin(1.0));
  }

  /// "; did you mean 'x'?" of the keys of a map; for the first findings only, as it takes time.
  std::string advice(std::string_view name, const auto& known) const {
    if (out_.list().size() > 100) return {};
    std::vector<std::string_view> names;
    for (const auto& [key, value] : known) names.push_back(key);
    return ulna::did_you_mean(name, names);
  }

  struct Principal {
    Vec3<double> moments;
    Mat3<double> axes;
  };
  static Principal principal(const Mat3<double>& inertia) {
    const Eigen::SelfAdjointEigenSolver<Mat3<double>> solver(inertia);
    return {solver.eigenvalues(), solver.eigenvectors()};
  }

  /// Acts on the motion and is left out.
  void lost(const auto& node, std::string seen) {
    report(rules::dynamics_lost, node, std::move(seen), "left out");
  }
  /// Makes bodies in a way that is not known.
  void refuse(const XMLElement& e) {
    report(rules::element_refused, e, "<" + shown(e.Name()) + "> is not read");
  }

  // --- names: those of links and frames differ from each other ---

  int add_link(const std::string& name, int line) {
    if (d_.links.size() > max_links_) {
      out_.add(rules::input_too_large, at_line(line), "",
               "more than " + std::to_string(max_links_) + " links");
      out_.throw_if_errors();
    }
    frame_names_.insert(name);
    LinkDescription made{name};
    made.line = line;
    d_.links.push_back(std::move(made));
    return static_cast<int>(d_.links.size()) - 1;
  }
  void reserve(const std::string& name) { frame_names_.insert(name); }
  std::string unused(const std::set<std::string>& names, const std::string& name) {
    std::string made = name;
    // goes on where it ended for this name
    for (int& i = next_.try_emplace(name, 2).first->second; names.contains(made); ++i)
      made = name + "_" + std::to_string(i);
    return made;
  }
  std::string unique_link_name(const std::string& name) {
    const std::string made = unused(frame_names_, name);
    frame_names_.insert(made);
    return made;
  }
  /// The name, or one that is made of the kind and a number.
  std::string unique_link(const char* name, const std::string& kind, const XMLElement& e) {
    if (name && *name) return name;
    const std::string made = unique_link_name(kind + std::to_string(d_.links.size()));
    out_.add(rules::name_made, at(e), "<" + shown(e.Name()) + ">", "has no name",
             quoted("it is called", made));
    return made;
  }
  std::string unique_frame(const std::string& name, const XMLElement* e = nullptr) {
    const std::string made = unique_link_name(name);
    if (made != name && e)
      out_.add(rules::name_made, at(*e), quoted("frame", name), "a link or frame has the same name",
               quoted("it is called", made));
    return made;
  }
  std::string unique_joint(const std::string& name) {
    const std::string made = unused(joint_names_, name);
    joint_names_.insert(made);
    return made;
  }
  std::string unique_joint(const char* name, const std::string& otherwise, const XMLElement& e) {
    if (name && *name) return joint_names_.insert(name), name;
    const std::string made = unique_joint(otherwise);
    out_.add(rules::name_made, at(e), "<" + shown(e.Name()) + ">", "has no name",
             quoted("it is called", made));
    return made;
  }

  Description d_;

 private:
  std::size_t max_links_;
  std::set<std::string> frame_names_, joint_names_;
  std::map<std::string, int> next_;
};

/// A text with all that it includes, read by a reader that begins at its root.
template <class Includer, class Reader>
Imported import_tree(const char* root_tag, std::string_view text, const std::string& file,
                     const ImportOptions& options) {
  Diagnostics out(options.strict);
  const XmlText whole = Includer(options, out).run(text, file);
  const auto document = parse_xml(whole, options, out);
  out.throw_if_errors();
  const XMLElement& root = *document->RootElement();
  if (std::string_view(root.Name()) != root_tag)
    out.add(rules::xml_root, whole.lines->at(1), "",
            "the root element is <" + shown(root.Name()) + ">, not <" + root_tag + ">");
  out.throw_if_errors();
  Description description = Reader(file, out, whole.lines, options.max_links).read(root);
  return finish(std::move(description), std::move(out), options);
}

}  // namespace ulna::detail
