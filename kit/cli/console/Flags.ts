/** Defines the flags that several commands share. */
import * as Flag from "effect/cli/Flag"

/** `--database`: the database of the guard's stores. */
export const database = Flag.String("database").pipe(
  Flag.withAlias("d"),
  Flag.withMetavar("<file|url>"),
  Flag.withDescription("SQLite file or postgres:// URL. Default: TOOLGUARD_DATABASE"),
  Flag.optional
)

/** `--json`: output for programs. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON object and nothing else. Default: false"),
  Flag.withDefault(false)
)
