/**
 * Provides the version of this package, and the line that shows it. This module imports no other module of the package,
 * so that `--version` starts quickly.
 */
import { createRequire } from "node:module"

/**
 * The version, read by the package's own name, because the sources and the built package lie at different directory
 * depths.
 */
export const { version } = createRequire(import.meta.url)("toolguard/package.json") as { readonly version: string }

/** Returns the line of `--version`, as `effect/cli` formats it. */
export const line = (hasColors: boolean): string => {
  const styled = (style: number, text: string) => (hasColors ? `\u001b[${style}m${text}\u001b[0m` : text)
  return `${styled(1, "toolguard")} ${styled(2, "v")}${styled(1, version)}`
}
