#pragma once

#include "support/bad_drives.hpp"
#include "support/bad_tables.hpp"
#include "support/bad_urdf.hpp"
#include "support/bad_xml.hpp"
#include "support/mjcf.hpp"
#include "support/sdf.hpp"
#include "support/xacro.hpp"

namespace ulna::test {

/// All of them. `fifo` is the path of a named pipe.
inline std::vector<BadInput> bad_inputs(const std::string& fifo) {
  BadInputs cases;
  bad_numbers(cases);
  bad_bodies(cases);
  bad_joints(cases);
  bad_drives(cases);
  bad_magnitudes(cases);
  bad_trees(cases);
  bad_xml(cases);
  bad_xacro(cases);
  bad_mjcf(cases);
  bad_sdf(cases);
  bad_shapes(cases, fifo);
  large_robots(cases);
  bad_tables(cases);
  return std::move(cases.list);
}

}  // namespace ulna::test
