/** A promise of the guard: says in a sentence how it was broken, or nothing where it was kept. */
import type { FuzzCase } from "#src/operate/fuzz/FuzzCase"
import type { Played } from "#src/operate/fuzz/Played"
import type { Subject } from "#src/operate/fuzz/Subject"

export type Promised = (subject: Subject, fuzzCase: FuzzCase, played: Played) => string | undefined
