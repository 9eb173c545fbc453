/**
 * The rows of §5.6 as a test needs them: what the text lists, with the long names that the manuals (GNU coreutils,
 * grep, ripgrep, file) give to its letters. Letters in capitals of `numbers` and `texts` take a value.
 */
export interface Row {
  readonly names: string;
  /** Operands that fit. */
  readonly with: string;
  readonly flags?: string;
  readonly numbers?: string;
  readonly texts?: string;
  readonly paths?: string;
  /** Long names without a value. */
  readonly long?: string;
  readonly longNumbers?: string;
  readonly longTexts?: string;
  readonly longPaths?: string;
  /** Whether `-5` is an option. */
  readonly count?: boolean;
}

const grepLong =
  "extended-regexp fixed-strings basic-regexp perl-regexp text byte-offset count with-filename no-filename ignore-case files-without-match files-with-matches line-number only-matching quiet silent recursive no-messages binary invert-match word-regexp line-regexp null-data null color";

export const plainRows: readonly Row[] = [
  {
    names: "ls",
    with: "src",
    flags: "AaBcdFfGghiklmNnopQqRrSsTtUuvXxZ1C",
    numbers: "w",
    texts: "I",
    long: "all almost-all ignore-backups directory no-group human-readable inode kibibytes literal numeric-uid-gid quote-name hide-control-chars recursive reverse size context group-directories-first full-time color",
    longNumbers: "width",
    longTexts: "ignore sort time-style",
  },
  {
    names: "cat",
    with: "src/a.ts",
    flags: "AbEensTtv",
    long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
  },
  { names: "rev", with: "src/a.ts" },
  { names: "wc", with: "src/a.ts", flags: "clmwL", long: "bytes lines chars words max-line-length" },
  {
    names: "head tail",
    with: "src/a.ts",
    flags: "qvz",
    numbers: "nc",
    count: true,
    long: "quiet verbose zero-terminated",
    longNumbers: "lines bytes",
  },
  {
    names: "nl",
    with: "src/a.ts",
    texts: "bnswvi",
    longTexts:
      "body-numbering number-format number-separator number-width starting-line-number line-increment",
  },
  {
    names: "cut",
    with: "src/a.ts",
    flags: "sz",
    texts: "bcdf",
    long: "only-delimited zero-terminated complement",
    longTexts: "bytes characters delimiter fields",
  },
  {
    names: "paste",
    with: "a",
    flags: "sz",
    texts: "d",
    long: "serial zero-terminated",
    longTexts: "delimiters",
  },
  {
    names: "column",
    with: "a",
    flags: "tx",
    texts: "socN",
    long: "table fillrows",
    longTexts: "separator output-separator output-width table-columns",
  },
  { names: "tr", with: "a b", flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1" },
  {
    names: "basename",
    with: "src/a.ts",
    flags: "az",
    texts: "s",
    long: "multiple zero",
    longTexts: "suffix",
  },
  { names: "dirname", with: "src/a.ts", flags: "z", long: "zero" },
  { names: "which", with: "node", flags: "a" },
  { names: "type", with: "ls", flags: "aftpP" },
  { names: "true false", with: "" },
  { names: "id", with: "root", flags: "ugGnr", long: "user group groups name real" },
  { names: "comm", with: "a README.md", flags: "123z", long: "zero-terminated" },
  { names: "join", with: "a README.md", flags: "i", texts: "12aejotv", long: "ignore-case" },
  {
    names: "cmp",
    with: "a README.md",
    flags: "bls",
    texts: "in",
    long: "print-bytes verbose quiet silent",
    longTexts: "ignore-initial bytes",
  },
  {
    names: "diff",
    with: "src/a.ts src/b.ts",
    flags: "abBcdEeiNpqrstTuwyZ",
    numbers: "UCW",
    texts: "IxFL",
    paths: "X",
    long: "text ignore-space-change ignore-blank-lines minimal ignore-tab-expansion ed ignore-case new-file show-c-function brief recursive report-identical-files expand-tabs initial-tab ignore-all-space side-by-side ignore-trailing-space no-dereference",
    longNumbers: "width",
    longTexts: "ignore-matching-lines exclude show-function-line label",
    longPaths: "exclude-from",
  },
  { names: "stat", with: "a", flags: "ft", texts: "c", long: "file-system terse", longTexts: "format" },
  {
    names: "du",
    with: "src",
    flags: "abchkmsSx0",
    numbers: "d",
    texts: "tB",
    long: "all bytes total human-readable summarize separate-dirs one-file-system null apparent-size",
    longNumbers: "max-depth",
    longTexts: "threshold block-size exclude",
  },
  {
    names: "df",
    with: "src",
    flags: "ahikTP",
    texts: "t",
    long: "all human-readable inodes print-type portability",
    longTexts: "type",
  },
  { names: "pwd", with: "", flags: "LP" },
  { names: "whoami", with: "" },
  {
    names: "uname",
    with: "",
    flags: "amnrspv",
    long: "all machine nodename kernel-release kernel-name processor kernel-version",
  },
  { names: "uptime", with: "", flags: "ps", long: "pretty since" },
  { names: "hostname", with: "", flags: "fiIs", long: "fqdn ip-address all-ip-addresses short" },
  {
    names: "realpath",
    with: "src",
    flags: "emsz",
    long: "canonicalize-existing canonicalize-missing strip no-symlinks zero",
    longPaths: "relative-to",
  },
  {
    names: "readlink",
    with: "link-in",
    flags: "femnz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline zero",
  },
  {
    names: "seq",
    with: "1 3",
    flags: "w",
    texts: "fs",
    long: "equal-width",
    longTexts: "format separator",
    count: true,
  },
  { names: "sleep", with: "1", count: true },
  {
    names: "grep egrep fgrep",
    with: "x src/a.ts",
    flags: "EFGPabcHhiLlnoqrsUvwxyzZ",
    numbers: "ABCm",
    texts: "e",
    paths: "f",
    count: true,
    long: grepLong,
    longNumbers: "after-context before-context context max-count",
    longTexts: "regexp include exclude exclude-dir",
    longPaths: "file exclude-from",
  },
  {
    names: "rg",
    with: "x src/a.ts",
    flags: ".0FHINPSUabcilonpqsuvwx",
    numbers: "ABCmMd",
    texts: "egtT",
    paths: "f",
    long: "hidden null fixed-strings with-filename no-filename no-line-number pcre2 smart-case multiline text byte-offset count ignore-case files-with-matches only-matching line-number pretty quiet case-sensitive unrestricted invert-match word-regexp line-regexp files no-ignore json no-heading",
    longNumbers: "after-context before-context context max-count max-columns max-depth",
    longTexts: "regexp glob type type-not iglob sort color",
    longPaths: "file",
  },
  { names: "md5sum sha1sum sha256sum cksum", with: "a", flags: "btz" },
  {
    names: "od",
    with: "a",
    flags: "bcdoxv",
    texts: "AjNt",
    longTexts: "address-radix skip-bytes read-bytes format",
  },
  { names: "hexdump", with: "a", flags: "Cv", texts: "ns" },
  { names: "strings", with: "a", flags: "a", texts: "nt", long: "all", longTexts: "bytes radix" },
  {
    names: "uniq",
    with: "a",
    flags: "cdDiuz",
    numbers: "fsw",
    long: "count repeated ignore-case unique zero-terminated",
    longNumbers: "skip-fields skip-chars check-chars",
  },
  { names: "xxd", with: "a", flags: "bpu", numbers: "cgls" },
  {
    names: "sort",
    with: "a",
    flags: "bdfghiMnRruVszmcC",
    texts: "kt",
    long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse unique version-sort stable zero-terminated merge",
    longTexts: "key field-separator",
  },
  {
    names: "date",
    with: "+%s",
    flags: "uR",
    texts: "d",
    paths: "r",
    long: "utc universal rfc-email",
    longTexts: "date",
  },
  { names: "tree", with: "src", flags: "adfpughDFCnNAisJ", long: "dirsfirst noreport prune gitignore" },
  { names: "file", with: "a", flags: "bih", long: "brief mime no-dereference mime-type" },
  { names: "sed -n", with: "1p a", flags: "nErsuz" },
];
