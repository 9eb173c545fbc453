import { describe, expect, test } from "vitest";
import { evidenceOf } from "../../../src/features/receipts/evidence.ts";
import { unverifiedIn } from "../../../src/features/receipts/index.ts";
import { ROOT } from "./project.ts";
import { bash, read, staged } from "./staged.ts";

/** It has read one file and seen the names of some. */
const evidence = evidenceOf(
  staged([read("src/config.ts"), bash("ls -a", 0, "src\npackage.json\nREADME.md\n.env")]),
  [ROOT],
);
const flagged = (report: string) => unverifiedIn(report, evidence).map(({ said }) => said);

describe("a place that was never read is flagged, however it is written (D10)", () => {
  test.each([
    "<src/payment/gateway.ts:88>",
    "C:\\shop\\src\\payment\\gateway.ts:88",
    "src\\payment\\gateway.ts line 88",
    "src/payment/gateway.ts(88,5): error TS2304",
    "src\\payment\\gateway.cpp(88)",
    "[gateway](src/payment/gateway.ts#L88)",
    "Lines 88 to 90 of `src/payment/gateway.ts`",
    "schema.prisma:12",
    "contracts/Vault.sol:8",
    "go.mod:3",
    ".env:3 holds a key",
    "packages/api/.env.local:3 holds a key",
    "justfile:3",
    "infra/Caddyfile:9",
    "flake.nix:20",
    "cmake/deps.cmake:4",
  ])("%s", (place) => expect(flagged(`It leaks: ${place}.`)).toHaveLength(1));

  test.each([
    "The job runs at 3 a.m. and at 4 p.m. every day.",
    "Values come from import.meta.env and process.env, as .env says.",
    "It is called `<name>.ts:1` by the generator.",
    "The port is in <src/config.ts:7>.",
    "The port is in src/config.ts(7,3).",
    "It calls np.log(2), np.diff(1,2) and run.ts(port).",
    "Listens on localhost:3000 and 127.0.0.1:80; the ratio is 16:9.",
  ])("no place: %s", (words) => expect(flagged(words)).toEqual([]));
});
