import type { Group } from "./ground.ts";
import { plainRows, type Row } from "./plain-row-table.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const digits = [..."0123456789"];

/** What fits the row: each option alone, in a cluster, with its value glued, separate and after `=`. */
function fitting(name: string, row: Row): string[] {
  const { flags = "", numbers = "", texts = "", paths = "" } = row;
  const values = [
    ...[...numbers].map((letter) => [letter, "5"] as const),
    ...[...texts].map((letter) => [letter, "1"] as const),
    ...[...paths].map((letter) => [letter, "src/b.ts"] as const),
  ];
  // xxd and tree read a cluster's values in their own way.
  const clusters = name === "xxd" || name === "seq" ? "" : flags;
  const [first] = clusters;
  return [
    name,
    ...[...flags].map((flag) => `${name} -${flag}`),
    ...[...clusters].flatMap((flag) => (flag === first ? [] : [`${name} -${first}${flag}`])),
    ...values.flatMap(([letter, value]) => [`${name} -${letter}${value}`, `${name} -${letter} ${value}`]),
    ...(first === undefined ? [] : values.map(([letter, value]) => `${name} -${first}${letter} ${value}`)),
    ...wordsOf(row.long).map((long) => `${name} --${long}`),
    ...longValues(row).flatMap(([long, value]) => [
      `${name} --${long}=${value}`,
      `${name} --${long} ${value}`,
    ]),
  ].map((line) => `${line} ${row.with}`);
}

/** What the row does not list, abbreviates, or gives no number or a path outside. */
function unfitting(name: string, row: Row): string[] {
  const { flags = "", numbers = "", texts = "", paths = "" } = row;
  const listed = `${flags}${numbers}${texts}${paths}${name === "tree" ? "LPI" : ""}${name === "sed -n" ? "e" : ""}`;
  const unlisted = [...letters, ...(row.count === true ? [] : digits)].filter(
    (each) => !listed.includes(each),
  );
  const [first] = flags;
  return [
    ...unlisted.map((letter) => `${name} -${letter}`),
    ...(first === undefined ? [] : unlisted.map((letter) => `${name} -${first}${letter}`)),
    ...[...numbers].map((letter) => `${name} -${letter} many`),
    ...[...paths].flatMap((letter) => [
      `${name} -${letter} @out/secret.txt`,
      `${name} -${letter}@out/secret.txt`,
      `${name} -${letter} ../out/secret.txt`,
      `${name} -${letter} link-secret`,
    ]),
    ...wordsOf(row.long).flatMap((long) => [`${name} --${long}x`, `${name} --no-such-${long}`]),
    ...abbreviations(row).map((long) => `${name} --${long}`),
    ...wordsOf(row.longPaths).flatMap((long) => [
      `${name} --${long}=/etc/passwd`,
      `${name} --${long} ../out/secret.txt`,
      `${name} --${long}=link-secret`,
    ]),
    ...wordsOf(row.longNumbers).map((long) => `${name} --${long}=many`),
    ...longValues(row).map(([long, value]) => `${name} --${long.slice(0, -1)}=${value}`),
    `${name} --no-such-option`,
  ].map((line) => `${line} ${row.with}`);
}

/** Long names cut short that are no other name of the row. */
function abbreviations({ long, longNumbers, longTexts, longPaths }: Row): string[] {
  const whole = [long, longNumbers, longTexts, longPaths].flatMap(wordsOf);
  return wordsOf(long)
    .map((name) => name.slice(0, -1))
    .filter((cut) => !whole.includes(cut));
}

function longValues({ longNumbers, longTexts, longPaths }: Row): (readonly [string, string])[] {
  return [
    ...wordsOf(longNumbers).map((long) => [long, "5"] as const),
    ...wordsOf(longTexts).map((long) => [long, "1"] as const),
    ...wordsOf(longPaths).map((long) => [long, "src/b.ts"] as const),
  ];
}

function wordsOf(text = ""): string[] {
  return text.split(" ").filter(Boolean);
}

export const plainRowGroups: readonly Group[] = plainRows.flatMap((row) =>
  wordsOf(row.names.replace("sed -n", "sed_-n")).map((name) => {
    const command = name.replace("_", " ");
    return {
      about: `§5.6 options of ${command}`,
      allow: fitting(command, row),
      ask: unfitting(command, row),
    };
  }),
);
