#include "proposals.hpp"

#include <fmt/ranges.h>

#include "table.hpp"
#include "ulna/spatial/consistency.hpp"

namespace ulna::cli {

Json to_json(const InertiaProposals& proposals, double density) {
  Json links = Json::array();
  for (const InertiaProposal& p : proposals.links) {
    Json entry{{"link", p.link}};
    entry.update(inertia_json(p.inertial.in_link_frame()));
    entry.update(
        {{"volume", p.volume}, {"of", p.of_visuals ? "visual" : "collision"}, {"shapes", p.parts}});
    links.push_back(std::move(entry));
  }
  return {{"density", density},
          {"links", links},
          {"without_shapes", proposals.without_shapes},
          {"diagnostics", to_json(proposals.diagnostics)}};
}

std::string to_text(const Stream& out, const InertiaProposals& proposals, double density) {
  std::string text = to_text(out, proposals.diagnostics);
  const auto& links = proposals.links;
  if (links.empty() && proposals.without_shapes.empty())
    return text + "nothing to propose: all links that move have an inertial\n";
  std::vector<double> masses, coms, moments;
  for (const InertiaProposal& p : links) {
    const Consistency c = check_consistency(p.inertial.in_link_frame());
    masses.push_back(p.inertial.mass);
    coms.insert(coms.end(), p.inertial.com.begin(), p.inertial.com.end());
    moments.insert(moments.end(), c.principal_moments.begin(), c.principal_moments.end());
  }
  const Figures mass(masses, 5e-3), com(coms, 5e-3, 1e-3), moment(moments, 5e-3);
  const std::string moments_in(out.either(" [kg m²]", " [kgm^2]"));
  Table table(1, {"link", ">mass [kg]", ">com x [m]", " >y [m]", " >z [m]", ">I1" + moments_in,
                  " >I2" + moments_in, " >I3" + moments_in});
  std::string made_of;
  for (std::size_t i = 0; i < links.size(); ++i) {
    Cells cells{links[i].link, mass(masses[i], out)};
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) cells.push_back(com(coms[k], out));
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) cells.push_back(moment(moments[k], out));
    table.row(cells);
    made_of += hanging("", 0,
                       fmt::format("{}: {} {}", visible(links[i].link),
                                   visible(fmt::format("{}", fmt::join(links[i].parts, ", "))),
                                   links[i].of_visuals ? "(drawn)" : "(for contact)"),
                       out.width());
  }
  if (!links.empty())
    text += fmt::format("proposed inertias, of solid shapes of {:g} {}:\n", density,
                        out.either("kg/m³", "kg/m^3")) +
            table.str(out) + made_of;
  if (!proposals.without_shapes.empty())
    text += fmt::format("none, as there is no solid shape: {}\n",
                        visible(fmt::format("{}", fmt::join(proposals.without_shapes, ", "))));
  return text;
}

}  // namespace ulna::cli
