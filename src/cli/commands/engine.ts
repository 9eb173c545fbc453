import type { EngineCheck } from "../../engine/check-engine.ts";
import { type Paint, paintFor } from "../../terminal/colour.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { Arguments } from "../arguments.ts";
import { type Context, withSubcommands } from "../command.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { text, whole } from "../option.ts";
import { printJson, printNotes, tableLines } from "../print.ts";
import { jsonFlag } from "../session-flags.ts";

const HOUR_MS = 3_600_000;

const engineFlag = text({
  name: "engine",
  value: "URL",
  summary: "redis://, rediss:// or postgres://; TROUPE_ENGINE_PASSWORD is its password",
  fallback: "TROUPE_ENGINE, or troupe.runners.engine",
});

const olderFlag = whole({
  name: "older-than",
  value: "HOURS",
  min: 0,
  max: 100_000,
  summary: "what has waited for so long",
  fallback: "24",
});

/** `troupe engine`: whether an engine is fit for runners, and what is in it. */
export const engineCommand = withSubcommands({
  name: "engine",
  summary: "check the engine that runners share, list what is in it, or sweep what is left",
  details: [
    "`check` looks at the version, persistence, eviction and TLS, and tries a round trip, a blob and an attempt. The exit code is 1 if something fails.",
    "`sweep` removes attempts and blobs that have waited for a day. Sessions that still need one offer it again.",
  ],
  options: [engineFlag, jsonFlag],
  subcommands: {
    check: { run: (_, args, context) => check(args, context) },
    ls: { run: (_, args, context) => list(args, context) },
    sweep: { options: [olderFlag], run: (_, args, context) => sweep(args, context) },
  },
  examples: [
    ["troupe engine check --engine redis://localhost:6379", "whether this Redis is fit for runners"],
    ["troupe engine ls --engine redis://localhost:6379 --json", "what waits in which pool, for a script"],
  ],
});

async function engineOf(args: Arguments, { io }: Context) {
  const { engineAddress } = await import("../runners/fleet.ts");
  const url = await engineAddress(args.value(engineFlag), io, "engine");
  if (url.startsWith("ssh:"))
    throw new UsageError(
      "An ssh:// engine keeps nothing to check or list: each session starts its own runner there.",
    );
  const password = io.env["TROUPE_ENGINE_PASSWORD"];
  return { url, options: { clock: io.clock, ...(password === undefined ? {} : { password }) } };
}

async function check(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const { url, options } = await engineOf(args, context);
  const { checkEngine } = await import("../../engine/check-engine.ts");
  const checks = await checkEngine(url, options);
  const hasFailed = checks.some(({ state }) => state === "failed");
  if (args.value(jsonFlag)) await printJson(io, { ok: !hasFailed, checks });
  else await io.stdout.write(checkLines(checks, paintFor(io.stdout, io.env)));
  return hasFailed ? exitCodes.notDone : exitCodes.done;
}

const COLOURS = { ok: "green", warning: "yellow", failed: "red" } as const;

function checkLines(checks: readonly EngineCheck[], paint: Paint): string {
  const rows = checks.map(({ what, state, figure }) => [
    { text: state, paint: (padded: string) => paint(COLOURS[state], padded) },
    what,
    safeLine(figure),
  ]);
  return tableLines(rows)
    .map((line, at) => `${line}\n${checks[at]?.todo === undefined ? "" : `         ${checks[at].todo}\n`}`)
    .join("");
}

async function list(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const { url, options } = await engineOf(args, context);
  const { listStock } = await import("../../engine/stock.ts");
  const stock = await listStock(url, options);
  if (args.value(jsonFlag)) {
    await printJson(io, stock);
    return exitCodes.done;
  }
  const rows = stock.pools.map(({ pool, waiting, running }) => [
    pool,
    `${waiting} waiting`,
    `${running} running`,
  ]);
  await io.stdout.write(
    tableLines([...rows, ["blobs", `${stock.blobs}`]])
      .map((line) => `${safeLine(line)}\n`)
      .join(""),
  );
  return exitCodes.done;
}

async function sweep(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const { url, options } = await engineOf(args, context);
  const { sweepStock } = await import("../../engine/stock.ts");
  const swept = await sweepStock(url, (args.value(olderFlag) ?? 24) * HOUR_MS, options);
  if (args.value(jsonFlag)) await printJson(io, swept);
  else await printNotes(io, [`Removed ${swept.attempts} attempts and ${swept.blobs} blobs.`]);
  return exitCodes.done;
}
