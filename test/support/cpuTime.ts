/** Compares the CPU time of a function for a short and a long input, independently of the load of the machine. */

/** Returns the CPU time of one execution in microseconds, averaged over at least two milliseconds. */
const microsOf = (act: () => void): number => {
  const start = process.cpuUsage()
  let times = 0
  let micros = 0
  while (micros < 2_000) {
    act()
    times += 1
    const { system, user } = process.cpuUsage(start)
    micros = system + user
  }
  return micros / times
}

/**
 * Returns the ratio of the CPU times of `long` and `short`, each the minimum of five measurements.
 *
 * If the input of `long` is ten times as long, the ratio is about 10 for linear work and about 100 for quadratic work. Choose a
 * limit between the two.
 */
export const growth = (short: () => void, long: () => void): number => {
  let [minShort, minLong] = [Infinity, Infinity]
  for (let measurement = 0; measurement < 5; measurement++) {
    minShort = Math.min(minShort, microsOf(short))
    minLong = Math.min(minLong, microsOf(long))
  }
  return minLong / minShort
}
