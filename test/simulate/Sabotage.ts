/**
 * Lists deliberate defects of the guard, which the simulation must find.
 *
 * - `no claim`: the stage that claims idempotency keys is missing.
 * - `no lease`: claims of keys and of runs can be taken over at once.
 * - `early answers`: the store of checkpoints answers before a row is on disk, so that a crash loses the row.
 */
export const sabotages = ["no claim", "no lease", "early answers"] as const
export type Sabotage = (typeof sabotages)[number]
