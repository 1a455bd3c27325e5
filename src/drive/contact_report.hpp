#pragma once

#include "drive/contact_data.hpp"
#include "ulna/drive/first_contact.hpp"

namespace ulna::drive {

/// Compares what a contact showed with the model: which wiring explains it, what each joint is like, and what is wrong.
void judge_contact(const Model& model, const ContactData& data, const ContactOptions& options,
                   ContactReport& report);

}  // namespace ulna::drive
