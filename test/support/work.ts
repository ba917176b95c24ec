/** Compares how much work functions do, whatever else the machine does at the same time. */

/**
 * The CPU time of a function in milliseconds, the least of three measurements. Only ratios of it say something.
 *
 * It runs at least once a measurement, and again until the measurement took two milliseconds.
 */
export const work = (act: () => void): number => {
  let least = Infinity
  act() // compiles it
  for (let measurement = 0; measurement < 3; measurement++) {
    const start = process.cpuUsage()
    let times = 0
    let micros = 0
    while (micros < 2_000) {
      act()
      times += 1
      const { system, user } = process.cpuUsage(start)
      micros = system + user
    }
    least = Math.min(least, micros / times / 1_000)
  }
  return least
}
