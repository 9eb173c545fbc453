import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Why the real bash cannot be asked here; null where it can. */
export function whyNoBash(): string | null {
  if (process.platform !== "linux") return "bubblewrap is only on Linux";
  if (!["/usr/bin/bwrap", "/bin/bash"].every((file) => existsSync(file)))
    return "bubblewrap (bwrap) is not installed";
  try {
    // In many containers it is there and may do nothing.
    execFileSync("/usr/bin/bwrap", ["--ro-bind", "/", "/", "--unshare-all", "/bin/bash", "-c", ":"]);
    return null;
  } catch {
    return "bubblewrap (bwrap) may not make a sandbox";
  }
}

/**
 * Runs many commands, each in a bash of its own, in one sandbox without network, writable files and programs,
 * and answers for each the names of programs that bash looked for.
 */
export async function observe(commands: readonly string[]): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bash-"));
  try {
    for (const [at, command] of commands.entries()) writeFileSync(join(folder, `${at}.in`), command);
    writeFileSync(join(folder, "run.sh"), RUNNER);
    const args = [
      ...["--ro-bind", "/bin/bash", "/bin/bash", "--ro-bind", "/lib", "/lib"],
      ...(existsSync("/lib64") ? ["--ro-bind", "/lib64", "/lib64"] : []),
      ...["--ro-bind", "/usr/lib", "/usr/lib", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/empty"],
      ...[
        "--bind",
        folder,
        "/io",
        "--chdir",
        "/empty",
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
      ],
      ...[
        "--clearenv",
        "--setenv",
        "PATH",
        "/empty",
        "/bin/bash",
        "--noprofile",
        "--norc",
        "/io/run.sh",
        String(commands.length),
      ],
    ];
    await promisify(execFile)("/usr/bin/bwrap", args, { timeout: 600_000, maxBuffer: 1 << 26 });
    return commands.map((_, at) => readObserved(folder, at));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readObserved(folder: string, at: number): string[] {
  const file = join(folder, `${at}.tried`);
  return existsSync(file) ? readFileSync(file, "utf8").split("\0").slice(0, -1) : [];
}

/** Each run ends after its processor second, or when it waits for input; the handler hears of every name not found. */
const RUNNER = `
ulimit -u 200 -f 2048 2>/dev/null
command_not_found_handle() { printf '%s\\0' "$1" >> "$TROUPE_TRIED"; return 127; }
export -f command_not_found_handle
i=0
while [ "$i" -lt "$1" ]; do
  IFS= read -r -d '' c < "/io/$i.in"
  (ulimit -t 1; TROUPE_TRIED="/io/$i.tried" exec /bin/bash --noprofile --norc -c "$c") >/dev/null 2>/dev/null </dev/null
  i=$((i + 1))
done
`;
