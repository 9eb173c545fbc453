import { createRequire } from "node:module";

/**
 * Returns whether images can be shown, without loading the package: the first call that needs it loads it, but the
 * prompt must say before that what works (A4.13).
 */
export function hasImages(): boolean {
  const sharp = resolved("sharp");
  if (sharp === null) return false;
  // The package installs anywhere; the binary is a package for each system.
  const system = `${process.platform}-${process.arch}`;
  const variants = [system, system.replace("linux", "linuxmusl"), "wasm32"];
  return variants.some((name) => resolved(`@img/sharp-${name}/sharp.node`, sharp) !== null);
}

export function hasDocuments(): boolean {
  return resolved("@hyzyla/pdfium") !== null;
}

function resolved(name: string, from = import.meta.url): string | null {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return null;
  }
}
