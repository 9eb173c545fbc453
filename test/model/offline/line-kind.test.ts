import { describe, expect, test } from "vitest";
import { type FileKind, fileKind } from "../../../src/model/offline/file-kind.ts";
import { lineKind } from "../../../src/model/offline/line-kind.ts";

describe("what a line of source is, in any language", () => {
  test.each([
    ["a.ts", "export const wide = {", "wide"],
    ["a.ts", "  async handle(x: string): Promise<void> {", "handle"],
    ["a.ts", "  static async run() {", "run"],
    ["a.ts", "export default class Queue<T> extends Base {", "Queue"],
    ["a.js", "function* turns() {", "turns"],
    ["a.py", "async def fetch_all(self, *urls):", "fetch_all"],
    ["a.py", "class Queue(Base):", "Queue"],
    ["a.rs", "pub(crate) fn split<T>(x: T) -> T {", "split"],
    ["a.rs", "impl<T> Queue for Wide<T> {", "Queue"],
    ["a.go", "func (s *Server) Handle(w http.ResponseWriter) {", "Handle"],
    ["A.java", "public static void main(String[] args) {", "main"],
    ["a.c", "int main(int argc, char **argv)", "main"],
    ["a.h", "#define WIDE 4", "WIDE"],
    ["a.sql", "CREATE TABLE users (", "users"],
    ["a.lua", "local function wide()", "wide"],
    ["a.kt", "fun wide(): Int {", "wide"],
  ])("%s: %s defines %s", (path, text, name) => {
    expect(lineKind(path, text)).toMatchObject({ type: "definition", name, local: false });
  });

  test.each([
    ["a.ts", "  const here = 1;", "definition"],
    ["a.ts", '  "timeout": 5,', "field"],
    ["a.ts", "  if (wide) {", "other"],
    ["a.ts", "  run(wide);", "other"],
    ["a.ts", 'describe("x", () => {', "other"],
    ["a.ts", "} else if (x) {", "other"],
    ["a.ts", 'import { a } from "./a.ts";', "import"],
    ["a.py", "from a import b", "import"],
    ["a.c", "#include <stdio.h>", "import"],
    ["a.ts", " * a comment", "comment"],
    ["a.py", "# a comment", "comment"],
    ["a.sql", "-- a comment", "comment"],
    ["a.md", "## Wide", "heading"],
    ["a.md", "# not a comment", "heading"],
    ["a.md", "const here = 1;", "other"],
  ])("%s: %s is a line of kind %s %s", (path, text, type) => {
    expect(lineKind(path, text).type).toBe(type);
  });

  test.each(["(", "@x ", "a ", "a:", "<", "export ", "const ", "a* ", "{", '"', "/*"])(
    "a hostile line of %j does not hang",
    (piece) => {
      expect(lineKind("a.ts", piece.repeat(400)).type).toBeTypeOf("string");
    },
  );
});

test.each<[string, FileKind]>([
  ["src/parser.ts", "source"],
  ["src/testing.go", "source"],
  ["src/parser.test.ts", "test"],
  ["tests/a/parser.py", "test"],
  ["pkg/parser_test.go", "test"],
  ["docs/parser.md", "docs"],
  ["README.md", "docs"],
  ["package.json", "config"],
  [".github/workflows/a.yml", "config"],
  ["examples/a.ts", "example"],
  ["package-lock.json", "minor"],
  ["CHANGELOG.md", "minor"],
  ["vendor/a/b.go", "minor"],
  ["dist/a.js", "minor"],
])("%s is of kind %s", (path, kind) => {
  expect(fileKind(path)).toBe(kind);
});
