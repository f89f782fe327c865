"""What must hold of the installed wheel: python test_uts58.py README.md"""

import copy
import doctest
import pickle
import sys
import threading
import unittest

import uts58


class Links(unittest.TestCase):
    def test_offsets_count_code_points(self):
        for text in ("👉👉example.com 日本語 ftp://例え.com/𠀋", "\ud800example.com \udc00\udfff info@例子.中国"):
            found = uts58.links(text)
            self.assertEqual(len(found), 2)
            for link in found:
                self.assertEqual(text[link.start : link.end], link.text)
                self.assertIn(link.host, link.text)

    def test_a_link_says_what_it_is(self):
        (link,) = uts58.links("見て https://例え.com/路径。")
        self.assertEqual(
            (link.start, link.end, link.kind, link.ascii, link.unicode, link.linked, link.verdict),
            (3, 20, "scheme", "xn--r8jz45g.com", "例え.com", True, "ok"),
        )
        self.assertEqual(link.href, "https://xn--r8jz45g.com/%E8%B7%AF%E5%BE%84")
        self.assertEqual(repr(link), "<Link 'https://例え.com/路径' 3:20 ok>")
        with self.assertRaises(AttributeError):
            link.start = 4

    def test_what_is_linked_is_what_linkify_links(self):
        for text in ("example.com", "helpers.py", "hxxp://example[.]com", "раypal.com", "Приветexample.com", "co.uk"):
            linked = any(link.linked for link in uts58.links(text))
            self.assertEqual("<a " in uts58.linkify(text), linked, text)

    def test_linkify_escapes(self):
        self.assertEqual(uts58.linkify("<b> & \"'"), "&lt;b&gt; &amp; &quot;&#39;")
        self.assertEqual(uts58.linkify("\ud800"), "\ufffd")

    def test_exceptions_stay_text(self):
        for exceptions in (["example.com"], ("EXAMPLE.com",), {"example.com"}, iter(["example.com"])):
            self.assertEqual(uts58.linkify("example.com", exceptions), "example.com")
        self.assertIn("<a ", uts58.linkify("example.com", exceptions=["example.org"]))
        self.assertIn("<a ", uts58.linkify("example.com", None))
        # What a text may hold, an exception may: what was cut out of one is.
        self.assertEqual(uts58.linkify("example.com/\ud800", ["\ud800", "example.com/\ud800"]), "example.com/\ufffd")
        for no_iterable_of_strings in ("example.com", 5, [5], b"example.com"):
            with self.assertRaises(TypeError):
                uts58.linkify("example.com", no_iterable_of_strings)

    def test_a_host_is_judged(self):
        found = uts58.check("раypal.com")
        self.assertEqual((found.verdict, found.target, found.ascii), ("unsafe", "paypal.com", "xn--ypal-43d9g.com"))
        self.assertIn("target-lookalike", found.reasons)
        self.assertTrue(any("CYRILLIC" in line for line in found.words), found.words)
        self.assertEqual(uts58.check("https://раypal.com/x").verdict, "unsafe")
        self.assertEqual((uts58.check("президент.рф").verdict, uts58.check("").verdict), ("ok", uts58.check(" ").verdict))

    def test_what_is_found_is_a_value(self):
        text = "см. раypal.com/\ud800 и info@例子.中国"
        for call in (uts58.links, uts58.check):
            first, second = call(text), call(text)
            self.assertEqual(first, second)
            for other in (pickle.loads(pickle.dumps(first)), copy.copy(first), copy.deepcopy(first)):
                self.assertEqual((other, repr(other)), (first, repr(first)))
        one, other = uts58.links(text)
        self.assertEqual((one != other, one == 1, one in {uts58.links(text)[0], other}), (True, False, True))
        self.assertNotEqual(uts58.links("example.com раypal.com")[0], uts58.links("example.com")[0].text)
        self.assertEqual(len({uts58.check("example.com"), uts58.check("example.com"), uts58.check("example.org")}), 2)

    def test_what_is_no_text_is_refused(self):
        for wrong in (None, 1, b"example.com", ["example.com"]):
            for call in (uts58.links, uts58.linkify, uts58.check):
                with self.assertRaises(TypeError):
                    call(wrong)
        with self.assertRaises(TypeError):
            uts58.linkify("x", [1])

    def test_threads(self):
        results = []
        text = "см. раypal.com и example.com " * 200
        threads = [threading.Thread(target=lambda: results.append(uts58.linkify(text))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(results)), 1)

    def test_the_readme(self):
        failed, tried = doctest.testfile(sys.argv[1], module_relative=False)
        self.assertEqual((failed, tried > 4), (0, True))

    def test_everything_has_a_type(self):
        with open(uts58.__path__[0] + "/__init__.pyi", encoding="utf-8") as file:
            stub = file.read()
        for cls in (uts58.Link, uts58.Check):
            for name in vars(cls):
                if not name.startswith("__"):
                    self.assertIn(f"def {name}(self)", stub)
        for name in uts58.__all__:
            self.assertIn(name, stub)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
