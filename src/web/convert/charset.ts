const HEAD_BYTES = 2048;

/** Decodes by a byte order mark, the server's charset, or the page's; else as UTF-8 if valid, or Latin-1. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const said = [markOf(bytes), charsetIn(contentType), charsetInHead(bytes)];
  for (const label of said) {
    const decoder = label === null ? null : decoderFor(label);
    if (decoder !== null) return decoder.decode(bytes);
  }
  try {
    // A cut page may end within a character.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function markOf(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : null;
}

function charsetIn(contentType: string): string | null {
  return /;\s*charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType)?.[1] ?? null;
}

function charsetInHead(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, HEAD_BYTES));
  const found =
    /<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(head) ??
    /^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})/i.exec(head);
  const label = found?.[1]?.toLowerCase() ?? null;
  // A page with a readable declaration is not UTF-16.
  return label?.startsWith("utf-16") ? "utf-8" : label;
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
