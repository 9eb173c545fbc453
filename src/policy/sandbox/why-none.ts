import { readFileSync } from "node:fs";

/** Returns why this system cannot run a sandbox, or null if it can. */
export function whyNotHere(platform: NodeJS.Platform, kernel: string, bwrap: string | null): string | null {
  if (platform === "darwin") return null;
  if (platform !== "linux")
    return `There is no sandbox for commands on ${platform === "win32" ? "Windows; run Troupe in WSL 2" : platform}.`;
  if (/microsoft/i.test(kernel) && !/wsl2|microsoft-standard/i.test(kernel))
    return "There is no sandbox in WSL 1. Convert this distribution to WSL 2 (wsl --set-version).";
  if (bwrap === null)
    return "bubblewrap is not installed. Install it with socat (Debian and Ubuntu: apt install bubblewrap socat; Fedora: dnf install bubblewrap socat; Arch: pacman -S bubblewrap socat).";
  return null;
}

/** Reads one of the kernel's switches; returns null if it has none of this name. */
export type Switch = (name: string) => string | null;

export function kernelSwitch(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name}`, "utf8").trim();
  } catch {
    return null;
  }
}

/** Returns what keeps bubblewrap from working, from its output and the kernel's switches. */
export function whyNotStarted(said: string, read: Switch): string {
  const refused = /uid map|user namespace|namespace failed|Permission denied|Operation not permitted/i.test(
    said,
  );
  const what = `bubblewrap cannot make a sandbox here (${said}).`;
  if (!refused)
    return `${what} Run "bwrap --ro-bind / / --unshare-user --unshare-pid --proc /proc true" to see why.`;
  if (read("kernel/apparmor_restrict_unprivileged_userns") === "1")
    return `${what} AppArmor lets only programs with a profile make user namespaces: give /usr/bin/bwrap one (on Ubuntu, apt install apparmor-profiles and enable bwrap-userns-restrict).`;
  if (read("kernel/unprivileged_userns_clone") === "0")
    return `${what} User namespaces are switched off: set kernel.unprivileged_userns_clone to 1 with sysctl.`;
  if (read("user/max_user_namespaces") === "0")
    return `${what} User namespaces are switched off: set user.max_user_namespaces to more than 0 with sysctl.`;
  return `${what} User namespaces are not allowed here; in a container, its seccomp profile has to allow them.`;
}
