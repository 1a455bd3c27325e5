#pragma once

#include "ulna/model/diagnostic.hpp"

/// Defines the rules of a list, a macro that applies X(identifier, name, severity, meaning, remedy) to each of them, and
/// `all`: their addresses in the order of the list.
#define ULNA_DEFINE_RULES(LIST) \
  LIST(ULNA_DETAIL_DEFINE_RULE) \
  inline constexpr const ::ulna::Rule* all[] = {LIST(ULNA_DETAIL_ADDRESS_OF_RULE)};

#define ULNA_DETAIL_DEFINE_RULE(id, name, severity, meaning, remedy) \
  inline constexpr ::ulna::Rule id{name, ::ulna::Severity::severity, meaning, remedy};  // NOLINT
#define ULNA_DETAIL_ADDRESS_OF_RULE(id, name, severity, meaning, remedy) &id,
