#include "codegen/shorten.hpp"

namespace ulna::detail {
namespace {

using Results = std::vector<std::int32_t>;

/// What the results need, renumbered.
std::pair<std::vector<Node>, Results> alive(const std::vector<Node>& nodes,
                                            const Results& results) {
  std::vector<std::int32_t> place(nodes.size(), -1);
  for (const std::int32_t r : results) place[static_cast<std::size_t>(r)] = 0;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (place[i] < 0) continue;
    const int operands = arity(nodes[i].operation);
    if (operands > 0) place[static_cast<std::size_t>(nodes[i].a)] = 0;
    if (operands > 1) place[static_cast<std::size_t>(nodes[i].b)] = 0;
    if (operands > 2) place[static_cast<std::size_t>(nodes[i].c)] = 0;
  }
  std::vector<Node> kept;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (place[i] < 0) continue;
    place[i] = static_cast<std::int32_t>(kept.size());
    Node n = nodes[i];
    const int operands = arity(n.operation);
    if (operands > 0) n.a = place[static_cast<std::size_t>(n.a)];
    if (operands > 1) n.b = place[static_cast<std::size_t>(n.b)];
    if (operands > 2) n.c = place[static_cast<std::size_t>(n.c)];
    kept.push_back(n);
  }
  Results moved;
  for (const std::int32_t r : results) moved.push_back(place[static_cast<std::size_t>(r)]);
  return {std::move(kept), std::move(moved)};
}

/// Signs that no sum has absorbed, moved inward to where they cost nothing.
class Signs {
 public:
  Signs(std::vector<Node>& nodes, const Results& results) : nodes_(nodes), uses_(nodes.size(), 0) {
    for (const Node& n : nodes) {
      const int operands = arity(n.operation);
      if (operands > 0) ++uses_[at(n.a)];
      if (operands > 1) ++uses_[at(n.b)];
      if (operands > 2) ++uses_[at(n.c)];
    }
    for (const std::int32_t r : results) ++uses_[at(r)];
  }

  void move_inward() {
    const std::size_t count = nodes_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (nodes_[i].operation != Operation::negate) continue;
      const std::int32_t inner = nodes_[i].a;
      if (!can_turn(inner)) continue;
      turn(inner);
      nodes_[i] = nodes_[at(inner)];
    }
  }

 private:
  static std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }
  bool is_constant(std::int32_t node) const {
    return nodes_[at(node)].operation == Operation::constant;
  }

  /// Whether the negative of a node costs no more than the node, which is then gone.
  bool can_turn(std::int32_t node) const {
    if (is_constant(node)) return true;
    const Node& n = nodes_[at(node)];
    if (uses_[at(node)] > 1) return false;
    switch (n.operation) {
      case Operation::subtract:
        return true;
      case Operation::add:
      case Operation::multiply:
      case Operation::divide:
        return can_turn(n.a) || can_turn(n.b);
      default:
        return false;
    }
  }

  void turn(std::int32_t node) {
    Node n = nodes_[at(node)];
    const auto turned = [this](std::int32_t operand) {
      if (!is_constant(operand)) return turn(operand), operand;
      // another use may need the constant as it is
      nodes_.push_back({Operation::constant, 0, 0, 0, -nodes_[at(operand)].value});
      uses_.push_back(1);
      return static_cast<std::int32_t>(nodes_.size() - 1);
    };
    const bool first = can_turn(n.a);
    switch (n.operation) {
      case Operation::subtract:
        std::swap(n.a, n.b);
        break;
      case Operation::add:
        // -(a + b) = (-a) - b
        if (!first) std::swap(n.a, n.b);
        n.a = turned(n.a);
        n.operation = Operation::subtract;
        break;
      default:
        (first ? n.a : n.b) = turned(first ? n.a : n.b);
        break;
    }
    nodes_[at(node)] = n;
  }

  std::vector<Node>& nodes_;
  std::vector<int> uses_;
};

/// Constants to the front, so that all may use them.
void constants_first(std::vector<Node>& nodes, Results& results) {
  std::vector<std::int32_t> place(nodes.size());
  std::vector<Node> ordered;
  for (const bool constants : {true, false})
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if ((nodes[i].operation == Operation::constant) != constants) continue;
      place[i] = static_cast<std::int32_t>(ordered.size());
      ordered.push_back(nodes[i]);
    }
  for (Node& n : ordered) {
    const int operands = arity(n.operation);
    if (operands > 0) n.a = place[static_cast<std::size_t>(n.a)];
    if (operands > 1) n.b = place[static_cast<std::size_t>(n.b)];
    if (operands > 2) n.c = place[static_cast<std::size_t>(n.c)];
  }
  for (std::int32_t& r : results) r = place[static_cast<std::size_t>(r)];
  nodes = std::move(ordered);
}

}  // namespace

std::pair<std::vector<Node>, Results> shorten(const Graph& graph, const Results& results) {
  std::vector<Node> all;
  for (std::int32_t i = 0; i < graph.size(); ++i) all.push_back(graph[i]);
  auto [nodes, moved] = alive(all, results);
  Signs(nodes, moved).move_inward();
  constants_first(nodes, moved);
  return alive(nodes, moved);
}

}  // namespace ulna::detail
