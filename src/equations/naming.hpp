#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "num/message.hpp"
#include "symbolic.hpp"
#include "ulna/classic/arm.hpp"
#include "ulna/equations/equations.hpp"

/// From a robot's numbers to symbols, as the books choose them:
///
///   m1         mass of link 1
///   l1         from joint 1 to joint 2, or from the last joint to the first named frame on its link;
///              l1x, l1y, l1z where it does not lie along one axis; l0 in the base
///   lc1        from joint 1 to the centre of mass; l1 where they are the same
///   I1xx, ...  inertia about the centre of mass, in the axes of the link; I1 where only one is needed
///   Ir1        rotor inertia of joint 1
///   K1, H1, D1 stiffness, hardening and damping of the spring of joint 1
///   J1, n12    inertia of motor 1, how far it turns when joint 2 does
///   phi1       an angle between neighbouring joints that is not a multiple of 90°
///   g          gravity
///
/// Symbols stand for magnitudes, signs are written out, and what is zero stays zero.
namespace ulna::equations {

struct NamedArm {
  std::vector<classic::Link<Symbolic>> links;  ///< [0] is the base
  Vec3<Symbolic> gravity;
  std::vector<Symbolic> armature;  ///< per joint
  VecX<Symbolic> spring;           ///< per joint: what its spring exerts
  classic::MatX<Symbolic> rotors;  ///< N'J N and the armature of elastic joints
  std::vector<Symbol> parameters;
  std::vector<Coordinate> coordinates, motors;
  bool exact = true;  ///< no direction was taken from rounded numbers

  classic::Arm<Symbolic> arm() const { return {links, gravity}; }
  /// The parameter of this name, or the end of all.
  std::vector<Symbol>::iterator find(const std::string& name) {
    return std::ranges::find(parameters, name, &Symbol::name);
  }
  /// Puts expressions in place of parameters everywhere.
  void replace(const std::map<std::string, Symbolic>& by);
};

/// With numbers in place of symbols if `numeric`. Throws std::invalid_argument for robots with other
/// joints than revolute and prismatic ones.
NamedArm named_arm(const Model& model, bool numeric);

/// Renames I1zz to I1 where no other inertia of link 1 is among the symbols in use.
void shorten_inertias(NamedArm& arm, const std::vector<std::string>& in_use);

/// Puts in what "lc1=l1/2" says. What is on the right must be made of parameters and be equal to
/// what is on the left in this robot; a new name renames it. Throws std::invalid_argument.
void let(NamedArm& arm, const std::string& equation);

/// How the documents name the parameters of the arms that were taken from them; empty for others.
std::vector<std::string> names_of_document(const NamedArm& arm, const std::string& robot);

}  // namespace ulna::equations
