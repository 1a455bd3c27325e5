#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "support/bad_input.hpp"

/// Xacro files, as people write them.
namespace ulna::test {

/// Files in a folder of their own, which goes with the object.
class Files {
 public:
  explicit Files(const std::string& name)
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("ulna_" + name + "_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() {
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }
  Files(const Files&) = delete;

  /// Writes a file, and its folder if it has one; returns its path.
  std::string write(const std::string& name, std::string_view text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

/// Two arms of two links, by macros with properties, blocks, conditions and mathematics.
inline constexpr std::string_view good_xacro = R"(<?xml version='1.0'?>
<robot name='$(arg name)' xmlns:xacro='http://www.ros.org/wiki/xacro'>
  <xacro:arg name='name' default='twins'/>
  <xacro:arg name='tool' default='true'/>
  <xacro:property name='length' value='0.4'/>
  <xacro:property name='mass' value='${2 * 1.25}'/>
  <xacro:property name='limits' value="${dict(effort=50, range=[-pi/2, pi/2])}"/>
  <xacro:property name='heavy' value='${mass > 2}'/>
  <xacro:property name='pose'>
    <origin xyz='0 0 ${length/2}' rpy='0 0 0'/>
  </xacro:property>
  <xacro:macro name='rod' params='name mass:=1 r:=0.05 **more'>
    <link name='${name}'>
      <inertial>
        <xacro:insert_block name='pose'/>
        <mass value='${mass}'/>
        <inertia ixx='${mass*(3*r**2 + length**2)/12}' ixy='0' ixz='0'
          iyy='${mass*(3*r**2 + length**2)/12}' iyz='0' izz='${mass*r**2/2}'/>
      </inertial>
      <xacro:insert_block name='more'/>
    </link>
  </xacro:macro>
  <xacro:macro name='hinge' params='name parent child axis:=^|z *origin'>
    <joint name='${name}' type='revolute'>
      <xacro:insert_block name='origin'/>
      <parent link='${parent}'/>
      <child link='${child}'/>
      <axis xyz="${'0 0 1' if axis == 'z' else '0 1 0'}"/>
      <limit lower='${limits.range[0]}' upper="${limits['range'][1]}" effort='${limits.effort}' velocity='2'/>
    </joint>
  </xacro:macro>
  <xacro:macro name='arm' params="side reflect:=1 axis:=y">
    <xacro:rod name='${side}_upper' mass='${mass}'>
      <given>
        <visual>
          <geometry><box size='0.1 0.1 ${length}'/></geometry>
        </visual>
      </given>
    </xacro:rod>
    <xacro:rod name='${side}_lower'><given/></xacro:rod>
    <xacro:hinge name='${side}_shoulder' parent='base' child='${side}_upper'>
      <origin xyz='0 ${reflect*0.2} 0'/>
    </xacro:hinge>
    <xacro:hinge name='${side}_elbow' parent='${side}_upper' child='${side}_lower' axis='z'>
      <origin xyz='0 0 ${length}' rpy='${radians(90)} 0 0'/>
    </xacro:hinge>
    <xacro:if value='$(arg tool)'>
      <link name='${side}_tool'/>
      <joint name='${side}_mount' type='fixed'>
        <parent link='${side}_lower'/>
        <child link='${side}_tool'/>
      </joint>
    </xacro:if>
    <xacro:unless value='${heavy and True}'>
      <link name='nowhere'/>
    </xacro:unless>
  </xacro:macro>
  <link name='base'/>
  <xacro:arm side='left'/>
  <xacro:arm side='right' reflect='-1'/>
</robot>
)";

inline void bad_xacro(BadInputs& cases) {
  cases.kind("xacro files");
  const auto refused = [&](std::string name, std::string_view from, std::string_view to,
                           const Rule& rule) -> BadInputs& {
    const std::string text = replaced(good_xacro, from, to);
    return cases.add(
        std::move(name), "bad.xacro", [text] { return text; }, Fate::refused, rule,
        line_of(good_xacro, from));
  };
  const std::string_view base = "  <link name='base'/>";
  refused("unknown property", "'${2 * 1.25}'", "'${2 * masss}'", rules::xacro_unknown)
      .on("'${mass}'>")
      .says("'masss' is not defined; did you mean 'mass'?");
  refused("division by zero", "${length/2}", "${length/0}", rules::xacro_expression)
      .says("division by zero, in macro");
  refused("expression that ends early", "<origin xyz='0 0 ${length}'",
          "<origin xyz='0 0 ${length *}'", rules::xacro_expression)
      .says("ends too early");
  refused("expression that is not closed", "0 ${reflect*0.2} 0", "0 ${reflect*0.2 0",
          rules::xacro_expression)
      .says("is not closed");
  refused("function of Python", "${radians(90)}", "${open(&quot;/etc/passwd&quot;)}",
          rules::xacro_expression)
      .says("'open' is not known");
  refused("root of a negative number", "${radians(90)}", "${sqrt(-1)}", rules::xacro_expression)
      .says("no real value");
  refused("a text times a text", "${radians(90)}", "${&quot;a&quot;*&quot;b&quot;}",
          rules::xacro_expression)
      .says("a text stands where");
  refused("misspelt function", "${radians(90)}", "${radian(90)}", rules::xacro_expression)
      .says("did you mean 'radians'?");
  refused("list index", "limits.range[0]", "limits.range[2]", rules::xacro_expression)
      .says("index 2 is outside");
  refused("unknown key", "limits.effort", "limits.efort", rules::xacro_expression)
      .says("did you mean 'effort'?");
  refused("unknown argument", "'$(arg tool)'", "'$(arg tol)'", rules::xacro_unknown)
      .says("did you mean 'tool'?");
  refused("unknown macro", "<xacro:arm side='left'/>", "<xacro:amr side='left'/>",
          rules::xacro_unknown)
      .says("did you mean 'arm'?");
  refused("unknown block", "<xacro:insert_block name='origin'/>",
          "<xacro:insert_block name='orign'/>", rules::xacro_unknown)
      .says("did you mean 'origin'?");
  refused("unknown variable", base, "<link name='$(env ULNA_NO_SUCH_VARIABLE)'/>",
          rules::xacro_unknown);
  refused("missing parameter", "<xacro:arm side='left'/>", "<xacro:arm/>", rules::xacro_call)
      .says("has no parameter 'side' of macro 'arm'");
  refused("unknown parameter", "reflect='-1'", "reflekt='-1'", rules::xacro_call)
      .says("did you mean 'reflect'?");
  refused("missing block", "<xacro:rod name='${side}_lower'><given/></xacro:rod>",
          "<xacro:rod name='${side}_lower'/>", rules::xacro_call)
      .says("no element for block 'more'");
  refused("superfluous block", "<xacro:arm side='left'/>",
          "<xacro:arm side='left'><origin/></xacro:arm>", rules::xacro_call)
      .says("<origin> is not used");
  refused("condition that is none", "'$(arg tool)'", "'yes'", rules::xacro_expression)
      .says("neither true nor false");
  refused("misspelt attribute", "default='twins'", "defualt='twins'", rules::tag_misspelt);
  refused("argument without a value", "<xacro:arg name='tool' default='true'/>",
          "<xacro:arg name='tool'/>", rules::xacro_argument)
      .says("has no default and is not given");
  refused("macro without a name", "<xacro:macro name='hinge'", "<xacro:macro nam='hinge'",
          rules::attribute_missing);
  refused("name of a property", "<xacro:property name='mass'", "<xacro:property name='m-ass'",
          rules::xacro_call);
  refused("missing file", base, "<xacro:include filename='/nonexistent/arm.xacro'/>",
          rules::include_unreadable)
      .says("no such file");
  refused("missing package", base,
          "<xacro:include filename='$(find no_such_package_here)/a.xacro'/>",
          rules::include_unreadable)
      .says("package 'no_such_package_here' is not found");
  refused("a device", base, "<xacro:include filename='/dev/zero'/>", rules::include_unreadable);
  refused("a property by itself", "'${2 * 1.25}'", "'${2 * mass}'", rules::xacro_expression)
      .on("'${mass}'>")
      .says("defined by itself (bad.xacro:6)");
  refused("macro that calls itself", "<link name='${side}_tool'/>", "<xacro:arm side='deep'/>",
          rules::input_too_large)
      .on_line(any_line);
  refused("what URDF does not allow, in a macro", "type='revolute'", "type='revolut'",
          rules::joint_type_unknown)
      .says("'revolut'");
  refused("a number that is none, in a macro", "effort='${limits.effort}'", "effort='${limits}'",
          rules::number_invalid);
  cases.text("nothing but definitions",
             "<robot xmlns:xacro='http://ros.org/wiki/xacro'>\n<xacro:macro name='arm' "
             "params='p'>\n<link name='${p}a'/></xacro:macro></robot>",
             Fate::refused, rules::tree_empty, 0);

  const auto text = [&](std::string name, const std::string& inside) -> BadInputs& {
    const std::string whole = "<robot name='r' xmlns:xacro='x'>\n" + inside + "\n</robot>";
    return cases.text(std::move(name), whole, Fate::refused, rules::input_too_large, any_line,
                      "bad.xacro");
  };
  std::string bomb = "<xacro:macro name='m0'><link name='a'/></xacro:macro>";
  for (int i = 1; i < 30; ++i) {
    const std::string call = "<xacro:m" + std::to_string(i - 1) + "/>";
    bomb +=
        "<xacro:macro name='m" + std::to_string(i) + "'>" + repeated(call, 10) + "</xacro:macro>";
  }
  text("macros that call ten others", bomb + "<xacro:m29/>");
  // each within limits, together as deep as the stack
  std::string nested = "<link name='a'/>", chained = "<xacro:property name='p0' value='1'/>";
  for (int i = 198; i >= 0; --i) {
    const std::string next = i == 198 ? "" : "<xacro:m" + std::to_string(i + 1) + "/>";
    nested += "<xacro:macro name='m" + std::to_string(i) + "'>" + repeated("<a>", 90) + next +
              repeated("</a>", 90) + "</xacro:macro>";
  }
  for (int i = 1; i < 199; ++i)
    chained += "<xacro:property name='p" + std::to_string(i) + "' value='${" + repeated("(", 20) +
               "p" + std::to_string(i - 1) + repeated(repeated("+1", 490) + ")", 20) + "}'/>";
  text("elements in macros in elements", nested + "<xacro:m0/>").says("more than 1000 deep");
  text("operators in properties in operators", chained + "<link name='l${p198}'/>")
      .says("too many steps within each other")
      .list.back()
      .rule = &rules::xacro_expression;
  std::string empty = bomb;
  empty.replace(empty.find("<link name='a'/>"), 16, "");
  text("the same with nothing in them", empty + "<xacro:m29/>");
  std::string doubled = "<xacro:property name='p0' value='aaaaaaaaaa'/>";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "${p" + std::to_string(i - 1) + "}";
    doubled +=
        "<xacro:property name='p" + std::to_string(i) + "' value='" + before + before + "'/>";
  }
  text("a text that doubles", doubled + "<link name='${p59}'/>").list.back().rule =
      &rules::xacro_expression;
  text("a long range", "<link name='${range(10**15)}'/>").list.back().rule =
      &rules::xacro_expression;
  text("a text many times", "<link name=\"${'a' * 10**15}\"/>").list.back().rule =
      &rules::xacro_expression;
  std::string texts, names;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "t" + std::to_string(i);
    texts += "<xacro:property name='" + name + "' value=\"${'a' * 1000000}\"/>";
    names += name + ",";
  }
  text("many long texts", texts + "<link name='${[" + names + "]}'/>").list.back().rule =
      &rules::xacro_expression;
  text("a long list in a text", "<link name='a'>${list(range(100000)) * 10}</link>")
      .list.back()
      .rule = &rules::xacro_expression;
  text("parentheses", "<link name='${" + repeated("(", 50'000) + "}'/>").list.back().rule =
      &rules::xacro_expression;
  text("signs", "<link name='${" + repeated("-", 50'000) + "1}'/>").list.back().rule =
      &rules::xacro_expression;
  text("a long sum", "<link name='${" + repeated("1+", 50'000) + "1}'/>").list.back().rule =
      &rules::xacro_expression;
  text("much mathematics", "<xacro:macro name='m'><xacro:if value='${" + repeated("1+", 400) +
                               "1 < 0}'/></xacro:macro>" + repeated("<xacro:m/>", 20'000))
      .list.back()
      .rule = &rules::xacro_expression;
}

}  // namespace ulna::test
