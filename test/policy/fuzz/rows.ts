/** The one file that knows where the rows come from. */

/** The kind of an operand or a value, as the table has it. */
export type Kind = "files" | "text" | "number" | "pattern" | "one file" | "none";

export interface Row {
  readonly name: string;
  readonly operands: Kind;
  readonly flags: string;
  readonly values: Readonly<Record<string, Kind>>;
  /** Long names with how they take a value. */
  readonly longs: readonly string[];
}

/** Permission semantics §5.6: names, kind of operands, letters (`x:` takes text, `N` a number, `P` a path), long names. */
const ROWS = `
ls F AaBcdFfGghiklmNnopQqRrSsTtUuvXxZ1CI:w:N group-directories-first full-time color=? sort= time-style=
cat F AbEensTtv
rev F -
wc F clmwL
head,tail F qvzn:Nc:N
nl F b:n:s:w:v:i:
cut F b:c:d:f:sz complement
paste F d:sz
column F txs:o:c:N
tr T cCdst
basename T azs:
dirname T z
which T a
type T aftpP
true,false T -
id T ugGnr
comm F 123z
join F i1:2:a:e:j:o:t:v:
cmp F blsi:n:
diff F abBcdEeiNpqrstTuwyZU:NC:NW:NI:x:X:PF:L: brief no-dereference
stat F ftc:
du F abchkmsSx0d:Nt:B: exclude= apparent-size
df F ahikTPt:
pwd 0 LP
whoami 0 -
uname 0 amnrspv
uptime 0 ps
hostname 0 fiIs
realpath F emsz relative-to=P
readlink F femnz
seq N wf:s:
grep,egrep,fgrep R EFGPabcHhiLlnoqrsUvwxyzZA:NB:NC:Nm:Ne:f:P color=? include= exclude= exclude-dir= exclude-from=P
rg R .0FHINPSUabcilonpqsuvwxA:NB:NC:Nm:NM:Nd:Ne:f:Pg:t:T: files type-list iglob= hidden no-ignore json no-heading sort= color=
md5sum,sha1sum,sha256sum,cksum F btz
od F bcdoxvA:j:N:t:
hexdump F Cvn:s:
strings F an:t:
uniq 1 cdDiuzf:Ns:Nw:N
xxd 1 bpuc:Ng:Nl:Ns:N
sort F bdfghiMnRruVszmcCk:t:
date T uRd:r:P
tree F adfpughDFCnNAisJL:NP:I: dirsfirst noreport prune gitignore
file F bih mime-type
`;

const KINDS: Readonly<Record<string, Kind>> = {
  F: "files",
  T: "text",
  N: "number",
  R: "pattern",
  "1": "one file",
  "0": "none",
};

export const rows: readonly Row[] = ROWS.trim()
  .split("\n")
  .flatMap((text) => {
    const [names = "", kind = "", letters = "", ...longs] = text.split(" ");
    const values: Record<string, Kind> = {};
    const flags = letters.replaceAll(/(\w):([NP]?)/g, (_, letter: string, of: string) => {
      values[letter] = of === "N" ? "number" : of === "P" ? "files" : "text";
      return "";
    });
    return names.split(",").map(
      (name): Row => ({
        name,
        operands: KINDS[kind] ?? "text",
        flags: flags.replaceAll("-", ""),
        values,
        longs,
      }),
    );
  });
