/**
 * Describes one fuzz case as data: the calls to make, and the tool's answer to each execution.
 *
 * A case contains everything needed to run it again, so that a failing case can be printed as a test.
 *
 * **Details**
 *
 * Texts may contain marks for canaries (`Canary`), which must not reach a model. A case pasted into a repository therefore
 * contains nothing that a secret scanner would find.
 */
import type { Crash, FailureName, OddName } from "./HandlerFailure.ts"

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** A call of a model or a program. */
export interface FuzzCall {
  /** The text that a model sends, valid or not, or a value. */
  readonly arguments: Json
  /** Default: the name of the tool. */
  readonly name?: string
  /** Default: an id that is unique in the case. */
  readonly id?: string
  /** True if the model's output was truncated in the middle of the call. */
  readonly isCut?: true
}

/** When the tool answers, and when its effect happens. */
interface Timing {
  /** Milliseconds until the tool answers. Default: 0. */
  readonly after?: number
  /**
   * The effect of a write happens although the answer does not prove that. Default: false. Evidence in the answer takes
   * precedence: a value proves that the effect has happened, and a refused connection proves that it has not happened.
   */
  readonly done?: true
  /** The handler ignores interruption, and its effect happens just before it answers. */
  readonly stubborn?: true
}

/** The content of the answer of one execution. */
type AnswerContent =
  /** A value in encoded form. The handler decodes the value before it returns it, if decoding is possible. */
  | { readonly _tag: "Value"; readonly value: Json }
  /** The encoded JSON of a value, padded to a size in bytes. */
  | { readonly _tag: "Large"; readonly value: Json; readonly bytes: number }
  /** A value with a part that JSON cannot represent. */
  | { readonly _tag: "Odd"; readonly value: Json; readonly odd: OddName }
  /** A text that arrives completely. */
  | { readonly _tag: "Text"; readonly text: string }
  /** A text after which the connection is reset. */
  | { readonly _tag: "Cut"; readonly text: string }
  /** An HTTP response. */
  | {
      readonly _tag: "Response"
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: string
    }
  /** The handler fails. */
  | { readonly _tag: "Fault"; readonly fault: FailureName }
  /** The handler ends without an answer or a failure. */
  | { readonly _tag: "Crash"; readonly crash: Crash }
  /** The handler never answers. */
  | { readonly _tag: "Silence" }
  /** The tool's own handler runs. */
  | { readonly _tag: "Handler" }

/** The answer of one execution of the tool, and its timing. */
export type FuzzAnswer = Timing & AnswerContent

/** The calls of a case, and the answers of its tool. */
export interface FuzzCase {
  /**
   * Who calls: `model` calls by name (`Toolbox.answer`), `program` calls the tool (`Tool.call`), `loop` is a model in the
   * agent loop. Default: `model`.
   */
  readonly caller?: "model" | "program" | "loop"
  /** Makes the calls concurrently, as in one round. By default they are made one after the other, in one turn. */
  readonly together?: true
  /** How the approver answers. Default: `approves`. */
  readonly person?: "approves" | "denies" | "absent"
  readonly calls: ReadonlyArray<FuzzCall>
  /**
   * One answer for each execution, counted over all calls. Further executions get the last answer. If the list is
   * empty, the tool crashes.
   */
  readonly answers: ReadonlyArray<FuzzAnswer>
}
