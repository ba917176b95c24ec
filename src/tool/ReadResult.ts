/**
 * The tool `read_result`, with which a model reads a large result in parts [4.14].
 *
 * **When to use**
 *
 * `Agent.run` offers the tool to the model as soon as the conversation contains a link. Any other host adds the tool to
 * its toolbox and provides `ReadResult.layerGuard`. Without the tool in the toolbox, the model gets no links.
 *
 * **Details**
 *
 * - A link is valid only in its conversation (`Guard.turn`), for the `ArtifactLifetime`: 24 hours by default.
 * - `offset` and `limit` count elements of a list, members of an object, or characters of a text at `path`.
 */
import * as ReadResultContract from "#domain/envelope/artifact/ReadResult"
import * as ArtifactPage from "#domain/envelope/artifact/ArtifactPage"
import * as Failure from "#domain/failure/Failure"
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
      turn === undefined ? undefined : yield* Effect.mapError(guard.readKept(turn, args.resource_url), unreachable)
    if (text === undefined) return yield* Effect.fail(unknown)
    const page = ArtifactPage.read(JSON.parse(text), args)
    return Result.isSuccess(page)
      ? // a page has the shape of its schema
        (page.success as (typeof ReadResultContract.success)["Type"])
      : yield* Effect.fail(wrong(page.failure))
  })

/** The same failure for everything that cannot be read, so that it reveals nothing about other conversations. */
const unknown = Failure.ofCode("unknown_reference", {
  tool: ReadResultContract.name,
  detail: "This resource_url cannot be read: it does not exist, or it has expired.",
  hint: "Send a resource_url exactly as it appears in this conversation, or repeat the call that returned it.",
  fields: ["resource_url"]
})

const wrong = ({ detail, field }: ArtifactPage.PageRefusal) =>
  Failure.ofCode("unknown_reference", { tool: ReadResultContract.name, detail, fields: [field] })

const unreachable = (cause: unknown) =>
  Failure.ofCode("unavailable", {
    tool: ReadResultContract.name,
    detail: "The store of large results is unavailable.",
    hint: "Continue with the preview, or try again later.",
    cause
  })
