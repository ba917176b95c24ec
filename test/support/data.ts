/**
 * Locates data for tests: published schemas and vectors in `test/data`, and recorded traffic of real models, which is not part of
 * the repository because of its size.
 */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { isSet, type Prerequisite } from "./prerequisites.ts"
import { root } from "./sources.ts"

/** The folder of the recorded data: `TOOLGUARD_DATA`, or `../shared/data`. */
export const data = resolve(root, process.env["TOOLGUARD_DATA"] ?? "../shared/data")

const exists = existsSync(join(data, "traffic"))

/** The recorded data. With `REQUIRE_DATA=1` its absence is an error. */
export const recordedData: Prerequisite = {
  absent: exists ? undefined : "the recorded data was not found; set TOOLGUARD_DATA to its folder",
  isRequired: isSet("REQUIRE_DATA")
}

/** The folder of published schemas and vectors. */
export const published = join(root, "test/data")

/** Reads a JSON file in `test/data`. */
export const publishedJson = (path: string): any => JSON.parse(readFileSync(join(published, path), "utf8"))
