#pragma once

#include "ulna/model/diagnostic.hpp"

/// What a scene can break; docs/contact.md explains it to users.
namespace ulna::rules {

inline constexpr Rule material_range{
    "material-range", Severity::error, "a number of a material is out of its range",
    "friction, torsion, rolling, damping: from 0; restitution: 0 to 1; stiffness: above 0"};
inline constexpr Rule material_unnamed{"material-unknown", Severity::error,
                                       "a material is named that the scene does not have",
                                       "list it below materials"};
inline constexpr Rule body_range{"body-range", Severity::error,
                                 "a mass, a size or a step is not a positive number",
                                 "write kilograms, metres and seconds, above zero"};
inline constexpr Rule bodies_overlap{
    "bodies-overlap", Severity::warning, "two bodies are inside each other at the beginning",
    "move them apart; they are pushed apart slowly, without gaining speed"};
inline constexpr Rule mass_ratio{"mass-ratio", Severity::note,
                                 "masses differ by more than a million times",
                                 "none needed; check that masses are in kilograms"};

}  // namespace ulna::rules
