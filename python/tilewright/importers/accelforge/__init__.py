"""Plain files of AccelForge: architectures with energies of their own, and einsums."""
