/**
 * Turns a terminal's screen (text with ANSI colours, on stdin) into an SVG on stdout: a picture of a
 * real run for the README. See CONTRIBUTING.md, "The pictures".
 */
import { text } from "node:stream/consumers";

const CELL = { width: 8.4, height: 18 };
const PADDING = 16;
const FOREGROUND = "#d6deeb";
const COLOURS: Readonly<Record<string, string>> = {
  "31": "#ef5350",
  "32": "#7fdbca",
  "33": "#ecc48d",
  "34": "#82aaff",
  "35": "#c792ea",
  "36": "#89ddff",
  "90": "#7f8fa6",
};

interface Piece {
  readonly text: string;
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let style = { colour: FOREGROUND, bold: false, dim: false };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1]?.split(";");
    if (!codes) pieces.push({ text: part, ...style });
    for (const code of codes ?? []) style = styled(style, code);
  }
  return pieces.filter((piece) => piece.text !== "");
}

function styled(style: Omit<Piece, "text">, code: string): Omit<Piece, "text"> {
  if (code === "" || code === "0") return { colour: FOREGROUND, bold: false, dim: false };
  if (code === "1") return { ...style, bold: true };
  if (code === "2") return { ...style, dim: true };
  if (code === "22") return { ...style, bold: false, dim: false };
  if (code === "39") return { ...style, colour: FOREGROUND };
  return { ...style, colour: COLOURS[code] ?? style.colour };
}

function escaped(raw: string): string {
  return raw.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function rowOf(line: string, row: number): string {
  const spans = piecesOf(line).map(({ text: words, colour, bold, dim }) => {
    const weight = bold ? ' font-weight="bold"' : "";
    const opacity = dim ? ' opacity="0.65"' : "";
    return `<tspan fill="${colour}"${weight}${opacity}>${escaped(words)}</tspan>`;
  });
  const y = PADDING + (row + 1) * CELL.height - 5;
  return `<text x="${PADDING}" y="${y}" xml:space="preserve">${spans.join("")}</text>`;
}

const columns = Number(process.argv[2] ?? 100);
const title = process.argv[3] ?? "";
const lines = (await text(process.stdin)).trimEnd().split("\n");
const width = Math.ceil(columns * CELL.width + 2 * PADDING);
const height = lines.length * CELL.height + 2 * PADDING;
console.log(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" rx="8" fill="#011627"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${lines.map(rowOf).join("\n")}
</g>
</svg>`);
