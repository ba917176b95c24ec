/** A promise of the guard: says in a sentence how it was broken, or nothing where it was kept. */
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import type { Played } from "#kit/fuzz/play/Played"
import type { Subject } from "#kit/fuzz/cases/Subject"

export type Promised = (subject: Subject, fuzzCase: FuzzCase, played: Played) => string | undefined
