/**
 * Computes how certain a guess is: the chance that the next sample violates a guess that `n` different samples confirm.
 *
 * By the rule of succession this chance is 1 / (n + 2) without prior knowledge. Most fields never change their shape, and
 * some kinds of guesses fail more often than others, so the chance is weighted with a prior per kind of guess.
 *
 * A field's type and presence are taken from the samples without this test: fewer than one in three hundred fields of the
 * first object of a kind are missing or null in the next object.
 */

/** The prior: the share of guesses of a kind that are wrong before any sample was seen. */
export const prior = {
  /** A field with the time of an event is null before the event. */
  present: 0.1,
  /** A field of an optional object that was always present is optional. */
  required: 0.06,
  /** The only field of an object, under an unspecific name, has another type. */
  content: 0.05,
  /** A number that was always whole may have decimals. */
  integer: 0.1,
  /** The same, for a field whose name suggests a count. */
  count: 0.02,
  /** Texts that always had one format may have a different one. */
  format: 0.03,
  /** The same, for a field whose name suggests the format. */
  namedFormat: 0.02,
  /** The same, for formats that people type. */
  looseFormat: 0.2,
  /** Ids that always matched one pattern may match a different one. */
  pattern: 0.3,
  /** A text that always contained JSON may contain something else. */
  held: 0.05,
  /** An enum has a further value; to be multiplied by the number of values seen. */
  choice: 0.1
} as const

/** The maximum chance of violation at which a guess is used. */
export const acceptable = 0.005

/** The chance that the next sample violates a guess. */
export const chance = (prior: number, samples: number): number => prior / (samples + 2)

/** True if a guess is certain enough. */
export const isSure = (prior: number, samples: number): boolean => chance(prior, samples) <= acceptable
