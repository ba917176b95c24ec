/**
 * Data that tests read: published schemas and vectors in `test/data`, and recorded traffic of real models, which is too large
 * for the repository.
 */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { isSet, type Prerequisite } from "./prerequisites.ts"
import { root } from "./sources.ts"

/** The folder of the recorded data: `TOOLGUARD_DATA`, or `../shared/data`. */
export const data = resolve(root, process.env["TOOLGUARD_DATA"] ?? "../shared/data")

const isThere = existsSync(join(data, "traffic"))

/** The recorded data. With `REQUIRE_DATA=1` its absence is an error. */
export const recordedData: Prerequisite = {
  absent: isThere ? undefined : "there is no recorded data; TOOLGUARD_DATA names its folder",
  isRequired: isSet("REQUIRE_DATA")
}

/** The folder of published schemas and vectors. */
export const published = join(root, "test/data")

/** A JSON file of `test/data`. */
export const publishedJson = (path: string): any => JSON.parse(readFileSync(join(published, path), "utf8"))
