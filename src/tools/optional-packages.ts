import { createRequire } from "node:module";

/**
 * Whether an optional package can be loaded on this machine, without loading it: what is heavy is loaded by the
 * first call that needs it, but a prompt has to say beforehand what works (A4.13).
 */
export function hasPictures(): boolean {
  const sharp = resolved("sharp");
  if (sharp === null) return false;
  // The package installs anywhere; what does the work is a package for each system.
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
