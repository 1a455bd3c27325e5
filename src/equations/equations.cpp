#include "ulna/equations/equations.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "naming.hpp"
#include "print.hpp"
#include "ulna/classic/body_jacobians.hpp"

namespace ulna::equations {

using Matrix = classic::MatX<Symbolic>;
using Vector = VecX<Symbolic>;

struct Equations::Data {
  std::string robot;
  Options options;
  std::vector<Coordinate> coordinates, motors;
  std::vector<Symbol> symbols;
  bool without_friction = false, without_carriers = false;
  Style style;
  Matrix matrices[6];  ///< by Term; those of vectors have one column

  Matrix& matrix(Term term) { return matrices[int(term)]; }
  const Matrix& matrix(Term term) const { return matrices[int(term)]; }
  const Symbolic& at(Term term, int r, int c) const {
    const Matrix& m = matrix(term);
    messages::require(r >= 0 && c >= 0 && r < m.rows() && c < m.cols(), "there is no element ", r,
                      ", ", c);
    return m(r, c);
  }
};

namespace {

std::length_error too_large(const Model& model, const Options& options, const std::string& why) {
  return std::length_error("the equations of robot '" + model.name() +
                           "' are too long to derive or to read: " + why +
                           "; lock joints or take a part of it (ulna convert --lock, --chain), " +
                           (options.numeric ? "" : "use numbers (--numeric), ") +
                           "or compute instead: ulna terms, or the functions of ulna/dynamics");
}

std::set<std::string> symbols_in(std::initializer_list<const Matrix*> matrices) {
  std::set<std::string> names;
  for (const Matrix* m : matrices)
    for (const Symbolic& x : m->reshaped())
      for (std::string& name : x.symbols()) names.insert(std::move(name));
  return names;
}

/// Those of the mass matrix, by which inertias are named; none if that takes more than this share of the work that is allowed
/// and nothing but names depends on it.
std::set<std::string> symbols_of_motion(const NamedArm& named, const Vector& q, double share,
                                        const Options& options) {
  const Budget budget(std::size_t(share * double(options.most_products)), options.most_terms,
                      share * options.seconds);
  try {
    const Matrix M = classic::Lagrangian<Symbolic>(named.arm()).mass_matrix(q);
    return symbols_in({&M});
  } catch (const TooMuchWork&) {
    if (share >= 1.0) throw;
    return {};
  }
}

std::string numbered(const char* letter, int i) { return letter + std::to_string(i); }

/// Masses, inertias, lengths, gravity, constant angles, coordinates, sines and cosines, velocities.
Style style_of(const NamedArm& arm, bool fractions, double negligible) {
  Style style{{}, 6000, 2000, 3000, fractions, negligible};
  const auto put = [&](const std::string& name, int at) {
    const auto rank = std::size_t(rank_of(name));
    if (rank >= style.places.size()) style.places.resize(rank + 1, 9000);
    style.places[rank] = at;
  };
  constexpr std::array<std::string_view, 4> units = {"kg", "kg m²", "m", "m/s²"};
  int index = 0;
  for (const Symbol& p : arm.parameters) {
    const auto kind = std::find(units.begin(), units.end(), p.unit) - units.begin();
    put(p.name, 1000 * int(kind) + index++);
  }
  for (int i = 1; i <= std::ssize(arm.coordinates); ++i) {
    put(arm.coordinates[i - 1].name, 5000 + i);
    put(numbered("v", i), 7000 + i);
  }
  for (const Coordinate& motor : arm.motors) put(motor.name, 5000);
  for (int i = 1; i <= std::ssize(arm.coordinates); ++i) put(numbered("w", i), 7000);
  return style;
}

/// Fit to stand in a comment of C, whatever a file's author wrote.
std::string comment(std::string text) {
  for (std::size_t at = 0; (at = text.find("²", at)) != text.npos;) text.replace(at, 2, "^2");
  const auto harmless = [](char c) { return c >= ' ' && c < 127 && !std::strchr("*\\?", c); };
  std::replace_if(text.begin(), text.end(), std::not_fn(harmless), '.');
  return text;
}

/// How many terms the rate of x has: ∂x/∂q_i v_i for each coordinate of each term, none of which cancel each other.
std::size_t terms_of_rate(const Symbolic& x, const std::set<int>& coordinates) {
  std::size_t count = 0;
  for (const auto& [product, number] : x.terms()) {
    for (const auto& [rank, n] : product.harmonic.multiples) count += coordinates.contains(rank);
    for (const auto& [rank, n] : product.powers) count += coordinates.contains(rank);
  }
  return count;
}

/// Throws if an element is longer than can be read. Called as elements become known, the shortest first.
class Readable {
 public:
  Readable(const Model& model, const Options& options) : model_(model), options_(options) {}

  void require(std::size_t terms) const {
    if (terms > options_.longest)
      throw too_large(
          model_, options_,
          messages::message("one element has ", terms, " terms, more than ", options_.longest));
  }
  void require(const Matrix& elements) const {
    for (const Symbolic& x : elements.reshaped()) require(x.size());
  }
  /// By the diagonal of the mass matrix, from the tip to the base: each element is longer and more work than the one before, and
  /// all of M is more work than its diagonal. Those of C follow from them: dM_kk/dt = 2 C_kk.
  void require_motion(const classic::Arm<Symbolic>& arm, const Vector& q, bool coriolis) const {
    std::set<int> coordinates;
    for (const Symbolic& x : q)
      for (const std::string& name : x.symbols()) coordinates.insert(rank_of(name));
    for (int k = arm.joint_count(); k >= 1; --k) {
      Symbolic M_kk(0.0);
      std::vector<Twist<Symbolic>> column(arm.joint_count() + 1);  // of joint k as seen from links
      column[k] = arm.link(k).axis();
      for (int i = k; i <= arm.joint_count(); ++i) {
        const std::vector<int>& path = arm.path(i);
        if (!std::ranges::count(path, k)) continue;
        if (i != k)
          column[i] = arm.link(i).pose(q(i - 1)).inverse_apply(column[arm.link(i).parent]);
        M_kk += dot(column[i], arm.link(i).inertia * column[i]);
      }
      require(coriolis ? std::max(M_kk.size(), terms_of_rate(M_kk, coordinates)) : M_kk.size());
    }
  }

 private:
  const Model& model_;
  const Options& options_;
};

/// A number is noise if it is this small beside the largest.
double negligible_in(const NamedArm& arm, std::initializer_list<const Matrix*> matrices) {
  if (arm.exact) return 0.0;
  double largest = 0.0;
  for (const Matrix* m : matrices)
    for (const Symbolic& x : m->reshaped())
      for (const auto& [product, number] : x.terms())
        largest = std::max(largest, std::abs(number.to_double()));
  return 1e-12 * largest;
}

}  // namespace

Equations::Equations(const Model& model, const Options& options) {
  auto data = std::make_shared<Data>();
  Data& d = *data;
  d.robot = model.name();
  d.options = options;
  classic::detail::require_arm(model);  // else advice to shorten it would be vain
  if (model.nv() > options.most_joints)
    throw too_large(model, options,
                    messages::message(model.nv(), " degrees of freedom, at most ",
                                      options.most_joints, " are allowed"));
  const DriveTrain& drives = model.drives();
  for (const Eigen::VectorXd* friction :
       {&model.damping(), &model.friction(), &model.friction_negative(), &drives.damping,
        &drives.friction, &drives.friction_negative})
    d.without_friction |= !friction->isZero();
  d.without_carriers = !drives.mounts.empty();
  const Budget budget(options.most_products, options.most_terms, options.seconds);
  try {
    NamedArm named = named_arm(model, options.numeric);
    const int n = int(named.coordinates.size());
    Vector q(n), v(n);
    for (int i = 0; i < n; ++i) {
      q(i) = Symbolic::symbol(named.coordinates[i].name);
      v(i) = Symbolic::symbol(numbered("v", i + 1));
    }

    const auto wanted = [&](Term term) {
      return options.terms.empty() || std::ranges::count(options.terms, term) > 0;
    };
    const bool coriolis = wanted(Term::C) || wanted(Term::h), motion = coriolis || wanted(Term::M);
    const Readable readable(model, options);
    if (motion && options.let.empty()) readable.require_motion(named.arm(), q, coriolis);

    if (!options.numeric) {
      const std::set<std::string> used = symbols_of_motion(named, q, motion ? 1.0 : 0.05, options);
      shorten_inertias(named, {used.begin(), used.end()});
      std::vector<std::string> names = options.let;
      if (names.empty()) names = names_of_document(named, model.name());
      try {
        for (const std::string& equation : names) let(named, equation);
      } catch (const std::invalid_argument& e) {
        throw RelationError(e.what());
      }
    }

    // relations may make them shorter
    if (motion && !options.let.empty()) readable.require_motion(named.arm(), q, coriolis);
    const classic::Lagrangian<Symbolic> lagrangian(named.arm());
    Matrix &M = d.matrix(Term::M), &C = d.matrix(Term::C), &g = d.matrix(Term::gravity);
    if (wanted(Term::gravity)) readable.require(g = lagrangian.gravity(q));
    if (wanted(Term::M)) {
      M = lagrangian.mass_matrix(q);
      for (int i = 0; i < n; ++i) M(i, i) += named.armature[i];
      readable.require(M);
    }
    if (coriolis) {
      readable.require(C = lagrangian.coriolis(q, v));
      d.matrix(Term::h) = C * v;
    }

    Matrix &s = d.matrix(Term::spring), &B = d.matrix(Term::rotors);
    s = named.spring, B = named.rotors;

    d.style = style_of(named, !options.numeric, negligible_in(named, {&M, &C, &g}));
    d.coordinates = named.coordinates, d.motors = named.motors;
    const std::set<std::string> used = symbols_in({&M, &C, &g, &s, &B});
    for (const Symbol& p : named.parameters)
      if (used.contains(p.name) && !std::ranges::count(d.symbols, p.name, &Symbol::name))
        d.symbols.push_back(p);
    std::ranges::stable_sort(d.symbols, {},
                             [&](const Symbol& p) { return d.style.places[rank_of(p.name)]; });
  } catch (const TooMuchWork& e) {
    throw too_large(model, options, e.what());
  }
  data_ = std::move(data);
}

int Equations::size() const { return int(data_->coordinates.size()); }
const std::string& Equations::robot() const { return data_->robot; }
const std::vector<Coordinate>& Equations::coordinates() const { return data_->coordinates; }
const std::vector<Symbol>& Equations::symbols() const { return data_->symbols; }
const std::vector<Coordinate>& Equations::motors() const { return data_->motors; }
bool Equations::without_friction() const { return data_->without_friction; }
bool Equations::without_carriers() const { return data_->without_carriers; }

std::string Equations::name(const std::string& symbol, Notation notation) const {
  return Printer{notation, true, false, {}}.name(symbol);
}

std::string Equations::element(Term term, int r, int c, Notation notation) const {
  Printer print{notation, !data_->options.numeric, data_->options.short_names, {}};
  for (const Coordinate& q : data_->coordinates) print.coordinates.push_back(q.name);
  return print(simplified(data_->at(term, r, c), data_->style));
}

bool Equations::equal(Term term, int r, int c, const std::string& expression) const {
  const Budget budget(data_->options.most_products, data_->options.most_terms,
                      data_->options.seconds);
  return data_->at(term, r, c) == Symbolic::parse(expression);
}

double Equations::value(Term term, int r, int c, const Eigen::VectorXd& q,
                        const Eigen::VectorXd& v) const {
  return value(term, r, c, q, v, q, v);
}

double Equations::value(Term term, int r, int c, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                        const Eigen::VectorXd& theta, const Eigen::VectorXd& omega) const {
  for (const auto& [name, x] :
       {std::pair("q", &q), {"v", &v}, {"theta", &theta}, {"omega", &omega}})
    messages::require(x->size() == size(), name, " has ", x->size(), " numbers, the robot has ",
                      size(), " degrees of freedom");
  std::map<std::string, double> values;
  for (const Symbol& s : data_->symbols) values[s.name] = s.value;
  for (int i = 0; i < size(); ++i) {
    values[data_->coordinates[i].name] = q(i);
    values[numbered("v", i + 1)] = v(i);
    values[motor_coordinate(data_->coordinates[i].name)] = theta(i);
    values[numbered("w", i + 1)] = omega(i);
  }
  return data_->at(term, r, c).value(values);
}

std::string Equations::c_function(const std::vector<Term>& terms) const {
  const std::string n = std::to_string(size());
  std::string name;
  for (const char ch : data_->robot)
    name += std::isalnum(static_cast<unsigned char>(ch)) ? ch : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "arm_" + name;

  // vectors that expressions are made of, and whether they use them
  std::map<std::string, bool> used{{"q", false}, {"v", false}};
  if (std::ranges::count(terms, Term::spring)) used["theta"] = used["omega"] = false;
  const auto element_of = [&](const char* vector, int i) {
    used[vector] = true;
    return vector + ("[" + std::to_string(i) + "]");
  };
  CPrinter print{[&](const std::string& symbol) -> std::string {
    for (int i = 0; i < size(); ++i) {
      if (data_->coordinates[i].name == symbol) return element_of("q", i);
      if (motor_coordinate(data_->coordinates[i].name) == symbol) return element_of("theta", i);
    }
    if (const int i = velocity_number(symbol)) return element_of("v", i - 1);
    if (const int i = motor_velocity_number(symbol)) return element_of("omega", i - 1);
    return "p->" + symbol;
  }};
  std::string outputs, assignments;
  for (const Term term : terms) {
    const Matrix& m = data_->matrix(term);
    messages::require(m.rows() == size(), "a term was not derived: see Options::terms");
    const bool symmetric = term == Term::M || term == Term::rotors,
               is_matrix = symmetric || term == Term::C;
    const std::string target(1, "MChgsB"[int(term)]);
    outputs += ", double " + target + "[" + n + "]" + (is_matrix ? "[" + n + "]" : "");
    const auto element = [&](Eigen::Index r, Eigen::Index c) {
      return messages::message(target, "[", r, "]",
                               is_matrix ? messages::message("[", c, "]") : "");
    };
    for (Eigen::Index r = 0; r < m.rows(); ++r)
      for (Eigen::Index c = 0; c < m.cols(); ++c)
        assignments +=
            "  " + element(r, c) + " = " +
            (symmetric && c < r ? element(c, r) : print(simplified(m(r, c), data_->style))) + ";\n";
  }
  const std::string text = print.declarations + assignments;
  // a structure needs one member at least
  std::string members, defaults;
  for (const Symbol& s : data_->symbols) {
    members += "  double " + s.name + "; /* " + comment(s.meaning + ", " + s.unit) + " */\n";
    std::ostringstream value;
    value.precision(15);
    value << s.value;
    defaults += (defaults.empty() ? "." : ", .") + s.name + " = " + value.str();
  }
  std::string made = "/* Equations of motion of " + comment(data_->robot) +
                     (data_->motors.empty() && data_->matrix(Term::rotors).isZero()
                          ? ": tau = M(q) a + C(q, v) v + g(q)"
                          : ": s = M(q) a + C(q, v) v + g(q), N' tau = B alpha + s") +
                     ". Written by ulna. */\n#include <math.h>\n\n";
  const bool parameters = !members.empty();
  if (parameters)
    made += "struct " + name + "_parameters {\n" + members + "};\nconst struct " + name +
            "_parameters " + name + "_default = {" + defaults + "};\n\n";
  made += "void " + name + "_equations(" +
          (parameters ? "const struct " + name + "_parameters *p, " : "");
  const char* between = "";
  for (const char* vector : {"q", "v", "theta", "omega"})
    if (used.contains(vector))
      made +=
          std::exchange(between, ", ") + ("const double " + std::string(vector)) + "[" + n + "]";
  made += outputs + ")\n{\n";
  if (parameters && text.find("p->") == text.npos) made += "  (void)p;\n";
  for (const auto& [vector, is_used] : used)
    if (!is_used) made += "  (void)" + vector + ";\n";
  return made + text + "}\n";
}

}  // namespace ulna::equations
