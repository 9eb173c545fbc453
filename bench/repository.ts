import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A checkout as a search sees it: sources in folders, ignore files, a store, and folders that are ignored. */
export interface Repository {
  readonly folder: string;
  /** Files that are not ignored. */
  readonly files: number;
  /** A word that stands in one of a hundred of them. */
  readonly needle: string;
}

const PACKAGES = 20;
const FOLDERS = 20;
const FILES = 50;

export function makeRepository(folder: string): Repository {
  const needle = "rareWordOfThisRun";
  mkdirSync(join(folder, ".git"), { recursive: true });
  writeFileSync(join(folder, ".gitignore"), "node_modules/\n/dist\n*.log\n.env\n!keep.log\ncoverage/\n");
  let files = 0;
  for (let one = 0; one < PACKAGES; one++) {
    for (let two = 0; two < FOLDERS; two++) {
      const place = join(folder, `packages/package-${one}/src/part-${two}`);
      mkdirSync(place, { recursive: true });
      for (let three = 0; three < FILES; three++) {
        files += 1;
        writeFileSync(join(place, `module-${three}.ts`), sourceText(files, files % 100 === 0 ? needle : ""));
      }
    }
  }
  for (let one = 0; one < PACKAGES * 50; one++) {
    const place = join(folder, `node_modules/dependency-${one % 50}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `file-${one}.js`), sourceText(one, needle));
  }
  return { folder, files, needle };
}

function sourceText(number: number, word: string): string {
  const lines = Array.from(
    { length: 30 },
    (_, line) => `export function handler${number}of${line}(input: string): string { return input.trim(); }`,
  );
  return `${lines.join("\n")}\n// ${word}\n`;
}
