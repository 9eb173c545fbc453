import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { languageServersHere, sessionSettings } from "../../src/cli/session-settings.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";

/** A person's home and a project with a server of its own. */
function placed(files: Readonly<Record<string, string>> = {}) {
  const homedir = temporaryFolder();
  const cwd = join(homedir, "project");
  const all = { "a.py": "", "node_modules/.bin/pyright-langserver": "#!/usr/bin/env node\n", ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
    if (text.startsWith("#!")) chmodSync(join(cwd, path), 0o755);
  }
  const home = join(homedir, ".troupe");
  const managedSettings = join(homedir, "managed", "managed-settings.json");
  const io = () => Object.assign(new FakeIO({ homedir, cwd, env: { PATH: "" } }), { managedSettings });
  /** Whether the session may start the server; `answer`: of the person, who is asked if there is one. */
  const open = async ({
    answer,
    trusts = false,
  }: {
    readonly answer?: boolean;
    readonly trusts?: boolean;
  } = {}) => {
    const asked: string[] = [];
    const askTrust = async ({ text }: { readonly text: string }) => {
      asked.push(text);
      return answer ?? false;
    };
    const settings = await sessionSettings(io(), {
      ...{ cwd, home, trusts },
      askTrust: answer === undefined ? undefined : askTrust,
    });
    const { option } = await languageServersHere(io(), cwd, settings.read.settings, (digest) =>
      settings.reader.agreed(digest),
    );
    return { asked, option, notes: settings.notes, trust: settings.read.trust.type };
  };
  return { homedir, cwd, io, open };
}

test("starts no language server in an untrusted directory, without a note in a script", async () => {
  const { open } = placed();
  const { option, notes, trust } = await open();
  expect(option).toEqual({ servers: [], unserved: [], untrusted: ["pyright-langserver"] });
  expect(notes).toEqual([]);
  expect(trust).toBe("nothing-to-grant");
});

test("the user is asked once, --trust is enough for one run, and no is no", async () => {
  const { open } = placed();
  expect((await open({ trusts: true })).option.servers).toHaveLength(1);
  const no = await open({ answer: false });
  expect(no.option.servers).toEqual([]);
  expect(no.asked).toEqual([
    expect.stringContaining(
      "  - start pyright-langserver of this directory, for python\nUntil you do, no language server is started.",
    ),
  ]);
  expect((await open({ answer: true })).option.servers).toHaveLength(1);
  const later = await open({ answer: false });
  expect(later.asked).toEqual([]);
  expect(later.option.servers).toHaveLength(1);
});

test("a program that was put in the place of the one agreed to is asked about again (fault 60)", async () => {
  const { open, cwd } = placed();
  await open({ answer: true });
  writeFileSync(join(cwd, "node_modules/.bin/pyright-langserver"), "#!/usr/bin/env node\nevil()\n");
  expect((await open()).option).toMatchObject({ servers: [], untrusted: ["pyright-langserver"] });
});

test("what else the directory was trusted with stays, whatever becomes of its language servers", async () => {
  const settings = JSON.stringify({ permissions: { allow: ["Bash(make)"] } });
  const { open, cwd } = placed({ ".claude/settings.json": settings });
  const first = await open({ answer: true });
  expect(first.asked[0]).toMatch(/use Bash\(make\) without a question\n.*start pyright-langserver/s);
  expect(first).toMatchObject({ trust: "trusted", option: { untrusted: [] } });
  writeFileSync(join(cwd, "node_modules/.bin/pyright-langserver"), "#!/usr/bin/env node\nupdated()\n");
  expect(await open()).toMatchObject({ trust: "trusted", notes: [], option: { servers: [] } });
});

test("a server that the directory's own settings name counts only where that was agreed to", async () => {
  const entry = { command: "./evil.sh", extensionToLanguage: { ".py": "python" } };
  const settings = JSON.stringify({ troupe: { languageServers: { python: entry } } });
  const { open } = placed({ ".claude/settings.json": settings, "evil.sh": "#!/bin/sh\ntouch owned\n" });
  const untrusted = await open();
  expect(untrusted.option.servers).toEqual([]);
  expect(untrusted.notes.join()).toContain("start the language server for python");
  const agreed = await open({ answer: true });
  expect(agreed.asked[0]).toContain("start the language server for python: ./evil.sh");
  expect(agreed.option.servers).toMatchObject([{ name: "./evil.sh" }]);
});

test("troupe context says why LSP is not offered", async () => {
  const said = async (files: Readonly<Record<string, string>>) => {
    const { io } = placed(files);
    const fake = io();
    await main(["context", "--offline", "--sizes"], fake);
    return fake.out.text;
  };
  expect(await said({})).toContain(
    "LSP is not offered: The language servers here (pyright-langserver) load code of this directory, and it is not trusted with that",
  );
  expect(await said({ "node_modules/.bin/pyright-langserver": "" })).toContain(
    "LSP is not offered: There is no language server for python. For python: npm install --save-dev pyright",
  );
  const { io } = placed();
  const trusted = io();
  await main(["context", "--offline", "--trust"], trusted);
  expect(trusted.out.text).toMatch(/^LSP \(about/m);
});
