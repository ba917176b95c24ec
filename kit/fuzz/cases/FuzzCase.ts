/**
 * One case of a fuzz run as data: which calls are made, and what the tool answers each time that it is run.
 *
 * It is all that is needed to run the case again, so that a failing one can be printed as a test.
 *
 * **Details**
 *
 * Texts may hold marks that stand for what must not reach a model (`Canary`): a case that is pasted into a repository holds
 * nothing that a scanner of secrets would find.
 */
import type { Crash, FaultName, OddName } from "./Fault.ts"

/** What JSON can hold. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** A call, as a model or a program makes it. */
export interface FuzzCall {
  /** Text as a model writes it, valid or not; or a value. */
  readonly arguments: Json
  /** Default: the name of the tool. */
  readonly name?: string
  /** Default: one that no other call of the case has. */
  readonly id?: string
  /** The model's output ended in the middle of the call. */
  readonly isCut?: true
}

/** When the tool answers, and what happens to the world meanwhile. */
interface Timing {
  /** Milliseconds before it answers. Default 0. */
  readonly after?: number
  /**
   * The effect of a write happens, though its answer does not say so. Default false. What the answer proves counts more: a
   * value has been done, a refused connection has not.
   */
  readonly done?: true
  /** It ignores that it is interrupted, and does its effect at the end. */
  readonly stubborn?: true
}

/** What one execution of the tool comes to. */
export type FuzzAnswer = Timing &
  (
    | /** A value: encoded, and given decoded where it decodes. */
      { readonly _tag: "Value"; readonly value: Json } /** The encoded JSON of a value, filled up to a size. */
    | {
        readonly _tag: "Large"
        readonly value: Json
        readonly bytes: number
      } /** A value in which something stands that JSON cannot hold. */
    | { readonly _tag: "Odd"; readonly value: Json; readonly odd: OddName } /** A text that came completely. */
    | { readonly _tag: "Text"; readonly text: string } /** A text after which the connection broke. */
    | { readonly _tag: "Cut"; readonly text: string }
    | {
        readonly _tag: "Response"
        readonly status: number
        readonly headers?: Readonly<Record<string, string>>
        readonly body: string
      } /** The handler fails. */
    | { readonly _tag: "Fault"; readonly fault: FaultName } /** The handler ends without an answer or a failure. */
    | { readonly _tag: "Crash"; readonly crash: Crash } /** No answer, ever. */
    | { readonly _tag: "Silence" } /** The tool's own handler is run. */
    | { readonly _tag: "Handler" }
  )

export interface FuzzCase {
  /**
   * Who calls: a model by name (`Toolbox.answer`), a program (`Tool.call`), or a model in the agent loop. Default: a model.
   */
  readonly caller?: "model" | "program" | "loop"
  /** The calls are made at once, as in one round. Default: one after the other, in one turn. */
  readonly together?: true
  /** What a person says who is asked. Default: approves. */
  readonly person?: "approves" | "denies" | "absent"
  readonly calls: ReadonlyArray<FuzzCall>
  /** By execution, over all calls; after the last one it is given again and again. Without any the tool crashes. */
  readonly answers: ReadonlyArray<FuzzAnswer>
}
