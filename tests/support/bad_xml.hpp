#pragma once

#include "support/bad_input.hpp"

/// URDF that is wrong as a text, or too large, and shapes.
namespace ulna::test {

inline void bad_xml(BadInputs& cases) {
  cases.kind("XML");
  cases.text("empty", "", Fate::refused, rules::xml_empty, 1);
  cases.text("white space", " \n\t\r\n ", Fate::refused, rules::xml_empty, 1);
  cases.text("a comment only", "<!-- nothing -->", Fate::refused, rules::xml_empty, 1);
  cases.text("a declaration only", "<?xml version='1.0'?>\n", Fate::refused, rules::xml_empty, 1);
  cases.text("only a byte order mark", "\xEF\xBB\xBF", Fate::refused, rules::xml_empty, 1);
  cases.text("not XML", "hello\n", Fate::refused, rules::xml_malformed, 1);
  cases.text("HTML", "<html><body>404</body></html>", Fate::refused, rules::xml_root, 1);
  cases.text("HTML with DOCTYPE", "<!DOCTYPE html>\n<html/>", Fate::refused, rules::xml_doctype, 1);
  cases.text("two robots", "<robot name='r'><link name='a'/></robot>\n<robot name='s'/>",
             Fate::refused, rules::xml_malformed, 2);
  cases.text(
      "billion laughs",
      [] {
        std::string text = "<?xml version='1.0'?>\n<!DOCTYPE robot [\n<!ENTITY l0 'lol'>\n";
        for (int i = 1; i < 10; ++i)
          text += "<!ENTITY l" + std::to_string(i) + " '" +
                  repeated("&l" + std::to_string(i - 1) + ";", 10) + "'>\n";
        return text + "]>\n<robot name='&l9;'><link name='a'/></robot>";
      }(),
      Fate::refused, rules::xml_doctype, 2);
  cases.text("external entity",
             "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot name='&x;'><link "
             "name='a'/></robot>",
             Fate::refused, rules::xml_doctype, 1);
  cases.text("entity outside a DOCTYPE",
             "<robot name='r'>\n<!ENTITY x 'y'><link name='a'/></robot>", Fate::refused,
             rules::xml_doctype, 2);
  cases.accepted("DOCTYPE in a comment", [] {
    return "<!-- <!DOCTYPE html> -->" + std::string(good_urdf.substr(good_urdf.find('\n')));
  });
  cases.accepted(
      "an entity that nobody declared",
      [] { return std::string("<robot name='&lol;'><link name='a'/></robot>"); },
      [](const Model& m) { return m.name() == "&lol;"; });
  cases.refused("attribute twice", "<mass value='2'/>", "<mass value='2' value='3'/>",
                rules::xml_malformed);
  cases.refused("attribute without quotes", "value='2'", "value=2", rules::xml_malformed);
  cases
      .refused("tag not closed", "    </inertial>\n    <visual>", "    <visual>",
               rules::xml_malformed)
      .on_line(any_line);
  cases.refused("comment that does not end", "<link name='tip'/>", "<!-- ", rules::xml_malformed);
  for (const std::string_view tag : {"a", "link", "gazebo"})
    cases.add(
        "60,000 deep <" + std::string(tag) + ">", "bad.urdf",
        [tag] {
          return "<robot name='r'>\n<link name='x'/>\n" +
                 repeated("<" + std::string(tag) + ">", 60'000) +
                 repeated("</" + std::string(tag) + ">", 60'000) + "</robot>";
        },
        Fate::refused, rules::xml_depth, 3);
  cases.add(
      "60,000 deep, not closed", "bad.urdf",
      [] { return "<robot name='r'>\n" + repeated("<a b='c'>", 60'000); }, Fate::refused,
      rules::xml_depth, 2);
  cases.add(
      "60,000 deep in an ignored subtree", "bad.urdf",
      [] {
        return "<robot name='r'><link name='x'/>\n<gazebo>" + repeated("<p>", 60'000) +
               repeated("</p>", 60'000) + "</gazebo></robot>";
      },
      Fate::refused, rules::xml_depth, 2);
  cases.add(
      "60,000 deep in front of the root", "bad.urdf", [] { return repeated("<a>\n", 60'000); },
      Fate::refused, rules::xml_depth, any_line);
  cases
      .add(
          "100,000 attributes", "bad.urdf",
          [] {
            std::string text = "<robot name='r'>\n<link name='a'";
            for (int i = 0; i < 100'000; ++i) text += " a" + std::to_string(i) + "='<'";
            return text + "/></robot>";
          },
          Fate::refused, rules::input_too_large, 2)
      .says("attributes");
  cases.accepted("900 attributes", [] {
    std::string text = "<robot name='r'><link name='a'";
    for (int i = 0; i < 900; ++i) text += " a" + std::to_string(i) + "='1'";
    return text + "/></robot>";
  });
  cases.accepted("a comment of 30 MB", [] {
    return "<!--" + std::string(30u << 20, '-') + " -->" +
           std::string(good_urdf.substr(good_urdf.find('\n')));
  });
  cases
      .add(
          "40 MB", "bad.urdf",
          [] { return "<robot name='r'>" + std::string(40u << 20, ' ') + "</robot>"; },
          Fate::refused, rules::input_too_large, 1)
      .says("bytes");
  cases
      .add(
          "1,200,000 elements", "bad.urdf",
          [] { return "<robot name='r'>" + repeated("<a/>", 1'200'000) + "</robot>"; },
          Fate::refused, rules::input_too_large, 1)
      .says("elements");
  cases
      .add(
          "450,000 elements that are skipped", "bad.urdf",
          [] {
            return "<robot name='r'><link name='x'/>\n" + repeated("<a/>x", 450'000) + "</robot>";
          },
          Fate::repaired, rules::tag_ignored, 2)
      .says("449999 more times");
  cases.add(
      "200,000 strange elements", "bad.urdf",
      [] {
        std::string text = "<robot name='r'><link name='x'/>\n";
        for (int i = 0; i < 200'000; ++i) text += "<a" + std::to_string(i) + "/>";
        return text + "</robot>";
      },
      Fate::repaired, rules::tag_ignored, 2);
  cases.add(
      "a number of 10 MB", "bad.urdf",
      [] {
        return replaced(good_urdf, "value='2'", "value='" + std::string(10u << 20, 'x') + "'");
      },
      Fate::refused, rules::number_invalid, line_of(good_urdf, "value='2'"));
  cases.add(
      "a vector of a million numbers", "bad.urdf",
      [] { return replaced(good_urdf, "xyz='0 1 0'", "xyz='" + repeated("0 ", 1'000'000) + "'"); },
      Fate::refused, rules::number_count, line_of(good_urdf, "xyz='0 1 0'"));

  cases.kind("encoding");
  cases
      .repaired("Latin-1", "<link name='tip'/>", "<!-- M\xFCnchen --><link name='tip'/>",
                rules::encoding)
      .says("read as Latin-1");
  cases
      .text("Latin-1 in a name", "<robot name='M\xFCnchen'><link name='a'/></robot>",
            Fate::repaired, rules::encoding, 1)
      .after([](const Model& m) { return m.name() == "M\xC3\xBCnchen"; });
  cases.accepted("UTF-8", [] {
    return std::string(
        "<robot name='M\xC3\xBCnchen \xE2\x82\xAC \xF0\x9F\xA6\xBE'><link name='a'/></robot>");
  });
  cases.accepted("byte order mark", [] { return "\xEF\xBB\xBF" + std::string(good_urdf); });
  cases.accepted("CRLF", [] {
    std::string text;
    for (const char c : good_urdf) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return text;
  });
  for (const bool big : {false, true})
    cases
        .add(
            big ? "UTF-16, big end first" : "UTF-16", "bad.urdf",
            [big] {
              std::string text = big ? "\xFE\xFF" : "\xFF\xFE";
              for (const char c : good_urdf)
                text += big ? std::string{'\0', c} : std::string{c, '\0'};
              return text;
            },
            Fate::refused, rules::xml_malformed, 1)
        .says("UTF-16");
  cases
      .refused("NUL byte", "<link name='tip'/>", std::string_view("\0<link name='tip'/>", 19),
               rules::xml_malformed)
      .says("NUL");
  cases.add(
      "an ELF file", "bad.urdf",
      [] {
        return std::string(
            "\x7F"
            "ELF\x02\x01\x01\0\0\0\0",
            11);
      },
      Fate::refused, rules::xml_malformed, 1);

  cases.kind("xacro");
  cases.refused("macro call", "  <link name='tip'/>", "<xacro:finger side='left'/>", rules::xacro);
  cases.refused("if", "  <link name='tip'/>", "<xacro:if value='1'><link name='tip'/></xacro:if>",
                rules::xacro);
  cases.refused("in a joint", "<axis xyz='0 1 0'/>", "<xacro:axis/>", rules::xacro);
  cases.refused("expression as number", "value='2'", "value='${mass}'", rules::xacro);
  cases.refused("expression in a vector", "xyz='0 0 0.3'", "xyz='0 0 ${h}'", rules::xacro);
  cases.refused("expression as name", "<link name='tip'/>", "<link name='${prefix}tip'/>",
                rules::xacro);
  cases.refused("expression as link", "<parent link='upper'/>", "<parent link='${p}upper'/>",
                rules::xacro);
  cases.refused("expression as robot", "name='arm'", "name='$(arg name)'", rules::xacro);
  cases
      .repaired("expression as mesh", "package://arm/upper.stl", "$(find arm)/upper.stl",
                rules::shape_invalid)
      .says("xacro");
  cases
      .repaired("property left behind", "  <link name='tip'/>",
                "<xacro:property name='a' value='1'/><link name='tip'/>", rules::xacro_leftover)
      .says("ignored");
  cases.repaired("arg left behind", "  <link name='tip'/>",
                 "<xacro:arg name='a' default='1'/><link name='tip'/>", rules::xacro_leftover);
  cases.text("only properties", "<robot name='r'>\n<xacro:property name='a' value='1'/></robot>",
             Fate::refused, rules::tree_empty, 0);
}

inline void bad_shapes(BadInputs& cases, const std::string& fifo) {
  const std::string box = "<box size='0.1 0.2 0.3'/>", mesh = "package://arm/upper.stl";
  const auto none_drawn = [](const Model& m) { return m.description().links[1].visuals.empty(); };
  cases.kind("shapes");
  cases
      .repaired("box with a negative edge", box, "<box size='0.1 -0.2 0.3'/>", rules::shape_invalid)
      .says("the shape is left out")
      .after(none_drawn);
  cases.repaired("box with a zero edge", box, "<box size='0.1 0 0.3'/>", rules::shape_invalid)
      .after(none_drawn);
  cases.repaired("box of two edges", box, "<box size='0.1 0.2'/>", rules::shape_invalid)
      .after(none_drawn);
  cases.repaired("box without size", box, "<box/>", rules::shape_invalid).after(none_drawn);
  cases.repaired("sphere of radius -1", box, "<sphere radius='-1'/>", rules::shape_invalid)
      .after(none_drawn);
  cases
      .repaired("cylinder of radius 0", box, "<cylinder radius='0' length='1'/>",
                rules::shape_invalid)
      .after(none_drawn);
  cases.repaired("cylinder without length", box, "<cylinder radius='1'/>", rules::shape_invalid)
      .after(none_drawn);
  cases.repaired("unknown kind", box, "<cone radius='1'/>", rules::shape_invalid).after(none_drawn);
  cases.repaired("misspelt kind", box, "<spere radius='1'/>", rules::shape_invalid)
      .says("'sphere'")
      .after(none_drawn);
  cases.repaired("empty geometry", box, "", rules::shape_invalid)
      .on("<geometry>\n")
      .after(none_drawn);
  cases
      .repaired("no geometry", "<material name='blue'/>\n    </visual>",
                "<material name='blue'/>\n    </visual>\n<visual/>", rules::shape_invalid)
      .on("<visual/>");
  cases
      .repaired("two geometries", "<geometry><sphere radius='0.11'/></geometry>",
                "<geometry><sphere radius='0.11'/></geometry><geometry><sphere "
                "radius='0.11'/></geometry>",
                rules::shape_invalid)
      .says("more than one <geometry>");
  cases.repaired("mesh without file", "filename='package://arm/upper.stl'", "",
                 rules::shape_invalid);
  cases
      .refused("geometry misspelt", "      <geometry>\n", "      <geomtry>\n", rules::xml_malformed)
      .on_line(any_line);
  cases
      .repaired("colour of three numbers", "rgba='0 0 1 1'", "rgba='0 0 1'",
                rules::material_invalid)
      .says("the colour is left out")
      .after([](const Model& m) { return !m.description().links[1].visuals[0].material.rgba; });
  cases.repaired("colour above 1", "rgba='0 0 1 1'", "rgba='0 0 255 1'", rules::material_invalid)
      .after([](const Model& m) { return !m.description().links[1].visuals[0].material.rgba; });
  cases.repaired("colour without rgba", "<color rgba='0 0 1 1'/>", "<color/>",
                 rules::material_invalid);

  cases.kind("mesh paths");
  cases.accepted(
      "missing file", [=] { return replaced(good_urdf, mesh, "package://nowhere/nothing.dae"); },
      [](const Model& m) {
        return std::get<Mesh>(m.description().links[1].collisions[2].geometry).file ==
               "package://nowhere/nothing.dae";
      });
  // opening the pipe would wait forever for somebody to write into it
  for (const std::string& path :
       {fifo, "file://" + fifo, std::string("../../secret.stl"),
        std::string("package://arm/../../secret.stl"), std::string("/dev/zero")})
    cases
        .repaired(path == fifo               ? "a pipe"
                  : path == "file://" + fifo ? "a pipe, as file://"
                                             : path,
                  mesh, path, rules::mesh_path)
        .says("not opened");
}

inline void large_robots(BadInputs& cases) {
  cases.kind("size");
  cases.accepted(
      "chain of 5,000 links", [] { return many_links(5000, the_one_before); },
      [](const Model& m) { return m.nq() == 5000; });
  cases.accepted(
      "chain of 19,999 joints", [] { return many_links(19'999, the_one_before); },
      [](const Model& m) { return m.nq() == 19'999; });
  cases.accepted(
      "chain of 19,999 fixed joints",
      [] { return many_links(19'999, the_one_before, "fixed", ""); },
      [](const Model& m) { return m.body_count() == 1; });
  cases.accepted(
      "star of 10,000 children", [] { return many_links(10'000, the_base); },
      [](const Model& m) { return m.nq() == 10'000; });
  cases.accepted(
      "star of 10,000 fixed children", [] { return many_links(10'000, the_base, "fixed", ""); },
      [](const Model& m) { return m.frames().size() == 10'001; });
  cases
      .add(
          "chain of 60,000 links", "bad.urdf", [] { return many_links(60'000, the_one_before); },
          Fate::refused, rules::input_too_large, 40'001)
      .says("more than 20000 links");
  cases.add(
      "900,000 links", "bad.urdf",
      [] { return "<robot name='r'>" + repeated("<link/>\n", 900'000) + "</robot>"; },
      Fate::refused, rules::input_too_large, 20'001);
  cases.add(
      "400,000 joints", "bad.urdf",
      [] {
        return "<robot name='r'><link name='a'/>" + repeated("<joint/>\n", 400'000) + "</robot>";
      },
      Fate::refused, rules::input_too_large, 20'001);
  cases
      .add(
          "19,000 joints between unknown links", "bad.urdf",
          [] {
            std::string text = "<robot name='r'>\n";
            for (int i = 0; i < 19'000; ++i)
              text += "<link name='lx" + std::to_string(i) + "'/>" + joint_text(i, i + 1);
            return text + "</robot>";
          },
          Fate::refused, rules::link_unknown, 2)
      .says("did you mean 'lx1'");
  cases.add(
      "20,000 links of one name", "bad.urdf",
      [] { return "<robot name='r'>\n" + repeated("<link name='a'/>\n", 20'000) + "</robot>"; },
      Fate::refused, rules::name_duplicate, 3);
  cases
      .add(
          "20,000 roots", "bad.urdf",
          [] {
            std::string text = "<robot name='r'>\n";
            for (int i = 0; i < 20'000; ++i) text += link_text(i);
            return text + "</robot>";
          },
          Fate::refused, rules::tree_two_roots, 3)
      .says("20000 links have no parent");
}

}  // namespace ulna::test
