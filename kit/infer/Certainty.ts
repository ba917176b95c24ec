/**
 * How sure a guess is: the chance that the next sample breaks what `n` different samples have borne out.
 *
 * By the rule of succession it is 1 / (n + 2) where nothing is known beforehand. Most fields keep their shape for good, and
 * some guesses are bolder than others: `doubt` is the share of such guesses that are wrong from the start.
 *
 * The kind of a field, and that it is there, are taken as they are seen: of the fields of the first object of a kind fewer
 * than one in three hundred is missing from the next, or null there.
 */

/** Share of guesses of a kind that are wrong, before a sample was seen. */
export const doubt = {
  /** A field that says when something happened is null where it has not. */
  present: 0.1,
  /** A field that was always there, of an object that is not always there. */
  required: 0.06,
  /** What an object holds nothing else than, under a name that says nothing, is another thing. */
  content: 0.05,
  /** A number that was always whole is a decimal. */
  integer: 0.1,
  /** The same, of a field whose name says that it counts. */
  count: 0.02,
  /** Texts that all looked like this are something else besides. */
  format: 0.03,
  /** The same, of a field whose name says so. */
  namedFormat: 0.02,
  /** The same, of formats that people write. */
  looseFormat: 0.2,
  /** Ids that all had one pattern have another. */
  pattern: 0.3,
  /** A text that always held JSON holds something else. */
  held: 0.05,
  /** An enum has a value that was not seen, by value that was. */
  choice: 0.1
} as const

/** The chance that is taken. */
export const bearable = 0.005

/** The chance that the next sample breaks a guess. */
export const chance = (prior: number, samples: number): number => prior / (samples + 2)

/** Whether a guess is made. */
export const isSure = (prior: number, samples: number): boolean => chance(prior, samples) <= bearable
