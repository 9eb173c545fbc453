import { mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MAX_PATHS } from "../../src/tools/glob.ts";
import { toolNamed, workbenches } from "./workbench.ts";

const workbench = workbenches();

/** Names relative to the bench, in the order of the answer. */
async function found(bench: ReturnType<typeof workbench>, input: unknown): Promise<string[]> {
  const text = await bench.text("Glob", input);
  return text === "No files found" ? [] : text.split("\n").map((path) => path.replace(`${bench.root}/`, ""));
}

test("paths are absolute, newest first, and of the same time by name (A10.1)", async () => {
  const bench = workbench({ "a.ts": "", "b/c.ts": "", "d.ts": "", "e.ts": "", "x.js": "" });
  const times: [string, number][] = [
    ["a.ts", 200],
    ["b/c.ts", 300],
    ["d.ts", 100],
    ["e.ts", 200],
  ];
  for (const [name, time] of times) utimesSync(bench.path(name), time, time);
  const text = await bench.text("Glob", { pattern: "**/*.ts" });
  expect(text.split("\n")).toEqual(["b/c.ts", "a.ts", "e.ts", "d.ts"].map((name) => bench.path(name)));
});

test("no process is started for it (A10.2)", async () => {
  const bench = workbench({ "a.ts": "" });
  expect(await found(bench, { pattern: "*" })).toEqual(["a.ts"]);
  expect(bench.runs).toEqual([]);
});

test("what git ignores is left out, nested files and negations included, also without a repository", async () => {
  const bench = workbench({
    ".gitignore": "node_modules/\n*.log\n!keep.log\n",
    "a.log": "",
    "keep.log": "",
    "node_modules/p/index.js": "",
    "sub/.gitignore": "secret.txt\n",
    "sub/secret.txt": "",
    "sub/open.txt": "",
    "secret.txt": "",
  });
  expect((await found(bench, { pattern: "**" })).sort()).toEqual(
    [".gitignore", "keep.log", "secret.txt", "sub/.gitignore", "sub/open.txt"].sort(),
  );
});

test("an ignored folder that is named is searched", async () => {
  const bench = workbench({
    ".gitignore": "dist/\nnode_modules\n",
    "dist/a/x.js": "",
    "node_modules/p/y.js": "",
  });
  expect(await found(bench, { pattern: "**/*.js" })).toEqual([]);
  expect(await found(bench, { pattern: "**/*.js", path: bench.path("dist/a") })).toEqual(["dist/a/x.js"]);
  expect(await found(bench, { pattern: "node_modules/p/*.js" })).toEqual(["node_modules/p/y.js"]);
});

test("hidden files are found, stores of version control are not (A10.6)", async () => {
  const bench = workbench({ ".env": "", ".github/w.yml": "" });
  for (const folder of [".git", ".hg", ".svn", ".jj", "sub/.git"]) {
    mkdirSync(bench.path(folder), { recursive: true });
    bench.write({ [`${folder}/x.yml`]: "" });
  }
  bench.write({ "tree/.git": "gitdir: elsewhere" });
  expect((await found(bench, { pattern: "**" })).sort()).toEqual([".env", ".github/w.yml"]);
});

test("path, absolute patterns, .. and braces start where they say", async () => {
  const bench = workbench({ "src/a.ts": "", "src/b.js": "", "test/a.ts": "", "src/deep/c.ts": "" });
  expect(await found(bench, { pattern: "*.ts", path: "src" })).toEqual(["src/a.ts"]);
  expect(await found(bench, { pattern: "*.ts", path: bench.path("src") })).toEqual(["src/a.ts"]);
  expect(await found(bench, { pattern: bench.path("src/**/c.ts") })).toEqual(["src/deep/c.ts"]);
  expect(await found(bench, { pattern: bench.path("src/a.ts") })).toEqual(["src/a.ts"]);
  expect(await found(bench, { pattern: "../test/*.ts", path: "src" })).toEqual(["test/a.ts"]);
  expect((await found(bench, { pattern: "{src,test}/*.{ts,js}" })).sort()).toEqual([
    "src/a.ts",
    "src/b.js",
    "test/a.ts",
  ]);
});

test("braces that lead away are followed to each of their places, and a file counts once", async () => {
  const bench = workbench({ "p/src/a.ts": "", "x/b.ts": "", "p/c.ts": "" });
  const path = bench.path("p");
  expect((await found(bench, { pattern: "{../x,src}/*", path })).sort()).toEqual(["p/src/a.ts", "x/b.ts"]);
  expect((await found(bench, { pattern: `{${bench.path("x")},src}/*`, path })).sort()).toEqual([
    "p/src/a.ts",
    "x/b.ts",
  ]);
  expect((await found(bench, { pattern: "{../p/**,src/*}", path })).sort()).toEqual(["p/c.ts", "p/src/a.ts"]);
  expect(await bench.failure("Glob", { pattern: "*/../../x/*", path })).toContain("Give that place as path");
});

describe("every folder that a pattern walks is named to the gate beforehand (A6, A10.6)", () => {
  test.each([
    [{ pattern: "**/*.ts" }, ["/w/p"]],
    [{ pattern: "src/*" }, ["/w/p/src"]],
    [{ pattern: "../*" }, ["/w"]],
    [{ pattern: "/etc/**" }, ["/etc"]],
    [{ pattern: "/etc/**", path: "/root" }, ["/root", "/etc"]],
    [{ pattern: "{../x,src}/*" }, ["/w/x", "/w/p/src"]],
    [{ pattern: "{/etc,src}/{a,b}*", path: "/w/q" }, ["/w/q", "/etc", "/w/q/src"]],
    [{ pattern: "{src,test}/*" }, ["/w/p/src", "/w/p/test"]],
    [{ pattern: "src/{a,b}.ts" }, ["/w/p/src"]],
    [{ pattern: "./src//./*.ts" }, ["/w/p/src"]],
    [{ pattern: "{..,.}/*.md" }, ["/w", "/w/p"]],
    [{ pattern: "*/../../x" }, ["/w/p"]],
  ])("%j", { tags: ["long"] }, (input, expected) => {
    const call = toolNamed("Glob").prepare(input);
    if (call.type === "invalid") throw new Error(call.message);
    expect(call.accesses("/w/p")).toEqual(expected.map((target) => ({ kind: "read", target })));
  });

  test("what a walk meets lies below them, whatever the pattern says", async () => {
    const bench = workbench({ "p/a.ts": "", "secret/a.ts": "", "p/.b/a.ts": "" });
    symlinkSync(bench.path("secret"), bench.path("p/link"));
    const names = [
      "..",
      "link",
      "*",
      "**",
      "{..,link}",
      "?",
      ".?",
      "[.][.]",
      "@(..|p)",
      "\\.\\.",
      "a.ts",
      "secret",
    ];
    for (const one of names)
      for (const two of names) {
        const pattern = `${one}/${two}/a.ts`;
        const call = toolNamed("Glob").prepare({ pattern });
        if (call.type === "invalid") throw new Error(call.message);
        const named = call.accesses(bench.path("p")).map(({ target }) => `${target}/`);
        const { content, isError } = await bench.call("Glob", { pattern }, { cwd: bench.path("p") });
        const paths = isError || content === "No files found" ? [] : String(content).split("\n");
        expect(paths.filter((path) => !named.some((folder) => path.startsWith(folder)))).toEqual([]);
      }
  });
});

test("names with the signs of patterns in them are found through their folder", async () => {
  const bench = workbench({ "app/[id]/(group)/page.tsx": "" });
  expect(await found(bench, { pattern: "**/*.tsx", path: "app/[id]" })).toEqual([
    "app/[id]/(group)/page.tsx",
  ]);
});

test("symbolic links are not followed round in circles", async () => {
  const bench = workbench({ "a/x.ts": "" });
  symlinkSync(bench.path("a"), bench.path("a/again"));
  expect(await found(bench, { pattern: "**/*.ts" })).toEqual(["a/x.ts"]);
});

test("more than the limit is counted and said", { tags: ["long"] }, async () => {
  const names = Array.from({ length: MAX_PATHS + 5 }, (_, at) => [`f${at}`, ""]);
  const bench = workbench(Object.fromEntries(names));
  const text = await bench.text("Glob", { pattern: "f*" });
  const [paths, notice] = text.split("\n\n");
  expect(paths?.split("\n")).toHaveLength(MAX_PATHS);
  expect(notice).toMatch(/^\[The newest 1000 of 1005 files\./);
});

test("nothing found is no failure; what cannot be searched is", async () => {
  const bench = workbench({ "src/loop.ts": "", file: "" });
  expect(await bench.text("Glob", { pattern: "*.zzz" })).toBe("No files found");
  expect(await bench.failure("Glob", { pattern: "*", path: "scr" })).toContain(
    `Did you mean ${bench.path("src")}?`,
  );
  expect(await bench.failure("Glob", { pattern: "*", path: "file" })).toContain("must be a directory");
  expect(await bench.failure("Glob", { pattern: " " })).toContain("**/*");
  expect(await bench.failure("Glob", { pattern: "!(src)/*" })).toContain("Write what to find");
  expect(
    await bench.failure("Glob", {
      pattern: `{${"../a,".repeat(10)}${Array.from({ length: 40 }, (_, at) => at).join("/x,")}/x}/*`,
    }),
  ).toContain("one after the other");
  expect(await bench.failure("Glob", { pattern: "src/" })).toContain('"src/**"');
});

test("a glob can be cancelled", async () => {
  const bench = workbench({ a: "" });
  const signal = AbortSignal.abort(new Error("stop now"));
  await expect(bench.call("Glob", { pattern: "**" }, { signal })).rejects.toThrow("stop now");
});
