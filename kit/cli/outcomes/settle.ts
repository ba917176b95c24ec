/** `toolguard outcomes settle`: records whether a call with an unknown outcome was done. */
import {
  longestReason,
  longestResult,
  type NewSettlement,
  type UnknownOutcome
} from "effect-toolguard/internal/domain/approval/UnknownOutcome"
import { systemUser } from "effect-toolguard/internal/layers/terminal/SystemUser"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Json from "#kit/cli/console/Json"
import { database, json } from "#kit/cli/console/Flags"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import { using } from "./OutcomeDatabase.ts"

const id = Argument.String("id").pipe(Argument.withDescription("Id of the outcome, or its URL"))
const done = Flag.Boolean("done").pipe(
  Flag.withDescription("The call was done: identical calls get --result. Default: false"),
  Flag.withDefault(false)
)
const notDone = Flag.Boolean("not-done").pipe(
  Flag.withDescription("The call was not done: the next identical call is made. Default: false"),
  Flag.withDefault(false)
)
const result = Flag.String("result").pipe(
  Flag.withMetavar("<json>"),
  Flag.withDescription("Result of the call, as JSON. Default: none; the model reads that the call was done"),
  Flag.optional
)
const by = Flag.String("by").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Name stored with the settlement. Default: the user of this machine"),
  Flag.optional
)
const reason = Flag.String("reason").pipe(
  Flag.withAlias("r"),
  Flag.withMetavar("<text>"),
  Flag.withDescription("How you know; stored with the settlement. Default: none"),
  Flag.withDefault("")
)

const parse = Schema.decodeOption(Schema.fromJsonString(Schema.Json))

interface Options {
  readonly done: boolean
  readonly notDone: boolean
  readonly result: Option.Option<string>
  readonly by: Option.Option<string>
  readonly reason: string
}

/** Checks the flags. */
const settlingOf = ({ by, done, notDone, reason, result }: Options): Effect.Effect<NewSettlement, Problem> => {
  const name = Option.getOrElse(by, systemUser)
  const text = Option.getOrUndefined(result)
  const value = text === undefined ? Option.none() : parse(text)
  if (done === notDone) return misuse("Was the call done?", "Pass either --done or --not-done.")
  if (notDone && text !== undefined) return misuse("A call that was not done has no result.", "Leave --result out.")
  if (name.trim() === "") return misuse("--by is empty.", "Name who settles the outcome, or leave the flag out.")
  if (reason.length > longestReason) {
    return misuse(`The reason has ${reason.length} characters.`, `Write at most ${longestReason}.`)
  }
  if (text !== undefined && text.length > longestResult) {
    return misuse(`The result has ${text.length} characters.`, `Write at most ${longestResult}.`)
  }
  if (text !== undefined && Option.isNone(value)) {
    return misuse("--result is not JSON.", `Write a string in quotes: --result '"R-1"'.`)
  }
  return Effect.succeed({
    finding: done ? "done" : "not_done",
    result: Option.getOrUndefined(value),
    by: name,
    reason
  })
}

const sentenceOf = ({ settlement, tool }: UnknownOutcome): string =>
  `${shown(settlement?.by ?? "")} found that ${shown(tool)} was ${settlement?.finding === "done" ? "" : "not "}done`

export const settle = Command.make(
  "settle",
  { id, done, notDone, result, by, reason, database, json },
  Effect.fnUntraced(function* ({ database, id, json, ...options }) {
    const settling = yield* settlingOf(options)
    const name = id.trim().split("/").at(-1) ?? ""
    const settled = yield* using(database, (outcomes) => outcomes.settle(name, settling))
    if (settled === undefined) {
      return yield* problem(`There is no unknown outcome ${shown(id)}.`, "See toolguard outcomes.")
    }
    const { outcome } = settled
    if (settled._tag === "Refused") {
      const ago = inWords((yield* Clock.currentTimeMillis) - (outcome.settlement?.at ?? 0))
      return yield* problem(`${sentenceOf(outcome)} ${ago} ago.`, "The first settlement counts. Nothing was changed.")
    }
    yield* Console.log(json ? Json.text(outcome) : `${sentenceOf(outcome)}.`)
  })
).pipe(
  Command.withShortDescription("Record whether the call was done"),
  Command.withExamples([
    {
      command: `toolguard outcomes settle 4f3a… --done --result '{"refund":"R-1"}'`,
      description: "It was done: identical calls get this result"
    },
    {
      command: `toolguard outcomes settle 4f3a… --not-done --reason "not in the bank's list"`,
      description: "It was not done: the next identical call is made"
    }
  ])
)
