import type { Confined, ConfinedView } from "../mailbox/confined.ts";

/** For macOS's sandbox-exec, where later rules win. It cannot mount: `empty` and `scratch` are hidden. */
export function seatbeltProfile({ seen }: Pick<Confined, "seen">): string {
  const sorted = seen.toSorted((one, other) => one.path.split("/").length - other.path.split("/").length);
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow signal process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow file-read* file-test-existence)",
    '(allow file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero"))',
    // Directories on the way to visible paths can be passed through.
    ...sorted.flatMap(rulesOf),
    "(allow file-read-metadata)",
  ].join("\n");
}

function rulesOf(one: ConfinedView): readonly string[] {
  const path = `(subpath ${JSON.stringify(one.path)})`;
  switch (one.as) {
    case "scratch":
    case "empty":
    case "no-file":
    case "no-directory":
      return [`(deny file-read* file-write* ${path})`];
    case "read":
    case "copy":
      return [`(allow file-read* ${path})`, `(deny file-write* ${path})`];
    case "write":
      return [`(allow file-read* file-write* ${path})`];
    case "pinned":
      return [`(deny file-write-unlink (literal ${JSON.stringify(one.path)}))`];
    case "link":
      return [];
    default:
      return one satisfies never;
  }
}
