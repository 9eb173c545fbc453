import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  keepProbe,
  probeKey,
  readProbe,
  trustedProgram,
  whyNotHere,
  whyNotStarted,
} from "../../../src/policy/sandbox/find-builder.ts";
import { judged } from "../../../src/policy/sandbox/open.ts";
import type { Findings } from "../../../src/policy/sandbox/probe.ts";
import { onLinux } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const held: Findings = {
  ...{ workspace: true, outside: false, protected: false, secret: false },
  ...{ network: false, process: false, socket: false },
};

test.each([
  ["all is held", held, false, "enforced", /^$/],
  ["it writes outside", { ...held, outside: true }, false, "unavailable", /wrote outside/],
  ["it writes settings", { ...held, protected: true }, false, "unavailable", /protected directory/],
  ["it reads a secret", { ...held, secret: true }, false, "unavailable", /read a hidden file/],
  ["it reaches the network", { ...held, network: true }, false, "unavailable", /network/],
  ["it cannot work", { ...held, workspace: false }, false, "unavailable", /its own directory/],
  ["there is no seccomp filter", { ...held, socket: true }, false, "partial", /Unix socket/],
  ["it reaches processes outside", { ...held, process: true }, false, "partial", /processes outside/],
  ["it has no /proc of its own", held, true, "partial", /container/],
] as const)("reports the full sandbox if %s", (_what, found, weaker, state, reason) => {
  const report = judged(found, weaker);
  expect(report.state).toBe(state);
  expect(report.reason).toMatch(reason);
});

test.each([
  ["win32", "10.0", "/usr/bin/bwrap", /WSL 2/],
  ["freebsd", "14", "/usr/bin/bwrap", /freebsd/],
  ["linux", "4.4.0-19041-Microsoft", "/usr/bin/bwrap", /WSL 1/],
  ["linux", "6.1.0", null, /apt install bubblewrap socat/],
] as const)("says why %s %s has no sandbox, and what to do", (platform, kernel, bwrap, words) => {
  expect(whyNotHere(platform, kernel, bwrap)).toMatch(words);
});

test("where there can be one, nothing is said", () => {
  expect(whyNotHere("linux", "6.1.0", "/usr/bin/bwrap")).toBeNull();
  expect(whyNotHere("linux", "5.15.153.1-microsoft-standard-WSL2", "/usr/bin/bwrap")).toBeNull();
  expect(whyNotHere("darwin", "24.0.0", null)).toBeNull();
});

test.each([
  [{ "kernel/apparmor_restrict_unprivileged_userns": "1" }, /AppArmor/],
  [{ "kernel/unprivileged_userns_clone": "0" }, /unprivileged_userns_clone to 1/],
  [{ "user/max_user_namespaces": "0" }, /max_user_namespaces/],
  [{}, /container/],
] as const)("why bubblewrap could not start, by the kernel's switches %o", (switches, words) => {
  const read = (name: string) => Object.entries(switches).find(([known]) => known === name)?.[1] ?? null;
  expect(whyNotStarted("bwrap: setting up uid map: Permission denied", read)).toMatch(words);
});

describe("what the probe found is kept until the next boot", () => {
  const probed = { report: { state: "partial", reason: "Why." }, weaker: true } as const;

  test("for the same machine, versions and user only, in a file of this user's own", () => {
    const file = join(temporaryFolder(), "sandbox", "probe.json");
    keepProbe(file, "this", probed);
    expect(readProbe(file, "this")).toEqual(probed);
    expect(readProbe(file, "another")).toBeNull();
    expect(readProbe(join(temporaryFolder(), "none"), "this")).toBeNull();
  });

  test("but not that it is missing, so that it is found once it is installed", () => {
    const file = join(temporaryFolder(), "probe.json");
    keepProbe(file, "this", { report: { state: "unavailable", reason: "Why." }, weaker: false });
    expect(readProbe(file, "this")).toBeNull();
  });

  test("and is not believed where others could have written it, through a link, or if it makes no sense", () => {
    const folder = temporaryFolder();
    const file = join(folder, "probe.json");
    keepProbe(file, "this", probed);
    symlinkSync(file, join(folder, "link"));
    expect(readProbe(join(folder, "link"), "this")).toBeNull();
    chmodSync(file, 0o644);
    expect(readProbe(file, "this")).toBeNull();
    writeFileSync(join(folder, "odd"), '{"key":"this","state":"unavailable"}', { mode: 0o600 });
    expect(readProbe(join(folder, "odd"), "this")).toBeNull();
  });

  test("the key changes with a program", onLinux, () => {
    const program = join(temporaryFolder(), "bwrap");
    writeFileSync(program, "one");
    const before = probeKey("linux", [program, null]);
    writeFileSync(program, "another");
    expect(before).not.toBeNull();
    expect(probeKey("linux", [program, null])).not.toBe(before);
    expect(probeKey("darwin", [null])).toBeNull();
  });
});

test("no program that builds the sandbox comes out of the workspace, by PATH or by a link (Codex #14963)", () => {
  const workspace = temporaryFolder();
  const elsewhere = temporaryFolder();
  mkdirSync(join(workspace, "bin"));
  const planted = join(workspace, "bin", "troupe-test-bwrap");
  writeFileSync(planted, "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync(planted, join(elsewhere, "troupe-test-bwrap"));
  const path = `:.:bin:${join(workspace, "bin")}:${elsewhere}`;
  expect(trustedProgram("troupe-test-bwrap", path, [workspace])).toBeNull();
  expect(trustedProgram("troupe-test-bwrap", path, [])).toBe(planted);
  writeFileSync(join(workspace, "bin", "sh"), "#!/bin/sh\n", { mode: 0o755 });
  expect(trustedProgram("sh", path, [])).toMatch(/^\/(usr\/)?bin\/sh$/);
});
