/** The packages of this folder: official clients, servers and validators, which the main package does not need. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isSet, type Prerequisite } from "../support/prerequisites.ts"

/** The folder of the packages. */
export const installed = join(import.meta.dirname, "node_modules")

/** Requires packages of this folder. With `REQUIRE_SERVERS=1` a missing package is an error. */
export const packages = (...names: ReadonlyArray<string>): Prerequisite => ({
  absent: names.every((name) => existsSync(join(installed, name)))
    ? undefined
    : "the packages of other projects are not installed: npm ci --prefix test/interop",
  isRequired: isSet("REQUIRE_SERVERS")
})
