/** Types as assertions: a file that holds one compiles only where the assertion is true. */

/** True where two types are the same to the compiler, modifiers and `any` included. */
export type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles where its type argument is `true`. */
export const assertType: <T extends true>() => T | void = () => undefined
