#pragma once

#include <functional>

#include "simplify.hpp"
#include "ulna/equations/equations.hpp"

namespace ulna::equations {

/// The motor's side of a coordinate: thm1 of th1.
std::string motor_coordinate(std::string coordinate);

/// How numbers, names, sines and products are written.
struct Printer {
  Notation notation = Notation::ascii;
  bool fractions = true;                 ///< numbers as 1/3, else as decimals of six digits
  bool short_names = false;              ///< C12 for cos(th1 + th2)
  std::vector<std::string> coordinates;  ///< whose velocities are v1, v2, ...

  std::string operator()(const Product& p) const;
  /// Of a symbol, or of the rate of a coordinate.
  std::string name(const std::string& symbol, bool rate = false) const;
  std::string harmonic(const Harmonic& h, int power = 1) const;

 private:
  std::string factor(const Factor& f, int power) const;
  std::string number(const GiNaC::numeric& x) const;
  const char* times() const { return notation == Notation::ascii ? "*" : " "; }
  std::string power(const std::string& base, int n) const;
};

/// Expressions in C, with sines and cosines in variables of their own.
struct CPrinter {
  std::function<std::string(const std::string&)> variable;  ///< writes a symbol: p->m1, q[0]
  std::string declarations = {};                            ///< of the sines and cosines so far
  std::map<Harmonic, std::string> harmonics = {};           ///< and their names

  std::string operator()(const Product& p);

 private:
  std::string harmonic(const Harmonic& h);
};

/// The symbols "v3", "w3" and "a3": velocity of coordinate 3, of its motor, and acceleration. 0 for others.
int velocity_number(const std::string& symbol);
int motor_velocity_number(const std::string& symbol);
int acceleration_number(const std::string& symbol);

}  // namespace ulna::equations
