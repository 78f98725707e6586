"""Architectures, workloads and mappings as files of other tools."""
