"""Files are put together that declare nothing of the same name."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import unity_groups  # noqa: E402

MOST = 8


class Groups(unittest.TestCase):
    def groups(self, files, **options):
        """The groups of these files as sets of names."""
        with tempfile.TemporaryDirectory() as root:
            paths = []
            for name, text in files.items():
                paths.append(pathlib.Path(root, name))
                paths[-1].parent.mkdir(exist_ok=True)
                paths[-1].write_text(text, encoding="utf-8")
            return [{str(path.relative_to(root)) for path in group}
                    for group in unity_groups.groups_of(paths, MOST, **options)]

    def apart(self, one, other):
        return len(self.groups({"io/a.cc": one, "io/b.cc": other})) == 2

    def apart_if_unnamed(self, one, other):
        return self.apart(*(f"namespace {{\n{text}}}  // namespace\n" for text in (one, other)))

    def test_the_longest_come_first(self):
        self.assertEqual(self.groups({"io/a.cc": "using F = int;\n",
                                      "io/b.cc": "using F = std::vector<int>;\n",
                                      "arch/c.cc": "int g();\n"}),
                         [{"io/b.cc"}, {"arch/c.cc", "io/a.cc"}])

    def test_equal_names_are_kept_apart(self):
        for one, other in (("int f(int x) {\n", "std::vector<int> f() {\n"),
                           ("constexpr int kMost = 3;\n", "const char* kMost = nullptr;\n"),
                           ("constexpr char kText[] = {};\n", "bool kText(int);\n"),
                           ("struct Row {\n", "using Row = int;\n"),
                           ("enum class Row { A };\n", "class Row;\n")):
            self.assertTrue(self.apart_if_unnamed(one, other), one)

    def test_names_that_a_file_keeps_to_itself_are_kept_apart_from_those_of_all(self):
        self.assertTrue(self.apart("namespace {\nint f(int x) {\n}\n}  // namespace\n", "int f() {\n"))

    def test_files_of_different_namespaces_may_keep_the_same_name_to_themselves(self):
        own = "namespace {\nint f() {\n}\n}  // namespace\n"
        for other, count in (("namespace io {\n" + own, 2), ("namespace arch {\n" + own, 1),
                             ("namespace arch {\nint f(int x) {\n", 2)):
            files = {"io/a.cc": "namespace io {\n" + own, "io/b.cc": other}
            self.assertEqual(len(self.groups(files, by_namespace=True)), count, other)
            self.assertEqual(len(self.groups(files)), 2, other)

    def test_a_program_has_one_main(self):
        files = {"io/a.cc": "int main() {\n", "io/b.cc": "namespace io {\n}\nint main() {\n"}
        self.assertEqual(len(self.groups(files, by_namespace=True)), 2)

    def test_what_no_file_keeps_to_itself_differs_in_its_arguments(self):
        self.assertFalse(self.apart("int f(int x) {\n", "int f(Row x) {\n"))

    def test_members_defined_outside_of_their_classes_are_no_matter(self):
        self.assertFalse(self.apart_if_unnamed("int Row::f(int x) {\n", "int Table::f(int x) {\n"))

    def test_equal_names_inside_functions_are_no_matter(self):
        text = "namespace {\n\nint NAME() {\n  int size = 1;\n  return size;\n}\n"
        self.assertFalse(self.apart(text.replace("NAME", "f"), text.replace("NAME", "g")))

    def test_names_from_elsewhere_and_test_suites_are_no_matter(self):
        self.assertFalse(self.apart("using testing::make_arch;\n", "using testing::make_arch;\n"))
        self.assertTrue(self.apart("using testing::make_arch;\n", "int make_arch() {\n"))
        self.assertFalse(self.apart("TEST(Model, Counts) {\n", "TEST(Model, Adds) {\n"))
        self.assertTrue(self.apart("TEST(Model, Counts) {\n", "TEST_F(Model, Counts) {\n"))

    def test_another_name_for_the_same_is_no_matter(self):
        self.assertFalse(self.apart("using Row = int;\n", "using Row = int;\n"))
        self.assertTrue(self.apart("using Row = int;\n", "using Row = long;\n"))
        self.assertTrue(self.apart("using Row = int;\n", "using testing::Row;\n"))

    def test_what_reads_long_headers_is_together(self):
        files = {f"io/{i}.cc": "" for i in range(MOST)}
        files |= {f"io/{i}_json.cc": "nlohmann::json read();\n".replace("read", f"read{i}")
                  for i in range(MOST)}
        self.assertIn({f"io/{i}_json.cc" for i in range(MOST)}, self.groups(files))

    def test_groups_stay_small(self):
        sizes = [len(group) for group in self.groups({f"io/{i}.cc": "" for i in range(20)})]
        self.assertEqual(sum(sizes), 20)
        self.assertLessEqual(max(sizes), MOST)


if __name__ == "__main__":
    unittest.main()
