#pragma once

#include <cmath>
#include <vector>

#include "ulna/num/scalar.hpp"

/// Every function of one scalar in the vocabulary, with what the textbook says about it.
namespace ulna::test {

/// visit(name, f, f', f'', points): f takes any scalar, its derivatives take doubles.
template <class Visit>
void for_each_function(Visit visit) {
  const std::vector<double> anywhere{-7.3, -1.9, -0.4, 0.0, 1e-5, 0.3, 1.1, 2.8, 11.0};
  const std::vector<double> positive{1e-3, 0.2, 0.9, 1.0, 3.7, 250.0};
  const std::vector<double> inside{-0.95, -0.5, -1e-4, 0.0, 0.3, 0.8};
  const std::vector<double> moderate{-3.1, -0.7, 0.0, 1e-3, 0.6, 2.5};
  const std::vector<double> not_zero{-4.0, -0.5, 0.01, 1.7};

  visit(
      "sin", [](auto x) { return sin(x); }, [](double x) { return std::cos(x); },
      [](double x) { return -std::sin(x); }, anywhere);
  visit(
      "cos", [](auto x) { return cos(x); }, [](double x) { return -std::sin(x); },
      [](double x) { return -std::cos(x); }, anywhere);
  visit(
      "tan", [](auto x) { return tan(x); },
      [](double x) { return 1.0 / (std::cos(x) * std::cos(x)); },
      [](double x) { return 2.0 * std::sin(x) / std::pow(std::cos(x), 3); }, inside);
  visit(
      "asin", [](auto x) { return asin(x); }, [](double x) { return 1.0 / std::sqrt(1.0 - x * x); },
      [](double x) { return x * std::pow(1.0 - x * x, -1.5); }, inside);
  visit(
      "acos", [](auto x) { return acos(x); },
      [](double x) { return -1.0 / std::sqrt(1.0 - x * x); },
      [](double x) { return -x * std::pow(1.0 - x * x, -1.5); }, inside);
  visit(
      "atan", [](auto x) { return atan(x); }, [](double x) { return 1.0 / (1.0 + x * x); },
      [](double x) { return -2.0 * x / std::pow(1.0 + x * x, 2); }, anywhere);
  visit(
      "sqrt", [](auto x) { return sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); },
      [](double x) { return -0.25 * std::pow(x, -1.5); }, positive);
  visit(
      "exp", [](auto x) { return exp(x); }, [](double x) { return std::exp(x); },
      [](double x) { return std::exp(x); }, moderate);
  visit(
      "log", [](auto x) { return log(x); }, [](double x) { return 1.0 / x; },
      [](double x) { return -1.0 / (x * x); }, positive);
  visit(
      "tanh", [](auto x) { return tanh(x); },
      [](double x) { return 1.0 / (std::cosh(x) * std::cosh(x)); },
      [](double x) { return -2.0 * std::sinh(x) / std::pow(std::cosh(x), 3); }, moderate);
  visit(
      "abs", [](auto x) { return abs(x); }, [](double x) { return x < 0.0 ? -1.0 : 1.0; },
      [](double) { return 0.0; }, not_zero);
  visit(
      "minus", [](auto x) { return -x; }, [](double) { return -1.0; }, [](double) { return 0.0; },
      moderate);
  visit(
      "square", [](auto x) { return square(x); }, [](double x) { return 2.0 * x; },
      [](double) { return 2.0; }, moderate);
  visit(
      "reciprocal", [](auto x) { return decltype(x)(1.0) / x; },
      [](double x) { return -1.0 / (x * x); }, [](double x) { return 2.0 / (x * x * x); },
      not_zero);
}

}  // namespace ulna::test
