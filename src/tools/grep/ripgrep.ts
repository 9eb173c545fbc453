import { createRequire } from "node:module";

/**
 * Returns the ripgrep binary that was installed with Troupe; null if this system has no binary. The package's own
 * module is not loaded: it resolves at import, and throws.
 */
export function ripgrepPath(): string | null {
  const platformPackage = `@vscode/ripgrep-${process.platform}-${process.arch}`;
  const binary = process.platform === "win32" ? "rg.exe" : "rg";
  try {
    // From the main package, where a strict installer also puts its dependencies.
    const main = createRequire(import.meta.url).resolve("@vscode/ripgrep");
    return createRequire(main).resolve(`${platformPackage}/bin/${binary}`);
  } catch {
    return null;
  }
}
