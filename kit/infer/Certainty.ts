/**
 * Computes how certain a guess is: the chance that the next sample violates a guess that `n` different samples confirm.
 *
 * Without prior knowledge, this chance is 1 / (n + 2) by the rule of succession. But most fields never change their
 * shape, and some kinds of guesses fail more often than others. So the chance is weighted with a prior for each kind of
 * guess.
 *
 * A field's type and presence are taken from the samples without a test of certainty. Fewer than one in three hundred
 * fields of an object are missing or null in the next object of the same kind.
 */
import { tolerated } from "effect-toolguard/internal/domain/faults/Suggestion"

/** The share of guesses of each kind that are wrong, estimated before any sample is seen. */
export const prior = {
  /** A field for the time of an event is null before the event. */
  present: 0.1,
  /** A field that every sample of an optional object had is optional. */
  required: 0.06,
  /** The only field of an object, under an unspecific name, has another type. */
  content: 0.05,
  /** A number that was always whole may have decimals. */
  integer: 0.1,
  /** A number that was always whole may have decimals, although the field's name suggests a count. */
  count: 0.02,
  /** Texts that always had one format may have a different format. */
  format: 0.03,
  /** Texts may have a different format, although the field's name suggests the format. */
  namedFormat: 0.02,
  /** Texts may have a different format, if people type the texts. */
  looseFormat: 0.2,
  /** Ids that always matched one pattern may match a different pattern. */
  pattern: 0.3,
  /** A text that always contained JSON may contain something else. */
  held: 0.05,
  /** An enum has a further value. Multiply this prior by the number of values seen. */
  choice: 0.1
} as const

/** The maximum chance of violation at which a guess is used. */
export const acceptable = tolerated

/** Returns the chance that the next sample violates a guess. */
export const chance = (prior: number, samples: number): number => prior / (samples + 2)

/** True if a guess is certain enough to be used. */
export const isSure = (prior: number, samples: number): boolean => chance(prior, samples) <= acceptable
