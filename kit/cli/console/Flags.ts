/** Flags that several commands share. */
import * as Flag from "effect/cli/Flag"

export const database = Flag.String("database").pipe(
  Flag.withAlias("d"),
  Flag.withMetavar("<file|url>"),
  Flag.withDescription("SQLite file or postgres:// URL. Default: TOOLGUARD_DATABASE"),
  Flag.optional
)

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON object and nothing else. Default: false"),
  Flag.withDefault(false)
)
