/** A database that cannot be used: which one, why, and what to do about it. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

/** Names the database without its password. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>(
  "effect-toolguard/DatabaseUnavailable"
)("DatabaseUnavailable", { place: Schema.String, remedy: Schema.String, cause: Schema.Defect() }) {
  override get message(): string {
    return `Cannot use ${this.place}. ${this.remedy}`
  }
}

export const databaseUnavailable = (place: string, remedy: string, cause: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable({ place, remedy, cause })

/** The database that the stores use, in words and without its password. The layers that connect say it. */
export const DatabasePlace: Context.Reference<string> = Context.Reference("effect-toolguard/DatabasePlace", {
  defaultValue: () => "the database of the stores"
})
