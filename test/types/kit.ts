/** Assertions on types: a file compiles only if its assertions are true. */

/** True if two types are identical for the compiler, including modifiers and `any`. */
export type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only if its type argument is `true`. */
export const assertType: <T extends true>() => T | void = () => undefined
