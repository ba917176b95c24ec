/**
 * Lists deliberate defects of the guard, which the simulation must find.
 *
 * - `no claim`: the stage that claims idempotency keys is missing.
 * - `no lease`: claims of keys and of runs can be taken over immediately, and the new owner of a key is not informed.
 * - `early answers`: the store of checkpoints answers before a row is on disk, so a crash loses the row.
 * - `no release`: a run that ends without being completed, as at a shutdown, keeps its lease.
 * - `no refusals`: a process that shuts down continues to make new calls and to start new rounds.
 */
export const sabotages = ["no claim", "no lease", "early answers", "no release", "no refusals"] as const
export type Sabotage = (typeof sabotages)[number]
