/** Compares how much work a function does for a short and for a long input, whatever else the machine does meanwhile. */

/** CPU time of one run in microseconds, over as many runs as take two milliseconds. */
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
 * How many times the work of `short` the function `long` does, by the least CPU time of five measurements each.
 *
 * If both do the same for inputs of which one is ten times as long, the growth of linear work is about 10, and that of
 * quadratic work about 100: leave room between the two.
 */
export const growth = (short: () => void, long: () => void): number => {
  let [leastShort, leastLong] = [Infinity, Infinity]
  for (let measurement = 0; measurement < 5; measurement++) {
    leastShort = Math.min(leastShort, microsOf(short))
    leastLong = Math.min(leastLong, microsOf(long))
  }
  return leastLong / leastShort
}
