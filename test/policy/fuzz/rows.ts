/** The one file that knows how the policy writes its table down. */
import { commandTable } from "../../../src/policy/shell/command-table.ts";
import type { Operands, ProgramOption } from "../../../src/policy/shell/rows.ts";
import { specialCommands } from "./special-commands.ts";

export type ValueKind = "path" | "text" | "number";

export interface RowOption {
  /** `-x` or `--long`. */
  readonly name: string;
  readonly value: "none" | "optional" | "required";
  readonly kind: ValueKind;
}

/** A row as the generators need it. */
export interface FuzzRow {
  readonly name: string;
  readonly operands: Operands;
  /** What is part of plain reading, and what is only known. */
  readonly plain: readonly RowOption[];
  readonly known: readonly RowOption[];
  readonly confinedOnly: boolean;
}

const DIGITS: ProgramOption = { kind: "flag", plain: true, optional: false, replacesFirst: false };

/** Every row, but for those that a grammar of their own makes. */
export const rows: readonly FuzzRow[] = commandTable.names.flatMap((name) => {
  const row = commandTable.get(name);
  if (row === undefined) throw new Error(`there is no row of ${name}`);
  if (name in specialCommands) return [];
  const options = [
    ...[...row.letters].map(([letter, option]) => [`-${letter}`, option] as const),
    ...[...row.longs].map(([long, option]) => [`--${long}`, option] as const),
    ...(row.digits ? [["-5", DIGITS] as const] : []),
  ];
  const [plain, known] = [true, false].map((isPlain) =>
    options
      .filter(([, option]) => option.plain === isPlain)
      .map(([written, option]) => rowOption(written, option)),
  ) as [RowOption[], RowOption[]];
  return [{ name, operands: row.operands, plain, known, confinedOnly: row.confinedOnly }];
});

/** The same row for a confinement, where all that is known counts as listed. */
export function confinedRow(row: FuzzRow): FuzzRow {
  return { ...row, plain: [...row.plain, ...row.known] };
}

function rowOption(name: string, { kind, optional }: ProgramOption): RowOption {
  const value = kind === "flag" ? "none" : optional ? "optional" : "required";
  return { name, value, kind: kind === "number" ? "number" : kind === "path" ? "path" : "text" };
}
