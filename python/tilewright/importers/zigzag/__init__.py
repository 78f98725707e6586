"""Plain files of ZigZag: accelerators that are a chain of memories, and layers as equations."""
