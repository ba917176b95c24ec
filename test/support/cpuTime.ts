/** Compares the CPU time of a function for a short and a long input, independently of the load of the machine. */

/** Returns the CPU time of this thread. Node 22 only knows that of the process, with the threads that compile. */
const cpuUsage = (process as Partial<typeof process>).threadCpuUsage ?? process.cpuUsage // the types are those of Node 24

/** Returns the CPU time of one execution in microseconds, averaged over at least two milliseconds. */
const microsOf = (act: () => void): number => {
  const start = cpuUsage()
  let times = 0
  let micros = 0
  while (micros < 2_000) {
    act()
    times += 1
    const { system, user } = cpuUsage(start)
    micros = system + user
  }
  return micros / times
}

/** The maximum number of measurements. */
const maxMeasurements = 40

/**
 * Returns the ratio of the CPU times of `long` and `short`, each the minimum of at least nine measurements. Measures until
 * eight in succession are hardly lower than the minimum, because Node compiles functions and patterns while they run.
 *
 * If the input of `long` is ten times as long, the ratio is about 10 for linear work and about 100 for quadratic work. Choose a
 * limit between the two.
 */
export const growth = (short: () => void, long: () => void): number => {
  let [minShort, minLong] = [Infinity, Infinity]
  for (let stable = 0, measurement = 0; stable < 8 && measurement < maxMeasurements; measurement++) {
    const [micros, microsLong] = [microsOf(short), microsOf(long)]
    stable = micros < 0.9 * minShort || microsLong < 0.9 * minLong ? 0 : stable + 1
    minShort = Math.min(minShort, micros)
    minLong = Math.min(minLong, microsLong)
  }
  return minLong / minShort
}
