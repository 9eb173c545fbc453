import { lines } from "../lines.ts";
import { edit, glob, grep, notebook, read, write } from "./calls.ts";
import type { AttackGroup } from "./fixture.ts";

const outside = [
  ...lines`
    /etc/passwd ¦ //etc/passwd ¦ ../out/secret.txt ¦ src/../../out/secret.txt ¦ @ws/../out/secret.txt ¦ @ws-other/x
    ~/notes.md ¦ ~/.ssh/id_rsa ¦ link-secret ¦ link-out/secret.txt ¦ link-out/../out/secret.txt
    linked/out/secret.txt ¦ dangling-out ¦ link-root/etc/passwd ¦ /proc/self/root/etc/passwd
    /proc/self/cwd/README.md ¦ /proc/1/cwd/x ¦ \\server\share\x ¦ //server/share/x ¦ C:\Windows\x ¦ C:/Windows/x
    \\?\C:\x ¦ file:///etc/passwd ¦ https://example.com/x
  `,
  "",
];

/** File tools and searches by their paths and patterns. */
export const tools: readonly AttackGroup[] = [
  {
    about: "file tools outside the workspace",
    ask: [
      ...outside.map(read),
      ...outside.map(write),
      ...outside.filter((path) => path !== "").map(edit),
      ...["../x.ipynb", "~/x.ipynb", "link-out/x.ipynb", "/x.ipynb"].map(notebook),
      ...["..", "/", "~", "/etc", "../out", "link-out", "linked/out", "@ws/.."].map((path) =>
        glob("*", path),
      ),
      ...["..", "/", "~", "/etc", "../out", "link-out", "link-secret"].map((path) => grep({ path })),
    ],
  },
  {
    about: "file tools outside the workspace in acceptEdits, with tools allowed by other paths",
    mode: "acceptEdits",
    rules: { allow: ["Read(src/**)", "Edit(~/ref/**)", "Write(/docs/**)"] },
    ask: [
      ...outside.filter((path) => path !== "").flatMap((path) => [write(path), edit(path)]),
      read("~/ref/../notes.md"),
    ],
    allow: [
      edit("~/ref/f"),
      write("~/ref/new"),
      edit("src/a.ts"),
      write("src/new.ts"),
      read("README.md"),
      write("docs/x.md"),
    ],
  },
  {
    about: "patterns and filters that lead outside",
    ask: [
      ...[
        ...lines`
          /etc/* ¦ /** ¦ ../* ¦ ../../**/*.ts ¦ src/../../out/* ¦ ~/* ¦ ~/.ssh/* ¦ {src,../out}/* ¦ {../out,src}/*
          {/etc,src}/* ¦ src/{a,../../out}/* ¦ {a,{b,../c}}/* ¦ **/../../* ¦ ./../* ¦ {..,src}/*
        `,
      ].flatMap((pattern) => [glob(pattern), grep({ glob: pattern })]),
    ],
    allow: [
      glob("**/*.ts"),
      glob("src/**"),
      glob("*"),
      glob("**/*.{ts,js}"),
      glob("*", "src"),
      glob("a..b"),
      glob("**/*", "@ws/docs"),
      grep({}),
      grep({ glob: "*.ts" }),
      grep({ glob: "*.{ts,tsx}" }),
      grep({ path: "src" }),
      grep({ path: "src", glob: "**/*.ts" }),
      grep({ path: "link-in" }),
      grep({ pattern: "../x" }),
      grep({ pattern: "/etc" }),
    ],
  },
  {
    about: "malformed input",
    mode: "bypassPermissions",
    not: [
      ["Bash", {}],
      ["Bash", { command: 1 }],
      ["Bash", { command: null }],
      ["Bash", { command: ["ls"] }],
      ["Bash", { command: "ls\u0000" }],
      ["Bash", { command: "ls \ud800" }],
      ["Bash", null],
      ["Bash", "ls"],
      ["Read", {}],
      read(1),
      read(["README.md"]),
      read("README.md\u0000"),
      read("a\udc00"),
      ["Write", { content: "x" }],
      write({ path: "x" }),
      write("x\u0000y"),
      edit(undefined),
      notebook(3),
      glob(5),
      grep({ pattern: 1 }),
      ["WebFetch", { url: 5 }],
      ["WebFetch", {}],
      ["WebFetch", { url: "https://example.com/\u0000" }],
    ],
  },
];
