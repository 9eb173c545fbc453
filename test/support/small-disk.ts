import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A disk that is full soon, for tests; only where this user may mount one. */
export interface SmallDisk {
  /** Why there is none, for the name of what is skipped; null where there is. */
  readonly why: string | null;
  /** A disk of this size (64 kB) as the directory `disk`; gone when the test has ended. */
  mountIn(folder: string, size?: string): string;
  makeReadOnly(place: string): void;
}

export function smallDisk(): SmallDisk {
  return {
    why: whyNone(),
    mountIn(folder, size = "64k") {
      const place = join(folder, "disk");
      mkdirSync(place);
      mount(place, size);
      onTestFinished(() => system("umount", "-l", place));
      return place;
    },
    makeReadOnly: (place) => system("mount", "-o", "remount,ro", place),
  };
}

function mount(place: string, size: string): void {
  system("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", place);
}

function system(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: "pipe" });
}

function whyNone(): string | null {
  if (process.platform !== "linux") return "this is not Linux";
  const place = mkdtempSync(join(tmpdir(), "troupe-disk-"));
  try {
    mount(place, "64k");
    system("umount", place);
    return null;
  } catch {
    return "this user may not mount a disk (run the tests as root)";
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
