import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runSlashCommand } from "../../../src/cli/repl/slash-commands.ts";
import { type Files, foldersWith } from "../../settings/folders.ts";
import { ownFiles, slashContext } from "./slash-ground.ts";

function typing(files: Files, { trusts = false } = {}) {
  const { homedir, root, managed, fileOf } = foldersWith(files);
  const context = slashContext(ownFiles({ cwd: root, homedir, managed, trusts }));
  return {
    type: (line: string) => runSlashCommand(line, context),
    fileOf,
    textOf: (scope: "user" | "project" | "local") => readFileSync(fileOf(scope), "utf8"),
  };
}

const files: Files = {
  user: { model: "opus", env: { A: "1" } },
  project: { permissions: { allow: ["Bash"], deny: ["WebFetch"] } },
};

describe("/config (A18.4, A21.3)", () => {
  test("shows what is in force with its file, and what is left out for want of trust", async () => {
    const { type, fileOf } = typing(files);
    const said = (await type("/config")) ?? "";
    expect(said).toContain(`model = "opus"  (${fileOf("user")})\n`);
    expect(said).toContain(`permissions.deny = ["WebFetch"]  (${fileOf("project")})\n`);
    expect(said).not.toContain("permissions.allow");
    expect(said).toMatch(/This directory is not trusted/);
    expect(await type("/config list")).toBe(said);
    expect(await typing(files, { trusts: true }).type("/config")).toContain('permissions.allow = ["Bash"]');
    expect(await typing({}).type("/config")).toMatch(/^Nothing is set; all is as it comes\.\n/);
  });

  test.each([
    ["/config model", /^model = "opus" {2}\(.*settings\.json\)$/],
    ["/config get env", /^env\.A = "1" {2}\(/],
    [
      "/config troupe.compactAt",
      /^troupe\.compactAt is not set\. It is then: 0\.9\.\nThis directory is not trusted/,
    ],
    ["/config modle", /^There is no setting "modle"; did you mean model\?$/],
    ["/config permissions x", /^permissions is not one setting but several; name one of them: /],
    ["/config troupe.maxAgents many", /^troupe\.maxAgents .*not "many"\.$/],
    ["/config unset", /^\/config KEY VALUE sets one/],
    ["/config set model", /^\/config KEY VALUE sets one/],
    ["/config --usr model opus", /^There is no "--usr" here; did you mean --user\?$/],
    ["/config --local troupe.trustedFolders '[\"/a\"]'", /takes effect in your own settings only/],
  ])("%s", async (line, said) => {
    const { type, textOf } = typing(files);
    const before = textOf("user");
    expect(await type(line)).toMatch(said);
    expect(textOf("user")).toBe(before);
  });

  test("sets a checked value where it is said, by the code of `troupe config`, and says from when on it counts", async () => {
    const { type, textOf, fileOf } = typing({ user: '{\n  // mine\n  "x": 1\n}\n' });
    expect(await type("/config model haiku")).toBe(
      `model is set in ${fileOf("user")}.\nThis conversation is not changed; it counts in the next session.`,
    );
    expect(textOf("user")).toBe('{\n  // mine\n  "x": 1,\n  "model": "haiku"\n}\n');
    expect(await type('/config set permissions.deny ["Bash(dd:*)", "WebFetch"] --scope local')).toBe(
      `permissions.deny is set in ${fileOf("local")}.\nIt holds from now on.`,
    );
    expect(JSON.parse(textOf("local"))).toEqual({ permissions: { deny: ["Bash(dd:*)", "WebFetch"] } });
    expect(await type("/config --project permissions.allow '[\"Bash(ls:*)\"]'")).toMatch(
      /^permissions\.allow is set in .*\.\nIt takes effect when you have agreed to what this directory's settings grant: .*run\.$/,
    );
    expect(await type("/config permissions.allow"), "set, and not counted").toMatch(
      /^permissions\.allow is not set\..*\nThis directory is not trusted/,
    );
    expect(await type("/config --project permissions.deny '[\"WebFetch\"]'"), "counts all the same").toMatch(
      /^permissions\.deny is set in .*\.\nIt holds from now on\.$/,
    );
    expect(await type("/config unset model")).toMatch(/^model is no longer set in /);
    expect(await type("/config --local editorMode vim")).toMatch(/takes effect in your own settings only/);
    expect(await type("/vim")).toMatch(/has vim's keys from now on\. Esc leaves insert mode/);
    expect(JSON.parse(textOf("user").replace("// mine", ""))).toMatchObject({ editorMode: "vim" });
    expect(await type("/vim")).toBe("The prompt has the usual keys from now on.");
    expect(textOf("user")).not.toContain("haiku");
  });

  test("a broken file is left as it is", async () => {
    const { type, textOf } = typing({ user: "{ no" });
    expect(await type("/config model haiku")).toMatch(/correct it first\. It was not changed\.$/);
    expect(textOf("user")).toBe("{ no");
  });
});
