/**
 * Statements of a handler about its own side effect, wrapped around any error [3.5]: `nothingDone`, `done`, `unknown`.
 *
 * The statement decides the side effect of the call. Class, code and detail still come from the wrapped error.
 */
import type { SideEffect } from "./Failure.ts"

const brand: unique symbol = Symbol.for("effect-toolguard/StatedEffect")

/** An error with the side effect that its handler stated. */
export interface StatedEffect<out E = unknown> extends Error {
  readonly [brand]: SideEffect
  /** The wrapped error. */
  readonly cause: E
}

const messageOf = (error: unknown): string => {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return ""
  }
}

const state = <E>(error: E, sideEffect: SideEffect): StatedEffect<E> =>
  Object.assign(new Error(messageOf(error), { cause: error }), { [brand]: sideEffect }) as unknown as StatedEffect<E> // `cause` is `error`

/**
 * States that the call changed nothing before it failed: it may be repeated, and fallbacks may run.
 *
 * Use it around an error that does not prove this itself, such as a database error "ticket is already closed".
 */
export const nothingDone = <E>(error: E): StatedEffect<E> => state(error, "none")

/** States that the action was done before the error: the model reads "was done, then: …" and must not call again. */
export const done = <E>(error: E): StatedEffect<E> => state(error, "committed")

/**
 * States that it is not known whether the action was done, although the error looks like a refusal, for example if a
 * lookup fails with 404 after the payment was sent.
 */
export const unknown = <E>(error: E): StatedEffect<E> => state(error, "unknown")

/** Returns the side effect that an error states; `undefined` if the error is not a statement of a handler. */
export const sideEffectOf = (error: unknown): SideEffect | undefined => {
  try {
    const stated = (error as Partial<StatedEffect>)[brand]
    return stated === "none" || stated === "committed" || stated === "unknown" ? stated : undefined
  } catch {
    return undefined
  }
}

/** Returns the error without the statements around it. */
export const inner = (error: unknown): unknown => {
  let current = error
  for (let depth = 0; depth < 48; depth++) {
    if (sideEffectOf(current) === undefined) return current
    current = (current as StatedEffect).cause
  }
  return current
}
