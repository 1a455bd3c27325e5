#include "ulna/dynamics/workspace.hpp"

namespace ulna::detail {

UnitTorques<double>::UnitTorques(const Model& model) {
  const int n = model.tree_nv();
  std::vector<int> parent, last_child(static_cast<std::size_t>(n), -1);
  for (const Joint& j : model.joints())
    for (int k = 0; k < velocity_size(j.type); ++k) {
      const Joint& above = model.joint(j.parent);
      parent.push_back(k > 0 ? j.tree_v + k - 1 : above.tree_v + velocity_size(above.type) - 1);
    }
  for (int k = 0; k < n; ++k)
    if (parent[k] >= 0) last_child[parent[k]] = k;

  subtree_end.assign(static_cast<std::size_t>(n), 0);
  for (int k = n - 1; k >= 0; --k) {
    subtree_end[k] = std::max(subtree_end[k], k + 1);
    if (parent[k] >= 0) subtree_end[parent[k]] = std::max(subtree_end[parent[k]], subtree_end[k]);
  }
  for (int k = 0; k < n; ++k) {
    const int above = parent[k] < 0 ? 0 : slot[parent[k]];
    const bool takes_over = parent[k] < 0 || last_child[parent[k]] == k;
    slot.push_back(takes_over ? above : above + 1);
    slots = std::max(slots, slot.back() + 1);
  }
  const int rows = (model.nv() + 3) / 4 * 4;
  forces.setZero(rows, 6);
  accelerations.setZero(rows, 6 * (slots + 1));
}

}  // namespace ulna::detail
