/** The error of a database that cannot be used: its name, the cause and the remedy. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

/** A database cannot be used. `place` names it without its password; `remedy` says what to do. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>(
  "effect-toolguard/DatabaseUnavailable"
)("DatabaseUnavailable", { place: Schema.String, remedy: Schema.String, cause: Schema.Defect() }) {
  override get message(): string {
    return `Cannot use ${this.place}. ${this.remedy}`
  }
}

/** `DatabaseUnavailable` from its fields. */
export const databaseUnavailable = (place: string, remedy: string, cause: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable({ place, remedy, cause })

/** The name of the database that the stores use, for messages and without its password. The layer that connects sets it. */
export const DatabasePlace: Context.Reference<string> = Context.Reference("effect-toolguard/DatabasePlace", {
  defaultValue: () => "the database of the stores"
})
