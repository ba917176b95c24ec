/** Where the recorded data lies, and whether it is there. In CI it must be. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"

export const data = resolve(process.env["TOOLGUARD_DATA"] ?? "../shared/data")

/** False where the data is absent (a fresh clone): such tests skip. With `REQUIRE_SERVERS=1` they run, and fail. */
export const hasData = existsSync(data) || process.env["REQUIRE_SERVERS"] === "1"
