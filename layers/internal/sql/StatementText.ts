/**
 * Builds the text of statements once, and runs it with other values. Building a text from fragments costs more than
 * running a short statement.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import type { Time } from "./StoreTime.ts"

/** Returns the place of a value in a statement. */
export type Value<Values> = (name: keyof Values & string) => Statement.Fragment

/** Builds statements from the places of their values and the time of the store. */
export type Build<Values, Row> = (value: Value<Values>, time: Time) => ReadonlyArray<Statement.Statement<Row>>

/** A placeholder for a value that is bound when the statement runs. */
class Place<Values> {
  readonly name: keyof Values & string
  constructor(name: keyof Values & string) {
    this.name = name
  }
}

const parameter = (value: unknown) => Statement.fragment([Statement.parameter(value)])

interface Text {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

/** Runs statements of `Build`, in order. */
type RunStatements = <Row extends object>(
  statements: ReadonlyArray<Statement.Statement<Row>>
) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/**
 * Returns the function that runs the statements with values. The text is built at the first use if the time is an
 * expression of the database, and otherwise at each use, because it then contains the time of this process.
 */
export const make = <Values extends object, Row extends object>(
  sql: SqlClient,
  time: Time | Effect.Effect<Time>,
  build: Build<Values, Row>,
  run: RunStatements
): ((values: Values) => Effect.Effect<ReadonlyArray<Row>, SqlError>) => {
  if (Effect.isEffect(time))
    return (values) => Effect.flatMap(time, (now) => run(build((name) => parameter(values[name]), now)))
  let texts: ReadonlyArray<Text> | undefined
  return (values) =>
    Effect.suspend(() => {
      texts ??= build((name) => parameter(new Place<Values>(name)), time).map((statement) => {
        const [text, params] = statement.compile()
        return { text, params }
      })
      return run(
        texts.map(({ params, text }) =>
          sql.unsafe<Row>(
            text,
            params.map((param) => (param instanceof Place ? values[(param as Place<Values>).name] : param))
          )
        )
      )
    })
}
