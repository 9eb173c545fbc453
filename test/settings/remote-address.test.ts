import { expect, test } from "vitest";
import { engineRunners } from "../../src/features/runners/engine-runners.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { isRemoteAddress } from "../../src/settings/runners-settings.ts";

test.each([
  ...["https://host/a.git", "https://me@host:8443/a.git", "ssh://git@host:22/a", "ssh://host/~/a.git"],
  ...["file:///srv/a.git", "/srv/with space/a.git", "git@github.com:me/a.git"],
])("takes the address %s of a remote", (text) => {
  expect(isRemoteAddress(text)).toBe(true);
});

test.each([
  ...[
    "http://host/a",
    "git://host/a",
    "ext::sh -c x",
    "https://me:secret@host/a",
    "ftp://host/a",
    "https://",
  ],
  ...[
    "a.git",
    "../a.git",
    "~/a",
    "-oProxyCommand=x",
    "--upload-pack=x",
    "host:a",
    "me@host:",
    "",
    " /a",
    "/a\n-x",
  ],
  ...["me@-oProxyCommand=x:a\0", "ssh://host/a b", "fd::7", "me@host::a", "file:/a"],
])("takes no %j as the address of a remote", (text) => {
  expect(isRemoteAddress(text)).toBe(false);
});

test("a program's options are refused with an address that cannot be a remote", () => {
  const parts = { env: {}, home: "/nowhere", clock: systemClock, onLine() {} };
  const options = { engine: "redis://localhost", remote: "ext::sh" };
  expect(() => engineRunners(options, parts)).toThrow(/^The remote of runners must be https.*"ext::sh"/);
});
