/**
 * Takes out of texts and values what a model, a person or a log must not read (SPEC 4.15).
 *
 * **Details**
 *
 * - Pure functions of their arguments, total, and without effects: the same value always gives the same result.
 * - What is taken out is replaced by `[redacted]`. What holds nothing of the kind comes back as it is, the same object.
 *
 * Every layer keeps the promises that `test/contracts/Redactor.ts` checks.
 */
import type { Failure } from "#domain/failure/Failure"
import * as Context from "effect/Context"
import type * as SchemaAST from "effect/SchemaAST"

export class Redactor extends Context.Service<
  Redactor,
  {
    /**
     * Takes secrets, stack traces and absolute paths of the host out of a failure's texts. Paths that stand in `input`, the
     * arguments as the model sent them, stay. `cause`, which no model reads, is left as it is.
     */
    readonly failure: (failure: Failure, input?: unknown) => Failure
    /**
     * Takes secrets out of an encoded result (or arguments), by the layer's policy. Keeps the structure. `shape`: the
     * schema of a value that its decoder or encoder has just made. It changes nothing but the time, for all fields of the
     * value are then known.
     */
    readonly data: (value: unknown, shape?: SchemaAST.AST) => unknown
    /** Takes secrets out of a text, such as a line of a log or a sentence for a person. */
    readonly text: (text: string) => string
  }
>()("effect-toolguard/Redactor") {}
