import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { type Files, type Folders, foldersWith } from "../settings/folders.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

async function config(folders: Folders, ...words: string[]) {
  const { homedir, root, managed } = folders;
  const io = Object.assign(new FakeIO({ homedir, cwd: root }), { managedSettings: managed });
  const code = await main(["config", ...words], io, new FakeRuntime());
  return { code, out: io.out.text, err: io.err.text };
}

const files: Files = {
  user: { model: "opus", permissions: { deny: ["Bash(dd:*)"] }, env: { A: "1" } },
  project: { permissions: { deny: ["WebFetch"], allow: ["Bash"] } },
};

describe("troupe config (A18.4)", () => {
  test.each([
    [["get", "model"], "opus\n"],
    [["get", "model", "--json"], '"opus"\n'],
    [["get", "env.A"], "1\n"],
    [["get", "env"], '{\n  "A": "1"\n}\n'],
    [["get", "permissions.deny"], '[\n  "Bash(dd:*)",\n  "WebFetch"\n]\n'],
    [["get", "permissions.deny", "--scope", "project"], '[\n  "WebFetch"\n]\n'],
    [["get", "permissions"], '{\n  "deny": [\n    "Bash(dd:*)",\n    "WebFetch"\n  ]\n}\n'],
  ])("%j shows what counts", async (words, out) => {
    expect(await config(foldersWith(files), ...words)).toMatchObject({ code: 0, out });
  });

  test("get of a setting without a value is exit code 1 with a sentence", async () => {
    const folders = foldersWith({});
    expect(await config(folders, "get", "model")).toEqual({ code: 1, out: "", err: "model is not set.\n" });
    expect(await config(folders, "get", "model", "--json")).toEqual({ code: 1, out: "null\n", err: "" });
  });

  test("list shows every value with its file, and what is left out for want of trust", async () => {
    const folders = foldersWith(files);
    const { out, err } = await config(folders, "list");
    expect(out).toContain(`model = "opus"  (${folders.fileOf("user")})\n`);
    expect(out).toContain(`permissions.deny = ["WebFetch"]  (${folders.fileOf("project")})\n`);
    expect(out).not.toContain("allow");
    expect(err).toMatch(/^This directory is not trusted, .*use Bash without a question/);
    const rows = JSON.parse((await config(folders, "list", "--json")).out);
    expect(rows).toContainEqual({ key: "model", value: "opus", scope: "user", file: folders.fileOf("user") });
    expect((await config(folders, "list", "--scope", "project")).out).toContain(
      'permissions.allow = ["Bash"]',
    );
  });

  test("set writes a checked value to the file of the scope, and unset takes it out", async () => {
    const folders = foldersWith({ local: '{\n  // mine\n  "x": 1\n}\n' });
    expect(await config(folders, "set", "troupe.maxAgents", "8", "--scope", "local")).toEqual({
      code: 0,
      out: "",
      err: expect.stringMatching(
        /^troupe\.maxAgents is set in .*settings\.local\.json\.\nIt takes effect when you have agreed to what this directory's settings grant: .*\n$/,
      ),
    });
    expect(readFileSync(folders.fileOf("local"), "utf8")).toBe(
      '{\n  // mine\n  "x": 1,\n  "troupe": {\n    "maxAgents": 8\n  }\n}\n',
    );
    await config(folders, "set", "model", "opus");
    expect(JSON.parse(readFileSync(folders.fileOf("user"), "utf8"))).toEqual({ model: "opus" });
    expect((await config(folders, "unset", "model")).err).toBe(
      `model is no longer set in ${folders.fileOf("user")}.\n`,
    );
    expect(JSON.parse(readFileSync(folders.fileOf("user"), "utf8"))).toEqual({});
  });

  test.each([
    [["set", "modle", "opus"], 'There is no setting "modle"; did you mean model?'],
    [
      ["set", "troupe.runners.engine", "foo"],
      'troupe.runners.engine must be redis://HOST, rediss://HOST, postgres://HOST/DATABASE or ssh://HOST, not "foo"',
    ],
    [["set", "troupe.runners.engine", "stdio:"], "troupe.runners.engine must be redis://HOST"],
    [
      ["set", "troupe.runners.key", "keys/fleet"],
      "troupe.runners.key must be a path that starts with / or ~/",
    ],
    [["set", "zzz", "1"], 'There is no setting "zzz"; docs/settings.md lists them.'],
    [
      ["set", "troupe.maxAgents", "many"],
      'troupe.maxAgents must be a whole number from 1 to 1024, not "many".',
    ],
    [
      ["set", "permissions.allow", "Bash"],
      `permissions.allow must be a list of rules, not "Bash"; write it as '["…", "…"]'.`,
    ],
    [
      ["set", "troupe.aliases", "{}"],
      "troupe.aliases is not one setting but several; name one of them: troupe.aliases.opus, troupe.aliases.sonnet, troupe.aliases.haiku, troupe.aliases.fable.",
    ],
    [
      ["set", "troupe.trustedFolders", '["/"]', "--scope", "project"],
      "troupe.trustedFolders takes effect in your own settings only; write it with --scope user.",
    ],
    [
      ["set", "env.PATH", "/x", "--scope", "project"],
      "env.PATH takes effect in your own settings only; write it with --scope user.",
    ],
    [
      ["set", "permissions.defaultMode", "bypassPermissions", "--scope", "project"],
      'permissions.defaultMode "bypassPermissions" takes effect in your own settings only; write it with --scope user.',
    ],
    [
      ["set", "model", "a", "--scope", "enterprise"],
      '--scope cannot be "enterprise"; it is one of user, project, local.',
    ],
    [["set", "model"], "config set needs VALUE: troupe config set KEY VALUE."],
  ])("%j is exit code 2 with a sentence, and nothing is written", async (words, sentence) => {
    const folders = foldersWith({});
    const { code, err } = await config(folders, ...words);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(sentence) });
    for (const scope of ["user", "project"] as const) {
      expect(() => readFileSync(folders.fileOf(scope))).toThrow("ENOENT");
    }
  });

  test("set leaves a broken file as it is and says where it is broken", async () => {
    const folders = foldersWith({ user: '{\n  "model": oops\n}' });
    const { code, err } = await config(folders, "set", "model", "opus");
    expect(code).toBe(1);
    expect(err).toMatch(
      /settings\.json: line 2, column 12 is not valid JSON; correct it first\. It was not changed\./,
    );
    expect(readFileSync(folders.fileOf("user"), "utf8")).toBe('{\n  "model": oops\n}');
  });
});
