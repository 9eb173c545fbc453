import { readTable, type Table } from "./rows.ts";

/**
 * Commands that may run without asking (permission-semantics 5.6 and 5.7), one row each; `rows.ts` says how a row is
 * written. What comes before `|` is plain reading. What comes after it is known, and asks without a confinement.
 * `find`, `git`, `test`, `printf` and `xargs` have rules of their own in the files of their names.
 */
export const commandTable: Table = readTable({
  // Listing and showing files.
  ls: "F A/almost-all a/all B/ignore-backups c d/directory F /classify? f G/no-group g h/human-readable i/inode k/kibibytes l m N/literal n/numeric-uid-gid o p Q/quote-name q/hide-control-chars R/recursive r/reverse S s/size T t U u v X x Z/context 1 C I/ignore:R w/width:N /group-directories-first /color? /sort: /time-style: /full-time | b/escape D/dired H/dereference-command-line L/dereference /file-type /format: /hide:R /hyperlink? /indicator-style: /quoting-style: /show-control-chars /si /tabsize: /time: /block-size: /author",
  cat: "F A/show-all b/number-nonblank E/show-ends e n/number s/squeeze-blank T/show-tabs t v/show-nonprinting | u",
  rev: "F",
  wc: "F c/bytes l/lines m/chars w/words L/max-line-length | /files0-from:P /total:",
  head: "F q/quiet/silent v/verbose z/zero-terminated n/lines:N c/bytes:N #",
  tail: "F q/quiet/silent v/verbose z/zero-terminated n/lines:N c/bytes:N # | f /follow? F s/sleep-interval:N /pid:N /retry /max-unchanged-stats:N",
  nl: "F b/body-numbering: n/number-format: s/number-separator: w/number-width: v/starting-line-number: i/line-increment: | d/section-delimiter: f/footer-numbering: h/header-numbering: l/join-blank-lines: p/no-renumber",
  cut: "F b/bytes: c/characters: d/delimiter: f/fields: s/only-delimited z/zero-terminated /complement | n /output-delimiter:",
  paste: "F s/serial z/zero-terminated d/delimiters:",
  column:
    "F t/table x/fillrows s/separator: o/output-separator: c/output-width: N/table-columns: | d/table-noheadings e/table-header-repeat E/table-noextreme: H/table-hide: J/json L/keep-empty-lines l/table-columns-limit: n/table-name: O/table-order: R/table-right: r/tree: i/tree-id: p/tree-parent: T/table-truncate: W/table-wrap:",
  comm: "F 1 2 3 z/zero-terminated | /check-order /nocheck-order /output-delimiter: /total",
  join: "F i/ignore-case 1: 2: a: e: j: o: t: v: | z/zero-terminated /check-order /nocheck-order /header",
  cmp: "F b/print-bytes l/verbose s/quiet/silent i/ignore-initial: n/bytes:",
  diff: "F a/text b/ignore-space-change B/ignore-blank-lines c d/minimal E/ignore-tab-expansion e/ed i/ignore-case N/new-file p/show-c-function q/brief r/recursive s/report-identical-files t/expand-tabs T/initial-tab u w/ignore-all-space y/side-by-side Z/ignore-trailing-space U:N C:N W/width:N I/ignore-matching-lines:R x/exclude:R X/exclude-from:P F/show-function-line:R L/label: /unified?N /context?N /no-dereference | D/ifdef: l/paginate n/rcs P/unidirectional-new-file S/starting-file: /normal /color? /palette: /strip-trailing-cr /suppress-common-lines /left-column /speed-large-files /horizon-lines:N /tabsize:N /from-file:P /to-file:P /suppress-blank-empty /ignore-file-name-case /no-ignore-file-name-case",
  stat: "F f/file-system t/terse c/format: | L/dereference /printf: /cached:",
  du: "F a/all b/bytes c/total h/human-readable k m s/summarize S/separate-dirs x/one-file-system 0/null d/max-depth:N t/threshold: B/block-size: /exclude:R /apparent-size | D/dereference-args H l/count-links L/dereference P/no-dereference X/exclude-from:P /files0-from:P /inodes /si /time? /time-style:",
  df: "F a/all h/human-readable i/inodes k T/print-type P/portability t/type: | B/block-size: H/si l/local v x/exclude-type: /output? /sync! /total",
  realpath:
    "F e/canonicalize-existing m/canonicalize-missing s/strip/no-symlinks z/zero /relative-to:P | L/logical P/physical q/quiet /relative-base:P",
  readlink:
    "F f/canonicalize e/canonicalize-existing m/canonicalize-missing n/no-newline z/zero | q/quiet s/silent v/verbose",
  "md5sum, sha1sum, sha256sum":
    "F b/binary t/text z/zero | c/check w/warn /tag /ignore-missing /quiet /status /strict",
  cksum: "F b/binary t/text z/zero | a/algorithm: c/check l/length: /base64 /debug /raw /tag /untagged",
  od: "F b c d o x v/output-duplicates A/address-radix: j/skip-bytes: N/read-bytes: t/format: | a f i l s S/strings? w/width? /endian: /traditional",
  hexdump: "F C/canonical v/no-squeezing n/length: s/skip: | b c d o x e: f:P L/color?",
  strings:
    "F a/all n/bytes: t/radix: | d/data e/encoding: f/print-file-name o T/target: U/unicode: w/include-all-whitespace s/output-separator:",
  tree: "F^ a d f p u g h D F C n N A i s J L:N P:R I:R /dirsfirst /noreport /prune /gitignore | l o:W R! H: T: X S v t c r U x Q q /filelimit: /fromfile /fromtabfile /charset: /timefmt: /sort: /gitfile:P /infofile:P /info /du /si /inodes /device /matchdirs /metafirst /ignore-case /filesfirst /nolinks /hintro:P /houtro:P /opt-toggle /acl",
  file: "F b/brief i/mime h/no-dereference /mime-type | C/compile! c/checking-printout d/debug E e/exclude: F/separator: f/files-from:P k/keep-going L/dereference l/list m/magic-file! N/no-pad n/no-buffer! P/parameter: p/preserve-date! r/raw s/special-files S/no-sandbox v z/uncompress Z/uncompress-noreport 0/print0 /apple /extension /mime-encoding /exclude-quiet:",
  uniq: "1 c/count d/repeated D i/ignore-case u/unique z/zero-terminated f/skip-fields:N s/skip-chars:N w/check-chars:N /all-repeated? | /group?",
  xxd: "1<- b p u c:N g:N l:N s:N | a C d e E i n: o: r! R:",
  sort: "F b/ignore-leading-blanks d/dictionary-order f/ignore-case g/general-numeric-sort h/human-numeric-sort i/ignore-nonprinting M/month-sort n/numeric-sort R/random-sort r/reverse u/unique V/version-sort s/stable z/zero-terminated m/merge c C k/key: t/field-separator: /check? | o/output:W T/temporary-directory:W S/buffer-size: y? /compress-program:X /files0-from:P /parallel: /batch-size: /random-source:P /sort: /debug",
  // Searching and editing streams.
  "grep, egrep, fgrep":
    "R E/extended-regexp F/fixed-strings G/basic-regexp P/perl-regexp a/text b/byte-offset c/count H/with-filename h/no-filename i/ignore-case L/files-without-match l/files-with-matches n/line-number o/only-matching q/quiet/silent r/recursive s/no-messages U/binary v/invert-match w/word-regexp x/line-regexp y z/null-data Z/null A/after-context:N B/before-context:N C/context:N m/max-count:N e/regexp:R* f/file:P* # /color? /include: /exclude:R /exclude-dir:R /exclude-from:P | I R/dereference-recursive D/devices: d/directories: T/initial-tab u/unix-byte-offsets /binary-files: /colour? /label: /line-buffered /no-ignore-case",
  rg: "R ./hidden 0/null F/fixed-strings H/with-filename I/no-filename N/no-line-number P/pcre2 S/smart-case U/multiline a/text b/byte-offset c/count i/ignore-case l/files-with-matches o/only-matching n/line-number p/pretty q/quiet s/case-sensitive u/unrestricted v/invert-match w/word-regexp x/line-regexp A/after-context:N B/before-context:N C/context:N m/max-count:N M/max-columns:N d/max-depth:N e/regexp:R* f/file:P* g/glob: t/type: T/type-not: /files* /type-list* /iglob: /no-ignore /json /no-heading /sort: /color: | L/follow E/encoding: j/threads:N r/replace: z/search-zip /pre:X /pre-glob: /hostname-bin:X /ignore-file:P /column /count-matches /heading /trim /vimgrep /stats /debug /trace /no-config /no-messages /sortr: /colors: /context-separator: /path-separator: /files-without-match /multiline-dotall /max-filesize: /passthru /no-ignore-vcs /no-hidden /one-file-system /crlf /null-data /line-buffered /include-zero /engine: /hyperlink-format: /no-unicode /glob-case-insensitive /type-add: /type-clear: /field-match-separator: /field-context-separator: /dfa-size-limit: /regex-size-limit: /generate:",
  sed: "S n/quiet/silent E/regexp-extended r s/separate u/unbuffered z/null-data e/expression:R* | i/in-place! f/file:P* l/line-length: b/binary /posix /debug /sandbox /follow-symlinks",
  awk: "+S F/field-separator: v/assign: f/file:P* e/source:R* E/exec:P* i/include:W l/load:X d/dump-variables! D/debug! o/pretty-print! p/profile! W:X",
  jq: "+S c/compact-output C/color-output M/monochrome-output r/raw-output j/join-output a/ascii-output S/sort-keys s/slurp n/null-input e/exit-status R/raw-input f/from-file:P* L: h /tab /indent:N /unbuffered /stream /stream-errors /seq /arg:2 /argjson:2 /slurpfile:2 /rawfile:2 /args /jsonargs /raw-output0 /argfile:2 /library-path:P",
  yq: "+S c r j n/null-input e/exit-status y s/split-exp:W P/prettyPrint N/no-doc M C o/output-format: p/input-format: I/indent:N i/inplace/in-place! /split-exp-file:W /front-matter: /arg:2 /argjson:2 /from-file:P*",
  tr: "T c/complement C d/delete s/squeeze-repeats t/truncate-set1",
  tac: "+F b/before r/regex s/separator:",
  fold: "+F b/bytes s/spaces w/width:N",
  fmt: "+F c/crown-margin p/prefix: s/split-only t/tagged-paragraph u/uniform-spacing w/width:N g/goal:N",
  expand: "+F i/initial t/tabs:",
  pr: "+F a d D: e? F f h: i? J l: m N: n? o: r s? S? T t v W: w:",
  shuf: "+F e/echo i/input-range: n/head-count:N o/output:W r/repeat z/zero-terminated /random-source:P",
  base64: "+F d/decode i/ignore-garbage w/wrap:N",
  zcat: "+F f/force r/recursive",
  bc: "+F l/mathlib q/quiet s/standard w/warn i",
  numfmt:
    "+T d/delimiter: z /field: /format: /from: /to: /header? /padding:N /round: /suffix: /grouping /invalid:",
  // The machine and the text at hand.
  basename: "T a/multiple s/suffix: z/zero",
  dirname: "T z/zero",
  which: "T a",
  type: "T a f t p P",
  "true, false, exit": "T",
  id: "T u/user g/group G/groups n/name r/real | z/zero Z/context a",
  seq: "N w/equal-width f/format: s/separator:",
  sleep: "N",
  pwd: "0 L P",
  whoami: "0",
  uname:
    "0 a/all m/machine n/nodename r/kernel-release s/kernel-name p/processor v/kernel-version | i/hardware-platform o/operating-system",
  uptime: "0 p/pretty s/since",
  hostname:
    "0 f/fqdn/long i/ip-address s/short I/all-ip-addresses | a/alias A/all-fqdns d/domain b! F/file! y/yp/nis",
  date: "0 u/utc/universal R/rfc-email d/date: r/reference:P | f/file:P I/iso-8601? s/set! /rfc-3339: /debug /resolution",
  env: "+0 0/null",
  printenv: "+T 0/null",
  nproc: "+0 /all /ignore:N",
  free: "+0 b k m g h/human w/wide t/total l/lohi v /si /kilo /mega /giga /bytes /kibi /mebi /gibi",
  groups: "+T",
  getconf: "+T a v:",
});

/** Programs that a confinement runs with one word that asks for their version (§5.7). */
export const versionPrograms: ReadonlySet<string> = new Set(
  "node npm npx pnpm yarn bun deno tsc python python3 pip ruby gem go cargo rustc java javac mvn gradle dotnet php composer make cmake gcc g++ clang git docker kubectl".split(
    " ",
  ),
);

/** Commands that change files of the workspace, which `acceptEdits` allows (§5.8). */
export const fileCommandTable: Table = readTable({
  mkdir: "F p/parents v/verbose m/mode:",
  touch: "F a c/no-create m d/date: t: r/reference:P",
  rm: "F f/force i I r/recursive R v/verbose d/dir",
  rmdir: "F p/parents v/verbose",
  mv: "F f/force i/interactive n/no-clobber u v/verbose T/no-target-directory t/target-directory:W",
  cp: "F a/archive d f/force i/interactive n/no-clobber P/no-dereference p R/recursive r T/no-target-directory u v/verbose x/one-file-system t/target-directory:W | L/dereference! H!",
});
