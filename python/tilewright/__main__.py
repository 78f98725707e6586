"""``python -m tilewright`` is the tool."""

import sys

from tilewright._command_line import main

sys.exit(main())
