import { expect, test } from "vitest";
import type { Confined, ConfinedView } from "../../src/mailbox/confined.ts";
import { bubblewrapArguments, seatbeltProfile } from "../../src/processes/confine.ts";
import { seccompFilter } from "../../src/processes/seccomp.ts";

/** The mounts of a confinement, one line each. */
function mounts(seen: readonly ConfinedView[], type: Confined["type"] = "read"): string[] {
  const args = bubblewrapArguments({ type, builder: "bwrap", state: "/s", seen: [...seen] }, "/w", {
    ...{ status: 4, filter: 5, copies: new Map([["/home/me/.gitconfig", 6]]) },
  });
  const begin = args.indexOf("--proc") + 2;
  const words = args.slice(begin, args.indexOf("--seccomp"));
  return words.join(" ").split(/ (?=--)/);
}

test("mounts from the outside in, whatever the order it gets", () => {
  const seen: ConfinedView[] = [
    { as: "no-file", path: "/home/me/work/.env" },
    { as: "read", path: "/home/me/work" },
    { as: "scratch", path: "/tmp" },
    { as: "empty", path: "/home/me" },
  ];
  expect(mounts(seen)).toEqual([
    ...["--tmpfs /tmp", "--tmpfs /home/me", "--ro-bind /home/me/work /home/me/work"],
    ...["--ro-bind /s/no-file /home/me/work/.env", "--remount-ro /home/me"],
  ]);
});

test("copies a small file into a private directory instead of mounting it, and nowhere else", () => {
  const seen: ConfinedView[] = [
    { as: "copy", path: "/home/me/.gitconfig" },
    { as: "copy", path: "/home/me/gone" },
    { as: "copy", path: "/etc/gitconfig" },
    { as: "empty", path: "/home/me" },
  ];
  expect(mounts(seen)).toEqual([
    ...["--tmpfs /home/me", "--file 6 /home/me/.gitconfig", "--remount-ro /home/me"],
  ]);
});

test("makes a directory where all around it is private already", () => {
  const seen: ConfinedView[] = [
    { as: "scratch", path: "/dev/shm" },
    { as: "scratch", path: "/run" },
    { as: "scratch", path: "/run/shm" },
  ];
  expect(mounts(seen)).toEqual(["--tmpfs /run", "--dir /dev/shm", "--dir /run/shm"]);
  expect(mounts(seen, "full")).toEqual(["--tmpfs /run", "--tmpfs /dev/shm", "--dir /run/shm"]);
});

test("mounts nothing that changes nothing where it lies", () => {
  const seen: ConfinedView[] = [
    { as: "read", path: "/usr" },
    { as: "empty", path: "/home/me" },
    { as: "no-directory", path: "/home/me/.ssh" },
    { as: "write", path: "/w" },
    { as: "write", path: "/w/a" },
    { as: "link", path: "/x", to: "/w" },
  ];
  expect(mounts(seen)).toEqual(["--bind /w /w", "--tmpfs /home/me", "--remount-ro /home/me"]);
});

test("holds what is protected in what is written, and the names on the way to it", () => {
  const seen: ConfinedView[] = [
    { as: "read", path: "/w/a/.git/config" },
    { as: "pinned", path: "/w/a/.git" },
    { as: "write", path: "/w" },
  ];
  expect(mounts(seen, "full")).toEqual([
    ...["--bind /w /w", "--bind /w/a/.git /w/a/.git", "--ro-bind /w/a/.git/config /w/a/.git/config"],
  ]);
});

test.each([
  ["x64", false, 0xc000003e, 41],
  ["arm64", true, 0xc00000b7, 198],
] as const)(
  "filters the system calls of %s: its architecture, and its number of socket()",
  (arch, network, audit, socket) => {
    const filter = seccompFilter(arch, network);
    if (filter === null) throw new Error("there is no filter");
    const view = new DataView(filter.buffer);
    const values = Array.from({ length: filter.length / 8 }, (_, at) => view.getUint32(at * 8 + 4, true));
    expect(values[1]).toBe(audit);
    expect(values).toContain(socket);
    expect(values.slice(-3)).toEqual([0x00050001, 0x7fff0000, 0x80000000]);
    // Every jump ends in one of the results, or at the next step.
    for (const at of values.keys())
      for (const jump of [view.getUint8(at * 8 + 2), view.getUint8(at * 8 + 3)])
        expect(jump === 0 || at + 1 + jump >= values.length - 3).toBe(true);
  },
);

test("has no filter for an architecture whose numbers are not known", () => {
  expect(seccompFilter("riscv64", false)).toBeNull();
});

test("asks the same of macOS, where later rules win: no network, and deeper paths last", () => {
  const profile = seatbeltProfile({
    seen: [
      { as: "no-file", path: "/w/.env" },
      { as: "write", path: "/w" },
    ],
  });
  expect(profile).toContain("(deny default)");
  expect(profile).not.toContain("network");
  expect(profile.indexOf('(deny file-read* file-write* (subpath "/w/.env"))')).toBeGreaterThan(
    profile.indexOf('(allow file-read* file-write* (subpath "/w"))'),
  );
});
