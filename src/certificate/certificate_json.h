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

const std::vector<std::string>& plan_bound_keys();
PlanBound plan_bound_from(const Json& object);  // throws BadKey
Json json_of(const PlanBound& bound);

}  // namespace tilewright::certificate
