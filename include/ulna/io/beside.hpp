#pragma once

#include <string>
#include <string_view>

namespace ulna {

/// What to load if `file` names a robot: the file of that name in the same folder if there is one, else the name as
/// it is, for load_robot.
std::string robot_beside(std::string_view file, std::string_view name);

}  // namespace ulna
