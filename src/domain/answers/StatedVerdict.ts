/**
 * Checks that add the failures stated by a tool's own answers to the type of the tool [3.4, 4.10].
 *
 * An answer that states in an envelope that it is incomplete, or makes no sense, is PartialData or SemanticGarbage for
 * a model. The type of a program's call has these failures only if a check can return them. Each of these checks adds
 * one of them, and the guard then reads the envelope for programs too. The envelope has been removed when checks run,
 * so the checks themselves accept every result.
 */
import type { Check, CheckContext } from "#domain/tool/ToolDefinition"
import { type GarbageVerdict, ok, type OkVerdict, type PartialVerdict } from "#domain/tool/Verdict"

/** The arguments that an answer may change. A tool without parameters has nothing to change. */
export type StatedNext<Args> = [keyof Args] extends [never] ? undefined : Partial<Args> | undefined

/**
 * Passes the envelope of an incomplete result, `{"status": "partial", "data": …, "error": {"next": …}}`, to programs as
 * PartialData: `data` decoded by `success`, and `next` if the parameters accept it.
 *
 * **Gotchas**
 *
 * Put the function itself in `checks`. The guard does not recognise it inside another function.
 *
 * **Example** (The envelope of an incomplete result)
 *
 * ```ts import.meta.vitest
 * import { Effect, Schema } from "effect"
 * import { Guard, GuardedTool, statedPartial } from "effect-toolguard"
 *
 * class ListRows extends GuardedTool.Service<ListRows>()("list_rows", {
 *   description: "Lists the rows of the report. Read-only.",
 *   access: "read",
 *   parameters: Schema.Struct({ page: Schema.Int }),
 *   success: Schema.Array(Schema.String),
 *   checks: { statedPartial }
 * }) {}
 *
 * const layer = ListRows.layer(() =>
 *   Effect.succeed('{"status":"partial","data":["a"],"error":{"message":"9 rows are left.","next":{"page":2}}}')
 * )
 *
 * const rows = await ListRows.call({ page: 1 }).pipe(
 *   Effect.catchTag("PartialData", ({ data, next }) => Effect.succeed({ data, next })),
 *   Effect.provide([layer, Guard.layerMemory]),
 *   Effect.runPromise
 * )
 * rows // => { data: ["a"], next: { page: 2 } }
 * ```
 */
export const statedPartial = <R, Args>(
  _result: R,
  _context: CheckContext<Args, R>
): OkVerdict | PartialVerdict<StatedNext<Args>> => ok

/**
 * Passes an error with the class `semantic_garbage`, such as `{"status": "error", "error": {"error_class":
 * "semantic_garbage", …}}`, to programs as SemanticGarbage. Without this check it is Permanent for programs.
 *
 * **Details**
 *
 * - The error may be an answer, a failure of the handler, or the body of a response with an HTTP error.
 * - The code is the code of the error, by default `stated_garbage`.
 *
 * **Gotchas**
 *
 * Put the function itself in `checks`. The guard does not recognise it inside another function.
 *
 * **Example** (A tool that rejects its own result)
 *
 * ```ts import.meta.vitest
 * import { Effect, Schema } from "effect"
 * import { Guard, GuardedTool, statedGarbage } from "effect-toolguard"
 *
 * class ReadSensor extends GuardedTool.Service<ReadSensor>()("read_sensor", {
 *   description: "Reads the temperature of a room. Read-only.",
 *   access: "read",
 *   parameters: Schema.Struct({ room: Schema.String }),
 *   success: Schema.Finite,
 *   checks: { statedGarbage }
 * }) {}
 *
 * const layer = ReadSensor.layer(() =>
 *   Effect.fail({ error_class: "semantic_garbage", code: "WRONG_UNIT", message: "The sensor reports Fahrenheit." })
 * )
 *
 * const code = await ReadSensor.call({ room: "R-1" }).pipe(
 *   Effect.catchTag("SemanticGarbage", ({ code }) => Effect.succeed(code)),
 *   Effect.provide([layer, Guard.layerMemory]),
 *   Effect.runPromise
 * )
 * code // => "wrong_unit"
 * ```
 */
export const statedGarbage = (_result: unknown, _context?: unknown): OkVerdict | GarbageVerdict => ok

/** True if a tool passes incomplete results to programs as PartialData. */
export const hasPartial = (checks: ReadonlyArray<Check>): boolean => checks.some(({ run }) => run === statedPartial)

/** True if a tool passes errors of the class `semantic_garbage` to programs as SemanticGarbage. */
export const hasGarbage = (checks: ReadonlyArray<Check>): boolean => checks.some(({ run }) => run === statedGarbage)
