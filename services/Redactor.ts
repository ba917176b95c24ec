/**
 * Removes secrets, stack traces and host paths from texts and values for models, people and logs [4.15].
 *
 * **Details**
 *
 * - All functions are pure, and never throw.
 * - `[redacted]` replaces a removed secret or path; stack traces are removed without a mark. A value without removed parts
 *   is returned as the same object.
 *
 * Contract: `test/contracts/Redactor.ts`.
 */
import type { Failure } from "#domain/failure/Failure"
import type { Steps } from "#domain/json/Steps"
import * as Context from "effect/Context"
import type * as SchemaAST from "effect/SchemaAST"

export class Redactor extends Context.Service<
  Redactor,
  {
    /**
     * Removes secrets, stack traces and absolute paths of the host from a failure's texts. Paths in `input`, the
     * arguments as the model sent them, are kept. `cause` is unchanged, because no model reads it.
     */
    readonly failure: (failure: Failure, input?: unknown) => Failure
    /**
     * Removes secrets from an encoded result or from arguments, and keeps the structure. `shape` is the schema that has
     * just decoded or encoded the value. It saves time and does not change the result.
     */
    readonly data: (value: unknown, shape?: SchemaAST.AST) => unknown
    /**
     * Returns the same as `data`, in steps of a few milliseconds each, so that other work can run while a large result is
     * read. Without this function, a large result is read at once.
     */
    readonly dataInSteps?: (value: unknown) => Steps<unknown>
    /** Removes secrets from a text, such as a log line or a sentence for a person. */
    readonly text: (text: string) => string
  }
>()("effect-toolguard/Redactor") {}
