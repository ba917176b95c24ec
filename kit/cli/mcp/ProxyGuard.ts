/**
 * Creates the guard of a proxy. Its stores are in memory or in a database. People decide in the client or in the inbox.
 * Call records can be written to a file.
 */
import * as CallLogFile from "effect-toolguard/layers/CallLogFile"
import * as EscalationHttp from "effect-toolguard/layers/EscalationHttp"
import * as EscalationMemory from "effect-toolguard/layers/EscalationMemory"
import * as RedactorMemory from "effect-toolguard/layers/RedactorMemory"
import { CallLog } from "effect-toolguard/services/CallLog"
import type { Redactor } from "effect-toolguard/services/Redactor"
import { Guard } from "effect-toolguard/internal/guard/Guard"
import * as Elicitation from "#kit/proxy/Elicitation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { atRest } from "#kit/cli/console/AtRest"
import * as Database from "#kit/cli/console/Database"
import type { Problem } from "#kit/cli/console/Problem"

interface ProxyGuardOptions {
  readonly database: Option.Option<string>
  /** The address of the inbox of the database, for people. */
  readonly publicUrl: string
  /** The file of call records. */
  readonly log: Option.Option<string>
}

/** Provides the guard and the redactor. */
export const layer = ({ database, log, publicUrl }: ProxyGuardOptions): Layer.Layer<Guard | Redactor, Problem> => {
  const file = Option.map(log, (path) => Layer.provide(CallLogFile.layer(path), atRest))
  if (Option.isNone(database)) {
    const people = Elicitation.layer.pipe(Layer.provide(EscalationMemory.layer))
    return Guard.layerMemoryWith(
      Layer.mergeAll(
        people,
        RedactorMemory.layer,
        Option.getOrElse(file, () => Layer.empty)
      )
    )
  }
  const stores = Database.stores(database)
  const people = Elicitation.layer.pipe(Layer.provide(EscalationHttp.layer({ publicUrl })))
  const services = Layer.mergeAll(people, RedactorMemory.layer).pipe(Layer.provideMerge(stores))
  return Guard.layerMemoryWith(
    Option.match(file, {
      onNone: () => services,
      onSome: (file) => Layer.provideMerge(withFile(file), services)
    })
  )
}

/** Writes records to the call log of the database and to the file. */
const withFile = (file: Layer.Layer<CallLog, Problem>): Layer.Layer<CallLog, Problem, CallLog> =>
  Layer.effect(
    CallLog,
    Effect.gen(function* () {
      const first = yield* CallLog
      const second = yield* Effect.map(Layer.build(file), (context) => Effect.provideContext(CallLog, context))
      const { append, appendLate } = yield* second
      return {
        ...first,
        append: (record) => {
          first.append(record)
          append(record)
        },
        appendLate: (late) => {
          first.appendLate(late)
          appendLate(late)
        }
      }
    })
  )
