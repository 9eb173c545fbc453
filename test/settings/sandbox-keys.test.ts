import { expect, test } from "vitest";
import { checkLeaves } from "../../src/settings/leaves.ts";
import type { SettingsPath } from "../../src/settings/paths.ts";
import { settingName } from "../../src/settings/setting.ts";

const user: SettingsPath = { scope: "user", file: "/home/me/.claude/settings.json" };

function read(sandbox: unknown, place: SettingsPath = user) {
  const { leaves, problems, unenforced } = checkLeaves({ sandbox }, place);
  const values = Object.fromEntries(
    leaves.map((leaf) => [settingName(leaf).slice("troupe.sandbox.".length), leaf.value]),
  );
  return { values, problems, unenforced };
}

test.each([
  [{ enabled: true }, "on"],
  [{ enabled: false }, "off"],
  [{ enabled: true, failIfUnavailable: true }, "required"],
  [{ enabled: true, allowUnsandboxedCommands: false }, "required"],
])("takes the sandbox that users have: %o", (sandbox, mode) => {
  expect(read(sandbox)).toEqual({ values: { mode }, problems: [], unenforced: [] });
});

test("takes hosts, and paths where they are meant", () => {
  const sandbox = {
    enabled: true,
    autoAllowBashIfSandboxed: true,
    filesystem: { denyRead: ["~/diary", "/srv/keys", "./own"], denyWrite: ["~/notes", "own"] },
    network: { allowedDomains: ["a.example"], deniedDomains: ["b.a.example"] },
  };
  expect(read(sandbox).values).toEqual({
    ...{ mode: "on", autoAllow: true, allowedDomains: ["a.example"] },
    deniedDomains: ["b.a.example"],
    denyRead: ["~/diary", "/srv/keys", "/home/me/.claude/own"],
    denyWrite: ["~/notes", "/home/me/.claude/own"],
  });
  const project: SettingsPath = { scope: "project", file: "/repo/.claude/settings.json" };
  expect(read({ filesystem: { denyRead: ["own"] } }, project).values).toEqual({ denyRead: ["/repo/own"] });
});

test("takes patterns where they are meant, a directory with everything in it, and files with credentials", () => {
  const sandbox = {
    filesystem: {
      denyRead: ["**/*.pem", "~/**/.env", "//srv/*.key", "~/diary/**", "~/letters/", "/"],
      denyWrite: ["./*.lock"],
    },
    credentials: { files: [{ path: "~/.aws/credentials", mode: "deny" }, { path: "k", mode: "mask" }, 5] },
  };
  const project: SettingsPath = { scope: "project", file: "/a[1]/.claude/settings.json" };
  expect(read(sandbox, project)).toEqual({
    ...{ problems: [], unenforced: [] },
    values: {
      denyRead: [
        ...["/a\\[1\\]/**/*.pem", "~/**/.env", "//srv/*.key", "~/diary", "~/letters", "/"],
        ...["~/.aws/credentials", "/a[1]/k"],
      ],
      denyWrite: ["/a\\[1\\]/*.lock"],
    },
  });
});

test("names each key that is not enforced", () => {
  const sandbox = {
    excludedCommands: ["docker"],
    filesystem: { allowWrite: ["/x"], allowManagedReadPathsOnly: true },
    credentials: { envVars: [] },
    network: { allowLocalBinding: true, strictAllowlist: true },
  };
  expect(read(sandbox).unenforced).toEqual([
    "sandbox.excludedCommands",
    ...["sandbox.filesystem.allowWrite", "sandbox.credentials.envVars", "sandbox.network.allowLocalBinding"],
  ]);
  expect(read("yes").unenforced).toEqual(["sandbox"]);
});

test("finds what is wrong in it", () => {
  expect(read({ enabled: "yes" }).problems.map(settingName)).toEqual(["troupe.sandbox.mode"]);
});

test("lets troupe.sandbox in the same file win", () => {
  const { leaves } = checkLeaves(
    { troupe: { sandbox: { mode: "required" } }, sandbox: { enabled: true } },
    user,
  );
  expect(leaves.at(-1)?.value).toBe("required");
});
