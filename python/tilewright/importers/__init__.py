"""Files of other tools as files of this one. Each tool has a package of its own."""
