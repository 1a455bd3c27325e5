#include "identify_page.hpp"
namespace ulna::cli {
std::string identify_page(const PageNames&, const Identification&) { return ""; }
}  // namespace ulna::cli
