#include "ulna/codegen/traced.hpp"

#include <algorithm>

#include "codegen/check_sizes.hpp"
#include "codegen/shorten.hpp"

namespace ulna::codegen {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

void require_identifier(const std::string& name) {
  messages::require(is_identifier(name), "'", name,
                    "' cannot be a name in C: use letters, digits and underscores, a letter first, "
                    "no keyword, no function of math.h, no x and a digit; to_identifier makes one");
}

}  // namespace

bool is_identifier(std::string_view name) {
  // the keywords of C and of C++, macros that some compilers have, and what generated code calls
  static constexpr std::string_view taken =
      " "
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
      "char16_t char32_t class co_await co_return co_yield compl concept const const_cast "
      "consteval constexpr constinit continue decltype default delete do double "
      "dynamic_cast else enum explicit export extern false float for friend goto if inline "
      "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
      "protected public register reinterpret_cast requires restrict return short signed "
      "sizeof static static_assert static_cast struct switch template this thread_local "
      "throw true try typedef typeid typename union unsigned using virtual void volatile "
      "wchar_t while xor xor_eq i386 linux unix acos acosf asin asinf atan atan2 atan2f "
      "atanf cos cosf exp expf fabs fabsf isfinite log logf sin sinf size_t sqrt sqrtf std "
      "tan tanf tanh tanhf HUGE_VAL HUGE_VALF NAN ";
  // an underscore in front is the compiler's, and x and a digit that of an intermediate result
  if (name.empty() || name.front() == '_' || is_digit(name.front())) return false;
  if (!std::all_of(name.begin(), name.end(), is_word)) return false;
  if (name.size() > 1 && name.front() == 'x' && is_digit(name[1])) return false;
  return taken.find(" " + std::string(name) + " ") == taken.npos;
}

std::string to_identifier(std::string_view name) {
  std::string made;
  for (const char c : name) made += is_word(c) ? c : '_';
  return is_identifier(made) ? made : "f_" + made;
}

int Traced::operation_count() const {
  return int(std::ssize(nodes_)) - operation_count(Operation::constant) -
         operation_count(Operation::input);
}

int Traced::operation_count(Operation operation) const {
  return int(std::ranges::count(nodes_, operation, &Node::operation));
}

Tracer::Tracer(std::string name) : graph_(std::make_unique<Graph>()), name_(std::move(name)) {
  require_identifier(name_);
}

void Tracer::require_new(const std::string& name) const {
  require_identifier(name);
  for (const auto* vectors : {&inputs_, &outputs_})
    for (const Traced::Vector& v : *vectors)
      messages::require(v.name != name, "two inputs or outputs of '", name_, "' are named '", name,
                        "'; give each its own name");
}

Tracer::Column Tracer::input(std::string name, int size) {
  require_new(name);
  const auto vector = std::int32_t(inputs_.size());
  inputs_.push_back({std::move(name), size});
  Column x(size);
  for (int i = 0; i < size; ++i) x(i) = Expression(*graph_, graph_->input(vector, i));
  return x;
}

void Tracer::output(std::string name, const Eigen::Ref<const Matrix>& numbers,
                    const std::optional<Sparsity>& pattern) {
  require_new(name);
  if (pattern)
    messages::require(numbers.rows() == pattern->rows && numbers.cols() == pattern->columns, "'",
                      name, "' is ", numbers.rows(), " x ", numbers.cols(), ", its pattern ",
                      pattern->rows, " x ", pattern->columns);
  const std::size_t before = results_.size();
  for (int c = 0; c < numbers.cols(); ++c)
    for (int r = 0; r < numbers.rows(); ++r)
      if (!pattern || pattern->contains(r, c)) results_.push_back(numbers(r, c).in(*graph_));
  outputs_.push_back(
      {std::move(name), int(results_.size() - before), int(numbers.cols()), pattern});
}

std::vector<Tracer::Column> Tracer::call(const Traced& function,
                                         const std::vector<Column>& inputs) {
  std::vector<std::span<const Expression>> spans;
  for (const Column& x : inputs) spans.emplace_back(x.data(), std::size_t(x.size()));
  check_sizes<const Expression>("inputs", function.inputs(), spans);
  std::vector<std::int32_t> made;
  const auto at = [&](std::int32_t node) { return made[node]; };
  for (const Node& n : function.nodes()) {
    if (n.operation == Operation::constant)
      made.push_back(graph_->constant(n.value));
    else if (n.operation == Operation::input)
      made.push_back(inputs[n.a](n.b).in(*graph_));
    else
      made.push_back(graph_->make(n.operation, at(n.a), at(n.b), at(n.c)));
  }
  std::vector<Column> outputs;
  std::size_t result = 0;
  for (const Traced::Vector& out : function.outputs()) {
    Column y(out.size);
    for (Expression& number : y) number = {*graph_, at(function.results()[result++])};
    outputs.push_back(std::move(y));
  }
  return outputs;
}

Traced Tracer::finish() const {
  Traced made;
  made.name_ = name_;
  made.inputs_ = inputs_;
  made.outputs_ = outputs_;
  std::tie(made.nodes_, made.results_) = shorten(*graph_, results_);
  return made;
}

Interpreter::Interpreter(Traced function)
    : function_(std::move(function)), values_(function_.nodes().size()) {}

void Interpreter::operator()(Inputs inputs, Outputs outputs) {
  check_sizes("inputs", function_.inputs(), inputs);
  check_sizes("outputs", function_.outputs(), outputs);
  double* const values = values_.data();
  std::size_t at = 0;
  for (const Node& n : function_.nodes()) {
    double& value = values[at++];
    if (n.operation == Operation::constant)
      value = n.value;
    else if (n.operation == Operation::input)
      value = inputs[n.a][n.b];
    else
      value = evaluate(n.operation, values[n.a], values[n.b], values[n.c]);
  }
  std::size_t result = 0;
  for (const auto& out : outputs)
    for (double& number : out) number = values[function_.results()[result++]];
}

}  // namespace ulna::codegen
