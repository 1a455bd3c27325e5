#include "io/xacro_expression.hpp"

#include "io/reading.hpp"
#include "io/xacro_functions.hpp"

namespace ulna::detail::xacro {
namespace {

constexpr int deepest = 100;        // of parentheses, lists and maps
constexpr int longest_chain = 500;  // of operators
constexpr int deepest_tree = 3000;  // of all operators that wait for others

/// An expression that was read.
struct Node {
  enum class Kind {
    value,
    name,
    list,
    map,
    call,
    method,
    attribute,
    index,
    slice,
    negative,
    positive,
    negation,
    arithmetic,
    comparison,
    conjunction,
    disjunction,
    choice
  };
  Kind kind = Kind::value;
  Value value{};       ///< of a literal
  std::string name{};  ///< of a name, function, method, attribute or operator
  std::vector<Node> of{};
  std::vector<std::string> words{};  ///< operators of a chain of comparisons, or names of values
};

class Reader {
 public:
  Reader(std::string_view text, std::size_t& steps) : text_(text), steps_(steps) {}

  Node whole_text() {
    next();
    Node node = expression();
    if (is(",")) {
      node = made(Is::list, {}, std::move(node));
      while (take(","))
        if (kind_ != Kind::end) node.of.push_back(expression());
    }
    if (kind_ != Kind::end) unexpected();
    return node;
  }

 private:
  enum class Kind { end, name, number, text, sign };
  using Is = Node::Kind;

  static Node made(Is kind, std::string name, auto... of) {
    Node node{kind, {}, std::move(name)};
    (node.of.push_back(std::move(of)), ...);
    return node;
  }

  [[noreturn]] void unexpected() const {
    if (kind_ == Kind::end) fail("it ends too early");
    fail("'" + shown(token_) + "' is not expected there");
  }

  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool letter(char c) {
    return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  void next() {
    if (steps_ == 0) fail("the file takes too long to compute");
    --steps_;
    const auto here = [&](std::size_t ahead = 0) {
      return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    };
    while (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r') ++at_;
    const std::size_t from = at_;
    const auto finish = [&](Kind kind) { kind_ = kind, token_ = text_.substr(from, at_ - from); };
    if (at_ >= text_.size()) return finish(Kind::end);
    const char c = here();
    if (digit(c) || (c == '.' && digit(here(1)))) {
      const auto exponent = [&] {
        return (here() == '+' || here() == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
      };
      while (letter(here()) || here() == '.' || exponent()) ++at_;
      return finish(Kind::number);
    }
    if (letter(c)) {
      while (letter(here())) ++at_;
      return finish(Kind::name);
    }
    if (c == '\'' || c == '"') {
      literal_.clear();
      for (++at_; at_ < text_.size() && here() != c; ++at_) {
        if (here() == '\\' && at_ + 1 < text_.size()) ++at_;
        literal_ += here();
      }
      if (at_ == text_.size()) fail("a text in it does not end");
      ++at_;
      return finish(Kind::text);
    }
    ++at_;
    for (const std::string_view sign : {"**", "//", "==", "!=", "<=", ">="})
      if (text_.substr(from).starts_with(sign)) at_ = from + 2;
    finish(Kind::sign);
  }

  bool is(std::string_view token) const {
    return (kind_ == Kind::sign || kind_ == Kind::name) && token_ == token;
  }
  bool take(std::string_view token) {
    const bool found = is(token);
    if (found) next();
    return found;
  }
  void expect(std::string_view token) {
    if (kind_ == Kind::end) fail("'" + std::string(token) + "' is missing at its end");
    if (!take(token)) unexpected();
  }

  struct Deeper : Level {
    explicit Deeper(int& depth) : Level(depth) {
      if (depth > deepest) fail("it is nested more than " + std::to_string(deepest) + " deep");
    }
  };

  /// A chain of operators is as deep as it is long.
  static void lengthen(int& length) {
    if (++length > longest_chain)
      fail("it has more than " + std::to_string(longest_chain) + " operators in a row");
  }

  Node expression() {
    const Deeper deeper(depth_);
    Node chosen = disjunction();
    if (!take("if")) return chosen;
    Node condition = disjunction();
    expect("else");
    Node otherwise = expression();
    return made(Is::choice, {}, std::move(condition), std::move(chosen), std::move(otherwise));
  }

  Node disjunction() {
    Node left = conjunction();
    for (int length = 0; take("or"); lengthen(length))
      left = made(Is::disjunction, {}, std::move(left), conjunction());
    return left;
  }
  Node conjunction() {
    Node left = negation();
    for (int length = 0; take("and"); lengthen(length))
      left = made(Is::conjunction, {}, std::move(left), negation());
    return left;
  }
  Node negation() {
    const Deeper deeper(depth_);
    if (take("not")) return made(Is::negation, {}, negation());
    return comparison();
  }

  Node comparison() {
    Node left = sum();
    Node chain{Is::comparison};
    for (std::string op; !(op = comparing()).empty();) {
      if (chain.of.empty()) chain.of.push_back(std::move(left));
      chain.words.push_back(op);
      chain.of.push_back(sum());
    }
    return chain.of.empty() ? left : chain;
  }
  std::string comparing() {
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">", "in"})
      if (take(op)) return op;
    if (take("is")) return take("not") ? "is not" : "is";
    if (!is("not")) return {};
    next();
    expect("in");
    return "not in";
  }

  Node sum() {
    Node left = product();
    for (int length = 0; is("+") || is("-"); lengthen(length))
      left = arithmetic(std::move(left), &Reader::product);
    return left;
  }
  Node product() {
    Node left = factor();
    for (int length = 0; is("*") || is("/") || is("//") || is("%"); lengthen(length))
      left = arithmetic(std::move(left), &Reader::factor);
    return left;
  }
  Node arithmetic(Node left, Node (Reader::*right)()) {
    const std::string op(token_);
    next();
    Node other = (this->*right)();
    return made(Is::arithmetic, op, std::move(left), std::move(other));
  }
  Node factor() {
    const Deeper deeper(depth_);
    if (take("-")) return made(Is::negative, {}, factor());
    if (take("+")) return made(Is::positive, {}, factor());
    Node base = primary();
    if (!is("**")) return base;
    return arithmetic(std::move(base), &Reader::factor);
  }

  Node primary() {
    Node node = atom();
    for (int length = 0;; lengthen(length)) {
      if (take(".")) {
        if (kind_ != Kind::name) unexpected();
        const std::string name(token_);
        next();
        node = made(Is::attribute, name, std::move(node));
      } else if (take("(")) {
        node = called(std::move(node));
      } else if (take("[")) {
        node = bracket(std::move(node));
      } else {
        return node;
      }
    }
  }

  Node called(Node callee) {
    Node call{Is::call};
    if (callee.kind == Is::attribute)
      call = made(Is::method, callee.name, std::move(callee.of[0]));
    else if (callee.kind == Is::name)
      call.name = callee.name;
    else
      fail("only functions can be called");
    while (!take(")")) {
      Node value = expression();
      std::string word;
      if (value.kind == Is::name && take("=")) {
        word = value.name;
        value = expression();
      }
      if (is("for")) fail("'for' is not supported");
      call.of.push_back(std::move(value));
      call.words.push_back(word);
      if (!is(")")) expect(",");
    }
    return call;
  }

  Node bracket(Node of) {
    Node first, last;
    const bool from_start = is(":");
    if (!from_start) first = expression();
    if (!take(":")) {
      expect("]");
      return made(Is::index, {}, std::move(of), std::move(first));
    }
    if (!is("]")) last = expression();
    expect("]");
    return made(Is::slice, {}, std::move(of), std::move(first), std::move(last));
  }

  Node atom() {
    const Deeper deeper(depth_);
    if (kind_ == Kind::number) {
      const std::string text(token_);
      Value value = from_text(text);
      if (value.index() != 2 && value.index() != 3) fail("'" + shown(text) + "' is not a number");
      next();
      return {Is::value, std::move(value)};
    }
    if (kind_ == Kind::text) {
      std::string text;
      for (; kind_ == Kind::text; next()) text += literal_;
      return {Is::value, std::move(text)};
    }
    if (kind_ == Kind::name) {
      for (const std::string_view word : {"if", "else", "and", "or", "in", "is", "for", "lambda"})
        if (token_ == word) unexpected();
      const std::string name(token_);
      next();
      return {Is::name, {}, name};
    }
    if (take("(")) {
      if (take(")")) return {Is::list};
      Node node = expression();
      if (is(",")) node = made(Is::list, {}, std::move(node));
      return entries(std::move(node), ")");
    }
    if (take("[")) {
      Node list{Is::list};
      if (take("]")) return list;
      list.of.push_back(expression());
      return entries(std::move(list), "]");
    }
    if (take("{")) {
      Node map{Is::map};
      while (!take("}")) {
        map.of.push_back(expression());
        expect(":");
        map.of.push_back(expression());
        if (!is("}")) expect(",");
      }
      return map;
    }
    unexpected();
  }
  Node entries(Node node, std::string_view end) {
    if (is("for")) fail("'for' is not supported");
    while (take(","))
      if (!is(end)) node.of.push_back(expression());
    expect(end);
    return node;
  }

  std::string_view text_, token_;
  std::size_t at_ = 0;
  std::size_t& steps_;
  Kind kind_ = Kind::end;
  std::string literal_;  ///< the text that a token stands for
  int depth_ = 0;
};

class Computer {
 public:
  explicit Computer(const Surroundings& around) : around_(around) {}

  Value operator()(const Node& n) const {
    const Level level(around_.depth);
    if (around_.depth > deepest_tree) fail("it takes too many steps within each other");
    Value made = value_of(n);
    if (const std::size_t cost = cost_of(n, made); cost > around_.steps)
      fail("the file takes too long to compute");
    else
      around_.steps -= cost;
    return made;
  }

 private:
  /// What takes memory of its own, in steps.
  static std::size_t cost_of(const Node& n, const Value& made) {
    using Is = Node::Kind;
    for (const Is kind : {Is::list, Is::map, Is::call, Is::method, Is::slice, Is::arithmetic})
      if (n.kind == kind && made.index() >= 4)
        return made.text() ? bytes_as_steps(made.text()->size()) : size_of(made);
    return 0;
  }

  Value value_of(const Node& n) const {
    using Is = Node::Kind;
    switch (n.kind) {
      case Is::value:
        return n.value;
      case Is::name:
        return named(n.name);
      case Is::list: {
        List list;
        for (const Node& entry : n.of) list.push_back((*this)(entry));
        return list;
      }
      case Is::map: {
        Dict dict;
        for (std::size_t i = 0; i < n.of.size(); i += 2)
          dict.emplace_back(to_text((*this)(n.of[i])), (*this)(n.of[i + 1]));
        return dict;
      }
      case Is::call:
        return called(n);
      case Is::method:
        return called_on(n);
      case Is::attribute:
        return member(n);
      case Is::index:
        return indexed((*this)(n.of[0]), (*this)(n.of[1]));
      case Is::slice:
        return sliced((*this)(n.of[0]), (*this)(n.of[1]), (*this)(n.of[2]));
      case Is::negative:
        return binary("-", std::int64_t{0}, (*this)(n.of[0]));
      case Is::positive:
        return binary("+", std::int64_t{0}, (*this)(n.of[0]));
      case Is::negation:
        return !is_true((*this)(n.of[0]));
      case Is::arithmetic:
        return binary(n.name, (*this)(n.of[0]), (*this)(n.of[1]));
      case Is::comparison: {
        Value left = (*this)(n.of[0]);
        for (std::size_t i = 0; i < n.words.size(); ++i) {
          Value right = (*this)(n.of[i + 1]);
          if (!compared(n.words[i], left, right)) return false;
          left = std::move(right);
        }
        return true;
      }
      case Is::conjunction:
      case Is::disjunction: {
        Value left = (*this)(n.of[0]);
        return is_true(left) == (n.kind == Is::disjunction) ? left : (*this)(n.of[1]);
      }
      case Is::choice:
        return (*this)(n.of[is_true((*this)(n.of[0])) ? 1 : 2]);
    }
    return None();
  }

  Value named(const std::string& name) const {
    if (const Value* v = around_.find(name)) return *v;
    if (const auto v = constant(name)) return *v;
    fail(quoted("property", name) + " is not defined");
  }

  /// "a.b.c" if the node is made of names alone.
  static std::string dotted(const Node& n) {
    if (n.kind == Node::Kind::name) return n.name;
    if (n.kind != Node::Kind::attribute) return {};
    const std::string before = dotted(n.of[0]);
    return before.empty() ? before : before + "." + n.name;
  }
  static bool is_library(const Node& n) {
    return n.kind == Node::Kind::name &&
           (n.name == "math" || n.name == "python" || n.name == "xacro");
  }

  Value member(const Node& n) const {
    if (const std::string name = dotted(n); !name.empty())
      if (const Value* v = around_.find(name)) return *v;
    if (is_library(n.of[0]) && !around_.find(n.of[0].name)) {
      if (const auto v = constant(n.name)) return *v;
      fail(quoted(n.of[0].name + " has no value", n.name));
    }
    const Value object = (*this)(n.of[0]);
    if (const DictPtr* dict = std::get_if<DictPtr>(&object)) return entry(**dict, n.name);
    fail(std::string(kind_of(object)) + " has no part '" + shown(n.name) + "'");
  }

  Value called(const Node& n, std::size_t first = 0) const {
    List of;
    Dict by_name;
    for (std::size_t i = first; i < n.of.size(); ++i)
      if (const std::string& word = n.words[i - first]; word.empty())
        of.push_back((*this)(n.of[i]));
      else
        by_name.emplace_back(word, (*this)(n.of[i]));
    if (n.name == "load_yaml" && of.size() == 1) return around_.load_yaml(text_of(of[0]));
    if (!is_function(n.name))
      fail(quoted("function", n.name) + " is not known" +
           ulna::did_you_mean(n.name, function_names()));
    return call(n.name, of, by_name);
  }

  Value called_on(const Node& n) const {
    if (!is_library(n.of[0])) {
      List of;
      for (std::size_t i = 1; i < n.of.size(); ++i) of.push_back((*this)(n.of[i]));
      return method((*this)(n.of[0]), n.name, of);
    }
    if (n.of[0].name == "xacro" && n.name == "arg" && n.of.size() == 2)
      return around_.argument(text_of((*this)(n.of[1])));
    return called(n, 1);
  }

  const Surroundings& around_;
};

}  // namespace

Value evaluate(std::string_view expression, const Surroundings& around) {
  if (expression.size() > 100'000) fail("it is longer than 100000 characters");
  return Computer(around)(Reader(expression, around.steps).whole_text());
}

}  // namespace ulna::detail::xacro
