import { createRequire } from "node:module";

/**
 * The ripgrep binary that was installed with us, or null where none exists for this system. The package's own
 * module is not loaded: it resolves at import, and throws.
 */
export function ripgrepPath(): string | null {
  const platformPackage = `@vscode/ripgrep-${process.platform}-${process.arch}`;
  const binary = process.platform === "win32" ? "rg.exe" : "rg";
  try {
    // From the main package's place, where also a strict installer puts what it depends on.
    const main = createRequire(import.meta.url).resolve("@vscode/ripgrep");
    return createRequire(main).resolve(`${platformPackage}/bin/${binary}`);
  } catch {
    return null;
  }
}
