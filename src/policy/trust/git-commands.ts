import type { GitSetting } from "./git-config-text.ts";

/** Keys whose value git runs, or uses to find programs. The middle of a three-part key is arbitrary. */
const RUN: ReadonlySet<string> = new Set(
  (
    "core.fsmonitor core.hookspath core.sshcommand core.pager core.editor core.askpass core.gitproxy " +
    "core.alternaterefscommand sequence.editor interactive.difffilter gpg.program diff.external " +
    "diff.*.command diff.*.textconv filter.*.clean filter.*.smudge filter.*.process merge.*.driver " +
    "difftool.*.cmd difftool.*.path mergetool.*.cmd mergetool.*.path guitool.*.cmd browser.*.cmd " +
    "browser.*.path man.*.cmd man.*.path trailer.*.command trailer.*.cmd tar.*.command gpg.*.program " +
    "gpg.*.defaultkeycommand remote.*.uploadpack remote.*.receivepack remote.*.vcs pager.* " +
    "lfs.customtransfer.*.path lfs.extension.*.clean lfs.extension.*.smudge"
  ).split(" "),
);
/** For these keys, a plain yes or no is a switch and not a command. */
const SWITCHES: ReadonlySet<string> = new Set(["core.fsmonitor", "pager.*"]);
const BOOLEAN = /^(?:true|false|yes|no|on|off|\d+|)$/i;
/** What git LFS writes into every repository that uses it: the program that the user has installed. */
const LFS = /^filter\.lfs\.(?:clean|smudge|process)=git-lfs (?:clean -- %f|smudge -- %f|filter-process)$/;

/** True if git would run something that this setting names. */
export function runsCommand({ key, value }: GitSetting): boolean {
  const kind = kindOf(key);
  // A custom transport is a command line in place of an address.
  if (/^ext::/.test(value) || /(?:^|\.)ext::/.test(key)) return true;
  switch (kind) {
    case "alias.*":
      return /^\s*[!-]/.test(value);
    case "credential.helper":
    case "credential.*.helper":
      return /^\s*!|[/\\]/.test(value);
    case "submodule.*.update":
      return value.startsWith("!");
    case "protocol.*.allow":
    case "protocol.allow":
      return value !== "never";
    default:
      if (LFS.test(`${key}=${value}`)) return false;
      return RUN.has(kind) && !(BOOLEAN.test(value) && (SWITCHES.has(kind) || value === ""));
  }
}

/** Returns the file that this setting includes into the configuration, or null. */
export function includedBy({ key, value }: GitSetting): string | null {
  return key === "include.path" || kindOf(key) === "includeif.*.path" ? value : null;
}

/** Returns the key without its custom names. */
function kindOf(key: string): string {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const [section, name] = [key.slice(0, first), key.slice(last + 1)];
  if (section === "lfs") return key.replace(/^(lfs\.(?:customtransfer|extension))\..*\./, "$1.*.");
  if (section === "pager" || section === "alias") return `${section}.*`;
  return first === last ? key : `${section}.*.${name}`;
}
