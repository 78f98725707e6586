// Certificates as objects of JSON, which those of networks have inside.
#pragma once

#include <string>
#include <vector>

#include "certificate/json_keys.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

const std::vector<std::string>& certificate_keys();
Certificate certificate_from(const Json& object);  // throws BadKey
Json json_of(const Certificate& certificate);

const std::vector<std::string>& plan_certificate_keys();
PlanCertificate plan_certificate_from(const Json& object);  // throws BadKey
Json json_of(const PlanCertificate& certificate);
// How many einsums a group may have.
int longest_group_of(const Json& object);  // throws BadKey
// What certificates about plans have in common: of what, within which limits, the plan and what it
// takes. Throws BadKey.
template <typename AboutPlans>
void read_statement(const Json& object, AboutPlans& read) {
  read.architecture = text_of(object, "architecture");
  read.cascade = text_of(object, "cascade");
  read.shared = text_of(object, "shared");
  read.longest_group = longest_group_of(object);
  read.plan = text_of(object, "plan");
  read.energy_pj = text_of(object, "energy_pj");
}
template <typename AboutPlans>
void write_statement(const AboutPlans& made, Json& object) {
  object["architecture"] = made.architecture;
  object["cascade"] = made.cascade;
  object["shared"] = made.shared;
  object["longest_group"] = made.longest_group;
  object["plan"] = made.plan;
  object["energy_pj"] = made.energy_pj;
}

const std::vector<std::string>& plan_bound_keys();
PlanBound plan_bound_from(const Json& object);  // throws BadKey
Json json_of(const PlanBound& bound);

const std::vector<std::string>& flat_certificate_keys();
FlatCertificate flat_certificate_from(const Json& object);  // throws BadKey
Json json_of(const FlatCertificate& certificate);

}  // namespace tilewright::certificate
