import { parseHooks } from "../../policy/hooks/parse-hooks.ts";
import type { TrustedSettings } from "../../policy/trust/trust.ts";
import { grantLines } from "../../policy/trust/trust-text.ts";
import type { SettingsFile } from "../../settings/settings-file.ts";
import { counted } from "../../terminal/figures.ts";
import { NOT_TRUSTED } from "../mcp/configured-servers.ts";
import type { ServersHere } from "../mcp/servers-here.ts";
import { startedServers } from "../mcp/show-servers.ts";
import type { SessionPlugins } from "../plugins/session-plugins.ts";
import type { CliIO } from "../process-io.ts";
import type { DoctorCheck } from "./check.ts";

/** Checks each file of settings and servers that exists, and what they say together. */
export function checkSettings(files: readonly SettingsFile[], read: TrustedSettings): readonly DoctorCheck[] {
  const name = "settings";
  const found = files.filter(
    ({ leaves, warnings, identity }) => leaves.length + warnings.length > 0 || identity,
  );
  const own = new Set(files.flatMap(({ warnings }) => warnings));
  const checks = found.map(({ file, leaves, warnings, faulty }): DoctorCheck => {
    if (warnings.length === 0)
      return { name, state: "ok", text: `${file} is valid (${counted(leaves.length, "value")})` };
    const lines = warnings.map((text) => (text.startsWith(`${file}: `) ? text.slice(file.length + 2) : text));
    const text = faulty ? `${file} has errors` : `${file} has entries that mean nothing here`;
    if (!faulty) return { name, state: "warning", text, lines };
    return { name, state: "wrong", text, lines, todo: "Correct or remove them." };
  });
  const together = read.warnings.filter((text) => !own.has(text));
  if (checks.length + together.length === 0) return [{ name, state: "ok", text: "no files" }];
  return [...checks, ...together.map((text): DoctorCheck => ({ name, state: "warning", text }))];
}

/** Says whether the directory's own settings count, and what a yes would let them do; `all`: each of it. */
export function checkTrust({ trust, languageServers }: TrustedSettings, all: boolean): DoctorCheck {
  const name = "trust";
  const fresh = [...(trust.type === "untrusted" ? trust.fresh : []), ...languageServers.fresh];
  if (fresh.length > 0)
    return {
      ...{ name, state: "warning", text: "this directory is not trusted with all it brings; it would" },
      lines: grantLines(fresh, all ? Number.POSITIVE_INFINITY : undefined),
      todo: `Start troupe here to be asked, or use --trust for one run.${all ? "" : " troupe doctor --json lists all of it."}`,
    };
  const grants = trust.type === "trusted" ? trust.grants.length : 0;
  if (grants === 0) return { name, state: "ok", text: "this directory brings nothing that needs trust" };
  return { name, state: "ok", text: `this directory is trusted with ${counted(grants, "thing")}` };
}

/** Checks the entries of the hooks that count; runs none. */
export function checkHooks({ hooks: sources, hooksOff }: TrustedSettings): readonly DoctorCheck[] {
  const name = "hooks";
  const { hooks, problems } = parseHooks(sources);
  const wrong = problems.map((text): DoctorCheck => ({ name, state: "wrong", text }));
  const events = [...hooks].map(([event, list]) => `${list.length} at ${event}`).join(", ");
  if (hooksOff) {
    const text = `settings switch them off${events === "" ? "" : `, except for your organisation's: ${events}`}`;
    return [...wrong, { name, state: "warning", text }];
  }
  if (wrong.length > 0 && events === "") return wrong;
  return [...wrong, { name, state: "ok", text: events === "" ? "none" : events }];
}

/** Checks the plug-ins of flags and of the user's settings. */
export function checkPlugins({ sources, problems }: SessionPlugins): readonly DoctorCheck[] {
  const name = "plug-ins";
  const dirs = sources.map(({ dir }) => dir);
  const wrong = problems.map((text): DoctorCheck => ({ name, state: "warning", text }));
  if (dirs.length === 0) return wrong.length > 0 ? wrong : [{ name, state: "ok", text: "none" }];
  return [...wrong, { name, state: "ok", text: dirs.join(", ") }];
}

/** Starts the MCP servers that count here, none that the user has not agreed to, and ends them. */
export async function checkServers(here: ServersHere, io: CliIO): Promise<readonly DoctorCheck[]> {
  const name = "servers";
  const rows = await startedServers(here, { io });
  if (rows.length === 0) return [{ name, state: "ok", text: "none" }];
  return rows.map(({ name: server, state, file, works, used }): DoctorCheck => {
    const text = `${server}: ${state} (${file})`;
    if (!works)
      return { name, state: "wrong", text, todo: `Correct its entry; troupe mcp get ${server} shows it.` };
    return { name, state: used || !state.includes(NOT_TRUSTED) ? "ok" : "warning", text };
  });
}
