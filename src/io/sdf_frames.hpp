#pragma once

#include <numbers>
#include <unordered_map>

#include "io/tree_reader.hpp"

namespace ulna::detail {

/// The frames of an SDF model, and where they are [sdformat.org, "Pose frame semantics"].
class SdfFrames : protected TreeReader {
 protected:
  using TreeReader::TreeReader;

  /// A link, joint, frame or model, all of which poses may refer to.
  struct Frame {
    enum class Kind { model, link, joint, frame } kind = Kind::frame;
    std::string name;                     ///< with those of the models that it is in: "arm::hand"
    std::string base;                     ///< what its pose is relative to
    std::string attached;                 ///< what it moves with
    Transform<double> X_base, X_model{};  ///< its pose in the base, and in the whole model
    Pose pose{};                          ///< as written
    const XMLElement* element = nullptr;
    std::string scope;  ///< of names that it refers to: "arm::"
    bool resolved = false, resolving = false;
    std::string link = {};  ///< that it moves with, once that was looked for
  };

  // --- texts ---

  static std::string_view content(const XMLElement& e) {
    const char* text = e.GetText();
    return text ? trimmed(text) : std::string_view();
  }
  static std::string_view text_of(const XMLElement& e, const char* tag,
                                  std::string_view otherwise = {}) {
    const XMLElement* child = e.FirstChildElement(tag);
    return child && !content(*child).empty() ? content(*child) : otherwise;
  }
  double value(const XMLElement& e, const char* tag, double otherwise) {
    const XMLElement* child = e.FirstChildElement(tag);
    if (!child) return otherwise;
    const auto read = numbers_in(content(*child), tag, *child, 1, 1);
    return read.empty() ? otherwise : read[0];
  }
  Vec3<double> three(const XMLElement& e, const Vec3<double>& otherwise) {
    const auto read = numbers_in(content(e), e.Name(), e, 3, 3);
    return read.empty() ? otherwise : Vec3<double>(read.data());
  }

  /// The <pose> of an element, the identity if there is none.
  Pose pose_of(const XMLElement& e) {
    const XMLElement* p = e.FirstChildElement("pose");
    if (!p || content(*p).empty()) return {};
    known_attributes(*p, {"relative_to", "rotation_format", "degrees", "frame"});
    if (p->Attribute("rotation_format", "quat_xyzw")) {
      const auto n = numbers_in(content(*p), "pose", *p, 7, 7);
      if (n.empty()) return {};
      return Pose(Transform<double>(quaternion({n[6], n[3], n[4], n[5]}, *p), {n[0], n[1], n[2]}));
    }
    const auto n = numbers_in(content(*p), "pose", *p, 6, 6);
    if (n.empty()) return {};
    const double unit = p->BoolAttribute("degrees") ? std::numbers::pi / 180.0 : 1.0;
    return Pose({n[0], n[1], n[2]}, {n[3] * unit, n[4] * unit, n[5] * unit});
  }
  static std::string relative_to(const XMLElement& e) {
    const XMLElement* p = e.FirstChildElement("pose");
    const char* name = p ? p->Attribute("relative_to") : nullptr;
    return name ? name : "";
  }

  // --- frames ---

  std::string name_of(const XMLElement& e, const char* kind) {
    const char* name = e.Attribute("name");
    if (name && *name) return name;
    report(rules::name_missing, e, std::string("a ") + kind + " has no name");
    return "?" + std::to_string(frames_.size());
  }

  void add_frame(Frame f) {
    const std::string name = f.name;
    const XMLElement& e = *f.element;
    if (!frames_.emplace(name, std::move(f)).second)
      report(rules::name_duplicate, e, quoted("name", name) + " is used twice in the model");
  }

  /// All that poses may refer to, of a model and those within it.
  void gather(const XMLElement& model, const std::string& scope, const XMLElement* inside) {
    subject_ = quoted("model", model.Attribute("name") ? model.Attribute("name") : "");
    const std::string own = scope + "__model__";
    if (!inside)
      frames_.emplace(own, Frame{Frame::Kind::model, own, "", "", {}, {}, {}, &model, scope});
    const Words known{"link",   "joint",   "frame",        "model",
                      "pose",   "static",  "self_collide", "allow_auto_disable",
                      "plugin", "gripper", "enable_wind",  "audio_source"};
    std::vector<const XMLElement*> nested;
    each_child(model, known, [&](const XMLElement& e, std::string_view tag) {
      if (tag == "link") {
        const std::string name = name_of(e, "link");
        subject_ = quoted("link", scope + name);
        const Pose pose = pose_of(e);
        const std::string base = relative_to(e);
        add_frame({Frame::Kind::link,
                   scope + name,
                   scope + (base.empty() ? "__model__" : base),
                   "",
                   pose.transform(),
                   {},
                   pose,
                   &e,
                   scope});
        links_.push_back(scope + name);
      } else if (tag == "joint") {
        const std::string name = name_of(e, "joint");
        subject_ = quoted("joint", scope + name);
        const Pose pose = pose_of(e);
        std::string base = relative_to(e);
        if (base.empty()) base = text_of(e, "child");
        if (base == "world") base = "__model__";
        add_frame({Frame::Kind::joint,
                   scope + name,
                   scope + base,
                   scope + std::string(text_of(e, "child")),
                   pose.transform(),
                   {},
                   pose,
                   &e,
                   scope});
        joints_.push_back(scope + name);
      } else if (tag == "frame") {
        const std::string name = name_of(e, "frame");
        subject_ = quoted("frame", scope + name);
        const char* attached = e.Attribute("attached_to");
        const std::string to = attached && *attached ? attached : "__model__",
                          base = relative_to(e);
        const Pose pose = pose_of(e);
        add_frame({Frame::Kind::frame,
                   scope + name,
                   scope + (base.empty() ? to : base),
                   scope + to,
                   pose.transform(),
                   {},
                   pose,
                   &e,
                   scope});
      } else if (tag == "model") {
        nested.push_back(&e);
      } else if (!is_among({"pose", "static"}, tag)) {
        ignore(e);
      }
    });
    for (const XMLElement* e : nested) {
      const std::string name = name_of(*e, "model"), inner = scope + name + "::";
      subject_ = quoted("model", scope + name);
      const Pose pose = pose_of(*e);
      const std::string base = relative_to(*e);
      Frame f{Frame::Kind::model,
              inner + "__model__",
              scope + (base.empty() ? "__model__" : base),
              "",
              pose.transform(),
              {},
              pose,
              e,
              scope};
      if (const char* placed = e->Attribute("placement_frame"))
        placements_[f.name] = inner + placed;
      add_frame(std::move(f));
      gather(*e, inner, &model);
    }
  }

  /// A frame by a name that stands in a model.
  Frame* find(const std::string& name) {
    auto found = frames_.find(name);
    // a model is named by itself
    if (found == frames_.end()) found = frames_.find(name + "::__model__");
    return found == frames_.end() ? nullptr : &found->second;
  }
  Frame* find_or_report(const std::string& name, const XMLElement& e, std::string_view role) {
    if (Frame* f = find(name)) return f;
    report(rules::frame_unknown, e, quoted(role, name) + " is unknown" + advice(name, frames_));
    return nullptr;
  }

  /// Computes where a frame is in the model.
  bool resolve(Frame& f) {
    if (f.resolved) return true;
    subject_ = quoted(kind_of(f), f.name);
    if (f.resolving || ++depth_ > 1000) {
      report(rules::frame_cycle, *f.element,
             f.resolving ? "is placed relative to itself, by way of others"
                         : "is placed by way of more than 1000 others");
      f.resolved = true;
      return false;
    }
    f.resolving = true;
    if (!f.base.empty()) {
      Frame* base = find_or_report(f.base, *f.element, "frame");
      if (base && resolve(*base)) f.X_model = base->X_model * f.X_base;
    }
    if (const auto placed = placements_.find(f.name); placed != placements_.end())
      place_model(f, placed->second);
    --depth_;
    f.resolving = false;
    f.resolved = true;
    return true;
  }
  /// The pose of a model that says so is that of one of its frames.
  void place_model(Frame& model, const std::string& frame) {
    Frame* placed = find_or_report(frame, *model.element, "placement_frame");
    if (!placed) return;
    // relative to the model, whatever that is placed at
    Transform<double> X_MF;
    const Frame* f = placed;
    for (int steps = 0; f && f != &model; ++steps) {
      if (steps > 1000)
        return report(rules::frame_cycle, *model.element,
                      "its placement frame is placed relative to itself");
      X_MF = f->X_base * X_MF;
      f = find(f->base);
    }
    model.X_model = model.X_model * X_MF.inverse();
  }
  static const char* kind_of(const Frame& f) {
    return f.kind == Frame::Kind::link    ? "link"
           : f.kind == Frame::Kind::joint ? "joint"
           : f.kind == Frame::Kind::model ? "model"
                                          : "frame";
  }

  /// The link that a frame moves with: "world", or "" if there is none, which is reported.
  std::string link_of(const std::string& name, const std::string& scope, const XMLElement& e,
                      std::string_view role) {
    if (name == "world") return "world";
    if (name.empty()) {
      report(rules::tag_missing, e, "has no <" + std::string(role) + ">");
      return {};
    }
    Frame* f = find_or_report(scope + name, e, role);
    std::vector<Frame*> passed;
    for (; f && f->link.empty() && passed.size() < 1000; f = find(f->attached)) {
      passed.push_back(f);
      if (f->kind == Frame::Kind::link) f->link = f->name;
      if (f->kind == Frame::Kind::model) f->link = first_link(*f);
      if (!f->link.empty() || f->kind == Frame::Kind::model) break;
    }
    if (f && f->link.empty())
      report(rules::frame_cycle, e, quoted(role, name) + " is attached to no link");
    if (!f || f->link.empty()) return {};
    // those that hang on these need not come this way again
    for (Frame* before : passed) before->link = f->link;
    return f->link;
  }
  /// A model moves with its first link.
  std::string first_link(const Frame& model) const {
    const std::string inner =
        model.name.substr(0, model.name.size() - std::string_view("__model__").size());
    const auto found = std::ranges::find_if(
        links_, [&](const std::string& link) { return link.starts_with(inner); });
    return found == links_.end() ? std::string() : *found;
  }

  std::map<std::string, Frame> frames_;
  std::map<std::string, std::string> placements_;  ///< of models, by one of their frames
  std::vector<std::string> links_, joints_;        ///< in the order of the file

 private:
  int depth_ = 0;
};

}  // namespace ulna::detail
