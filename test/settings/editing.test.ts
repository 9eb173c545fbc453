import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { addToList, editSettings } from "../../src/settings/edit-settings.ts";
import { parseValue, settingsKey } from "../../src/settings/leaves.ts";
import type { FileScope } from "../../src/settings/paths.ts";
import { type Folders, foldersWith, put } from "./folders.ts";

const edit = (folders: Folders, scope: FileScope, key: string, value: unknown) =>
  editSettings({ scope, file: folders.fileOf(scope) }, folders.root, key.split("."), value);

describe("an edit of settings (A18.4)", () => {
  test("keeps comments, unknown keys, indentation, line ends and the byte order mark", async () => {
    const text =
      '\ufeff{\r\n\t// mine\r\n\t"nobody": [1,2],\r\n\t"model": "opus", // why\r\n\t"permissions": {}\r\n}\r\n';
    const folders = foldersWith({ user: text });
    expect(await edit(folders, "user", "model", "haiku")).toBeNull();
    expect(await edit(folders, "user", "permissions.deny", ["Bash(dd:*)"])).toBeNull();
    expect(readFileSync(folders.fileOf("user"), "utf8")).toBe(
      '\ufeff{\r\n\t// mine\r\n\t"nobody": [1,2],\r\n\t"model": "haiku", // why\r\n\t"permissions": {\r\n\t\t"deny": [\r\n\t\t\t"Bash(dd:*)"\r\n\t\t]\r\n\t}\r\n}\r\n',
    );
  });

  test.each<[before: string | undefined, after: string | RegExp]>([
    [undefined, '{\n  "permissions": {\n    "allow": [\n      "Bash(b)",\n      "Read"\n    ]\n  }\n}\n'],
    [
      '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"Bash(a)", // mine\n\t\t\t"Read"\n\t\t]\n\t},\n\t"x": 1\n}\n',
      /"Bash\(a\)", \/\/ mine\n\t\t\t"Read",\n\t\t\t"Bash\(b\)"\n\t\t\]\n\t\},\n\t"x": 1\n\}\n$/,
    ],
    ['{"permissions": {"allow": []}}', /"Bash\(b\)",\s+"Read"\s*\]/],
    ['{"permissions": {"allow": "Read"}}', '{"permissions": {"allow": "Read"}}'],
  ])("adds to a list what it has not yet, and leaves the rest as it is: %j", async (before, after) => {
    const folders = foldersWith(before === undefined ? {} : { local: before });
    const file = folders.fileOf("local");
    const texts = ["Bash(b)", "Read"];
    await addToList({ scope: "local", file }, folders.root, ["permissions", "allow"], texts);
    const text = readFileSync(file, "utf8");
    if (typeof after === "string") expect(text).toBe(after);
    else expect(text).toMatch(after);
  });

  test("creates a missing file, and removes a value again", async () => {
    const folders = foldersWith({});
    await edit(folders, "local", "env.CI", "1");
    const file = folders.fileOf("local");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ env: { CI: "1" } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await edit(folders, "local", "env.CI", undefined);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ env: {} });
  });

  test("replaces the file as a whole, with its mode, and leaves no other file (fault 39)", async () => {
    const folders = foldersWith({ user: {} });
    const file = folders.fileOf("user");
    chmodSync(file, 0o644);
    const before = statSync(file).ino;
    await edit(folders, "user", "model", "opus");
    expect(statSync(file).ino).not.toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(readdirSync(dirname(file))).toEqual(["settings.json"]);
  });

  test.each([
    ["{ broken", "line 1, column"],
    ['{"model": "a", "model": "b"}', "a second time"],
    ['{"permissions": 5}', "permissions must be an object"],
  ])("leaves a file alone that it cannot understand: %s", async (text, problem) => {
    const folders = foldersWith({ user: text });
    expect(await edit(folders, "user", "permissions.deny", [])).toContain(problem);
    expect(readFileSync(folders.fileOf("user"), "utf8")).toBe(text);
  });

  test("goes through a person's own link, but not through one that a folder brings with it", async () => {
    const folders = foldersWith({ user: {} });
    const elsewhere = join(dirname(folders.root), "elsewhere/settings.json");
    put(elsewhere, '{"model": "a"}');
    symlinkSync(dirname(elsewhere), dirname(folders.fileOf("project")));
    expect(await edit(folders, "project", "model", "b")).toContain("leads out of");
    expect(readFileSync(elsewhere, "utf8")).toBe('{"model": "a"}');
    expect(await edit(folders, "local", "model", "b")).toContain("leads out of");
    expect(existsSync(join(dirname(elsewhere), "settings.local.json"))).toBe(false);

    const other = foldersWith({});
    put(join(other.homedir, ".claude/x"), "");
    symlinkSync(elsewhere, other.fileOf("user"));
    expect(await edit(other, "user", "model", "b")).toBeNull();
    expect(readFileSync(elsewhere, "utf8")).toBe('{"model": "b"}');
    expect(readdirSync(dirname(elsewhere))).toEqual(["settings.json"]);
  });
});

describe("a setting's name", () => {
  test.each([
    ["model", "setting", ["model"]],
    ["permissions.allow", "setting", ["permissions", "allow"]],
    ["env.A.b", "setting", ["env", "A.b"]],
    ["mcpServers.my.server", "setting", ["mcpServers", "my.server"]],
    ["troupe.sandbox", "group", ["troupe", "sandbox"]],
  ])("%s is a %s", (name, type, path) => {
    expect(settingsKey(name)).toMatchObject({ type, path });
  });

  test.each(["modle", "model.x", "", ".", "env.", "permissions.", "troupe.aliases.gpt", "__proto__"])(
    "%j is none",
    (name) => {
      expect(settingsKey(name).type).toBe("unknown");
    },
  );
});

test.each([
  ["model", "opus", { value: "opus" }],
  ["model", "4", { value: "4" }],
  ["model", " ", { problem: "model must be the name of a model" }],
  ["troupe.maxAgents", "8", { value: 8 }],
  ["troupe.maxAgents", "many", { problem: "troupe.maxAgents must be a whole number from 1 to 1024" }],
  ["permissions.allow", '["Bash(ls)"]', { value: ["Bash(ls)"] }],
  ["permissions.allow", "Bash(ls)", { problem: "permissions.allow must be a list of rules" }],
  ["env.CI", "true", { value: true }],
  ["env.0", "x", { problem: expect.stringContaining("variable's name") }],
  ["troupe.sandbox.autoAllow", "false", { value: false }],
  ["permissions.defaultMode", "plan", { value: "plan" }],
  ["mcpServers.db", '{"command":"x"}', { value: { command: "x" } }],
])("%s of a command line as %s", (name, word, meant) => {
  const key = settingsKey(name);
  if (key.type !== "setting") throw new Error(`${name} is no setting`);
  expect(parseValue(key, word)).toEqual(meant);
});
