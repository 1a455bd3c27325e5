#include "verb.hpp"

#if ULNA_WITH_GINAC
#include "ulna/equations/equations.hpp"
#endif

namespace ulna::cli {
namespace {

struct EquationsOptions {
  RobotArgument robot;
  std::string terms;
  std::vector<std::string> let;
  bool text = false, latex = false, c = false, numeric = false, short_names = false, lump = false;
};

#if ULNA_WITH_GINAC

using equations::Equations;
using equations::Notation;

struct Term {
  equations::Term term;
  std::string name;
  bool matrix, symmetric;
};

std::vector<Term> terms_named(const std::string& list) {
  const std::vector<Term> all = {
      {equations::Term::M, "M", true, true},        {equations::Term::C, "C", true, false},
      {equations::Term::h, "h", false, false},      {equations::Term::gravity, "g", false, false},
      {equations::Term::spring, "s", false, false}, {equations::Term::rotors, "B", true, true}};
  std::vector<Term> made;
  for (const std::string& name : split(list, ',')) {
    const auto is_named = [&](const Term& t) { return t.name == name; };
    const auto found = std::ranges::find_if(all, is_named);
    if (found == all.end())
      throw UsageError("--terms: {}", unknown_word(name, {"M", "C", "h", "g", "s", "B"}));
    if (std::ranges::any_of(made, is_named)) throw UsageError("--terms: '{}' is given twice", name);
    made.push_back(*found);
  }
  return made;
}

/// Calls use(row, column, name) for each element; `as` joins the term's name and the index.
template <class Use>
void for_each_element(const Term& t, int n, const char* as, Use use) {
  const auto name = [&](int r, int c) {
    const char* between = n > 9 ? "," : "";
    const std::string index =
        t.matrix ? fmt::format("{}{}{}", r + 1, between, c + 1) : fmt::format("{}", r + 1);
    return fmt::format(fmt::runtime(as), t.name, index);
  };
  for (int r = 0; r < n; ++r)
    for (int c = t.symmetric ? r : 0; c < (t.matrix ? n : 1); ++c)
      use(r, c, t.symmetric && r != c ? name(r, c) + " = " + name(c, r) : name(r, c));
}

std::string text_of(const Equations& e, const std::vector<Term>& terms, const Stream& out) {
  const Notation notation = out.utf8() ? Notation::unicode : Notation::ascii;
  const bool drives = std::ranges::count(terms, std::string("B"), &Term::name) > 0;
  std::string text = fmt::format(
      "{}: {} = {}\n{}\n", out.paint(Style::bold, visible(e.robot())),
      drives ? "s" : out.either("τ", "tau"),
      out.either("M(q) q̈ + C(q, q̇) q̇ + g(q)", "M(q) q'' + C(q, q') q' + g(q)"),
      !drives ? ""
              : out.either(
                    "motors, seen at the joints: Nᵀ τ = B θ̈m + s; θm = q where a joint is rigid\n",
                    "motors, seen at the joints: N' tau = B thm'' + s; thm = q where a joint is "
                    "rigid\n"));
  Table table(2, {"  symbol", ">value", "unit", "is"});
  const auto unit = [&](const std::string& given) {
    if (out.utf8() || !(given.ends_with("²") || given.ends_with("³"))) return given;
    return given.substr(0, given.size() - 2) + (given.ends_with("²") ? "2" : "3");
  };
  for (const equations::Coordinate& q : e.coordinates())
    table.row({e.name(q.name, notation), "", q.slides ? "m" : "rad", q.joint});
  for (const equations::Coordinate& m : e.motors())
    table.row(
        {e.name(m.name, notation), "", m.slides ? "m" : "rad", m.joint + ", on the motor's side"});
  for (const equations::Symbol& s : e.symbols())
    table.row({e.name(s.name, notation), fmt::format("{:.6g}", s.value), unit(s.unit), s.meaning});
  text += table.str(out);
  for (const Term& t : terms) {
    text += "\n";
    for_each_element(t, e.size(), "{}{}", [&](int r, int c, const std::string& left) {
      const int indent = columns(left) + 3;
      text += hanging(left + " = ", indent, e.element(t.term, r, c, notation),
                      std::max(out.width() - indent, 20));
    });
  }
  return text;
}

/// A matrix while its lines can be read, else a list of its elements.
std::string latex_of(const Equations& e, const Term& t) {
  constexpr std::size_t longest_line = 240;
  const int columns_of = t.matrix ? e.size() : 1;
  const char* of_state = t.term == equations::Term::M || t.term == equations::Term::gravity ? "(q)"
                         : t.term == equations::Term::C || t.term == equations::Term::h
                             ? "(q, \\dot{q})"
                             : "";
  std::vector<std::string> elements;
  bool fits = true;
  for (int r = 0; r < e.size(); ++r) {
    std::size_t length = 0;
    for (int c = 0; c < columns_of; ++c) {
      elements.push_back(e.element(t.term, r, c, Notation::latex));
      length += elements.back().size();
    }
    fits &= length <= longest_line;
  }
  const auto element = [&](int r, int c) { return elements[r * columns_of + c]; };
  std::string text;
  if (fits) {
    text = fmt::format("{}{} = \\begin{{bmatrix}}\n", t.name, of_state);
    for (int r = 0; r < e.size(); ++r) {
      for (int c = 0; c < columns_of; ++c) text += (c ? " & " : "  ") + element(r, c);
      text += r + 1 < e.size() ? " \\\\\n" : "\n";
    }
    return text + "\\end{bmatrix}\n";
  }
  for_each_element(t, e.size(), "{}_{{{}}}", [&](int r, int c, const std::string& left) {
    text += (text.empty() ? "  " : " \\\\\n  ") + left + " &= " + element(r, c);
  });
  return "\\begin{aligned}\n" + text + "\n\\end{aligned}\n";
}

std::string c_of(const Equations& e, const std::vector<Term>& terms) {
  std::vector<equations::Term> list;
  for (const Term& t : terms) list.push_back(t.term);
  return e.c_function(list);
}

Json elements(const Equations& e, const Term& t, Notation notation) {
  Json rows = Json::array();
  for (int r = 0; r < e.size(); ++r) {
    Json row = Json::array();
    for (int c = 0; c < (t.matrix ? e.size() : 1); ++c)
      row.push_back(e.element(t.term, r, c, notation));
    rows.push_back(t.matrix ? row : row[0]);
  }
  return rows;
}

Json json_of(const Equations& e, const std::vector<Term>& terms, const Json& about) {
  const auto coordinate = [](const equations::Coordinate& q) {
    return Json{{"symbol", q.name}, {"joint", q.joint}, {"unit", q.slides ? "m" : "rad"}};
  };
  const auto symbol = [](const equations::Symbol& s) {
    return Json{{"symbol", s.name}, {"value", s.value}, {"unit", s.unit}, {"meaning", s.meaning}};
  };
  Json d{{"robot", about},
         {"coordinates", list_of(e.coordinates(), coordinate)},
         {"symbols", list_of(e.symbols(), symbol)}};
  if (!e.motors().empty()) d["motors"] = list_of(e.motors(), coordinate);
  Json latex = Json::object();
  for (const Term& t : terms) {
    d[t.name] = elements(e, t, Notation::ascii);
    latex[t.name] = latex_of(e, t);
  }
  d["latex"] = latex;
  d["c"] = c_of(e, terms);
  return d;
}

int derive(const EquationsOptions& options, Console& console) {
  if (options.numeric && !options.let.empty())
    throw UsageError("--let has no effect with --numeric: there are no symbols");
  if (console.json() && (options.text || options.latex || options.c))
    throw UsageError("--{} has no effect with --json, which has all of them", options.text ? "text"
                                                                              : options.latex
                                                                                  ? "latex"
                                                                                  : "c");
  if (options.c && options.short_names) throw UsageError("--short has no effect with --c");
  const Imported imported = options.robot.load();
  const bool drives = !imported.model.drives().plain();
  const std::vector<Term> terms = terms_named(!options.terms.empty() ? options.terms
                                              : drives               ? "M,C,g,s,B"
                                                                     : "M,C,g");
  if (!drives &&
      std::ranges::any_of(terms, [](const Term& t) { return t.name == "s" || t.name == "B"; }))
    throw UsageError("--terms: s and B are for robots with springs or coupled motors");
  const Model model = options.lump ? lump_fixed_joints(imported.model) : imported.model;
  equations::Options how;
  how.numeric = options.numeric, how.short_names = options.short_names, how.let = options.let;
  for (const Term& t : terms) how.terms.push_back(t.term);
  const Equations e = [&] {
    try {
      return Equations(model, how);
    } catch (const equations::RelationError& error) {
      throw UsageError("--let {}", error.what());
    }
  }();
  mention_warnings(console, options.robot, imported.diagnostics);
  if (e.without_friction() && !console.json())
    console.complain(drives ? "friction of joints and motors is not in these equations"
                            : "friction and damping are not in these equations",
                     Style::yellow);
  if (e.without_carriers() && !console.json())
    console.complain("that links turn the rotors they carry is not in these equations",
                     Style::yellow);
  if (console.json()) {
    console.print(json_of(e, terms, options.robot.json(model)));
  } else if (options.c) {
    console.out.print(c_of(e, terms));
  } else if (options.latex) {
    std::string text;
    for (const Term& t : terms) text += (text.empty() ? "" : "\n") + latex_of(e, t);
    console.out.print(text);
  } else {
    console.out.print(text_of(e, terms, console.out));
  }
  return success;
}

#else

int derive(const EquationsOptions&, Console&) {
  throw Failure(
      "this ulna was built without GiNaC, which equations need; install it (Debian: apt install "
      "libginac-dev, or tools/install-dependencies) and build again with -DULNA_WITH_GINAC=ON");
}

#endif

}  // namespace

Action equations(Parser& app, Console& console) {
  auto options = std::make_shared<EquationsOptions>();
  options->robot.drives = Drives::carried_rotors;
  options->robot.add_to(app);
  options->robot.add_gravity_to(app);
  app.add_value(
      "--terms", options->terms, "M,C,h,g,s,B",
      "which: M mass matrix, C Coriolis matrix, h = C q', g gravity; of drives s torques of "
      "springs, B inertia of motors (M,C,g, and s,B where there are such drives)");
  auto* text = app.add_flag("--text", options->text, "as plain text; the default");
  auto* latex = app.add_flag("--latex", options->latex, "as LaTeX");
  auto* c = app.add_flag("--c", options->c, "as a function in C99");
  text->excludes(latex)->excludes(c);
  latex->excludes(c);
  app.add_flag("--numeric", options->numeric, "the robot's values in place of symbols");
  app.add_flag("--short", options->short_names, "C12, S12 for cos(th1 + th2), sin(th1 + th2)");
  app.add_value("--let", options->let, "NAME=EXPRESSION",
                "substitute a relation: lc1=l1/2; or rename: l1=a; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--lump", options->lump, "merge links on fixed joints into one");
  return [options, &console]() -> int { return derive(*options, console); };
}

}  // namespace ulna::cli
