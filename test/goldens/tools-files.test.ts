import { PIXEL } from "../mcp/servers/good-server.ts";
import { goldens } from "./goldens.ts";
import { acting, type Call } from "./session.ts";

const files = {
  "a.txt": "one\ntwo\nthree\ntwo\n",
  "src/b.ts": "export const b = 1;\n",
  "src/c.ts": 'import { b } from "./b.ts";\nconsole.log(b);\n',
};
const cell = (id: string, source: string) => ({
  cell_type: "code",
  id,
  metadata: {},
  outputs: [],
  source,
  execution_count: null,
});
const notebook = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [cell("c1", "x = 1"), cell("c2", "print(x)")],
});
const read = (path: string, more = {}): Call => ["Read", { file_path: `$P/${path}`, ...more }];
const edit = (old_string: string, new_string: string, more = {}): Call => [
  "Edit",
  { file_path: "$P/a.txt", old_string, new_string, ...more },
];
const write = (path: string, content: string): Call => ["Write", { file_path: `$P/${path}`, content }];
const grep = (pattern: string, more = {}): Call => ["Grep", { pattern, ...more }];

goldens("tools for files", [
  acting(
    "Read: a whole file, a part, past the end",
    [[read("a.txt")], [read("a.txt", { offset: 2, limit: 2 })], [read("a.txt", { offset: 90 })]],
    { files },
  ),
  acting(
    "Read: what is not there, a folder, an empty file, a relative path",
    [[read("b.txt")], [read("src")], [read("empty.txt")], [["Read", { file_path: "a.txt" }]]],
    { files: { ...files, "empty.txt": "" } },
  ),
  acting("Read: a notebook and long lines", [[read("n.ipynb")], [read("long.txt")]], {
    files: { "n.ipynb": notebook, "long.txt": `${"x".repeat(3000)}\nend\n` },
  }),
  acting("Read: the same file again", [[read("a.txt")], [read("a.txt")]], { files }),
  acting(
    "Read: several files in one reply",
    [[read("a.txt"), read("src/b.ts"), read("src/c.ts"), read("none.ts")]],
    { files },
  ),
  acting("Read: binary", [[read("blob.bin")]], { files: { "blob.bin": "a\0b\0c" } }),
  acting("Write: a new file in a new folder, then over it", [
    [write("new/deep.txt", "first\n")],
    [write("new/deep.txt", "second\n")],
  ]),
  acting("Write: over a file that was not read", [[write("a.txt", "other\n")]], { files }),
  acting(
    "Write: not over an unread file where settings say so",
    [[write("a.txt", "other\n")], [read("a.txt")], [write("a.txt", "other\n")]],
    { files, settings: { troupe: { fileRules: { write: "read-first" } } } },
  ),
  acting(
    "Edit: once, all, and a text that is gone",
    [[read("a.txt")], [edit("one", "1")], [edit("two", "2", { replace_all: true })], [edit("one", "x")]],
    { files },
  ),
  acting(
    "Edit: unread, ambiguous, without a change",
    [[edit("one", "1")], [read("a.txt")], [edit("two", "2")], [edit("one", "one")]],
    { files },
  ),
  acting(
    "Edit: a file that was changed since",
    [[read("a.txt")], [["Bash", { command: "echo four >> a.txt" }]], [edit("one", "1")]],
    { files },
  ),
  acting(
    "Edit: a folder, a file that is not there",
    [
      [["Edit", { file_path: "$P/src", old_string: "a", new_string: "b" }]],
      [["Edit", { file_path: "$P/none", old_string: "a", new_string: "b" }]],
    ],
    { files },
  ),
  acting(
    "NotebookEdit: replace, insert, delete, unknown cell",
    [
      [read("n.ipynb")],
      [["NotebookEdit", { notebook_path: "$P/n.ipynb", cell_id: "c1", new_source: "x = 2" }]],
      [["NotebookEdit", { notebook_path: "$P/n.ipynb", cell_id: "c2", new_source: "", edit_mode: "delete" }]],
      [["NotebookEdit", { notebook_path: "$P/n.ipynb", cell_id: "c9", new_source: "y" }]],
      [["NotebookEdit", { notebook_path: "$P/n.ipynb", new_source: "y", edit_mode: "insert" }]],
    ],
    { files: { "n.ipynb": notebook } },
  ),
  acting(
    "Glob: found, nothing found, no directory",
    [
      [["Glob", { pattern: "src/*.ts" }]],
      [["Glob", { pattern: "*.rs" }]],
      [["Glob", { pattern: "*", path: "$P/none" }]],
    ],
    { files: { "src/b.ts": "b" } },
  ),
  acting(
    "Grep: files, lines, counts",
    [
      [grep("import", {})],
      [grep("b", { output_mode: "content", path: "src/c.ts", "-A": 1 })],
      [grep("b", { output_mode: "count", glob: "*.ts" })],
    ],
    { files },
  ),
  acting(
    "Grep: nothing, a bad pattern, multiline, a limit",
    [
      [grep("zebra")],
      [grep("a(")],
      [grep("one.two", { multiline: true, output_mode: "content" })],
      [grep("t", { output_mode: "content", head_limit: 1, "-n": true })],
    ],
    { files },
  ),
  acting(
    "calls with wrong input",
    [
      [
        ["Read", {}],
        ["Read", { file_path: 3 }],
        ["Edit", { path: "a" }],
      ],
    ],
    { files },
  ),
  acting(
    "a tool that there is not, and another spelling",
    [[["Reed", { file_path: "$P/a.txt" }]], [["read", { file_path: "$P/a.txt" }]], [["view", {}]]],
    { files },
  ),
  acting(
    "input that is no JSON",
    [{ calls: [{ id: "toolu_1", name: "Read", input: {}, rawInput: '{"file_path": "a' }] }],
    { files },
  ),
  acting("a picture", [
    [["Bash", { command: `printf %s ${PIXEL} | base64 -d > pixel.png` }]],
    [read("pixel.png")],
  ]),
]);
