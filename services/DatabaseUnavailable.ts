/** Reports a database that cannot be used, with the name of the database, the cause and the remedy. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

/** A database cannot be used. `place` names the database without its password, and `remedy` says what to do. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>(
  "effect-toolguard/DatabaseUnavailable"
)("DatabaseUnavailable", { place: Schema.String, remedy: Schema.String, cause: Schema.Defect() }) {
  override get message(): string {
    return `Cannot use ${this.place}. ${this.remedy}`
  }
}

/** Creates a `DatabaseUnavailable` from its fields. */
export const databaseUnavailable = (place: string, remedy: string, cause: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable({ place, remedy, cause })

/** The name of the stores' database for messages, without the password. The layer that connects sets this name. */
export const DatabasePlace: Context.Reference<string> = Context.Reference("effect-toolguard/DatabasePlace", {
  defaultValue: () => "the database of the stores"
})
