/** Describes one attempt of a handler as data, so that another implementation can do the same. */
import type { FailureTag, SideEffect } from "#domain/failure/Failure"

/** An answer over HTTP. */
export interface HttpAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** How the upstream breaks off: in the body, before the head, by never answering, or by accepting no connection. */
  readonly ends?: "cut" | "reset" | "silence" | "refused"
  /** True if the handler reads the body, and then returns the response. Default false. */
  readonly isRead?: true
}

/** The fields of an error. */
export interface ErrorFields {
  readonly message: string
  readonly _tag?: string
  readonly code?: string
  readonly status?: number
}

/** A failure of one of the eight classes. */
export interface TypedFailure {
  readonly class: FailureTag
  readonly code: string
  readonly side_effect: SideEffect
}

/** One way in which a handler ends. */
export type HandlerEnd =
  /** Returns a value. */
  | { readonly value: unknown }
  /** Returns the response of an HTTP upstream, or fails with the error of its client. */
  | { readonly http: HttpAnswer }
  /**
   * Fails with an error. `states` is the handler's statement of what was done, and `beside` states how another part of
   * the handler ends at the same time.
   */
  | {
      readonly error: ErrorFields
      readonly states?: "nothingDone" | "done" | "unknown"
      readonly beside?: "crash" | "interruption" | "reset"
    }
  /** Fails with one of the eight failures. */
  | { readonly failure: TypedFailure }
  /** Fails with a declared refusal. */
  | { readonly refusal: { readonly _tag: "OutOfStock"; readonly left: number } }
  /** A promise of the handler rejects with a text. */
  | { readonly rejects: string }
  /** Fails with a timeout of Effect. */
  | { readonly ends: "timeout" }
  /** Throws, or interrupts itself. */
  | { readonly ends: "crash"; readonly throws?: { readonly status: number } }
  | { readonly ends: "interruption" }
