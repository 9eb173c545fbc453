import { spawnSync } from "node:child_process";
import type { Purpose } from "./check-lines.ts";
import { randomDenyLine } from "./deny-lines.ts";
import type { Dice } from "./dice.ts";
import { randomEditLine } from "./edit-lines.ts";
import { readHelp } from "./help-options.ts";
import { type Known, type Line, randomReadLine } from "./read-lines.ts";
import { confinedRow, rows } from "./rows.ts";
import { mutate } from "./words.ts";

/** The rows whose programs are installed, with their own help, and the names of the others. */
export function readKnown(): { readonly known: readonly Known[]; readonly missing: readonly string[] } {
  const isThere = (name: string) => spawnSync("/bin/bash", ["-c", 'type -- "$1"', "bash", name]).status === 0;
  const present = rows.filter(({ name }) => isThere(name));
  return {
    known: present.map((row) => ({ row, help: readHelp(row.name) })),
    missing: rows.filter((row) => !present.includes(row)).map(({ name }) => name),
  };
}

interface Made {
  readonly line: Line;
  readonly purpose: Purpose;
}

const PURPOSES: readonly Purpose[] = ["read", "read", "read", "read", "edit", "deny", "confined"];

/** `only`: a row, `edit NAME`, `deny NAME` or `confined NAME`. */
export function randomLine(dice: Dice, known: readonly Known[], only: string | null): Made {
  const [, kind = "read", name = null] = /^(read|edit|deny|confined)(?: (.+))?$/.exec(only ?? "") ?? [
    "",
    "read",
    only,
  ];
  const purpose = only === null ? dice.pick(PURPOSES) : (kind as Purpose);
  const named = (line: Line): Made => {
    const text = dice.chance(0.1) ? mutate(dice, line.text) : line.text;
    return {
      line: { ...line, text, row: purpose === "read" ? line.row : `${purpose} ${line.row}` },
      purpose,
    };
  };
  switch (purpose) {
    case "edit":
      return named(randomEditLine(dice, name));
    case "deny":
      return named(randomDenyLine(dice, name));
    case "confined":
      return named(
        randomReadLine(
          dice,
          known.map(({ row, help }) => ({ row: confinedRow(row), help })),
          name,
        ),
      );
    case "read": {
      const plain = known.filter(({ row }) => !row.confinedOnly);
      return named(randomReadLine(dice, plain, name));
    }
  }
  purpose satisfies never;
}
