"""Files of Timeloop and Accelergy, in all their dialects.

The way of a file: ``templates`` fills in its templates, ``yaml_tree`` or ``libconfig`` make a
tree of values with their places, ``specification`` gathers the sections of all files,
``hardware``, ``problem``, ``mapping``, ``constraints`` and ``tables`` say what they mean, and
``convert`` writes it down, with a ``report`` of what became of every line.
"""
