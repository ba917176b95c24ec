/**
 * `read_result`: the tool with which a model reads, part by part, what was too large to be given whole (SPEC 4.14).
 *
 * **When to use**
 *
 * `Agent.run` gives it to the model by itself, as soon as the conversation holds a link. A host with a loop of its own puts
 * it into its toolbox and provides `ReadResult.layerGuard`; where it is not in the box no links are given.
 *
 * **Details**
 *
 * - A link is good in its own conversation alone (`Guard.turn`), until its time is over: 24 hours, or `ArtifactLifetime`.
 * - `offset` and `limit` count the elements of a list, the members of an object, the characters of a text at `path`.
 */
import * as ReadResultContract from "#domain/envelope/artifact/ReadResult"
import * as ArtifactPage from "#domain/envelope/artifact/ArtifactPage"
import { ToolArgError, Transient } from "#domain/failure/Failure"
import { codes } from "#domain/failure/FailureCode"
import { CurrentTurn } from "#services/CurrentTurn"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type Guard, GuardedTurn } from "#src/guard/Guard"
import * as GuardedTool from "./GuardedTool.ts"

type Arguments = (typeof ReadResultContract.parameters)["Type"]

export class ReadResult extends GuardedTool.Service<ReadResult>()("read_result", {
  description: ReadResultContract.description,
  access: "read",
  parameters: ReadResultContract.parameters,
  success: ReadResultContract.success
}) {
  /** Reads from the artifacts of the guard. */
  static readonly layerGuard: Layer.Layer<ReadResult, never, Guard> = ReadResult.layer(
    Effect.map(GuardedTurn, (guard) => (args: Arguments) => read(guard, args))
  )
}

const read = (guard: GuardedTurn["Service"], args: Arguments) =>
  Effect.gen(function* () {
    const turn = yield* CurrentTurn
    const text =
      turn === undefined ? undefined : yield* Effect.mapError(guard.kept(turn, args.resource_url), unreachable)
    if (text === undefined) return yield* Effect.fail(unknown)
    const page = ArtifactPage.read(JSON.parse(text), args)
    return Result.isSuccess(page)
      ? (page.success as (typeof ReadResultContract.success)["Type"])
      : yield* Effect.fail(wrong(page.failure))
  })

const fields = { tool: ReadResultContract.name, sideEffect: "none", traceId: "" } as const

/** The same for all that cannot be read: whose it is, is nobody's business. */
const unknown = new ToolArgError({
  ...fields,
  code: "unknown_reference",
  detail: "Nothing can be read under this resource_url: there is nothing, or its time is over.",
  hint: "Send a resource_url as it was given in this conversation, or call the tool that gave it again.",
  fields: ["resource_url"]
})

const wrong = ({ detail, field }: ArtifactPage.Refused) =>
  new ToolArgError({
    ...fields,
    code: "unknown_reference",
    detail,
    hint: codes.unknown_reference.hint,
    fields: [field]
  })

const unreachable = (cause: unknown) =>
  new Transient({
    ...fields,
    code: "unavailable",
    detail: "The store of the large results does not answer.",
    hint: "Go on with the preview, or try again later.",
    cause
  })
