// What `fuse --model` does apart from reading and printing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/certificate.h"
#include "tilewright/fusion.h"

namespace tilewright::cli {

struct CertifiedNetwork {
  std::optional<certificate::NetworkCertificate> certificate;
  // Why there is none: what the search says is wrong, by the checker.
  std::vector<std::string> complaints;
};

// How the parts of a network are searched if a certificate is to follow: for half of the time.
FuseOptions search_to_certify(const FuseOptions& allowed);
// Proves what was found part by part, as far as the checker can, in what is left of the time that
// the options allow. All parts have mappings.
CertifiedNetwork certified_network(const Network& network, const Architecture& arch,
                                   const FusedNetwork& fused, const FuseOptions& allowed,
                                   int threads);

}  // namespace tilewright::cli
