import { type OptionForm, optionForm } from "./options.ts";

/** What the operands of a read-only command are. */
export type Operands =
  /** Files and folders that are read. */
  | "files"
  /** Text only. */
  | "text"
  /** A pattern, unless an option gave one, and then files. */
  | "pattern"
  /** At most one file: a second one would be written. */
  | "one file"
  | "none";

export interface ReadOnlyForm {
  readonly operands: Operands;
  readonly options: OptionForm;
  /** Options that give the pattern, or do without one. */
  readonly patternless: readonly string[];
}

/** `sed`, `find`, `git`, `cd`, `xxd` and tests are read in files of their own. */
const ROWS: Readonly<Record<string, readonly [Operands, string, string?]>> = {
  ls: [
    "files",
    "-I:text --ignore:text --hide:text -w:text --width:text -T:text --tabsize:text --block-size:text --time-style:text",
  ],
  cat: ["files", ""],
  head: ["files", "-n:text --lines:text -c:text --bytes:text"],
  tail: ["files", "-n:text --lines:text -c:text --bytes:text -s:text --sleep-interval:text --pid:text"],
  wc: ["files", "--files0-from:refused --total:text"],
  nl: ["files", "-b:text -d:text -f:text -h:text -i:text -l:text -n:text -s:text -v:text -w:text"],
  rev: ["files", ""],
  cut: [
    "files",
    "-b:text -c:text -d:text -f:text --bytes:text --characters:text --delimiter:text --fields:text --output-delimiter:text",
  ],
  paste: ["files", "-d:text --delimiters:text"],
  column: [
    "files",
    "-s:text -o:text -c:text -N:text -R:text -H:text -W:text -O:text -T:text -E:text -l:text --separator:text --output-separator:text --table-columns:text",
  ],
  tr: ["text", ""],
  comm: ["files", "--output-delimiter:text"],
  join: ["files", "-1:text -2:text -j:text -t:text -e:text -o:text -a:text -v:text"],
  diff: [
    "files",
    "-I:text -x:text --exclude:text -X:file --exclude-from:file --from-file:file --to-file:file -U:text -C:text -W:text -F:text -D:text -S:text -L:text --label:text --ignore-matching-lines:text --show-function-line:text",
  ],
  cmp: ["files", "-i:text -n:text --ignore-initial:text --bytes:text"],
  stat: ["files", "-c:text --format:text --printf:text"],
  du: [
    "files",
    "-d:text --max-depth:text -t:text --threshold:text -B:text --block-size:text --exclude:text -X:file --exclude-from:file --files0-from:refused --time-style:text",
  ],
  df: ["files", "-B:text --block-size:text -t:text --type:text -x:text --exclude-type:text"],
  pwd: ["files", ""],
  whoami: ["files", ""],
  id: ["files", ""],
  uname: ["files", ""],
  uptime: ["files", ""],
  which: ["text", ""],
  type: ["text", ""],
  basename: ["text", "-s:text --suffix:text"],
  dirname: ["text", ""],
  realpath: ["files", "--relative-to:file --relative-base:file"],
  readlink: ["files", ""],
  true: ["text", ""],
  false: ["text", ""],
  echo: ["text", ""],
  seq: ["text", "-f:text --format:text -s:text --separator:text"],
  sleep: ["files", ""],
  grep: ["pattern", grepOptions(), "-e -f --regexp --file"],
  egrep: ["pattern", grepOptions(), "-e -f --regexp --file"],
  fgrep: ["pattern", grepOptions(), "-e -f --regexp --file"],
  md5sum: ["files", ""],
  sha1sum: ["files", ""],
  sha256sum: ["files", ""],
  cksum: ["files", "-a:text --algorithm:text -l:text --length:text"],
  od: ["files", "-A:text -j:text -N:text -S:text -t:text -w:glued"],
  hexdump: ["files", "-e:text -f:file -n:text -s:text"],
  strings: ["files", "-n:text -t:text -e:text -d:text -s:text"],
  uniq: ["one file", "-f:text -s:text -w:text --skip-fields:text --skip-chars:text --check-chars:text"],
  sort: [
    "files",
    "-k:text --key:text -t:text --field-separator:text -S:text --buffer-size:text --parallel:text --batch-size:text --random-source:file -o:refused --output:refused -T:refused --temporary-directory:refused --compress-program:refused --files0-from:refused",
  ],
  rg: [
    "pattern",
    "-e:text --regexp:text -f:file --file:file -g:text --glob:text --iglob:text -t:text --type:text -T:text --type-not:text -A:text -B:text -C:text --after-context:text --before-context:text --context:text -m:text --max-count:text -M:text --max-columns:text -d:text --max-depth:text -j:text --threads:text -r:text --replace:text -E:text --encoding:text --ignore-file:file --color:text --colors:text --sort:text --sortr:text --context-separator:text --path-separator:text --pre-glob:text --pre:refused --hostname-bin:refused -z:refused --search-zip:refused",
    "-e -f --regexp --file --files --type-list",
  ],
  date: [
    "none",
    "-d:text --date:text -r:file --reference:file -f:file --file:file -I:glued --iso-8601:text -s:refused --set:refused",
  ],
  hostname: ["none", "-F:refused --file:refused -b:refused --boot:refused"],
  tree: [
    "files",
    "-L:text -P:text -I:text -H:text -T:text --filelimit:text --charset:text --timefmt:text --sort:text --gitfile:file --infofile:file -o:refused -R:refused",
  ],
  file: [
    "files",
    "-F:text --separator:text -P:text --parameter:text -e:text --exclude:text -C:refused --compile:refused -m:refused --magic-file:refused -f:refused --files-from:refused",
  ],
};

function grepOptions(): string {
  return "-e:text --regexp:text -f:file --file:file -A:text -B:text -C:text --after-context:text --before-context:text --context:text -m:text --max-count:text -d:text --directories:text -D:text --devices:text --include:text --exclude:text --exclude-dir:text --exclude-from:file --color:text --colour:text --label:text --binary-files:text";
}

export const readOnlyForms: ReadonlyMap<string, ReadOnlyForm> = new Map(
  Object.entries(ROWS).map(([name, [operands, row, patternless = ""]]) => [
    name,
    { operands, options: optionForm(row), patternless: patternless.split(" ").filter(Boolean) },
  ]),
);
