"""The layer checker accepts what layers.txt allows and names what it does not."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"

LAYERS = """
shared: base/*.h
base:
model oracle: base    # apart from each other
cli: base model oracle
"""

SOUND = {
    "tools/layers.txt": LAYERS,
    "include/tilewright/base.h": "#include <vector>\n",
    "include/tilewright/model.h": '#include "tilewright/base.h"\n',
    "include/tilewright/oracle.h": '#include "tilewright/base.h"\n',
    "src/model/table.h": '#include "tilewright/model.h"\n',
    "src/model/table.cc": '#include "model/table.h"\n#include "yaml-cpp/yaml.h"\n',
    "src/cli/main.cc": '#include "tilewright/model.h"\n#include "tilewright/oracle.h"\n',
}


class CheckLayers(unittest.TestCase):
    def check(self, changes):
        """Exit code and lines of output for a sound tree with some files changed."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**SOUND, **changes}.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            run = subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True,
                                 check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout.splitlines()

    def assert_refused(self, changes, *complaints):
        self.assertEqual(self.check(changes), (1, list(complaints)))

    def test_accepts_a_sound_tree(self):
        self.assertEqual(self.check({}), (0, []))

    def test_names_file_and_line_of_a_forbidden_include(self):
        self.assert_refused(
            {"src/model/bad.cc": '#include <map>\n\n#include "tilewright/oracle.h"\n'},
            "src/model/bad.cc:3: model must not include oracle")

    def test_sees_public_headers_too(self):
        self.assert_refused({"include/tilewright/model.h": "#include <tilewright/oracle.h>\n"},
                            "include/tilewright/model.h:1: model must not include oracle")

    def test_refuses_the_private_header_of_another_module(self):
        self.assert_refused(
            {"src/cli/main.cc": '#include "model/table.h"\n'},
            'src/cli/main.cc:1: "model/table.h" is private to model; '
            'include "tilewright/model.h"')

    def test_a_module_may_be_a_folder_in_a_folder(self):
        climber = {"tools/layers.txt": LAYERS + "mappers/climber: base\n"}
        self.assertEqual(self.check({**climber, "src/mappers/climber/climb.cc":
                                     '#include "tilewright/base.h"\n'}), (0, []))
        self.assert_refused(
            {**climber, "src/mappers/climber/climb.cc": '#include "tilewright/model.h"\n'},
            "src/mappers/climber/climb.cc:1: mappers/climber must not include model")

    def test_the_figures_of_papers_are_a_module_that_nobody_includes(self):
        figures = {"tools/layers.txt": LAYERS + "reproduce: base model\n",
                   "reproduce/figure.h": '#include "tilewright/model.h"\n',
                   "reproduce/figure.cc": '#include "reproduce/figure.h"\n'}
        self.assertEqual(self.check(figures), (0, []))
        self.assert_refused({**figures, "reproduce/bad.cc": '#include "tilewright/oracle.h"\n'},
                            "reproduce/bad.cc:1: reproduce must not include oracle")
        self.assert_refused({**figures, "src/cli/main.cc": '#include "reproduce/figure.h"\n'},
                            "src/cli/main.cc:1: cli must not include reproduce")

    def test_lets_everybody_allowed_use_shared_headers(self):
        pool = {"src/base/pool.h": "#include <thread>\n"}
        self.assertEqual(self.check({**pool, "src/cli/main.cc": '#include "base/pool.h"\n'}),
                         (0, []))
        self.assert_refused({**pool, "tools/layers.txt": LAYERS + "apart:\n",
                             "src/apart/some.cc": '#include "base/pool.h"\n'},
                            "src/apart/some.cc:1: apart must not include base")

    def test_follows_paths_relative_to_the_file(self):
        self.assert_refused({"src/oracle/bad.cc": '#include "../model/table.h"\n'},
                            "src/oracle/bad.cc:1: oracle must not include model")

    def test_refuses_a_module_that_is_not_listed(self):
        self.assert_refused({"src/search/search.cc": ""},
                            "src/search/search.cc:1: module search is not in tools/layers.txt")

    def test_refuses_a_header_that_does_not_exist(self):
        self.assert_refused({"src/cli/main.cc": '#include "tilewright/modle.h"\n'},
                            'src/cli/main.cc:1: there is no "tilewright/modle.h"')

    def test_refuses_a_cycle_of_modules(self):
        self.assert_refused({"tools/layers.txt": "base: model\nmodel oracle: base\n"
                                                 "cli: base model oracle\n"},
                            "tools/layers.txt:1: model is not on a line above")

    def test_refuses_a_cycle_of_files_within_a_module(self):
        self.assert_refused(
            {"src/model/row.h": '#include "model/table.h"\n',
             "src/model/table.h": '#include "model/row.h"\n'},
            "src/model/row.h:1: cycle of includes: "
            "src/model/row.h -> src/model/table.h -> src/model/row.h")


if __name__ == "__main__":
    unittest.main()
