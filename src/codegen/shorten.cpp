#include "codegen/shorten.hpp"

namespace ulna::codegen {
namespace {

using Results = std::vector<std::int32_t>;

/// The nodes that the results need, renumbered: constants first, so that all may use them.
std::pair<std::vector<Node>, Results> alive(const std::vector<Node>& nodes, Results results) {
  const std::vector<bool> needed = needed_by(nodes, results);
  std::vector<std::int32_t> place(nodes.size());
  std::vector<Node> kept;
  for (const bool constants : {true, false})
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!needed[i] || (nodes[i].operation == Operation::constant) != constants) continue;
      place[i] = std::int32_t(kept.size());
      kept.push_back(nodes[i]);
    }
  const auto renumber = [&](std::int32_t& node) { node = place[node]; };
  for (Node& n : kept) for_each_operand(n, renumber);
  for (std::int32_t& r : results) renumber(r);
  return {std::move(kept), std::move(results)};
}

/// Signs that no sum has absorbed, moved inward to where they cost nothing.
class Signs {
 public:
  Signs(std::vector<Node>& nodes, const Results& results) : nodes_(nodes), uses_(nodes.size(), 0) {
    const auto use = [this](std::int32_t node) { ++uses_[node]; };
    for (const Node& n : nodes) for_each_operand(n, use);
    for (const std::int32_t r : results) use(r);
  }

  void move_inward() {
    const std::size_t count = nodes_.size();
    for (std::size_t i = 0; i < count; ++i) {
      std::int32_t inner = nodes_[i].a;
      if (nodes_[i].operation == Operation::negate && turn(inner)) nodes_[i] = nodes_[inner];
    }
  }

 private:
  /// Makes a node its negative if that costs no more than the node, which is then gone.
  bool turn(std::int32_t& node) {
    Node n = nodes_[node];
    if (n.operation == Operation::constant) {
      // another use may need the constant as it is
      node = std::int32_t(nodes_.size());
      nodes_.push_back({Operation::constant, 0, 0, 0, -n.value});
      uses_.push_back(1);
      return true;
    }
    if (uses_[node] > 1) return false;
    switch (n.operation) {
      case Operation::subtract:
        std::swap(n.a, n.b);
        break;
      case Operation::add:
        // -(a + b) = (-a) - b
        if (!turn(n.a)) {
          if (!turn(n.b)) return false;
          std::swap(n.a, n.b);
        }
        n.operation = Operation::subtract;
        break;
      case Operation::multiply:
      case Operation::divide:
        if (!turn(n.a) && !turn(n.b)) return false;
        break;
      default:
        return false;
    }
    nodes_[node] = n;
    return true;
  }

  std::vector<Node>& nodes_;
  std::vector<int> uses_;
};

}  // namespace

std::vector<bool> needed_by(const std::vector<Node>& nodes, const Results& some) {
  std::vector<bool> needed(nodes.size(), false);
  const auto need = [&](std::int32_t node) { needed[node] = true; };
  for (const std::int32_t node : some) need(node);
  for (std::size_t i = nodes.size(); i-- > 0;)
    if (needed[i]) for_each_operand(nodes[i], need);
  return needed;
}

std::pair<std::vector<Node>, Results> shorten(const Graph& graph, const Results& results) {
  auto [nodes, moved] = alive(graph.nodes(), results);
  Signs(nodes, moved).move_inward();
  return alive(nodes, moved);
}

}  // namespace ulna::codegen
