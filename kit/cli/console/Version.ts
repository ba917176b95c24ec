/** The version of this package. */
import { createRequire } from "node:module"

/** By the package's own name: sources and the built package lie at different depths. */
export const { version } = createRequire(import.meta.url)("toolguard/package.json") as { readonly version: string }
